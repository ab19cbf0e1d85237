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
from typing import Literal, Protocol

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Prompt:
    """What the model is asked.  ``variables``: of the template of the phase."""

    phase: Phase
    variables: Mapping[str, JsonValue]

    @property
    def tokens(self) -> int:
        return count_tokens(str(list(self.variables.values())))


class Critic(Protocol):
    """The model that criticises and revises."""

    async def ask(self, prompt: Prompt) -> tuple[str, int]:
        """The text, and the tokens that the call took; 0 if they are not known.  Raises: MemoryServiceError."""
        ...


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


class Loop:
    """Refines one draft.  ``ends_at``: in the time of the event loop; None: no limit of time."""

    def __init__(self, draft: Draft, critic: Critic, *, plan: Plan, record: Record, ends_at: float | None = None) -> None:
        self._draft = draft
        self._critic = critic
        self._plan = plan
        self._record = record
        self._ends_at = ends_at
        self._refused = ""  # the last revision, if it was not kept
        self._losses: tuple[str, ...] = ()  # why it was not
        self._spent = 0

    async def run(self) -> Refined:
        """Run the loop.  ``record`` is awaited with each step before the next one begins; its errors are raised."""
        standing = Refined(text=self._draft.text, citations=self._draft.citations)
        await self._record(LoopStep(phase="draft", text=standing.text))
        stopped: Stopped | None = None
        while stopped is None and standing.loops < self._plan.max_loops:
            try:
                standing, stopped = await self._improve(standing)
            except _Stop as stop:
                stopped = stop.reason
        return replace(standing, stopped=stopped or "loops", tokens=self._spent)

    async def _improve(self, standing: Refined) -> tuple[Refined, Stopped | None]:
        """One critique and one revision.  Raises: _Stop."""
        critique = await self._ask(Prompt(phase="critique", variables=self._show(standing)))
        if not critique.text or asks_nothing(critique.text):
            return standing, "accepted"
        await self._record(critique)
        terms = {"critique": critique.text, "rejected": "\n".join(f"- {each}" for each in self._losses)}
        answered = await self._ask(Prompt(phase="revise", variables={**self._show(standing), **terms}))
        text, citations = self._strip(answered.text)
        if not text:
            return standing, "model"
        losses = find_losses(
            standing.text,
            text,
            question=self._draft.question,
            shown=(*self._draft.memories, *self._draft.observations),
            citations_before=standing.citations,
            citations_after=citations,
        )
        alike = similarity(standing.text, text)
        await self._record(replace(answered, text=text, similarity=alike, kept=not losses))
        if losses:
            repeated = max(alike, similarity(self._refused, text) if self._refused else 0.0)
            standing = replace(standing, loops=standing.loops + 1)
        else:
            repeated = alike
            standing = replace(standing, text=text, citations=citations, loops=standing.loops + 1, kept=standing.kept + 1)
        self._refused, self._losses = (text, losses) if losses else ("", ())
        return standing, "converged" if repeated >= self._plan.stop_similarity else None

    def _show(self, standing: Refined) -> dict[str, JsonValue]:
        left = OBSERVATION_TOKENS
        observations: list[JsonValue] = []
        for each in reversed(self._draft.observations):
            if left <= 0:
                break
            observations.insert(0, cut_to_tokens(each, left))
            left -= count_tokens(str(observations[0]))
        return {
            "question": cut_to_tokens(self._draft.question, DRAFT_TOKENS),
            "draft": cut_to_tokens(standing.text, DRAFT_TOKENS),
            "memories": [{"number": number, "text": each} for number, each in enumerate(self._draft.memories)],
            "observations": observations,
        }

    async def _ask(self, prompt: Prompt) -> LoopStep:
        """The step that the model wrote.  Raises: _Stop."""
        needed = prompt.tokens
        if self._spent + needed >= self._plan.budget_tokens:
            raise _Stop("tokens")
        started_s = time.monotonic()
        try:
            async with asyncio.timeout_at(self._ends_at) as limit:
                text, tokens = await self._critic.ask(prompt)
        except TimeoutError:
            raise _Stop("time" if limit.expired() else "model") from None
        except MemoryServiceError:
            raise _Stop("model") from None
        used = tokens or needed + count_tokens(text)
        self._spent += used
        elapsed_ms = int((time.monotonic() - started_s) * 1000)
        return LoopStep(phase=prompt.phase, text=_visible(text), elapsed_ms=elapsed_ms, tokens=used)

    def _strip(self, text: str) -> tuple[str, Citations | None]:
        if self._draft.citations is None:
            return text, None
        stripper = CitationStripper(len(self._draft.memories))
        visible = stripper.feed(text) + stripper.end()
        return _visible(visible), stripper.citations


class _Stop(Exception):
    """The loop ends before a text was produced."""

    def __init__(self, reason: Stopped) -> None:
        super().__init__(reason)
        self.reason: Stopped = reason


def _visible(text: str) -> str:
    return "" if is_blank(text) else text.strip()
