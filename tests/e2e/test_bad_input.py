"""Wrong calls: one clear line with the remedy, an exit code, and nothing stored."""

import json
from pathlib import Path

import pytest

from .command import ReactMem

pytestmark = pytest.mark.later

ONE_MEGABYTE = "x" * 1_000_000


@pytest.mark.parametrize(
    ("arguments", "text", "code", "complaint"),
    [
        (["ask", ""], None, 2, "the question is empty"),
        (["ask", "  "], None, 2, "the question is empty"),
        (["ask", "\u2800\u3164"], None, 2, "the question is empty"),
        (["memories", "search", ""], None, 2, "the query is empty"),
        (["memories", "list", "--kind", "nonsense"], None, 2, "--kind nonsense"),
        (["memories", "show", "no-such-id"], None, 2, "no record 'no-such-id'"),
        (["forget", "no-such-id"], None, 2, "no-such-id"),
        (["forget", "--conversation", "nope", "--yes"], None, 2, "no conversation 'nope' in this scope: nothing was found"),
        (["feedback", "0", "+"], None, 2, "no memory '0' in this scope"),
        (["import", "chatml", "/"], None, 2, "'/' is a directory"),
        (["import", "chatml", "/nowhere/chat.jsonl"], None, 2, "/nowhere/chat.jsonl"),
        (["import", "chatml", "/dev/null"], None, 2, "/dev/null is not a regular file"),
        (["export", "/", "--force"], None, 2, "'/' is a directory"),
        (["install", "--api-url", "nonsense"], None, 2, "--api-url 'nonsense' is not an address"),
        (["undo", "no-such-id"], None, 2, "no memory 'no-such-id' in this scope: list the memories"),
        (["import", "memory", "/nowhere/export.jsonl"], None, 2, "/nowhere/export.jsonl"),
        (["export", "/nowhere/export.jsonl"], None, 2, "/nowhere"),
        (["rollback", "--to", "soonish", "--yes"], None, 2, "'soonish' is not a time"),
        (["jobs", "submit", "nonsense"], None, 2, "'nonsense' cannot be submitted: one of"),
        (["jobs", "submit", "insight", "--payload", "{"], None, 2, "not JSON"),
        (["jobs", "submit", "understand"], None, 2, "'conversation_id'"),
        (["jobs", "show", "no-such-job"], None, 2, "no-such-job"),
        (["memories", "list", "--collection", "a" * 300], None, 2, "300 characters"),
        (["ask", "Hello", "--model", "other"], None, 2, "has no effect"),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, list) else None,
)
def test_a_wrong_call_gets_one_line_with_the_remedy(
    served: ReactMem, arguments: list[str], text: str | None, code: int, complaint: str
) -> None:
    result = served.as_user("wrong").run(*arguments, text=text)
    assert result.code == code, result.err
    assert complaint in result.err
    assert "Traceback" not in result.err


def test_a_question_of_a_megabyte_is_refused_and_not_stored(served: ReactMem) -> None:
    ana = served.as_user("megabyte")
    result = ana.run("ask", "-", "--json", text=ONE_MEGABYTE)
    assert result.code != 0
    assert "1000000" in result.out.replace(",", "").replace("_", "")
    assert len(result.value["error"]) < 1000
    assert ana.json("memories", "list")["memories"] == []


def test_with_json_an_error_is_json_too(served: ReactMem) -> None:
    result = served.run("ask", "", "--json")
    assert "the question is empty" in result.value["error"]


def test_a_message_of_a_transcript_that_is_too_large_is_named_before_anything_is_stored(
    served: ReactMem, tmp_path: Path
) -> None:
    file = tmp_path / "chat.jsonl"
    said = [{"role": "user", "content": "short"}, {"role": "user", "content": "word " * 1_200_000}]
    file.write_text(json.dumps({"messages": said}) + "\n", encoding="utf-8")
    ana = served.as_user("large")
    result = ana.run("import", "chatml", str(file))
    assert result.code == 2
    assert f"{file}: turn 2 of dialogue" in result.err
    assert "6.0 MB exceeds the limit of 1.0 MB: shorten or split it" in result.err
    assert ana.json("memories", "list")["memories"] == []
