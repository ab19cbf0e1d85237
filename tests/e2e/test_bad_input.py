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
        (["history", "no-such-id"], None, 2, "no-such-id"),
        (["forget", "no-such-id"], None, 2, "no-such-id"),
        (["forget", "--conversation", "nope", "--yes"], None, 2, "no conversation 'nope' in this scope: nothing was found"),
        (["feedback", "0", "+"], None, 2, "no conversation in this scope"),
        (["import", "chatml", "/"], None, 2, "/ is a directory"),
        (["import", "chatml", "/nowhere/chat.jsonl"], None, 2, "/nowhere/chat.jsonl"),
        (["import", "chatml", "/dev/null"], None, 2, "/dev/null is not a regular file"),
        (["export", "/", "--force"], None, 2, "/ is a directory"),
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


def test_a_chat_without_messages_is_refused(served: ReactMem, tmp_path: Path) -> None:
    (tmp_path / "chat.jsonl").touch()
    result = served.as_user("empty").run("import", "chatml", str(tmp_path / "chat.jsonl"))
    assert (result.code, "chat.jsonl has no messages" in result.err) == (2, True), result.err


def test_an_export_that_cannot_be_written_is_a_wrong_call(served: ReactMem, tmp_path: Path) -> None:
    (tmp_path / "mine.jsonl.part").mkdir()
    result = served.as_user("unwritable").run("export", str(tmp_path / "mine.jsonl"))
    assert (result.code, f"cannot write {tmp_path / 'mine.jsonl'}" in result.err) == (2, True), result.err


def test_a_model_named_in_the_environment_speaks_of_stacks_that_are_started(served: ReactMem) -> None:
    result = served.as_user("elsewhere").run("memories", "list", REACT_MEM_MODEL="local")
    assert result.code == 0, result.err


def test_a_question_of_a_megabyte_is_refused_and_not_stored(served: ReactMem) -> None:
    ana = served.as_user("megabyte")
    result = ana.run("ask", "-", "--json", text=ONE_MEGABYTE)
    assert result.code != 0
    assert "1000000" in result.out.replace(",", "").replace("_", "")
    assert len(result.value["error"]) < 1000
    assert ana.json("memories", "list")["memories"] == []


def test_an_unknown_collection_is_empty_and_not_an_error(served: ReactMem) -> None:
    assert served.json("memories", "list", "--collection", "never-used")["memories"] == []


def test_with_json_an_error_is_json_too(served: ReactMem) -> None:
    result = served.run("ask", "", "--json")
    assert "the question is empty" in result.value["error"]


def test_forgetting_what_is_not_there_says_so(served: ReactMem) -> None:
    nobody = served.as_user("nobody")
    for target in (["--user", "ghost"], ["--collection", "nope"]):
        result = nobody.run("forget", *target, "--yes")
        assert (result.code, "nothing was forgotten" in result.out) == (0, True), result.out + result.err


def test_an_export_is_not_read_as_a_chat(served: ReactMem, tmp_path: Path) -> None:
    file = tmp_path / "export.jsonl"
    ana = served.as_user("exporting")
    assert ana.run("export", str(file)).code == 0
    refused = ana.run("import", "chatml", str(file))
    assert refused.code == 2
    assert f"react-mem import memory {file}" in refused.err


def test_an_export_goes_through_a_pipe(served: ReactMem, tmp_path: Path) -> None:
    ana, bob = served.as_user("piping"), served.as_user("piped")
    chat = json.dumps([{"role": "user", "content": "I keep the umbrella in the hall"}])
    assert ana.json("import", "chatml", "-", text=chat)["stored"] == 1
    for more in ([], ["--json"]):
        exported = ana.run("export", "-", *more)
        assert exported.code == 0, exported.err
        kinds = [json.loads(line).get("type", "") for line in exported.out.splitlines()]
        assert (kinds[-1], kinds.count("end")) == ("end", 1), "standard output holds the export and nothing else"
    assert bob.json("import", "memory", "-", text=exported.out)["stored"] == 1
    assert "umbrella" in bob.run("memories", "list").out
    cut = bob.run("import", "memory", "-", text=exported.out.rpartition('{"type": "end"')[0])
    assert (cut.code, "cut off" in cut.err) == (2, True), cut.err


def test_a_chat_that_is_nested_too_deeply_is_refused_in_a_sentence(tmp_path: Path) -> None:
    for text in ("[" * 100_000 + "]" * 100_000, '{"messages": ' * 50_000 + "1" + "}" * 50_000):
        file = tmp_path / "deep.json"
        file.write_text(text)
        refused = ReactMem(tmp_path).run("import", "chatml", str(file))
        assert (refused.code, "nested too deeply" in refused.err) == (2, True), refused.err


def test_a_page_that_is_empty_is_not_an_empty_scope(served: ReactMem) -> None:
    ana = served.as_user("paging")
    assert "nothing is remembered" in ana.run("memories", "list").out
    assert "none of these" in ana.run("memories", "list", "--offset", "500").out


@pytest.mark.parametrize(
    ("content", "complaint"),
    [
        ("not json\n", "not an export"),
        (json.dumps({"format": "other"}) + "\n", "not an export"),
        (json.dumps({"format": "trustgraph-react-mem", "schema": 99}) + "\n", "schema version 99"),
        (json.dumps({"format": "trustgraph-react-mem", "schema": 2}) + "\n{broken\n", "line 2 is not JSON"),
    ],
)
def test_a_damaged_export_is_refused_whole(served: ReactMem, tmp_path: Path, content: str, complaint: str) -> None:
    file = tmp_path / "export.jsonl"
    file.write_text(content, encoding="utf-8")
    ana = served.as_user("damaged")
    result = ana.run("import", "memory", str(file))
    assert result.code == 2
    assert complaint in result.err
    assert ana.json("memories", "list")["memories"] == []


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
