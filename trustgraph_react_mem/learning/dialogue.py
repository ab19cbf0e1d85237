"""A conversation as lines."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from typing import Literal

from ..memory.records import Conversation, Fact, is_by_assistant
from ..memory.sizes import split_by_size
from ..memory.text.pasted import split_pasted
from ..memory.tokens import count_tokens
from ..memory.trust.owner_seal import VERIFIED
from .invocation import ASSISTANT, DEFAULT_SPEAKER

Role = Literal["user", "assistant", "tool"]
MOST_SHOWN = 6_000  # characters of a line in a prompt
MOST_PASTED = 600  # characters of pasted text, and of a tool's output, in a prompt
CUT = " […] "  # marks what was left out


@dataclass(frozen=True, kw_only=True)  # without slots, for what is derived once
class DialogueLine:
    """One utterance or tool result.  ``turn_id``: id of the verbatim record; empty for a tool result.

    ``mark``: of the verbatim record, if a verified person said it (``OwnerSeal``).
    """

    speaker: str
    text: str
    role: Role = "user"
    turn_id: str = ""
    invocation_id: str = ""
    said_at: datetime | None = None
    mark: str = ""

    @cached_property
    def own(self) -> str:
        """What the speaker says themselves, without fenced blocks and quoted lines."""
        return split_pasted(self.text)[0] if self.role == "user" else self.text

    @cached_property
    def shown(self) -> str:
        """The text on one line, as a prompt shows it: long pasted text and tool output are cut, with a mark."""
        most = MOST_PASTED if self.role == "tool" else MOST_SHOWN
        is_long = self.role == "user" and len(self.text) > MOST_PASTED
        own, pasted = split_pasted(self.text) if is_long else (self.text, "")
        if len(pasted) > MOST_PASTED:
            return shorten(f"{_on_one_line(own)} {shorten(_on_one_line(pasted), MOST_PASTED)}".strip(), most)
        return shorten(_on_one_line(self.text), most)

    @cached_property
    def tokens(self) -> int:
        return count_tokens(self.shown) + count_tokens(self.speaker) + LINE_TOKENS


LINE_TOKENS = 14  # number and date of a line in a prompt


def lines_of(turns: Sequence[Fact], conversation: Conversation | None = None) -> list[DialogueLine]:
    """The lines of a conversation in order.  Tool results are placed between question and answer."""
    steps = {item.id: item.steps for item in conversation.invocations} if conversation else {}
    lines: list[DialogueLine] = []
    for turn in sorted(turns, key=lambda turn: (turn.position, turn.id)):
        is_answer = is_by_assistant(turn.trust, turn.metadata)
        said = DialogueLine(
            role="assistant" if is_answer else "user",
            speaker=ASSISTANT if is_answer else turn.speaker or DEFAULT_SPEAKER,
            text=turn.content,
            turn_id=turn.id,
            invocation_id=turn.invocation_id,
            said_at=turn.said_at,
            mark=turn.metadata.get(VERIFIED, ""),
        )
        tools = []
        for step in steps.pop(turn.invocation_id, ()):
            done, _, observation = step.partition(" -> ")
            name = f"Tool {done.partition(' ')[0]}".strip()
            tools.append(replace(said, role="tool", speaker=name, text=observation or done, turn_id="", mark=""))
        lines += [*tools, said] if is_answer else [said, *tools]
    return lines


def split_into_windows(lines: Sequence[DialogueLine], *, most_tokens: int) -> Iterator[list[DialogueLine]]:
    """Split the lines into windows that fit into one prompt.  Lines are not split.

    >>> list(split_into_windows([], most_tokens=100))
    []
    """
    return split_by_size(lines, lambda line: line.tokens, most=len(lines), most_size=most_tokens)


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def shorten(text: str, most: int) -> str:
    """The beginning and the end of a text that is too long."""
    if len(text) <= most:
        return text
    tail = most // 4
    return text[: most - tail].rstrip() + CUT + text[-tail:].lstrip()
