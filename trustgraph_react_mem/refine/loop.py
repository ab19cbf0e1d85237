"""Refines the answer to a question: criticise, revise, and keep a revision only if it is checked to be better.

Invariants:
- The text that stands is the draft, or a revision that ``CheckedAnswer.is_better_than`` preferred to what stood before.  So
  refinement never lowers the checked score, whatever the model writes.
- ``grounded``: the checks decide first.  Only if they find nothing is the model asked for a critique; what it disputes counts
  only as far as the sources do not have it either.  ``self``: the model alone writes the critiques.
- The loop ends within its limits of loops, tokens and time, and if the model fails.  Then what stands is the result.

Sources: Self-Refine (arXiv 2303.17651) for the loop; arXiv 2310.01798 for why a critique of the model alone does not suffice.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, Protocol

from ..errors import MemoryServiceError
from ..memory.model_json import read_object
from ..memory.ports import JsonValue
from ..memory.text.printable import is_blank
from ..memory.tokens import count_tokens, cut_to_tokens
from ..rerank.citations import Citations, CitationStripper
from .checks import CheckedAnswer, Checker, Evidence
from .critiques import asks_nothing
from .plan import Plan
from .records import Phase
from .similarity import similarity

Stopped = Literal["accepted", "loops", "tokens", "time", "converged", "model"]

MOST_DISPUTED, MOST_DISPUTED_CHARS = 20, 400
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

    ``citations`` None: the text was not searched for any.  ``rules``: what the person requires of every answer.
    """

    question: str
    text: str
    citations: Citations | None = None
    shown: tuple[Evidence, ...] = ()
    observations: tuple[Evidence, ...] = ()
    rules: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class LoopStep:
    """One step of the loop.  ``elapsed_ms``, ``tokens``: of producing the text.  ``kept``: whether a revision stands."""

    phase: Phase
    text: str
    elapsed_ms: int = 0
    tokens: int = 0
    similarity: float | None = None
    checks: CheckedAnswer | None = None
    kept: bool | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Refined:
    """What stands.  ``loops``: number of critiques that were answered.  ``kept``: number of revisions that were better."""

    text: str
    citations: Citations | None
    checks: CheckedAnswer
    stopped: Stopped
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
        self._checker: Checker | None = None
        self._disputed: tuple[str, ...] = ()
        self._refused = ""  # the last revision, if it was not kept
        self._rejected: tuple[str, ...] = ()  # what was wrong with it
        self._spent = 0

    async def run(self) -> Refined:
        """Run the loop.  ``record`` is awaited with each step before the next one begins; its errors are raised."""
        draft = self._draft
        # In a thread, as each check: both take up to some tenths of a second with many long sources.
        self._checker = await asyncio.to_thread(Checker, draft.question, draft.shown, draft.observations, draft.rules)
        standing = Refined(
            text=draft.text,
            citations=draft.citations,
            checks=await self._check(draft.text, draft.citations),
            stopped="loops",
        )
        await self._record(LoopStep(phase="draft", text=draft.text, checks=standing.checks))
        while standing.loops < self._plan.max_loops:
            try:
                standing, stopped = await self._improve(standing)
            except _Stop as stop:
                return replace(standing, stopped=stop.reason, tokens=self._spent)
            if stopped is not None:
                return replace(standing, stopped=stopped, tokens=self._spent)
        return replace(standing, tokens=self._spent)

    async def _improve(self, standing: Refined) -> tuple[Refined, Stopped | None]:
        """One critique and one revision."""
        critique, elapsed_ms, tokens = await self._criticise(standing)
        standing = replace(standing, checks=await self._check(standing.text, standing.citations))
        if not critique:
            return standing, "accepted"
        await self._record(
            LoopStep(phase="critique", text=critique, elapsed_ms=elapsed_ms, tokens=tokens, checks=standing.checks)
        )
        answered, elapsed_ms, tokens = await self._ask(self._revise_prompt(standing, critique))
        text, citations = self._strip(answered)
        if not text:
            return standing, "model"
        checks = await self._check(text, citations)
        alike = similarity(standing.text, text)
        kept = checks.is_better_than(standing.checks)
        await self._record(
            LoopStep(
                phase="revise", text=text, elapsed_ms=elapsed_ms, tokens=tokens, similarity=alike, checks=checks, kept=kept
            )
        )
        repeated = alike if kept or not self._refused else max(alike, similarity(self._refused, text))
        self._refused, self._rejected = ("", ()) if kept else (text, checks.faults)
        standing = replace(standing, loops=standing.loops + 1)
        if kept:
            standing = replace(standing, text=text, citations=citations, checks=checks, kept=standing.kept + 1)
        if standing.checks.is_clean and kept:
            return standing, "accepted"
        return standing, "converged" if repeated >= self._plan.stop_similarity else None

    async def _criticise(self, standing: Refined) -> tuple[str, int, int]:
        """The critique, empty if there is nothing to improve, with the milliseconds and tokens that it took."""
        if self._plan.critique == "grounded" and standing.checks.faults:
            return _list(standing.checks.faults), 0, 0
        text, elapsed_ms, tokens = await self._ask(self._critique_prompt(standing))
        if self._plan.critique == "self":
            return ("" if asks_nothing(text) else _visible(text)), elapsed_ms, tokens
        self._disputed = tuple(dict.fromkeys((*self._disputed, *_find_disputed(text))))[:MOST_DISPUTED]
        found = await self._check(standing.text, standing.citations)
        return _list(found.faults), elapsed_ms, tokens

    # -- prompts

    def _critique_prompt(self, standing: Refined) -> Prompt:
        return Prompt(phase="critique", variables={**self._show(standing), "grounded": self._plan.critique == "grounded"})

    def _revise_prompt(self, standing: Refined, critique: str) -> Prompt:
        return Prompt(
            phase="revise", variables={**self._show(standing), "critique": critique, "rejected": _list(self._rejected)}
        )

    def _show(self, standing: Refined) -> dict[str, JsonValue]:
        draft = self._draft
        left = OBSERVATION_TOKENS
        observations: list[JsonValue] = []
        for each in reversed(draft.observations):  # the newest matter most
            if left <= 0:
                break
            observations.insert(0, cut_to_tokens(each.text, left))
            left -= count_tokens(str(observations[0]))
        return {
            "question": cut_to_tokens(draft.question, DRAFT_TOKENS),
            "draft": cut_to_tokens(standing.text, DRAFT_TOKENS),
            "memories": [{"number": number, "text": each.text} for number, each in enumerate(draft.shown)],
            "observations": observations,
            "requirements": [each.text for each in standing.checks.constraints],
        }

    # -- helpers

    async def _ask(self, prompt: Prompt) -> tuple[str, int, int]:
        """The text with the milliseconds and tokens that it took.  Raises: _Stop."""
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
        return text, int((time.monotonic() - started_s) * 1000), used

    async def _check(self, text: str, citations: Citations | None) -> CheckedAnswer:
        assert self._checker is not None
        return await asyncio.to_thread(self._checker.check, text, self._list_cited(citations), disputed=self._disputed)

    def _list_cited(self, citations: Citations | None) -> tuple[str, ...] | None:
        if citations is None or citations.state == "absent":
            return None
        if citations.state == "malformed":
            return ("a memory that does not exist",)
        shown = self._draft.shown
        return tuple(shown[index].id for index in citations.indices if index < len(shown))

    def _strip(self, text: str) -> tuple[str, Citations | None]:
        if self._draft.citations is None:
            return _visible(text), None
        stripper = CitationStripper(len(self._draft.shown))
        visible = stripper.feed(text) + stripper.end()
        return _visible(visible), stripper.citations


class _Stop(Exception):
    """The loop ends before a text was produced."""

    def __init__(self, reason: Stopped) -> None:
        super().__init__(reason)
        self.reason: Stopped = reason


def _visible(text: str) -> str:
    return "" if is_blank(text) else text.strip()


def _list(faults: Sequence[str]) -> str:
    return "\n".join(f"- {fault}" for fault in faults)


def _find_disputed(text: str) -> list[str]:
    """The sentences that a critique of the model calls unsupported or contradicted."""
    claims = (read_object(text) or {}).get("claims")
    if not isinstance(claims, list):
        return []
    found = []
    for claim in claims[:MOST_DISPUTED]:
        if isinstance(claim, Mapping) and claim.get("verdict") in ("unsupported", "contradicted"):
            said = claim.get("text")
            if isinstance(said, str) and said.strip():
                found.append(said.strip()[:MOST_DISPUTED_CHARS])
    return found
