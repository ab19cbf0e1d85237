"""Refines the answer to a question: the model criticises it and revises it, until it finds nothing more to improve.

Invariants:
- The text that stands is the draft, or the last revision that lost nothing (``losses``).
- The loop ends within its limits of loops, tokens and time, and if the model fails.  Then what stands is the result.

Source: Self-Refine (arXiv 2303.17651).
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from typing import Literal

from ..errors import MemoryServiceError
from ..memory.ports import JsonValue
from ..memory.text.printable import is_blank
from ..memory.tokens import count_tokens, cut_to_tokens
from ..rerank.citations import Citations, CitationStripper
from .losses import find_losses
from .plan import Plan
from .records import Phase
from .stopping import asks_nothing, similarity

Stopped = Literal["accepted", "loops", "tokens", "time", "converged", "model"]

OBSERVATION_TOKENS = 1500  # of all observations in a prompt
DRAFT_TOKENS = 3000


#: Asks the model with the variables of a phase.  Returns the text, and the tokens that the call took; 0 if they are not known.
#: Raises: MemoryServiceError.
Ask = Callable[[Phase, Mapping[str, JsonValue]], Awaitable[tuple[str, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The answer to refine, with what the model saw.

    ``citations`` None: the text was not searched for any.  ``memories``: in the order of their numbers.  ``observations``: the
    other texts that the model saw, the most important last.
    """

    question: str
    text: str
    citations: Citations | None = None
    memories: tuple[str, ...] = ()
    observations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStep:
    """One step of the loop.  ``elapsed_ms``, ``tokens``: of producing the text.  ``kept``: whether a revision stands."""

    phase: Phase
    text: str
    elapsed_ms: int = 0
    tokens: int = 0
    similarity: float | None = None
    kept: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """What stands.  ``loops``: number of critiques that were answered.  ``kept``: number of revisions that were kept."""

    text: str
    citations: Citations | None
    stopped: Stopped = "loops"
    loops: int = 0
    kept: int = 0
    tokens: int = 0


Record = Callable[[LoopStep], Awaitable[None]]


async def refine(draft: Draft, ask: Ask, *, plan: Plan, record: Record, ends_at: float | None = None) -> Refined:
    """Refine one draft.  ``record`` is awaited with each step before the next one begins; its errors are raised.

    ``ends_at``: in the time of the event loop; None: no limit of time.
    """
    model = _Model(ask, plan.budget_tokens, ends_at)
    standing, losses = Refined(text=draft.text, citations=draft.citations), tuple[str, ...]()
    await record(LoopStep(phase="draft", text=standing.text))
    try:
        while standing.loops < plan.max_loops:
            terms = _show(draft, standing.text)
            critique = await model.write("critique", terms)
            if not critique.text or asks_nothing(critique.text):
                raise _Stop("accepted")
            await record(critique)
            terms |= {"critique": critique.text, "rejected": "\n".join(f"- {each}" for each in losses)}
            revision = await model.write("revise", terms)
            text, citations = _strip(draft, revision.text)
            if not text:
                raise _Stop("model")
            losses = find_losses(
                standing.text,
                text,
                question=draft.question,
                shown=(*draft.memories, *draft.observations),
                citations_before=standing.citations,
                citations_after=citations,
            )
            alike = similarity(standing.text, text)
            await record(replace(revision, text=text, similarity=alike, kept=not losses))
            if not losses:
                standing = replace(standing, text=text, citations=citations, kept=standing.kept + 1)
            standing = replace(standing, loops=standing.loops + 1)
            if alike >= plan.stop_similarity:
                raise _Stop("converged")
    except _Stop as stop:
        standing = replace(standing, stopped=stop.reason)
    return replace(standing, tokens=model.spent)


class _Stop(Exception):
    """The loop ends before its last revision."""

    def __init__(self, reason: Stopped) -> None:
        super().__init__(reason)
        self.reason: Stopped = reason


class _Model:
    """The model within the limits of tokens and time."""

    def __init__(self, ask: Ask, budget_tokens: int, ends_at: float | None) -> None:
        self.spent = 0
        self._ask = ask
        self._budget_tokens = budget_tokens
        self._ends_at = ends_at

    async def write(self, phase: Phase, variables: Mapping[str, JsonValue]) -> LoopStep:
        """The step that the model wrote.  Raises: _Stop."""
        needed = count_tokens(str(list(variables.values())))
        if self.spent + needed >= self._budget_tokens:
            raise _Stop("tokens")
        started_s = time.monotonic()
        try:
            async with asyncio.timeout_at(self._ends_at) as limit:
                text, tokens = await self._ask(phase, variables)
        except TimeoutError:
            raise _Stop("time" if limit.expired() else "model") from None
        except MemoryServiceError:
            raise _Stop("model") from None
        used = tokens or needed + count_tokens(text)
        self.spent += used
        elapsed_ms = int((time.monotonic() - started_s) * 1000)
        return LoopStep(phase=phase, text=_visible(text), elapsed_ms=elapsed_ms, tokens=used)


def _show(draft: Draft, text: str) -> dict[str, JsonValue]:
    left = OBSERVATION_TOKENS
    observations: list[JsonValue] = []
    for each in reversed(draft.observations):
        if left <= 0:
            break
        observations.insert(0, cut_to_tokens(each, left))
        left -= count_tokens(str(observations[0]))
    return {
        "question": cut_to_tokens(draft.question, DRAFT_TOKENS),
        "draft": cut_to_tokens(text, DRAFT_TOKENS),
        "memories": [{"number": number, "text": each} for number, each in enumerate(draft.memories)],
        "observations": observations,
    }


def _strip(draft: Draft, text: str) -> tuple[str, Citations | None]:
    if draft.citations is None:
        return text, None
    stripper = CitationStripper(len(draft.memories))
    visible = stripper.feed(text) + stripper.end()
    return _visible(visible), stripper.citations


def _visible(text: str) -> str:
    return "" if is_blank(text) else text.strip()
