"""How an answer is refined."""

from dataclasses import asdict
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field, ValidationError
from pydantic.dataclasses import dataclass

from ..errors import BadRequest
from ..schema import RefineOptions
from ..settings import AgentMemSettings

PATTERN = "refine"  # the pattern of a request that asks for it


@dataclass(frozen=True, slots=True, kw_only=True, config=ConfigDict(strict=True))
class Plan:
    """How an answer is refined.

    ``budget_tokens``: of all calls.  ``stop_similarity``: of two successive texts.  ``model``: the agent's, or that of the
    background jobs.  ``show``: what a client sees of it.
    """

    max_loops: Annotated[int, Field(ge=0, le=3)] = 1
    budget_tokens: Annotated[int, Field(ge=0, le=1_000_000)] = 6000
    stop_similarity: Annotated[float, Field(ge=0.90, le=0.99)] = 0.98
    model: Literal["agent", "memory"] = "agent"
    show: Literal["final", "revisions"] = "final"


def read_plan(options: Any, pattern: str, settings: AgentMemSettings) -> Plan | None:
    """How the answer of a request is refined.  None: not at all.

    Raises: BadRequest (an option has the wrong type or is out of range).
    """
    if options is not None and not isinstance(options, RefineOptions):
        raise BadRequest(f'refine must be an object such as {{"max_loops": 1}}, not {type(options).__name__}')
    if options is None and pattern != PATTERN and settings.refine == "off":
        return None
    given = asdict(options or RefineOptions())
    critique = given.pop("critique")
    if critique not in (None, "", "self"):
        raise BadRequest(
            f"refine.critique = {str(critique)[:40]!r}: only the model criticises answers; use self, or max_loops 0 to refine "
            "nothing"
        )
    try:
        plan = Plan(**{name: value for name, value in given.items() if value not in (None, "")})
    except ValidationError as error:
        wrong = error.errors()[0]
        raise BadRequest(f"refine.{wrong['loc'][0]} = {wrong['input']!r:.40}: {wrong['msg']}") from None
    return plan if plan.max_loops else None
