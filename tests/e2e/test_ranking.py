"""The ranking that learns, by its commands: seen, trained, reset."""

import pytest

from .command import ReactMem

pytestmark = pytest.mark.later

TOLD, ASKED = "My dog Miso is allergic to chicken.", "What is my dog Miso allergic to?"


def asked(person: ReactMem, times: int) -> None:
    person.json("ask", TOLD)
    for _ in range(times):
        person.json("ask", ASKED)
    person.json("jobs", "wait", "--timeout", "60")


@pytest.mark.slow
def test_learning_is_seen_trained_and_reset(served: ReactMem) -> None:
    ana = served.as_user("learn-ana")
    assert ana.json("learn", "status")["rows"] == []
    assert ana.json("learn", "pretrain")["turns"] == 0
    asked(ana, 11)
    state = ana.json("learn", "status")
    assert state["rates"]["turns"] == 12
    assert state["policy"]["updates"] >= 2
    assert all({"reward", "recall_prior", "mrr_prior", "mrr_shown", "bank_size"} <= set(row) for row in state["rows"][1:])
    assert ana.json("learn", "pretrain", "--passes", "2")["turns"] >= 10
    assert ana.json("learn", "status")["policy"]["weight_norm"] > 0
    assert ana.json("learn", "reset", "--yes") == {"reset": 1}
    assert ana.json("learn", "status")["policy"]["weight_norm"] == 0
