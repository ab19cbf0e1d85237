"""Work on user text is linear: twice the text takes about twice the time."""

import asyncio
import contextlib
import inspect
import json
import math
import re
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from tests.hostile_texts import hostile_texts
from trustgraph_react_mem.bus.envelope import parse_head
from trustgraph_react_mem.bus.wire import decode
from trustgraph_react_mem.cli.console import make_printable
from trustgraph_react_mem.erasure.repeats import repeats
from trustgraph_react_mem.http.request_body import read_object
from trustgraph_react_mem.indexing import time_cues, tokenizer
from trustgraph_react_mem.indexing.excerpts import best_passage
from trustgraph_react_mem.learning.checks.digits import unknown_numbers
from trustgraph_react_mem.learning.rules import recogniser
from trustgraph_react_mem.learning.rules.advice import Said, Task
from trustgraph_react_mem.learning.rules.words import split_words
from trustgraph_react_mem.memory.digest import content_digest
from trustgraph_react_mem.memory.json_object import read_json_object
from trustgraph_react_mem.memory.model_json import parse_json, parse_jsonl
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.text.pasted import split_pasted, without_quotations
from trustgraph_react_mem.memory.text.quote import quote_occurs
from trustgraph_react_mem.memory.text.reasoning import ReasoningFilter
from trustgraph_react_mem.memory.text.visible import visible
from trustgraph_react_mem.memory.text.well_formed import well_formed
from trustgraph_react_mem.memory.tokens import count_tokens, cut_to_tokens
from trustgraph_react_mem.recall.gate import gate
from trustgraph_react_mem.recall.query import add_context, is_vague
from trustgraph_react_mem.rerank.citations import CitationStripper, imitates_citation, neutralise
from trustgraph_react_mem.retrieval import speakers, temporal
from trustgraph_react_mem.retrieval.places import choose_places
from trustgraph_react_mem.schema import InvocationSummary, JobEnvelope
from trustgraph_react_mem.transcripts import read_chats
from trustgraph_react_mem.turn import actions, arguments, labels, native_calls
from trustgraph_react_mem.turn.answer_stream import AnswerStream
from trustgraph_react_mem.turn.data_line import as_data
from trustgraph_react_mem.turn.parse import ReactParser
from trustgraph_react_mem.turn.rule_lines import RuleLines, read_changes

pytestmark = pytest.mark.slow
MOST_GROWTH = 2.8  # time per doubling: 2 is linear, 4 is quadratic, and a busy machine measures up to 2.4 for linear work
FIRST, LAST = 8_000, 500_000  # characters
LEAST_S = 0.004  # shorter times say nothing
MOST_TEXTS = 60  # of each kind of work, drawn by its name
CHUNK = 40
NOW = datetime(2026, 3, 1, 9, tzinfo=UTC)
SHORT = "Ana lives in Berlin and likes tea."

Work = Callable[[str], object]


def _unless(error: type[Exception], work: Work) -> Work:
    def run(text: str) -> None:
        with contextlib.suppress(error):
            work(text)

    return run


def _in_chunks(make: Callable[[], Any], end: str = "finish") -> Work:
    def run(text: str) -> None:
        stream = make()
        for start in range(0, len(text), CHUNK):
            _read(stream.feed(text[start : start + CHUNK]))
        _read(getattr(stream, end)())

    return run


def _read(pieces: object) -> None:
    if isinstance(pieces, Iterator):
        list(pieces)


class _Listener:
    async def thought(self, number: int, text: str, *, last: bool) -> None: ...
    async def answer(self, text: str) -> None: ...
    async def answer_withdrawn(self) -> None: ...


def _stream_answer(text: str) -> None:
    async def run() -> None:
        stream = AnswerStream(_Listener(), 1, shown=0, strip=True)  # type: ignore[arg-type]
        said = f"Final Answer: {text}"
        for start in range(0, len(said), CHUNK):
            await stream.feed(said[start : start + CHUNK])
        await stream.end(said)

    asyncio.run(run())


WORK: dict[str, Work] = {
    "screening": DataPolicy(personal_data="redact").screen,
    "screening metadata": lambda text: DataPolicy(personal_data="redact").screen_map({"a": text, text[:80]: "b"}),
    "tokens": count_tokens,
    "cutting": lambda text: cut_to_tokens(text, 100),
    "digest": content_digest,
    "visible text": visible,
    "well-formed text": lambda text: well_formed(text + "\ud800"),
    "JSON of a model": _unless(ValueError, parse_json),
    "JSON lines of a model": _unless(ValueError, parse_jsonl),
    # Not ``read_object``: json-repair is somewhat worse than linear, and gets at most ``MOST_REPAIRED`` characters.
    "times": lambda text: inspect.unwrap(temporal.time_ranges)(text, NOW),  # a repeated text would be read from its cache
    "all times": lambda text: temporal.resolve(text, NOW),
    "asks a number": time_cues.asks_number,
    "asks when": time_cues.asks_when,
    "mentions time": time_cues.mentions_time,
    "gate": gate,
    "vague": is_vague,
    "context": lambda text: add_context(text, [InvocationSummary(query=text, result=text)]),
    "citations": _in_chunks(lambda: CitationStripper(5), "end"),
    "imitated citations": imitates_citation,
    "neutralised citations": neutralise,
    "data lines": as_data,
    "terminal": make_printable,
    "parsing": _in_chunks(ReactParser),
    "labels": _in_chunks(labels.LabelScanner),
    "lines of rules": _in_chunks(lambda: RuleLines(lambda: True)),
    "changes of rules": lambda text: read_changes([f'+Be "brief" "{text}"'], text, ["r"]),
    "reasoning": _in_chunks(ReasoningFilter),
    "answer": _stream_answer,
    "action": lambda text: actions.read_action(text, "", lambda name: False),
    "native call": native_calls.read_native_call,
    "arguments": lambda text: arguments.read_arguments(text, labelled=True),
    "call": lambda text: arguments.split_call(f"tool({text})"),
    "terms": tokenizer.terms,
    "language": tokenizer.guess_language,
    "names": tokenizer.names,
    "quote": lambda text: quote_occurs(SHORT, text),
    "numbers": lambda text: unknown_numbers(SHORT, [text], NOW.date()),
    "numbers of a claim": lambda text: unknown_numbers(text, [SHORT], NOW.date()),
    "pasted": split_pasted,
    "words": split_words,
    "excerpt": lambda text: best_passage(text, SHORT, 100),
    "excerpt for a question": lambda text: best_passage(SHORT * 50, text, 100),
    "repeats": lambda text: repeats(text, SHORT),
    "repeated": lambda text: repeats(SHORT, text),
    "acting speaker": lambda text: speakers.acting_speaker(text, ["Ana", "Bob", "a"]),
    "named speakers": lambda text: speakers.find_named(text, ["Ana", "Bob", "a"]),
    "instructions": recogniser.find_instructions,
    "without quotations": without_quotations,
    "advice": lambda text: Task(episode="e", said=[Said("tool", text)]).source_of(SHORT),
    "advice of a person": lambda text: Task(episode="e", said=[Said("person", text)], shared=True).source_of(SHORT),
    "places": lambda text: choose_places([0], ["a"], [{"content": text, "trust": "user"}], top_k=1, asked=()),
}


@pytest.mark.parametrize("name", WORK)
def test_time_grows_with_the_text(name: str) -> None:
    work = WORK[name]
    work(SHORT)  # loads what it needs
    slow = {}
    for what, text in hostile_texts(FIRST, most=MOST_TEXTS, seed=name):
        if (growth := _growth(work, text)) >= MOST_GROWTH:
            slow[what] = round(growth, 1)
    assert slow == {}


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param(r"\s+\d", " " * 1000, id="a run without its end"),
        pytest.param(r"\[[^]]*\]", "[" * 1000, id="openers without an end"),
        pytest.param(r"(?:password|pin) .*: ", "pin a " * 200, id="one line with many starts"),
    ],
)
def test_quadratic_work_is_seen(pattern: str, text: str) -> None:
    # More than one try, as a disturbed first measurement hides the growth.
    assert any(_growth(re.compile(pattern).findall, text) >= MOST_GROWTH for _ in range(3))


def test_reading_a_transcript_grows_with_the_text(tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"

    def read(text: str) -> None:
        path.write_text(json.dumps({"role": "user", "content": text}, ensure_ascii=False) + "\n", encoding="utf-8")
        read_chats(path)

    assert {
        what: grown
        for what, text in hostile_texts(FIRST, most=MOST_TEXTS, seed="t")
        if (grown := _growth(read, text)) >= MOST_GROWTH
    } == {}


class _Request:
    def __init__(self, body: str) -> None:
        self._body = body.encode()

    async def read(self) -> bytes:
        return self._body


NUMBERS: dict[str, Work] = {
    "messages": lambda text: decode(text.encode(), JobEnvelope),
    "job messages": lambda text: parse_head(decode(text.encode(), JobEnvelope)),
    "payloads": lambda text: read_json_object(text, "the payload"),
    "requests": lambda text: asyncio.run(read_object(_Request(text))),  # type: ignore[arg-type]
    "answers of models": parse_json,
    "written calls": lambda text: native_calls.read_native_call(f"<tool_call>{text}</tool_call>"),
}


@pytest.mark.parametrize("name", NUMBERS)
@pytest.mark.parametrize("form", ["{}", "-{}", "0.{}", "{}.5e9", "1e{}", "1e-{}"])
def test_reading_a_number_grows_with_its_digits(name: str, form: str) -> None:
    work = _unless(Exception, NUMBERS[name])  # most are refused, and that must not take long either
    assert _growth(lambda digits: work(f'{{"attempt": {form.format(digits)}}}'), "9" * FIRST) < MOST_GROWTH


def _growth(work: Work, text: str) -> float:
    """Time of a text twice as long, relative to that of the text, the least of several tries; 0 if it is too short to tell.

    The text is as long as needed to take a measurable time, so that the shares of constants are small.
    """
    took = _seconds(work, text)
    while took < LEAST_S and len(text) < LAST:
        text = text * 4
        took = _seconds(work, text)
    if took < LEAST_S:
        return 0.0
    doubled = _seconds(work, text * 2)
    for _ in range(8):  # a disturbed measurement is repeated: the least time of each length is the truest
        if doubled / took < MOST_GROWTH:
            return doubled / took
        doubled = min(doubled, _seconds(work, text * 2))
        took = min(took, _seconds(work, text))
    # Three doublings tell a slow machine's caches from a pattern that grows faster.
    return min(doubled / took, math.cbrt(_seconds(work, text * 8) / _seconds(work, text)))


def _seconds(work: Work, text: str) -> float:
    began = time.process_time()
    work(text)
    return time.process_time() - began
