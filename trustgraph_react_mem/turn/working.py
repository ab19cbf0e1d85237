"""Working memory: the trace of the running request, kept short without losing what was found out.

Above a threshold of tokens the newest steps stay as they are and the older ones become a summary, written by the model or,
when it fails, by ``condense``: each tool with its arguments and the beginning and end of its result.  A step keeps its
number for ever, so that the count of iterations does not depend on how many steps are still there.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..memory.ports import JsonValue
from ..memory.tokens import estimate_tokens

SHORTENED = " … "


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thought, action and observation; ``number`` counts from 1 over the whole request."""

    number: int
    thought: str
    action: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    observation: str = ""
    failed: bool = False

    @property
    def arguments_text(self) -> str:
        return json.dumps(dict(self.arguments), ensure_ascii=False, default=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    """``condensed`` stands for the steps up to ``covers``; ``steps`` are the ones after it, verbatim."""

    condensed: str = ""
    covers: int = 0
    steps: tuple[Step, ...] = ()

    @property
    def count(self) -> int:
        """Steps taken so far, condensed ones included."""
        return self.steps[-1].number if self.steps else self.covers

    @property
    def tokens(self) -> int:
        return estimate_tokens(self.condensed) + sum(step_tokens(step) for step in self.steps)

    def add(self, step: Step) -> "WorkingMemory":
        return replace(self, steps=(*self.steps, step))

    def older(self, keep: int) -> tuple[Step, ...]:
        """The steps that would be condensed when the newest ``keep`` stay."""
        return self.steps[: max(0, len(self.steps) - keep)]

    def compress(self, summary: str, *, covered: Sequence[Step]) -> "WorkingMemory":
        """With ``covered`` (the oldest steps) replaced by ``summary``, which also takes in the former one."""
        if not covered:
            return self
        last = covered[-1].number
        return WorkingMemory(condensed=summary, covers=last, steps=tuple(step for step in self.steps if step.number > last))


def step_tokens(step: Step) -> int:
    return 12 + sum(map(estimate_tokens, (step.thought, step.action, step.arguments_text, step.observation)))


def condense(steps: Sequence[Step], *, condensed: str = "", budget: int = 400) -> str:
    """A summary without a model: one line a step with action, arguments and result, shortened evenly to ``budget`` tokens.

    Nothing is dropped while there is room: results first lose their middle, thoughts are the first to go.
    """
    former = [line for line in condensed.splitlines() if line.strip()]
    room = max(20, budget * 4 // max(1, len(steps) + len(former)))
    lines = [shorten(line, room) for line in former]
    for step in steps:
        arguments = shorten(step.arguments_text, room // 3)
        result = shorten(" ".join(step.observation.split()), max(20, room - len(step.action) - len(arguments) - 12))
        outcome = "failed" if step.failed else "gave"
        lines.append(f"{step.number}. {step.action} {arguments} {outcome}: {result}")
    return "\n".join(lines)


def shorten(text: str, characters: int) -> str:
    """Beginning and end of ``text``, at most ``characters`` long."""
    if len(text) <= characters:
        return text
    characters = max(characters, len(SHORTENED) + 2)
    head = (characters - len(SHORTENED)) * 2 // 3
    tail = characters - len(SHORTENED) - head
    return text[:head] + SHORTENED + text[len(text) - tail :]


def fit(observation: str, *, window: int) -> str:
    """A tool's result that would fill the model's window by itself, shortened to half of it."""
    limit = window // 2
    return observation if estimate_tokens(observation) <= limit else shorten(observation, limit * 2)
