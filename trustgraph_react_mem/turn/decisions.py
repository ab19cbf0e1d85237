"""What the output of a model decides: a tool call, an answer or neither, and which rules change.  Its text as it arrives."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..memory.ports import JsonValue
from ..memory.text.fences import Fences


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedText:
    """A piece of a thought or an answer.  ``last``: the thought is complete.  ``restart``: the answer so far was none."""

    kind: Literal["thought", "answer", "restart"]
    text: str = ""
    last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """``bare``: an argument without a name, which is meant for the tool's first argument."""

    thought: str
    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    bare: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalAnswer:
    thought: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsed:
    """``text``: the best answer in the output.  ``reason``: the error, as shown to the model.

    ``calling``: it meant to call a tool, so ``text`` says what it was about to do.
    """

    thought: str
    text: str
    reason: str
    calling: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChange:
    """A rule of the user that the model says is given (``text``, ``when``) or ends (``id``).

    ``when``: its condition, which may be empty.  ``quote``: the words of the user that say so.
    """

    op: Literal["add", "end"]
    text: str = ""
    when: str = ""
    id: str = ""
    quote: str

    @property
    def keys(self) -> tuple[tuple[str, str], ...]:
        """What another change with one of them repeats."""
        if self.op == "end":
            return (("id", self.id),)
        return ("quote", self.quote.casefold()), ("text", self.text.casefold())

    def payload(self) -> dict[str, JsonValue]:
        return {"op": self.op, "text": self.text, "when": self.when, "id": self.id, "quote": self.quote}


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleChanges:
    """The changes that count, in order, and the number of those that do not, by reason (see ``rule_lines.read_changes``)."""

    made: tuple[RuleChange, ...] = ()
    dropped: Mapping[str, int] = field(default_factory=dict)

    def add(self, later: "RuleChanges") -> "RuleChanges":
        """With those of a later output.  What the model says again for the same words counts once."""
        said = {key for change in self.made for key in change.keys}
        new = [change for change in dict.fromkeys(later.made) if said.isdisjoint(change.keys)]
        return RuleChanges(made=(*self.made, *new), dropped=Counter(self.dropped) + Counter(later.dropped))


Decision = ToolCall | FinalAnswer | Unparsed
Pieces = list[ParsedText]


_LEAD = 1000
_MOST_HELD = 100  # white space that is read again


class Body:
    """The text of a thought or an answer while it arrives, without the white space, decoration and tag around it.

    ``emphasis``: what was opened before it: it closes at the start, or at the end of the first line.
    ``closing``: the tag that may end it.
    """

    def __init__(self, emphasis: str = "", *, fenced: bool = False, closing: str = "") -> None:
        self._emphasis = emphasis
        self._begun = False
        self._held: list[str] = []  # white space, or a closing fence, that may be the end
        self._parts: list[str] = []
        self.lead = ""  # the first characters
        self._fenced = fenced
        self._closing = closing
        self._fences = Fences(within=fenced)

    @property
    def in_code(self) -> bool:
        """Whether the next line is code."""
        return self._fences.are_open

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def with_end(self, text: str) -> str:
        """The text so far and ``text``, which is not pushed yet."""
        return self.text + "".join(self._held) + text

    def __bool__(self) -> bool:
        return bool(self._parts)

    def push(self, text: str) -> str:
        """Add text and return what is certain."""
        if not self._begun:
            text = text.lstrip()
            while self._emphasis and text.startswith(self._emphasis[0]):
                text, self._emphasis = text[1:], self._emphasis[1:]
            text = text.lstrip()
            if not text:
                return ""
            self._begun = True
        self._fences.read(text)
        if self._closing or self._emphasis:  # a part of the tag or of the signs may be held
            text = "".join(self._held) + text
            self._held.clear()
        if self._emphasis:
            text = self._close_emphasis(text)
        end = self._end_of(text)
        shown = "".join(self._held) + text[:end] if end else ""
        if shown:
            self._held.clear()
            self._parts.append(shown)
            if len(self.lead) < _LEAD:
                self.lead = (self.lead + shown)[:_LEAD]
        if end < len(text):
            self._held.append(text[end:])
        return shown

    def _close_emphasis(self, text: str) -> str:
        """``text`` without the signs that close it at the end of its first line."""
        line, newline, rest = text.partition("\n")
        if not newline:
            return text
        closed = line.rstrip().removesuffix(self._emphasis) if line.rstrip().endswith(self._emphasis) else line
        self._emphasis = ""
        return closed + newline + rest

    def _end_of(self, text: str) -> int:
        """Where the white space, and the start of what may close the text, at the end of ``text`` begin."""
        if self._emphasis:
            said = text.rstrip()
            return len(said.rstrip(self._emphasis[0]).rstrip()) if len(text) - len(said) < _MOST_HELD else len(said)
        start = text.rfind("<") if self._closing else -1
        tag = text[start:].rstrip().lower() if start >= 0 else ""
        return len((text[:start] if tag and self._closing.startswith(tag) else text).rstrip())

    def push_fence(self, text: str) -> str:
        """Add a line that may close the fence around the whole output."""
        if not self._fenced:
            return self.push(text)
        self._fences.read(text)
        self._held.append(text)
        return ""
