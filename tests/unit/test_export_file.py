"""The file of an export: its heading and its end, its lines, the size of a message."""

import io
import json
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from trustgraph_react_mem.cli.transfer import PAGE, PAGE_BYTES, _waiting
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.requests import ListJobs, WaitUntilIdle
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.sizes import split_by_size, wire_size
from trustgraph_react_mem.schema import JobsResponse, JobStatus
from trustgraph_react_mem.transfer.files import ExportFile, validate_file
from trustgraph_react_mem.transfer.lines import FORMAT, MOST_LINE_BYTES, SCHEMA_VERSION

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


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\x0b", "\x1e", "\r\n", "\ud800"])
def test_a_record_is_one_line_whatever_it_says(path: Path, mark: str) -> None:
    line = fact(f"one{mark}two")
    found = validate_file(written(path, line, fact("b"), waiting=3))
    assert list(found.lines()) == [line, fact("b")]
    assert (found.records, found.schema, found.waiting) == (2, SCHEMA_VERSION, 3)


class Jobs:
    """Jobs that are at work and deferred, as a service tells them, call by call."""

    def __init__(self, *told: tuple[int, int]) -> None:
        self.told = list(told)
        self.patience: list[float] = []

    async def call(self, request: WaitUntilIdle | ListJobs) -> JobsResponse:
        if isinstance(request, WaitUntilIdle):
            self.patience.append(request.timeout_s)
            return JobsResponse(count=self.told[0][0])
        return JobsResponse(jobs=[JobStatus()] * self.told.pop(0)[1])


@pytest.mark.parametrize(
    ("told", "wait_s", "expected"),
    [([(0, 0)], 0.0, 0), ([(2, 3)], 0.0, 5), ([(0, 2), (0, 1), (0, 0)], 60.0, 0), ([(1, 0), (0, 0)], 60.0, 0)],
)
async def test_waiting_jobs_are_counted_and_given_time(
    monkeypatch: pytest.MonkeyPatch, told: list[tuple[int, int]], wait_s: float, expected: int
) -> None:
    monkeypatch.setattr("trustgraph_react_mem.cli.transfer.LOOK_AGAIN_S", 0.0)
    bus, session = Jobs(*told), SimpleNamespace(scope_fields={"user": "ann"})
    assert await _waiting(cast(Any, bus), cast(Any, session), wait_s) == expected
    assert bus.told == []
    assert all(given >= min(wait_s, 3.0) for given in bus.patience)


def test_an_export_of_nothing_is_whole(path: Path) -> None:
    assert list(validate_file(written(path)).lines()) == []


@pytest.mark.parametrize("schema", [1, SCHEMA_VERSION + 1, None, "3"])
def test_a_file_of_another_schema_is_refused_before_anything_is_sent(path: Path, schema: object) -> None:
    path.write_text(json.dumps({"format": FORMAT, "schema": schema}) + "\n", encoding="utf-8")
    with pytest.raises(BadRequest, match=f"schema version {schema!r}, this program reads 2 to {SCHEMA_VERSION}"):
        validate_file(path)


def test_a_file_of_schema_2_has_no_end_and_is_read(path: Path) -> None:
    path.write_text(json.dumps({"format": FORMAT, "schema": 2}) + f"\n{fact('a')}\n", encoding="utf-8")
    assert list(validate_file(path).lines()) == [fact("a")]


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
        (whole.replace('"kind": "semantic"', '"kind": "cheese"', 1), "line 2: kind = 'cheese': use one of turn"),
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


@pytest.mark.parametrize(
    ("lines", "sizes"),
    [
        ([], []),
        (["x"] * (PAGE + 1), [PAGE, 1]),
        (["x" * (PAGE_BYTES // 3)] * 5, [2, 2, 1]),
        (["é" * (PAGE_BYTES // 11)] * 3, [1, 1, 1]),  # six characters each, as JSON writes them
        (["x", "x" * (2 * PAGE_BYTES), "x"], [1, 1, 1]),
    ],
)
def test_a_message_of_an_import_is_cut_by_lines_and_by_size(lines: list[str], sizes: list[int]) -> None:
    pages = list(split_by_size(lines, wire_size, most=PAGE, most_bytes=PAGE_BYTES))
    assert [len(page) for page in pages] == sizes
    assert [line for page in pages for line in page] == lines
