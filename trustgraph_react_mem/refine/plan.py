"""How an answer is refined."""

from dataclasses import dataclass
from typing import Any, Literal, get_args

from ..errors import BadRequest
from ..schema import RefineOptions
from ..settings import AgentMemSettings

ModelChoice = Literal["agent", "memory"]
Show = Literal["final", "revisions"]
PATTERN = "refine"  # the pattern of a request that asks for it
USUAL_LOOPS, USUAL_TOKENS = 1, 6000


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """How an answer is refined.

    ``budget_tokens``: of all calls.  ``stop_similarity``: of two successive texts.  ``model``: the agent's, or that of the
    background jobs.  ``show``: what a client sees of it.
    """

    max_loops: int = USUAL_LOOPS
    budget_tokens: int = USUAL_TOKENS
    stop_similarity: float = 0.98
    model: ModelChoice = "agent"
    show: Show = "final"


def read_plan(options: Any, pattern: str, settings: AgentMemSettings) -> Plan | None:
    """How the answer of a request is refined.  None: not at all.

    Raises: BadRequest (an option has the wrong type or is out of range).
    """
    if options is not None and not isinstance(options, RefineOptions):
        raise BadRequest(f'refine must be an object such as {{"max_loops": 1}}, not {type(options).__name__}')
    if options is None and pattern != PATTERN and settings.refine == "off":
        return None
    given = options or RefineOptions()
    if given.critique not in (None, "", "self"):
        raise BadRequest(
            f"refine.critique = {str(given.critique)[:40]!r}: only the model criticises answers; use self, "
            "or max_loops 0 to refine nothing"
        )
    plan = Plan(
        max_loops=_whole("max_loops", given.max_loops, 3, USUAL_LOOPS),
        budget_tokens=_whole("budget_tokens", given.budget_tokens, 1_000_000, USUAL_TOKENS),
        stop_similarity=_similarity(given.stop_similarity),
        model=_choice("model", given.model, get_args(ModelChoice), "agent"),
        show=_choice("show", given.show, get_args(Show), "final"),
    )
    return plan if plan.max_loops else None


def _choice(name: str, value: Any, choices: tuple[Any, ...], usual: Any) -> Any:
    if value in (None, ""):
        return usual
    if value not in choices:
        raise BadRequest(f"refine.{name} = {str(value)[:40]!r}: use {' or '.join(choices)}")
    return value


def _whole(name: str, value: Any, most: int, usual: int) -> int:
    if value is None:
        return usual
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= most:
        raise BadRequest(f"refine.{name} = {str(value)[:40]}: use a whole number from 0 to {most}")
    return value


def _similarity(value: Any) -> float:
    if value is None:
        return Plan().stop_similarity
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.90 <= value <= 0.99:
        raise BadRequest(f"refine.stop_similarity = {str(value)[:40]}: use a number from 0.90 to 0.99")
    return float(value)
