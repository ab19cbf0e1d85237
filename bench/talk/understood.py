"""Scripted answers to the prompt ``memory-understand``, which name lines and entries by their text.

An item of a script is an item of the answer with these differences: ``line`` and ``context`` are words of the line (``line``
may also be its number), ``old`` has words of the entries, the other fields have defaults, and the quote is by default the words
that name the line.
"""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing.scripted_model import emptiest

PROMPT = "memory-understand"
DEFAULTS: Mapping[str, Any] = {
    "op": "add", "old": [], "keep": "", "kind": "state", "when": "", "text": "", "from": "", "to": "", "context": None,
    "weight": 2, "topic": "",
}  # fmt: skip
_MARK = re.compile(r"^(?:\[(c?\d+)\] [^\n:()]*(?:\([^)\n]*\))?: |([RF]\d+) \([^)\n]*\): )", re.MULTILINE)
_NAME = re.compile(r"[RF]\d+")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a prompt shows, by its names there: new lines (``0``), older lines (``c1``), rules and entries (``R1``, ``F7``)."""

    lines: Mapping[str, str]
    older: Mapping[str, str]
    entries: Mapping[str, str]


def read_prompt(prompt: str) -> Shown:
    """Each text reaches to the next name."""
    marks = list(_MARK.finditer(prompt))
    ends = [mark.start() for mark in marks[1:]] + [len(prompt)]
    texts = [(mark[1] or mark[2], normalise(prompt[mark.end() : end])) for mark, end in zip(marks, ends, strict=True)]
    return Shown(
        lines={name: text for name, text in texts if name[0] not in "cRF"},
        older={name: text for name, text in texts if name[0] == "c"},
        entries={name: text for name, text in texts if name[0] in "RF"},
    )


def normalise(text: str) -> str:
    """Composed, in lower case, with single spaces."""
    return " ".join(unicodedata.normalize("NFC", text).split()).casefold()


def answer_with(items: Sequence[Mapping[str, Any]], prompt: str, episode: Mapping[str, Any] | None = None) -> str:
    """The answer of a model that understood these items.  Those whose line is not among the new lines are left out."""
    shown = read_prompt(prompt)
    found = [each for item in items if (each := resolve_item(item, shown)) is not None]
    return json.dumps({"items": found, "episode": episode}, ensure_ascii=False)


def empty_answer(request: ChatRequest) -> str:
    """The answer to a background prompt that changes least: nothing found."""
    return "Nothing to add." if request.schema is None else json.dumps(emptiest(request.schema))


def resolve_item(item: Mapping[str, Any], shown: Shown) -> dict[str, Any] | None:
    """The item with names of the prompt.  None: the prompt does not have its line, or none of what it ends.

    A replacement of what is not shown is an addition.
    """
    line = item["line"] if isinstance(item["line"], int) else _name_of(item["line"], shown.lines)
    if line is None:
        return None
    old = [name for text in item.get("old", ()) if (name := _name_of(text, shown.entries))]
    operation = item.get("op", "add")
    if not old and operation == "end":
        return None
    context = _name_of(item["context"], {**shown.older, **shown.lines}) if item.get("context") else None
    return {
        **DEFAULTS,
        "quote": item["line"],
        **item,
        "op": operation if old else "add",
        "old": old,
        "line": int(line),
        "context": context,
    }


def _name_of(text: str, shown: Mapping[str, str]) -> str | None:
    """The name of the text that is, or else holds, this one.  A name stands for itself, shown or not."""
    if _NAME.fullmatch(text):
        return text
    wanted = normalise(text)
    same = [name for name, each in shown.items() if each == wanted]
    return next(iter(same or [name for name, each in shown.items() if wanted in each]), None)
