"""The ranking that learns, by its commands: seen, trained, carried to another person, switched off, reset."""

import json
from pathlib import Path

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
def test_learning_is_seen_trained_carried_over_and_reset(served: ReactMem, tmp_path: Path) -> None:
    ana, bob = served.as_user("learn-ana"), served.as_user("learn-bob")
    assert ana.json("learn", "status")["rows"] == []
    assert ana.json("learn", "pretrain")["turns"] == 0
    assert ana.run("learn", "export", str(tmp_path / "none.json")).code == 2
    asked(ana, 11)
    state = ana.json("learn", "status")
    assert state["rates"]["turns"] == 12
    assert state["policy"]["updates"] >= 2
    assert all({"reward", "recall_prior", "mrr_prior", "mrr_shown", "bank_size"} <= set(row) for row in state["rows"][1:])
    assert ana.json("learn", "pretrain", "--passes", "2")["turns"] >= 10

    weights = tmp_path / "weights.json"
    ana.json("learn", "export", str(weights))
    assert "Miso" not in weights.read_text()
    bob.json("learn", "import", str(weights))
    assert bob.json("learn", "status")["policy"]["weight_norm"] > 0
    again = bob.run("learn", "import", str(weights))
    assert again.code == 2
    assert "repeat with --yes" in again.err
    other = tmp_path / "other.json"
    other.write_text(json.dumps({**json.loads(weights.read_text()), "profile": "another-model"}))
    refused = bob.run("learn", "import", str(other), "--yes")
    assert refused.code == 3
    assert "another-model" in refused.err
    assert bob.json("learn", "reset", "--yes") == {"reset": 1}
    assert bob.json("learn", "status")["policy"]["weight_norm"] == 0
    assert ana.json("learn", "status")["policy"]["weight_norm"] > 0


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
