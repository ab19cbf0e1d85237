"""Working memory: the trace of the running request, kept short without losing results.

Above a threshold of tokens, the newest steps stay verbatim and the older ones become a summary.  The model writes the summary.
If it fails, ``condense`` does: each tool with its arguments and the beginning and end of its result.

Invariant: a step keeps its number, so the number of iterations does not depend on how many steps were condensed.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..memory.ports import JsonValue
from ..memory.tokens import count_tokens, shorten

STEP_TOKENS = 16  # labels around a step in the prompt


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One thought, action and observation.  ``number`` counts from 1 over the whole request.

    ``about``: the description of the tool, for what is learned from the step.
    """

    number: int
    thought: str
    action: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    observation: str = ""
    failed: bool = False
    about: str = ""

    @property
    def arguments_text(self) -> str:
        return json.dumps(dict(self.arguments), ensure_ascii=False, default=str)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkingMemory:
    """``condensed`` is the summary of the steps up to number ``covers``.  ``steps`` are the later ones, verbatim."""

    condensed: str = ""
    covers: int = 0
    steps: tuple[Step, ...] = ()

    @property
    def count(self) -> int:
        """Number of steps so far, including condensed ones."""
        return self.steps[-1].number if self.steps else self.covers

    @property
    def tokens(self) -> int:
        """Estimated tokens of the summary and all verbatim steps."""
        return count_tokens(self.condensed) + sum(step_tokens(step) for step in self.steps)

    def add(self, step: Step) -> "WorkingMemory":
        return replace(self, steps=(*self.steps, step))

    def older(self, keep: int) -> tuple[Step, ...]:
        """The steps to condense if the newest ``keep`` stay verbatim."""
        return self.steps[: max(0, len(self.steps) - keep)]

    def compress(self, summary: str, *, covered: Sequence[Step]) -> "WorkingMemory":
        """Replace ``covered`` (the oldest steps) and the previous summary by ``summary``."""
        if not covered:
            return self
        last = covered[-1].number
        return WorkingMemory(condensed=summary, covers=last, steps=tuple(step for step in self.steps if step.number > last))


def step_tokens(step: Step) -> int:
    """Estimated tokens of a step in the prompt."""
    return STEP_TOKENS + sum(map(count_tokens, (step.thought, step.action, step.arguments_text, step.observation)))


def condense(steps: Sequence[Step], *, condensed: str = "", budget: int = 400) -> str:
    """Summarise steps without a model, in about ``budget`` tokens.

    One line per step with action, arguments and result, all shortened evenly.  Results lose their middle, thoughts are
    dropped.
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
