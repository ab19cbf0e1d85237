"""Lone surrogates are replaced wherever text enters, and values of a wrong type are refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.model import _object
from trustgraph_react_mem.errors import BadRequest, ModelAnswerError
from trustgraph_react_mem.memory.json_object import read_json_object
from trustgraph_react_mem.memory.model_json import parse_json, parse_jsonl, read_object
from trustgraph_react_mem.memory.requests import StoreFact, decode
from trustgraph_react_mem.memory.text.printable import is_blank
from trustgraph_react_mem.memory.text.well_formed import may_be_ill_formed, well_formed, well_formed_tree
from trustgraph_react_mem.processors.agent.tools import _to_text
from trustgraph_react_mem.schema import (
    AgentRequest,
    ConversationsRequest,
    EpisodesRequest,
    FactsRequest,
    HistoryStep,
    JobEnvelope,
    JobsRequest,
    Turn,
)
from trustgraph_react_mem.transcripts import read_chats

CUT = "cut \ud83d here"
MENDED = "cut \ufffd here"
any_text = st.text(st.characters(categories=None), max_size=30)


@pytest.mark.parametrize(
    ("text", "blank"),
    [
        ("", True),
        (" \n\u3000", True),
        ("\u2800\u3164\uffa0", True),
        ("\u115f\u1160\u200b\u00ad\ufe0f", True),
        ("\u3164a", False),
        ("👍", False),
        ("\u2801", False),
    ],
)
def test_a_text_without_ink_is_blank(text: str, blank: bool) -> None:
    assert is_blank(text) is blank


@given(any_text)
@example(CUT)
def test_every_text_becomes_valid_utf8_and_valid_text_stays(text: str) -> None:
    mended = well_formed(text)
    mended.encode("utf-8")
    assert well_formed(mended) == mended
    if not any("\ud800" <= letter <= "\udfff" for letter in text):
        assert mended is text


def test_the_halves_of_a_character_become_one_and_each_other_half_is_replaced() -> None:
    assert well_formed("\ud83d\ude00") == "😀"
    assert well_formed("\ude00\ud83d") == "\ufffd\ufffd"
    assert well_formed("a\ud83d") == "a\ufffd"
    assert well_formed(CUT) == MENDED


def test_what_holds_no_surrogate_is_not_copied() -> None:
    whole = {"a": ["é", 1.5, ("x",)], "b": Turn(text="ü")}
    assert well_formed_tree(whole) is whole
    assert well_formed_tree({CUT: [CUT, Turn(text=CUT)]}) == {MENDED: [MENDED, Turn(text=MENDED)]}


@given(any_text)
@example(CUT)
def test_a_message_is_well_formed_after_every_way_over_the_bus(text: str) -> None:
    message = AgentRequest(question=text, history=[HistoryStep(role="user", content=text)], group=[text])
    raw = json.dumps({"question": text, "history": [{"role": "user", "content": text}], "group": [text]}).encode()
    for sent in (wire.decode(raw, AgentRequest), wire.restore(wire.snapshot(message), AgentRequest)):
        assert (sent.question, sent.history[0].content, sent.group) == (
            well_formed(text),
            well_formed(text),
            [well_formed(text)],
        )
    encoded = wire.encode(message)
    assert not may_be_ill_formed(encoded) or json.loads(encoded)["question"] == well_formed(text)
    json.dumps(json.loads(encoded), ensure_ascii=False).encode("utf-8")


def test_surrogates_that_are_bytes_of_the_message_are_replaced_too() -> None:
    raw = b'{"question": "' + "\ud83d".encode("utf-8", "surrogatepass") + b'"}'
    assert wire.decode(raw, AgentRequest).question == "\ufffd"


@pytest.mark.parametrize("nested", ["[" * 200_000, "[" * 900 + r'"\ud83d"' + "]" * 900], ids=["open", "closed"])
def test_a_message_that_is_nested_too_deeply_is_refused(nested: str) -> None:
    text = f'{{"question": {nested}}}'
    with pytest.raises(BadRequest, match="not JSON"):
        wire.decode(text.encode(), AgentRequest)
    with pytest.raises(BadRequest, match="not JSON"):
        read_json_object(text, "the payload")
    with pytest.raises(ModelAnswerError, match="not JSON"):
        _object("p", text)


def test_a_request_that_code_makes_is_well_formed() -> None:
    made = StoreFact(user="ann", content=CUT, metadata={CUT: CUT})
    assert (made.content, made.metadata) == (MENDED, {MENDED: MENDED})


def test_payloads_and_answers_of_models_and_tools_are_well_formed() -> None:
    escaped = '{"a": ["cut \\ud83d here"]}'
    wanted = {"a": [MENDED]}
    assert read_json_object(escaped, "the payload") == wanted
    assert (
        parse_json(escaped) == parse_json(f"```json\n{escaped}\n```") == read_object(escaped) == _object("p", escaped) == wanted
    )
    assert parse_jsonl(f"{escaped}\nnot this") == [wanted]
    assert _to_text(json.loads(escaped)) == '{"a": ["cut \ufffd here"]}'
    assert _to_text(CUT) == MENDED


def test_a_transcript_with_cut_characters_is_read(tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text('{"role": "user", "content": "cut \\ud83d here"}\n', encoding="utf-8")
    assert read_chats(file)[0].turns[0].text == MENDED


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c"])
def test_only_a_line_feed_ends_a_line_of_a_transcript(tmp_path: Path, separator: str) -> None:
    file = tmp_path / "chat.jsonl"
    rows = [{"role": "user", "content": f"one{separator}two"}, {"role": "assistant", "content": "three"}]
    file.write_text("\r\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8", newline="")
    assert [turn.text.split() for turn in read_chats(file)[0].turns] == [["one", "two"], ["three"]]


@pytest.mark.parametrize("rows", [1, 2])
def test_a_transcript_that_is_nested_too_deeply_is_refused(tmp_path: Path, rows: int) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text('{"role": "user", "content": "x"}\n' * (rows - 1) + "[" * 200_000, encoding="utf-8")
    with pytest.raises(BadRequest, match="nested too deeply"):
        read_chats(file)


def test_an_envelope_of_a_job_is_well_formed() -> None:
    assert wire.decode(json.dumps({"id": CUT, "trigger": CUT}).encode(), JobEnvelope) == JobEnvelope(id=MENDED, trigger=MENDED)


WRONG: list[tuple[Any, str]] = [
    (FactsRequest(operation="retrieve", top_k="5"), "top_k must be a whole number, not str"),  # type: ignore[arg-type]
    (FactsRequest(operation="retrieve", top_k=True), "top_k must be a whole number, not bool"),
    (FactsRequest(operation="retrieve", top_k=2**70), "top_k is too large"),
    (FactsRequest(operation="retrieve", threshold=float("nan")), "threshold is nan: use a finite number"),
    (FactsRequest(operation="retrieve", embedding=["a"]), r"embedding\[0\] must be a number, not str"),  # type: ignore[list-item]
    (FactsRequest(operation=["list"]), "operation must be a string, not list"),  # type: ignore[arg-type]
    (FactsRequest(operation="list", kinds="x"), "kinds must be a list, not str"),  # type: ignore[arg-type]
    (FactsRequest(operation="store", metadata={"a": {}}), r"metadata\['a'\] must be a string, not dict"),  # type: ignore[dict-item]
    (FactsRequest(operation="import", turns=["x"]), r"turns\[0\] must be an object, not str"),  # type: ignore[list-item]
    (FactsRequest(operation="import", turns=[Turn(text=5)]), r"turns\[0\].text must be a string"),  # type: ignore[arg-type]
    (EpisodesRequest(operation="store", succeeded="no"), "succeeded must be true or false, not str"),  # type: ignore[arg-type]
    (ConversationsRequest(operation="get", invocation=3), "invocation must be an object, not int"),  # type: ignore[arg-type]
    (JobsRequest(operation="wait-idle", timeout_s=float("inf")), "timeout_s is inf: use a finite number"),
    (JobsRequest(operation="submit", payload={}), "payload must be a string, not dict"),  # type: ignore[arg-type]
]


@pytest.mark.parametrize(("record", "told"), WRONG, ids=[told for _, told in WRONG])
def test_a_value_of_a_wrong_type_is_a_bad_request_that_names_it(record: Any, told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        decode(record)


def test_null_is_a_field_that_was_left_out_and_numbers_in_metadata_become_text() -> None:
    record = FactsRequest(operation="store", content="x", kind=None, importance=None, metadata={"n": 5})  # type: ignore[arg-type,dict-item]
    made: Any = decode(record)
    assert (made.kind, made.importance, made.metadata) == ("semantic", None, {"n": "5"})
