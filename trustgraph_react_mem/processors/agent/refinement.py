"""Refines the answer of a turn, and stores each step of it in the conversation of the turn (``refine.loop``).

Invariants: a step is stored before the next one begins.  A turn that is not recorded stores nothing.  If storing fails, the
refinement goes on, and the person is told.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from ...errors import Conflict, MemoryServiceError, RefinementError
from ...failure_log import describe_error
from ...memory.ports import Clock, JsonValue
from ...memory.records import RETRIEVE_FACTS, derived_id
from ...memory.requests import AppendRefinement, GetRefinement
from ...memory.text.printable import is_blank
from ...memory.text.reasoning import without_reasoning
from ...memory.timefmt import read_zone
from ...refine.loop import Draft, LoopStep, refine
from ...refine.plan import Plan
from ...refine.records import Phase, RefinementEvent, Sampling
from ...refine.wire import to_wire
from ...telemetry.tracing import workflow
from ...turn.data_line import as_data, episode_line, memory_line
from ...turn.decisions import FinalAnswer
from ...turn.events import Refined, Usage
from ...turn.machine import TurnState
from ...turn.parse import ReactParser
from ...turn.ports import ReactModel
from ...turn.prompt import instructions_text
from ...turn.request import TurnRequest
from . import metrics

logger = logging.getLogger(__name__)

PROMPTS: Mapping[Phase, str] = {"critique": "memory-critique-answer", "revise": "memory-revise-answer"}
STORE_S = 5.0  # how long a step may take to be stored

Notify = Callable[[str], Awaitable[None]]


async def refine_answer(
    request: TurnRequest,
    turn: TurnState,
    ends_at: float,
    *,
    processor: str,
    model: ReactModel,
    conversations: Any,
    clock: Clock,
    notify: Notify,
) -> Refined:
    """Refine an answer.  Errors of the model or of storing do not raise.

    ``conversations``: client of the conversations service, None if there is none.
    """
    plan = request.refine
    if plan is None or is_blank(turn.answer):
        return Refined(answer=turn.answer, citations=turn.citations)
    usage = Usage()
    log = _SessionLog(request, turn, conversations if turn.publish else None, clock, notify)

    async def ask(phase: Phase, variables: Mapping[str, JsonValue]) -> tuple[str, int]:
        nonlocal usage
        reply = await model.ask(PROMPTS[phase], variables, None)
        usage = usage.add(reply.usage)
        text = _answer_in(reply.text) if phase == "revise" else without_reasoning(reply.text)
        return text.strip(), (reply.usage.in_tokens or 0) + (reply.usage.out_tokens or 0)

    async def record(step: LoopStep) -> None:
        await log.append(step)
        if plan.show == "revisions" and step.phase != "draft":
            name = "Critique" if step.phase == "critique" else f"Revision ({'kept' if step.kept else 'not kept'})"
            await notify(f"{name}:\n{step.text}")

    with workflow("refine"):
        refined = await refine(_to_draft(request, turn), ask, plan=plan, record=record, ends_at=ends_at)
    logger.debug("an answer was refined: %d loops, %d kept, ended by %s", refined.loops, refined.kept, refined.stopped)
    metrics.count_refinement(processor, loops=refined.loops, kept=refined.kept, tokens=refined.tokens)
    return Refined(answer=refined.text, citations=refined.citations, usage=usage)


def _answer_in(text: str) -> str:
    """The answer in what a model wrote, read as in a turn.  "": it only thought, or asked for a tool."""
    parser = ReactParser()
    parser.feed(text)
    parser.finish()
    return parser.decision.text if isinstance(parser.decision, FinalAnswer) else ""


class _SessionLog:
    """Stores the steps of a refinement as the events of a session.  ``client`` None: stores nothing.

    All ids follow from the exchange and the texts, so a request that is sent again adds nothing.  If a crash interrupted it and
    the model writes other texts then, they are a session of their own: no session mixes the texts of two runs.  If the session
    or the exchange is erased or undone meanwhile, the rest is not stored either.
    """

    def __init__(self, request: TurnRequest, turn: TurnState, client: Any, clock: Clock, notify: Notify) -> None:
        self._request = request
        self._turn = turn
        self._client = client
        self._clock = clock
        self._notify = notify
        self._id = derived_id("refinement", request.scope.key, request.invocation_id, turn.answer)
        self._events: list[RefinementEvent] = []

    async def append(self, step: LoopStep) -> None:
        if self._client is None:
            return
        self._events.append(self._event(step))
        try:
            try:
                await self._store(len(self._events) - 1)
            except Conflict:
                if await self._count() < len(self._events) - 1:
                    self._client = None
                    return
                self._id = derived_id(self._id, step.text)
                self._events = [replace(each, session_id=self._id) for each in self._events]
                for place in range(len(self._events)):
                    await self._store(place)
        except MemoryServiceError as error:
            self._client = None
            if isinstance(error, RefinementError) and error.code == "invalid_session":
                return  # the exchange was forgotten or undone
            logger.warning("storing a step of a refinement failed: %s", describe_error(error))
            await self._notify(f"The refinement of this answer will not be remembered: {error}")

    async def _count(self) -> int:
        """The number of events that the session has now."""
        count: int = (await self._call(GetRefinement(session_id=self._id))).count
        return count

    async def _store(self, place: int) -> None:
        await self._call(AppendRefinement(event=to_wire(self._events[place]), expected=place))

    async def _call(self, request: AppendRefinement | GetRefinement) -> Any:
        scope = self._request.scope
        return await self._client.call(replace(request, user=scope.user, collection=scope.collection), timeout_s=STORE_S)

    def _event(self, step: LoopStep) -> RefinementEvent:
        request, plan, recalled = self._request, self._request.refine or Plan(), self._turn.recalled
        found = recalled.conversation_id if recalled else ""
        return RefinementEvent(
            id=derived_id(request.invocation_id, str(len(self._events)), step.phase, step.text),
            session_id=self._id,
            conversation_id=request.conversation_id or found or request.recorded_conversation_id,
            phase=step.phase,
            query=request.question,
            text=step.text,
            variant=self._turn.usage.model or "",
            sampling=Sampling(
                model=plan.model, max_loops=plan.max_loops, similarity_threshold=plan.stop_similarity,
                metadata={"budget_tokens": plan.budget_tokens},
            ),
            at=self._clock.now(),
            elapsed_ms=step.elapsed_ms,
            tokens=step.tokens,
            similarity=step.similarity,
            kept=step.kept,
            invocation_id=request.invocation_id,
        )  # fmt: skip


def _to_draft(request: TurnRequest, turn: TurnState) -> Draft:
    recalled = turn.recalled
    return Draft(
        question=request.question,
        text=turn.answer,
        citations=turn.citations,
        memories=tuple(memory_line(fact) for fact in recalled.citable) if recalled else (),
        observations=tuple(each for each in _observations(request, turn) if each),
    )


def _observations(request: TurnRequest, turn: TurnState) -> Iterator[str]:
    """What the model saw besides the memories, what matters most last.  Memories that a tool found are among the memories."""
    recalled = turn.recalled
    yield f"Today is {request.asked_at.astimezone(read_zone(request.timezone)):%A, %Y-%m-%d}."
    yield as_data(request.settings.additional_context)
    yield as_data(request.framing)
    if recalled is not None:
        yield from map(episode_line, recalled.episodes)
        yield as_data(recalled.thread.earlier)
        for exchange in recalled.thread.exchanges:
            yield as_data(exchange.query)
            yield as_data(exchange.result or exchange.summary)
    for step in turn.steps:
        if not step.failed and not (recalled is not None and step.action == RETRIEVE_FACTS):
            yield as_data(step.observation)
    if recalled is not None:
        yield instructions_text(recalled.instructions)
