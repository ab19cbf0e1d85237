"""Erased words are found in files by hashes of parts of them."""

import json
from pathlib import Path

from trustgraph_react_mem.erasure import marks
from trustgraph_react_mem.erasure.marks import Marks

SECRET = "My ship is named Qzxuserrrr8843 and lies in Oslo."
KEY = bytes(range(32))


def total(directory: Path, texts: list[str]) -> int:
    found = Marks(KEY)
    return sum(found.count(directory, found.of(texts)).values())


def test_words_are_counted_in_any_file_and_at_any_place(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "page").write_bytes(b"\0" * 13 + SECRET.encode() + b"\xff" * 5)
    assert total(tmp_path, [SECRET]) == marks.PER_TEXT
    (tmp_path / "log").write_bytes(json.dumps({"text": f"é {SECRET}"}).encode())
    assert total(tmp_path, [SECRET]) == 2 * marks.PER_TEXT
    assert total(tmp_path, ["Something that nobody has said."]) == 0
    assert total(tmp_path, ["short", ""]) == 0


def test_words_across_chunks_are_counted_once(tmp_path: Path, monkeypatch) -> None:  # type: ignore[no-untyped-def]
    monkeypatch.setattr(marks, "CHUNK", 64)
    for offset in range(0, 130):
        (tmp_path / "file").write_bytes(b"." * offset + SECRET.encode() + b"." * 70)
        assert total(tmp_path, [SECRET]) == marks.PER_TEXT


def test_words_of_other_scripts_are_counted(tmp_path: Path) -> None:
    text = "Мой корабль лежит в Осло у причала"
    (tmp_path / "file").write_bytes(text.encode())
    assert total(tmp_path, [text]) > 0


def test_marks_depend_on_the_key_and_hold_no_words() -> None:
    ours, theirs = Marks(KEY).of([SECRET]), Marks(b"\x01" * 32).of([SECRET])
    assert ours == Marks(KEY).of([SECRET])
    assert not {*ours} & {*theirs}
    assert len(Marks(KEY).of([f"{n} {SECRET}" for n in range(1000)])) <= marks.PER_ERASURE
