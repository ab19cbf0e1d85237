"""Lone surrogates are replaced wherever text enters, and values of a wrong type are refused by name."""

import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.model import _object
from trustgraph_react_mem.errors import BadRequest, ModelAnswerError
from trustgraph_react_mem.memory.json_object import read_json_object
from trustgraph_react_mem.memory.model_json import parse_json, parse_jsonl, read_object
from trustgraph_react_mem.memory.requests import FactsRequest, decode
from trustgraph_react_mem.memory.text.printable import is_blank
from trustgraph_react_mem.memory.text.well_formed import may_be_ill_formed, well_formed
from trustgraph_react_mem.processors.agent.tools import _to_text
from trustgraph_react_mem.schema import AgentRequest, HistoryStep

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


@given(any_text)
@example(CUT)
def test_a_message_is_well_formed_after_every_way_over_the_bus(text: str) -> None:
    message = AgentRequest(question=text, history=[HistoryStep(role="user", content=text)], group=[text])
    raw = json.dumps({"question": text, "history": [{"role": "user", "content": text}], "group": [text]}).encode()
    for sent in (wire.decode(raw, AgentRequest), wire.decode(wire.encode(message), AgentRequest)):
        assert (sent.question, sent.history[0].content, sent.group) == (
            well_formed(text),
            well_formed(text),
            [well_formed(text)],
        )
    encoded = wire.encode(message)
    assert not may_be_ill_formed(encoded) or json.loads(encoded)["question"] == well_formed(text)
    json.dumps(json.loads(encoded), ensure_ascii=False).encode("utf-8")


@pytest.mark.parametrize("nested", ["[" * 200_000, "[" * 900 + r'"\ud83d"' + "]" * 900], ids=["open", "closed"])
def test_a_message_that_is_nested_too_deeply_is_refused(nested: str) -> None:
    text = f'{{"question": {nested}}}'
    with pytest.raises(BadRequest, match="not JSON"):
        wire.decode(text.encode(), AgentRequest)
    with pytest.raises(BadRequest, match="not JSON"):
        read_json_object(text, "the payload")
    with pytest.raises(ModelAnswerError, match="not JSON"):
        _object("p", text)


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


def test_null_is_a_field_that_was_left_out_and_numbers_in_metadata_become_text() -> None:
    record = FactsRequest(operation="store", content="x", kind=None, importance=None, metadata={"n": 5})  # type: ignore[arg-type,dict-item]
    made: Any = decode(record)
    assert (made.kind, made.importance, made.metadata) == ("semantic", None, {"n": "5"})
