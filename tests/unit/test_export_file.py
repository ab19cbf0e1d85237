"""The file of an export as the command line reads it: its lines, its heading, the size of a message."""

import json
from pathlib import Path

import pytest

from trustgraph_react_mem.cli.transfer import FORMAT, PAGE, PAGE_BYTES, SCHEMA_VERSION, _pages, _records
from trustgraph_react_mem.errors import BadRequest

HEADING = json.dumps({"format": FORMAT, "schema": SCHEMA_VERSION})


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\u0085", "\x0b", "\x1e", "\r\n"])
def test_a_record_is_one_line_whatever_it_says(tmp_path: Path, mark: str) -> None:
    line = json.dumps({"type": "fact", "content": f"one{mark}two"}, ensure_ascii=False)
    file = tmp_path / "export.jsonl"
    file.write_text(f"{HEADING}\n{line}\n\n", encoding="utf-8")
    assert _records(file) == [line]


@pytest.mark.parametrize("schema", [SCHEMA_VERSION - 1, SCHEMA_VERSION + 1, None])
def test_a_file_of_another_schema_is_refused_before_anything_is_sent(tmp_path: Path, schema: int | None) -> None:
    file = tmp_path / "export.jsonl"
    file.write_text(json.dumps({"format": FORMAT, "schema": schema}) + "\n", encoding="utf-8")
    with pytest.raises(BadRequest, match=f"schema version {schema}, this program reads {SCHEMA_VERSION}"):
        _records(file)


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
    pages = list(_pages(lines))
    assert [len(page) for page in pages] == sizes
    assert [line for page in pages for line in page] == lines
