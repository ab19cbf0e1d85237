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


def test_the_status_has_the_figures_of_the_newest_turns(served: ReactMem) -> None:
    ana = served.as_user("figures-ana")
    asked(ana, 3)
    result = ana.run("learn", "status")
    assert result.code == 0, result.err
    assert "mean of 10 turns" in result.out
    assert "citation rate" in result.out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("rmm-ab-share=0.5",), "no longer a setting"),
        (("rerank=sometimes",), "rerank"),
        (("nonsense",), "give KEY=VALUE"),
        (("--unset", "nope"), "there is no such setting"),
    ],
)
def test_a_wrong_setting_is_refused_by_name(served: ReactMem, arguments: tuple[str, ...], told: str) -> None:
    result = served.run("settings", *arguments)
    assert result.code in (2, 3)
    assert told in result.err
