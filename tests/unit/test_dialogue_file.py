"""The demo's text format: what it reads, and what it refuses with the line and the reason."""

import runpy
import sys
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import BadRequest

ROOT = Path(__file__).parents[2]
sys.path.insert(0, str(ROOT / "examples"))  # the demo is a script beside its dialogue
_says = runpy.run_path(str(ROOT / "examples" / "demo.py"))["_says"]
read_dialogue = runpy.run_path(str(ROOT / "examples" / "dialogue.py"))["read_dialogue"]
sys.path.remove(str(ROOT / "examples"))
FIRST = "== 2026-03-02 09:15  First\nAna: My dog eats no chicken.\n"
SECOND = "== 2026-04-02 10:00  Second\nAna: What does my dog not eat?\n"


def written(folder: Path, text: str) -> Path:
    file = folder / "dialogue.txt"
    file.write_text(text, encoding="utf-8")
    return file


@pytest.mark.parametrize("file", sorted((ROOT / "examples").glob("*.txt")), ids=lambda file: file.name)
def test_the_examples_read_and_end_with_checked_questions(file: Path) -> None:
    conversations = read_dialogue(file)
    assert len(conversations) >= 3
    assert all(line.checked for line in conversations[-1].lines)


def test_lines_belong_to_the_heading_above_and_checks_to_the_line_above(tmp_path: Path) -> None:
    text = FIRST + SECOND + "  source: My dog eats no chicken.\n  answer: chicken | poultry\n"
    first, second = read_dialogue(written(tmp_path, text))
    assert [line.text for line in first.lines] == ["My dog eats no chicken."]
    assert second.at.isoformat() == "2026-04-02T10:00:00+00:00"
    assert second.lines[0].answers == ("chicken", "poultry")


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "holds no dialogue"),
        ("# only a comment\n", "holds no dialogue"),
        ("Ana: too early\n", "line 1: a heading"),
        ("== 2026-02-31 09:15  No such day\n", "is not a date"),
        (FIRST + "just words\n", "line 3: expected 'Name: what is said'"),
        (FIRST + SECOND + "  source: My dog eats no chicken.\n", "needs both"),
        (FIRST + SECOND + "  source: My dog eats no fish.\n  answer: fish\n", "matches no line of an earlier conversation"),
        (FIRST + SECOND + "  source: My dog eats no chicken.\n  answer: dog\n", "contains 'dog'"),
    ],
)
def test_a_faulty_file_is_refused_with_line_and_reason(tmp_path: Path, text: str, complaint: str) -> None:
    with pytest.raises(BadRequest, match=complaint):
        read_dialogue(written(tmp_path, text))


def test_a_source_in_the_same_conversation_proves_no_memory(tmp_path: Path) -> None:
    text = FIRST + "Ana: What does my dog not eat?\n  source: My dog eats no chicken.\n  answer: chicken\n"
    with pytest.raises(BadRequest, match="earlier conversation"):
        read_dialogue(written(tmp_path, text))


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadRequest, match=r"nowhere\.txt"):
        read_dialogue(tmp_path / "nowhere.txt")


@pytest.mark.parametrize(
    ("answer", "right"),
    [("Your sister Clara.", True), ("clara", True), ("Clarabella comes.", False), ("Nobody I know.", False)],
)
def test_an_answer_is_right_if_it_has_the_value_as_a_word(answer: str, right: bool) -> None:
    assert _says(answer, ("Clara",)) is right


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "dialogue.txt").write_bytes(b"\xb0\xff")
    with pytest.raises(BadRequest, match=r"dialogue.txt is not UTF-8 text: pass a dialogue"):
        read_dialogue(tmp_path / "dialogue.txt")
