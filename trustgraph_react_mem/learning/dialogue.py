"""A conversation as numbered lines for prompts.  A model's answers refer to the line numbers."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..indexing.text.pasted import split_pasted
from ..memory.ports import JsonValue
from ..memory.records import Conversation, Fact, Invocation
from ..memory.trust.owner_seal import VERIFIED
from .invocation import ASSISTANT, DEFAULT_SPEAKER

Role = Literal["user", "assistant", "tool"]
MAX_LINE_CHARS = 700
MOST_STORED = 4_000  # characters of a line of a stored exchange
WINDOW_CHARS = 6000  # dialogue per prompt: about 1,500 tokens, which small models still read reliably


@dataclass(frozen=True, slots=True, kw_only=True)
class DialogueLine:
    """One utterance, tool result or pasted text.  ``turn_id``: id of the verbatim record; empty for a tool result.

    ``mark``: of the verbatim record, if a verified person said it (``OwnerSeal``).
    """

    number: int
    role: Role
    speaker: str
    text: str
    turn_id: str
    invocation_id: str
    said_at: datetime | None
    mark: str = ""

    def payload(self) -> dict[str, JsonValue]:
        """The line as a prompt shows it.  ``date``: "2026-05-06, Wednesday", so that a model can resolve "next Friday"."""
        text = self.text if len(self.text) <= MAX_LINE_CHARS else self.text[: MAX_LINE_CHARS - 1] + "…"
        date = self.said_at.strftime("%Y-%m-%d, %A") if self.said_at else ""
        return {"number": self.number, "speaker": self.speaker, "date": date, "text": " ".join(text.split())}


def number_lines(turns: Sequence[Fact], conversation: Conversation | None = None) -> list[DialogueLine]:
    """The lines of a conversation in order, numbered from 0.  Tool results are placed between question and answer.

    Text that a person pasted, to have it translated for instance, is a document and not the person's statement.  So is the
    answer, which renders it: both have the role "tool".
    """
    handed = {turn.invocation_id for turn in turns if not _is_answer(turn) and split_pasted(turn.content)[1]} - {""}
    steps = {item.id: item.steps for item in conversation.invocations} if conversation else {}
    lines: list[DialogueLine] = []

    def add(role: Role, speaker: str, text: str, turn: Fact, turn_id: str) -> None:
        lines.append(
            DialogueLine(
                number=len(lines),
                role=role,
                speaker=speaker,
                text=text,
                turn_id=turn_id,
                invocation_id=turn.invocation_id,
                said_at=turn.said_at,
                mark="" if role == "tool" else turn.metadata.get(VERIFIED, ""),
            )
        )

    for turn in sorted(turns, key=lambda turn: (turn.position, turn.id)):
        is_answer = _is_answer(turn)
        if not is_answer:
            own, pasted = split_pasted(turn.content)
            if own.strip() or not pasted:
                add("user", turn.speaker or DEFAULT_SPEAKER, own, turn, turn.id)
            if pasted:
                add("tool", "Tool", pasted, turn, turn.id)
        for step in steps.pop(turn.invocation_id, ()):
            add("tool", "Tool", step, turn, "")
        if is_answer:
            role: Role = "tool" if turn.invocation_id in handed else "assistant"
            add(role, turn.speaker or ASSISTANT, turn.content, turn, turn.id)
    return lines


def stored_lines(exchanges: Iterable[Invocation], speaker: str) -> list[DialogueLine]:
    """What was said in stored exchanges, in its order, with the agent's calls of tools as lines of their own.

    ``speaker``: who asked where an exchange does not say it.
    """
    lines: list[DialogueLine] = []
    for exchange in exchanges:
        own, pasted = split_pasted(exchange.query)
        said: list[tuple[Role, str]] = [("user", own), ("tool", pasted)]
        for step in exchange.steps:
            done, _, observation = step.partition(" -> ")
            said += [("assistant", done), ("tool", observation)]
        said.append(("tool" if pasted else "assistant", exchange.result))
        lines += [
            DialogueLine(
                number=len(lines),
                role=role,
                speaker=(exchange.speaker or speaker) if role == "user" else role.title(),
                text=text[:MOST_STORED],
                turn_id="",
                invocation_id=exchange.id,
                said_at=exchange.at,
            )
            for role, text in said
            if text
        ]
    return lines


def _is_answer(turn: Fact) -> bool:
    return turn.trust == "assistant" or (turn.speaker == ASSISTANT and turn.metadata.get("role") == "assistant")


def split_into_windows(lines: Sequence[DialogueLine], *, most_chars: int = WINDOW_CHARS) -> Iterator[list[DialogueLine]]:
    """Split the lines into windows that fit into one prompt.  Lines are not split and keep their numbers.

    >>> list(split_into_windows([]))
    []
    """
    window: list[DialogueLine] = []
    size = 0
    for line in lines:
        length = min(len(line.text), MAX_LINE_CHARS) + len(line.speaker) + 8
        if window and size + length > most_chars:
            yield window
            window, size = [], 0
        window.append(line)
        size += length
    if window:
        yield window


def find_lines(numbers: object, lines: Iterable[DialogueLine]) -> list[DialogueLine]:
    """The lines whose numbers a model's answer names.  Anything in ``numbers`` that is not a line number is ignored."""
    if isinstance(numbers, int | str):
        numbers = [numbers]
    if not isinstance(numbers, list):
        return []
    wanted = set()
    for number in numbers:
        if isinstance(number, str) and re.fullmatch(r"\d{1,6}", number.strip(" []")):
            number = int(number.strip(" []"))
        if isinstance(number, int) and not isinstance(number, bool):
            wanted.add(number)
    return [line for line in lines if line.number in wanted]
