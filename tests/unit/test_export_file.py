"""The file of an export: its heading and its end, its lines, the size of a message."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.transfer.files import ExportFile, validate_file
from trustgraph_react_mem.transfer.lines import MOST_LINE_BYTES

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
ANN = Scope(workspace="w", user="ann", collection="default")


def fact(content: str, record_id: str = "a") -> str:
    row = {"type": "fact", "id": record_id, "kind": "semantic", "content": content, "created_at": AT.isoformat()}
    return json.dumps(row, ensure_ascii=False)


def written(path: Path, *lines: str, waiting: int = 0) -> Path:
    out = io.StringIO()
    file = ExportFile(out, ANN, waiting=waiting, at=AT)
    for line in lines:
        file.add(line + "\n", 1)
    file.end()
    path.write_text(out.getvalue(), encoding="utf-8", errors="surrogatepass", newline="")
    return path


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "export.jsonl"


@pytest.mark.parametrize("cut", [1, 30, 200, -1, -2, -40, -150])
def test_a_file_that_is_cut_off_anywhere_is_refused(path: Path, cut: int) -> None:
    whole = written(path, *(fact(f"memory {n}", f"f{n}") for n in range(4))).read_text(encoding="utf-8")
    path.write_text(whole[:cut], encoding="utf-8")
    if cut == -1:  # only the last line feed is missing
        assert validate_file(path).records == 4
        return
    with pytest.raises(BadRequest, match=r"cut off|not JSON|not an export"):
        validate_file(path)


def test_every_damage_within_is_found_and_named(path: Path) -> None:
    whole = written(path, *(fact(f"memory {n}", f"f{n}") for n in range(4))).read_text(encoding="utf-8")
    for damaged, complaint in (
        (whole.replace("memory 2", "memory 7"), "is damaged: its 4 records do not match the trailer"),
        (whole.replace(fact("memory 1", "f1") + "\n", ""), r"its 3 records do not match the trailer \(4 records"),
        (whole.replace('"kind": "semantic"', '"kind": "cheese"', 1), "line 2: kind = 'cheese': Input should be 'turn'"),
        (whole.replace('"content": "memory 2"', '"content: memory 2"'), "line 4 is not JSON"),
        (whole + fact("more") + "\n", "line 7: data after the end"),
        ("", "is empty"),
        ("PK\x03\x04", "is not an export of react-mem"),
    ):
        path.write_text(damaged, encoding="utf-8")
        with pytest.raises(BadRequest, match=complaint):
            validate_file(path)
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadRequest, match="is not UTF-8 text"):
        validate_file(path)


def test_a_record_that_no_message_takes_is_refused_with_its_size(path: Path) -> None:
    written(path, fact("small"), fact("x" * (MOST_LINE_BYTES + 2_000_000)))
    with pytest.raises(BadRequest, match=r"line 3: a record of 6\.0 MB does not go over the bus, which takes 4 MB: shorten"):
        validate_file(path)
