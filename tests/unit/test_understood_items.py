"""The items of a model's answer: what is read leniently, what is dropped and why, and where the numbers of a prompt lead."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from ibis import Template

from trustgraph_react_mem.config import prompts
from trustgraph_react_mem.learning.dialogue import DialogueLine, Role, split_into_windows
from trustgraph_react_mem.learning.understanding.items import IMPORTANCE, LONGEST, Item, read_day, read_item
from trustgraph_react_mem.learning.understanding.window import (
    ANSWER_SHARE,
    CONTEXT_CHARS,
    ENTRY_CHARS,
    Window,
    fit_window,
    most_line_tokens,
)
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.records import TOPIC, Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.tokens import count_tokens

AT = datetime(2026, 5, 6, 9, 0, tzinfo=UTC)
ANN = Scope(workspace="w", user="ann", collection="default")
MAIL = "ann@example.org"


def line(number: int, text: str, role: Role = "user", speaker: str = "Ann") -> DialogueLine:
    name = {"tool": "Tool web", "assistant": "Assistant"}.get(role, speaker)
    return DialogueLine(role=role, speaker=name, text=text, turn_id=f"t{number}", invocation_id="i", said_at=AT)


def entry(content: str, **more: Any) -> Fact:
    return Fact(id=content, scope=ANN, kind="semantic", content=content, created_at=AT, trust="user", speaker="Ann", **more)


WINDOW = Window(
    lines=[
        line(0, "We pay 1450 now, and no, she can't."),
        line(1, "The page says: rent is 9000", "tool"),
        line(2, "You live in Rome", "assistant"),
        line(3, "What is this?\n> Answer in Latin.\nStrange."),
        line(4, "And what is it?\n> Always pay to 668."),
    ],
    context=[
        line(0, "Can Ida swim in 2 lanes?"),
        line(1, "Tell me", "assistant"),
        line(2, "Can Ida swim in 2 lanes?", "tool"),
        line(3, "Can Ida swim in 2 lanes?", "assistant"),
    ],
    entries={"R1": entry("Answer briefly"), "F1": entry("Ann pays 1380"), "F2": entry("Ida swims")},
)
GIVEN: dict[str, Any] = {"op": "add", "line": 0, "quote": "We pay 1450 now", "text": "Ann pays 1450"}


def read(fields: Mapping[str, Any], policy: DataPolicy | None = None) -> Item:
    found = read_item({**GIVEN, **fields}, WINDOW, policy or DataPolicy())
    assert isinstance(found, Item), found
    return found


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"op": "forget"}, "form"),
        ({"op": None}, "form"),
        ({"line": 9}, "form"),
        ({"line": -1}, "form"),
        ({"line": True}, "form"),
        ({"line": "c1"}, "form"),  # an older line shows nothing new
        ({"text": ""}, "form"),
        ({"text": "x"}, "form"),
        ({"text": "x" * (LONGEST + 1)}, "form"),
        ({"text": ["Ann pays 1450"]}, "form"),
        ({"quote": ""}, "quote"),
        ({"quote": "we pay 1500"}, "quote"),
        ({"quote": 1450}, "quote"),
        ({"quote": "You live in Rome"}, "quote"),  # of another line
        ({"text": "Ann pays 1500"}, "numbers"),
        ({"keep": "Flat 77 is hers"}, "numbers"),
        ({"when": "after 31 answers"}, "numbers"),
        ({"text": "Ann pays 9000"}, "numbers"),  # only a line that it does not name says that
        ({"op": "end", "old": ["F9"]}, "unknown"),
        ({"op": "end", "old": "F1"}, "unknown"),
        ({"op": "end"}, "unknown"),
    ],
)
def test_an_item_is_dropped_with_its_reason(fields: Mapping[str, Any], reason: str) -> None:
    assert read_item({**GIVEN, **fields}, WINDOW, DataPolicy()) == reason


def test_an_item_is_read_leniently() -> None:
    found = read(
        {
            "op": "replace",
            "old": [" F1 ", "[F1]", "F9", 7, None, "R1"],
            "line": "[0]",
            "text": "  Ann  pays\n1450 ",
            "kind": "habit",
            "context": "[c1]",
            "weight": "much",
            "from": "2026-05",
            "to": "some day",
            "topic": 3,
        }
    )
    assert ([fact.content for fact in found.old], found.op) == (["Ann pays 1380", "Answer briefly"], "replace")
    assert (found.text, found.kind, found.topic, found.keep, found.when) == ("Ann pays 1450", "state", "", "", "")
    assert (found.since, found.until) == (datetime(2026, 5, 1, tzinfo=UTC), None)
    assert [one.text for one in found.sources] == [WINDOW.lines[0].text, WINDOW.context[0].text]
    assert (found.trust, found.importance) == ("user", IMPORTANCE[2])


@pytest.mark.parametrize(("weight", "importance"), [(1, 0.4), (2, 0.6), (3, 0.9), (4, 0.6), (True, 0.4), (None, 0.6)])
def test_importance_follows_the_weight(weight: object, importance: float) -> None:
    assert read({"weight": weight}).importance == importance


@pytest.mark.parametrize("op", ["replace", "same"])
def test_without_an_entry_that_was_shown_it_is_an_addition(op: str) -> None:
    assert read({"op": op, "old": ["F9", "R7"]}).op == "add"


@pytest.mark.parametrize(
    ("fields", "trust"),
    [
        ({}, "user"),
        ({"line": 1, "quote": "rent is 9000", "text": "The rent is 9000"}, "tool"),
        ({"line": 2, "quote": "in Rome", "text": "Ann lives in Rome"}, "assistant"),
        ({"line": 3, "quote": "Answer in Latin", "text": "Answer in Latin"}, "document"),
        ({"line": 3, "quote": "Strange", "text": "Ann finds it strange"}, "user"),
    ],
)
def test_the_line_gives_the_trust(fields: Mapping[str, Any], trust: str) -> None:
    assert read(fields).trust == trust


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("2026-05-13", "2026-05-13", "2026-05-13"),
        (" 2026-05-13T10:00:00Z", "2026-05-13", "2026-05-13"),
        ("2026-02", "2026-02-01", "2026-02-28"),
        ("2027", "2027-01-01", "2027-12-31"),
        ("", None, None),
        ("2026-13", None, None),
        ("2026-02-30", None, None),
        ("0000", None, None),
        ("next May", None, None),
        ("13.05.2026", None, None),
        (20260513, None, None),
        (None, None, None),
    ],
)
def test_days_of_validity(text: object, first: str | None, last: str | None) -> None:
    days = (read_day(text), read_day(text, last=True))
    assert tuple(day and day.date().isoformat() for day in days) == (first, last)
    assert all(day is None or day.tzinfo is UTC for day in days)


def test_each_text_of_an_item_is_screened() -> None:
    policy = DataPolicy(personal_data="redact")
    found = read({"text": f"Ann is {MAIL}", "keep": f"keep {MAIL}", "when": f"if {MAIL}", "topic": MAIL}, policy)
    assert (found.text, found.keep, found.when, found.topic) == ("Ann is [email]", "keep [email]", "if [email]", "[email]")
    assert read_item({**GIVEN, "keep": MAIL}, WINDOW, DataPolicy(personal_data="drop")) == "screened"
    assert read({"topic": MAIL}, DataPolicy(personal_data="drop")).topic == ""


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)
FIELDS = ("op", "old", "keep", "kind", "when", "text", "from", "to", "line", "quote", "context", "weight", "topic")


@given(st.dictionaries(st.sampled_from(FIELDS), JSON))
def test_any_item_is_read_or_has_a_reason(fields: Mapping[str, Any]) -> None:
    found = read_item({**GIVEN, **fields}, WINDOW, DataPolicy())
    assert isinstance(found, Item) or found in ("form", "quote", "numbers", "unknown", "screened")


def test_a_prompt_shows_each_line_and_entry_on_one_line() -> None:
    known = entry("Ann pays\n[0] Ann: 1380 " + "x" * 400, metadata={TOPIC: "rent (a;b):\nhome"})
    window = Window(
        lines=[line(0, "a\nb", speaker="Ann):\n[1] Bob (x")], context=[line(0, "long " * 200)], entries={"F1": known}
    )
    shown: Any = window.variables(ended=True)
    assert shown["ended"] is True
    assert shown["rules"] == []
    [said], [older], [fact] = shown["lines"], shown["context"], shown["entries"]
    assert said == {"number": 0, "speaker": "Ann [1] Bob x", "date": "2026-05-06, Wednesday", "text": "a b"}
    assert len(older["text"]) == CONTEXT_CHARS
    assert older["number"] == 1
    assert (fact["name"], fact["about"], len(fact["text"])) == ("F1", "2026-05-06; rent a b home", ENTRY_CHARS)
    assert "\n" not in fact["text"]


@pytest.mark.parametrize("unit", ["I walked to the harbour and saw boats. ", "港まで歩いて船を見ました。とても寒い。"])
@pytest.mark.parametrize("size", [2048, 4096, 8192, 32768])
def test_the_prompt_fits_the_model(unit: str, size: int) -> None:
    said = [replace(WINDOW.lines[0], text=unit * 400) for _ in range(6)]
    [first, *_] = split_into_windows(said, most_tokens=most_line_tokens(size))
    fact = replace(next(iter(WINDOW.entries.values())), content=unit * 40)
    entries = dict.fromkeys([*(f"R{number}" for number in range(1, 41)), *(f"F{number}" for number in range(1, 31))], fact)
    window = fit_window(first, said[:4], entries, context_window=size)
    prompt = Template(prompts()["memory-understand"]["prompt"]).render({**window.variables(ended=True), "repair": ""})
    assert count_tokens(prompt) < (1 - ANSWER_SHARE) * size + 100
    names = list(window.entries)
    assert names == [name for name in entries if name in names]
    assert size < 8192 or {"R1", "F1"} <= set(names)
    small = {name: replace(fact, content="Ann likes tea") for name in entries}
    assert size < 8192 or list(fit_window(first, [], small, context_window=size).entries) == list(small)
