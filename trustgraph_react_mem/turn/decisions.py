"""What the output of a model decides: a tool call, an answer or neither, and which rules change."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Literal

from ..memory.ports import JsonValue


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
        return asdict(self)


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


def piece(kind: Literal["thought", "answer"], text: str) -> Pieces:
    """What is shown; nothing if there is no text."""
    return [ParsedText(kind=kind, text=text)] if text else []


def final_answer(thought: str, text: str) -> Decision:
    if text:
        return FinalAnswer(thought=thought, text=text)
    reason = "The Final Answer was empty." if thought else "There was no text."
    return Unparsed(thought=thought, text=thought, reason=reason)
