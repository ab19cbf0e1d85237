"""Events and answers as endpoints write them, in whatever pieces they come."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.models.openai_chat import _Answer
from trustgraph_react_mem.models.server_events import Event, read_events

DONE = b"data: [DONE]\n\n"
TEXT = '{"text": "one\u2028two\u2029three\u0085four\u000bfive"}'

STREAMS: list[tuple[bytes, list[str]]] = [
    (b'data: {"a": 1}\n\ndata: {"b": 2}\n\n' + DONE, ['{"a": 1}', '{"b": 2}']),
    (b'data: {"a": 1}\r\n\r\ndata: {"b": 2}\r\n\r\n', ['{"a": 1}', '{"b": 2}']),
    (b'data: {"a": 1}\r\rdata: {"b": 2}\r\r', ['{"a": 1}', '{"b": 2}']),
    (b'data:{"a": 1}\ndata:{"b": 2}\n', ['{"a": 1}', '{"b": 2}']),
    (b'data: {"a":\ndata: 1}\n\n' + DONE, ['{"a":\n1}']),
    (b'data: {"a":\ndata: {"b": 1}}\n\n', ['{"a":\n{"b": 1}}']),
    (b'\xef\xbb\xbfdata: {"a": 1}\n\n' + DONE, ['{"a": 1}']),
    (b': ping\n\nevent: message\nid: 7\nid\nretry: 9\ndata: {"a": 1}\n\n: ping\n\n', ['{"a": 1}']),
    (b'data: {"a": 1}', ['{"a": 1}']),
    (b'data: {"a": 1}\n' + DONE + b'data: {"b": 2}\n\n', ['{"a": 1}']),
    (f"data: {TEXT}\n\n".encode(), [TEXT]),
    (b"data:\n\ndata: \n\n" + DONE, []),
    (b'data: {"a": 1}\n\ndata: [DONE]\n', ['{"a": 1}']),
    (b"", []),
]


async def collect(pieces: list[bytes]) -> list[Event | str]:
    async def chunks() -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    return [event async for event in read_events(chunks())]


def read(*pieces: bytes) -> list[Event | str]:
    return asyncio.run(collect(list(pieces)))


@pytest.mark.parametrize(("stream", "expected"), STREAMS)
def test_events_are_read_as_a_whole_and_byte_by_byte(stream: bytes, expected: list[str]) -> None:
    events = read(stream)
    assert [event.data for event in events if isinstance(event, Event)] == expected
    assert len(events) == len(expected)
    assert read(*(stream[place : place + 1] for place in range(len(stream)))) == events


@given(
    st.lists(
        st.sampled_from([b"data:", b" ", b'{"a": 1}', b"\r", b"\n", "ü\u2028".encode(), b"x", b"[DONE]", b":"]), max_size=30
    )
)
def test_any_cut_gives_the_same_events(parts: list[bytes]) -> None:
    whole = b"".join(parts)
    assert read(*parts) == read(whole) == read(*(whole[place : place + 1] for place in range(len(whole))))


def answer_of(*chunks: Any) -> str:
    answer = _Answer("m")
    return "".join(answer.add(chunk) for chunk in chunks) + answer.rest()


def delta(**given: Any) -> dict[str, Any]:
    return {"choices": [{"delta": given}]}


@pytest.mark.parametrize(
    "chunks",
    [
        [{"choices": []}, delta(content="Hello"), {"choices": None}, {}, {"choices": [None]}, {"choices": ["x"]}],
        [{"choices": [{"delta": None, "message": None}]}, delta(content="Hello", tool_calls=None, function_call=None)],
        [delta(role="assistant", content=None), delta(content="Hello"), {"choices": [], "usage": {"prompt_tokens": "7"}}],
        [delta(content="Hello"), {"choices": {"delta": {"content": "x"}}}, {"choices": [{"delta": "x"}]}, {"usage": [1]}],
        [delta(content=[{"type": "thinking", "thinking": [{"text": "hm"}]}, {"type": "text", "text": "Hello"}])],
        [delta(content=None, refusal="Hello")],
        [{"choices": [{"message": {"content": None, "refusal": "Hello"}}]}],
        [{"choices": [{"text": "Hello"}]}],
    ],
)
def test_what_is_missing_or_odd_in_a_chunk_is_passed_over(chunks: list[Any]) -> None:
    assert answer_of(*chunks) == "Hello"
