"""How an answer is refined."""

from dataclasses import dataclass
from typing import Literal

CritiqueKind = Literal["grounded", "self"]
ModelChoice = Literal["agent", "memory"]
Show = Literal["final", "revisions"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How an answer is refined.

    ``critique``: grounded asks the rules first and the model then, self the model alone.  ``budget_tokens``: of all calls.
    ``stop_similarity``: of two successive texts.  ``model``: the agent's, or that of the background jobs.  ``show``: what a
    client sees of it.
    """

    critique: CritiqueKind = "grounded"
    max_loops: int = 1
    budget_tokens: int = 6000
    stop_similarity: float = 0.98
    model: ModelChoice = "agent"
    show: Show = "final"
