"""The items of a model's answer, read and checked.  The checks know no language: form, source and numbers.

An item that fails a check is dropped, with its reason: ``form`` (a field is missing or unusable), ``quote`` (its quotation does
not occur in its line), ``numbers`` (a number that nobody said), ``unknown`` (it ends an entry that was not shown), ``screened``
(the data policy keeps its text out).
"""

import re
from calendar import monthrange
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal, get_args

from ...memory.policies import DataPolicy
from ...memory.ports import JsonValue
from ...memory.records import Fact, Trust
from ...memory.text.quote import quote_occurs
from ..checks import trust_of, unknown_numbers
from ..dialogue import DialogueLine
from .window import Window

Op = Literal["add", "replace", "end", "same"]
Kind = Literal["state", "event", "plan", "rule"]
Reason = Literal["form", "quote", "numbers", "unknown", "screened"]
SHORTEST, LONGEST = 2, 1000  # characters of a text
LONGEST_TOPIC = 60
MOST_OLD = 12  # entries that one item may name
_DAY = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2})(?:T.*)?)?)?")
IMPORTANCE = {1: 0.4, 2: 0.6, 3: 0.9}


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """``old``: entries that were shown.  ``since``, ``until``: of validity, if said.  ``sources``: its line, its context."""

    op: Op
    old: tuple[Fact, ...]
    keep: str
    kind: Kind
    when: str
    text: str
    since: datetime | None
    until: datetime | None
    sources: tuple[DialogueLine, ...]
    trust: Trust
    topic: str
    importance: float

    @property
    def line(self) -> DialogueLine:
        return self.sources[0]


def read_item(raw: Mapping[str, JsonValue], window: Window, policy: DataPolicy) -> Item | Reason:
    """The item, or the reason why it is dropped."""
    op, kind = raw.get("op"), raw.get("kind")
    line = window.line(raw.get("line"))
    if op not in get_args(Op) or line is None:
        return "form"
    quote = _text(raw, "quote")
    if not quote_occurs(quote, line.text):
        return "quote"
    named = raw.get("old")
    names = [str(name).strip(" []") for name in named][:MOST_OLD] if isinstance(named, list) else []
    old = tuple(dict.fromkeys(window.entries[name].id for name in names if name in window.entries))
    entries = {fact.id: fact for fact in window.entries.values()}
    if op == "end" and not old:
        return "unknown"
    context = window.any_line(raw["context"]) if raw.get("context") not in (None, "") else None
    texts = {key: _text(raw, key) for key in ("text", "keep", "when")}
    if op in ("replace", "same") and not old:
        op = "add"
    if op in ("add", "replace") and not SHORTEST <= len(texts["text"]) <= LONGEST:
        return "form"
    own = quote_occurs(quote, line.own)
    trust = trust_of(line if context is None or context.role != "tool" else context, own=own)
    said = [quote, *([context.own if own else context.text] if context else []), *(entries[each].content for each in old)]
    said_on = line.said_at.date() if line.said_at else None
    if op != "end" and unknown_numbers(" ".join(texts.values()), said, said_on):
        return "numbers"
    since, until = read_day(raw.get("from")), read_day(raw.get("to"), last=True)
    screened = {key: policy.screen(text[:LONGEST]) for key, text in texts.items()}
    if any(each.dropped for each in screened.values()):
        return "screened"
    return Item(
        op=op,  # type: ignore[arg-type]
        old=tuple(entries[each] for each in old),
        keep=screened["keep"].text,
        kind=kind if kind in get_args(Kind) else "state",  # type: ignore[arg-type]
        when=screened["when"].text,
        text=screened["text"].text,
        since=since,
        until=until if until is None or since is None or since <= until else None,
        sources=(line, *([context] if context is not None and context is not line else [])),
        trust=trust,
        topic=policy.screen(_text(raw, "topic")[:LONGEST_TOPIC]).text,
        importance=IMPORTANCE.get(raw.get("weight"), 0.6) if isinstance(raw.get("weight"), int) else 0.6,  # type: ignore[arg-type]
    )


def read_day(value: object, *, last: bool = False) -> datetime | None:
    """A day, or the first day of a month or year, in ISO form, in UTC.  ``last``: its last day.  None: it is none."""
    text = value.strip() if isinstance(value, str) else ""
    found = _DAY.fullmatch(text)
    if found is None:
        return None
    year, month = int(found[1]), int(found[2] or (12 if last else 1))
    try:
        day = int(found[3] or (monthrange(year, month)[1] if last else 1))
        return datetime(year, month, day, tzinfo=UTC)
    except ValueError:
        return None


def _text(raw: Mapping[str, JsonValue], key: str) -> str:
    value = raw.get(key)
    return " ".join(value.split()) if isinstance(value, str) else ""
