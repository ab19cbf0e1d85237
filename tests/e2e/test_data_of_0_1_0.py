"""A data directory and an export that version 0.1.0 wrote still work: nothing stored is lost by an update.

``data-0.1.0.tar.xz``: data directory and keys after an import, three turns, an undo, a forgotten memory and a switch.
``data-0.1.0.jsonl``: what ``react-mem export`` of 0.1.0 wrote of it.
"""

import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from .command import ReactMem

pytestmark = pytest.mark.later

HERE = Path(__file__).parent
EXPORTED = HERE / "data-0.1.0.jsonl"
UNDONE = "007811b6-1af3-5164-9141-92467c48c8d3"
UNDO = "undo:49ebaf43084e"


@pytest.fixture
def ana(tmp_path: Path) -> ReactMem:
    with tarfile.open(HERE / "data-0.1.0.tar.xz") as archive:
        archive.extractall(tmp_path / "old", filter="data")
    (tmp_path / "old" / "keys" / "master.key").chmod(0o600)
    return ReactMem(tmp_path / "old", "ana")


def read_records(path: Path) -> list[dict[str, Any]]:
    """Without when conversations ended, because the stack may end a silent one before it exports, and without the digest."""
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()[1:]]
    return [{name: value for name, value in record.items() if name not in ("ended_at", "sha256")} for record in records]


@pytest.mark.slow
def test_an_old_data_directory_opens_and_exports_the_same_records(ana: ReactMem, tmp_path: Path) -> None:
    again = tmp_path / "again.jsonl"
    ana.json("jobs", "wait")
    ana.json("export", str(again))
    assert read_records(again) == read_records(EXPORTED)


@pytest.mark.slow
def test_an_old_data_directory_goes_on_from_where_it_was(ana: ReactMem) -> None:
    with ana.up():
        assert UNDONE not in [memory["id"] for memory in ana.json("memories", "list")["memories"]]
        ana.json("undo", UNDO)
        assert ana.json("memories", "search", "Which instrument does my brother play?")["memories"][0]["id"] == UNDONE
        answer = ana.json("ask", "What is my dog Miso allergic to?", "--conversation", "new")
        assert "chicken" in answer["answer"]
        assert ana.json("jobs", "wait")["waiting"] == 0
        assert len(ana.json("learn", "status")["rows"]) == 4


def test_an_old_export_is_read(tmp_path: Path) -> None:
    ben = ReactMem(tmp_path / "new", "ben")
    assert ben.json("import", "memory", str(EXPORTED))["stored"] == 19
