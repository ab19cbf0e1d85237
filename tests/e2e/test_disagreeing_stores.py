"""Parts of a data directory are lost or exchanged while no stack runs: what the commands then do and say."""

import shutil
import sqlite3
import time
from pathlib import Path

import pytest

from .command import ReactMem

pytestmark = pytest.mark.slow  # tests/integration/stores/test_disagreeing_stores.py proves the rules without the command

QUESTION = "What is my dog Miso allergic to?"


@pytest.fixture
def ana(tmp_path: Path) -> ReactMem:
    """A user with a few memories, and no running stack."""
    ana = ReactMem(tmp_path)
    with ana.up() as stack:
        for said in ("My dog Miso is allergic to chicken.", "I work as a baker in Bergen.", "My sister Ida plays the cello."):
            ana.json("ask", said, "--conversation", "c")
        assert ana.json("jobs", "wait")["waiting"] == 0
        assert stack.interrupt() in (0, 130)
    return ana


def found(ana: ReactMem, query: str = QUESTION) -> list[str]:
    return [memory["content"] for memory in ana.json("memories", "search", query)["memories"]]


def test_deleted_vectors_come_back_by_themselves(ana: ReactMem) -> None:
    shutil.rmtree(ana.home / "data" / "vectors")
    with ana.up() as stack:
        until = time.monotonic() + 60
        while not any("chicken" in text for text in found(ana)) and time.monotonic() < until:
            time.sleep(0.5)
        assert any("chicken" in text for text in found(ana))
        assert stack.interrupt() in (0, 130)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("part", "told"),
    [
        ("data/graph", "the graph is empty, but the vectors"),
        ("keys/master.key", "is missing, but there is data"),
    ],
)
def test_what_is_lost_and_cannot_be_made_again_is_refused(ana: ReactMem, part: str, told: str) -> None:
    for path in (ana.home / part).parent.glob(f"{Path(part).name}*"):
        path.unlink()
    refused = ana.run("memories", "list")
    assert refused.code == 3
    assert told in refused.err
    assert "backup" in refused.err
    assert not (ana.home / "keys" / "master.key").exists() or part != "keys/master.key"


@pytest.mark.slow
def test_jobs_of_another_home_are_refused(ana: ReactMem) -> None:
    with sqlite3.connect(ana.home / "data" / "jobs.db") as jobs:
        jobs.execute("UPDATE mark SET generation = '0123456789abcdef'")
    refused = ana.run("memories", "list")
    assert refused.code == 3
    assert "belong to other data" in refused.err
