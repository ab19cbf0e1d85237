"""What one call of the model is shown: new lines, a few older ones, and the entries that they may concern."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import zip_longest

from ...memory.ports import JsonValue
from ...memory.records import TOPIC, Fact
from ...memory.tokens import count_tokens
from ..dialogue import LINE_TOKENS, MOST_SHOWN, DialogueLine, shorten
from ..invocation import DEFAULT_SPEAKER

MOST_CONTEXT = 4  # older lines
CONTEXT_CHARS, ENTRY_CHARS = 300, 300
LINES_SHARE, MOST_LINE_TOKENS = 0.4, 3000  # of the context window, and at most, for the new lines
ENTRIES_SHARE, ANSWER_SHARE = 0.25, 0.15  # for older lines and entries, and for the answer
TEMPLATE_TOKENS = 750
ENTRY_TOKENS = 6  # signs around an entry
_STRUCTURE = re.compile(r"[():;\n\r]+")  # parts of the form of a line: a name must not imitate them


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """``lines``: new, by the number that the prompt gives them.  ``entries``: by their names, such as F7 and R1.

    ``line_chars``: of a line that are shown.
    """

    lines: Sequence[DialogueLine]
    context: Sequence[DialogueLine]
    entries: Mapping[str, Fact]
    line_chars: int = MOST_SHOWN

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
            "lines": [
                {"number": number, **_line(line), "text": shorten(line.shown, self.line_chars)}
                for number, line in enumerate(self.lines)
            ],
            "ended": ended,
        }


def most_line_tokens(context_window: int) -> int:
    """For the new lines of one call."""
    return int(min(MOST_LINE_TOKENS, LINES_SHARE * context_window))


def fit_window(
    lines: Sequence[DialogueLine], context: Sequence[DialogueLine], entries: Mapping[str, Fact], *, context_window: int
) -> Window:
    """The window of a model: the newest older lines, and of rules and of other entries the first, as far as they fit."""
    most, used = most_line_tokens(context_window), sum(line.tokens for line in lines)
    chars = max((len(line.shown) for line in lines), default=0)  # only a single line is longer
    room = context_window * (1 - ANSWER_SHARE) - most - TEMPLATE_TOKENS
    room = min(ENTRIES_SHARE * context_window, room)
    older: list[DialogueLine] = []
    for line in reversed(context):
        tokens = count_tokens(line.shown[-CONTEXT_CHARS:]) + count_tokens(line.speaker) + LINE_TOKENS
        if tokens > room / 2:
            break
        older.insert(0, line)
        room -= tokens
    rules = [name for name in entries if name[0] == "R"]
    others = [name for name in entries if name[0] != "R"]
    fitting: set[str] = set()
    for name in (name for pair in zip_longest(rules, others) for name in pair if name is not None):
        shown = _entry(name, entries[name])
        room -= count_tokens(f"{name} {shown['about']} {shown['text']}") + ENTRY_TOKENS
        if room < 0:
            break
        fitting.add(name)
    return Window(
        lines=lines,
        context=older,
        entries={name: fact for name, fact in entries.items() if name in fitting},
        line_chars=MOST_SHOWN if used <= most else int(0.9 * chars * most / used),
    )


def _read_number(value: object) -> int | None:
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    text = str(value).strip(" []") if isinstance(value, str) else ""
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 6 else None


def _line(line: DialogueLine) -> dict[str, JsonValue]:
    """``date``: "2026-05-06, Wednesday", so that the model can resolve "next Friday"."""
    date = line.said_at.strftime("%Y-%m-%d, %A") if line.said_at else ""
    return {"speaker": _plain(line.speaker), "date": date}


def show_entry(number: int, fact: Fact) -> dict[str, JsonValue]:
    """An entry with its speaker, its date and its topic, for a prompt that numbers entries."""
    return {**_entry(str(number), fact), "number": number, "speaker": _plain(fact.speaker) or DEFAULT_SPEAKER}


def _entry(name: str, fact: Fact) -> dict[str, JsonValue]:
    about = "; ".join(part for part in (f"{entry_time(fact):%Y-%m-%d}", _plain(fact.metadata.get(TOPIC, ""))) if part)
    return {"name": name, "about": about, "text": " ".join(fact.content.split())[:ENTRY_CHARS]}


def entry_time(fact: Fact) -> datetime:
    """When an entry was said, as far as that is known."""
    return fact.said_at or fact.created_at


def _plain(name: str) -> str:
    return " ".join(_STRUCTURE.sub(" ", name).split())[:80]
