"""What one call of the model is shown: new lines, a few older ones, and the entries that they may concern."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ...memory.ports import JsonValue
from ...memory.records import TOPIC, Fact
from ..dialogue import DialogueLine
from ..invocation import DEFAULT_SPEAKER

MOST_CONTEXT = 4  # older lines
CONTEXT_CHARS, ENTRY_CHARS = 300, 300
_STRUCTURE = re.compile(r"[():;\n\r]+")  # parts of the form of a line: a name must not imitate them


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """``lines``: new, by the number that the prompt gives them.  ``entries``: by their names, such as F7 and R1."""

    lines: Sequence[DialogueLine]
    context: Sequence[DialogueLine]
    entries: Mapping[str, Fact]

    def line(self, number: object) -> DialogueLine | None:
        """The new line with this number.  None: there is none."""
        place = _read_number(number)
        return self.lines[place] if place is not None and 0 <= place < len(self.lines) else None

    def any_line(self, number: object) -> DialogueLine | None:
        """The new line, or with a ``c`` before the number the older one.  None: there is none."""
        name = str(number).strip(" []")
        if name[:1] == "c":
            place = _read_number(name[1:])
            return self.context[place - 1] if place is not None and 1 <= place <= len(self.context) else None
        return self.line(number)

    def variables(self, *, ended: bool) -> dict[str, JsonValue]:
        """The variables of the prompt.  ``ended``: the conversation has ended, so that it may become an episode."""
        return {
            "rules": [_entry(name, fact) for name, fact in self.entries.items() if name[0] == "R"],
            "entries": [_entry(name, fact) for name, fact in self.entries.items() if name[0] == "F"],
            "context": [
                {"number": number, **_line(line), "text": line.shown[-CONTEXT_CHARS:]}
                for number, line in enumerate(self.context, start=1)
            ],
            "lines": [{"number": number, **_line(line)} for number, line in enumerate(self.lines)],
            "ended": ended,
        }


def _read_number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value).strip(" []") if isinstance(value, str) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 6 else None


def _line(line: DialogueLine) -> dict[str, JsonValue]:
    """``date``: "2026-05-06, Wednesday", so that the model can resolve "next Friday"."""
    date = line.said_at.strftime("%Y-%m-%d, %A") if line.said_at else ""
    return {"speaker": _plain(line.speaker), "date": date, "text": line.shown}


def show_entry(number: int, fact: Fact) -> dict[str, JsonValue]:
    """An entry with its speaker, its date and its topic, for a prompt that numbers entries."""
    return {**_entry(str(number), fact), "number": number, "speaker": _plain(fact.speaker) or DEFAULT_SPEAKER}


def _entry(name: str, fact: Fact) -> dict[str, JsonValue]:
    about = "; ".join(part for part in (_day(entry_time(fact)), _plain(fact.metadata.get(TOPIC, ""))) if part)
    return {"name": name, "about": about, "text": " ".join(fact.content.split())[:ENTRY_CHARS]}


def entry_time(fact: Fact) -> datetime:
    """When an entry was said, as far as that is known."""
    return fact.said_at or fact.created_at


def _day(at: datetime) -> str:
    return at.strftime("%Y-%m-%d")


def _plain(name: str) -> str:
    return " ".join(_STRUCTURE.sub(" ", name).split())[:80]
