"""Refines the answer of a turn, and stores each step of it in the conversation of the turn (``refine.loop``).

Invariants: a step is stored before the next one begins.  A turn that is not recorded stores nothing.  If storing fails, the
refinement goes on, and the person is told.
"""

import logging
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import fields, replace
from typing import Any, get_args

from ...errors import BadRequest, Conflict, MemoryServiceError, RefinementError
from ...failure_log import describe_error
from ...memory.json_object import json_type
from ...memory.ports import Clock
from ...memory.records import RECALL_EPISODES, RETRIEVE_FACTS, derived_id, is_by_assistant
from ...memory.requests import AppendRefinement, GetRefinement
from ...memory.text.printable import is_blank
from ...memory.text.reasoning import without_reasoning
from ...memory.timefmt import parse_time, read_zone
from ...recall.records import Recalled
from ...refine.checks import Evidence
from ...refine.loop import Draft, Loop, LoopStep, Prompt, Refined
from ...refine.plan import CritiqueKind, ModelChoice, Plan, Show
from ...refine.records import RefinementEvent, Sampling
from ...refine.wire import to_wire
from ...schema import Fact, RefineOptions
from ...settings import AgentMemSettings
from ...telemetry.tracing import workflow
from ...turn.data_line import as_data, episode_line, memory_line
from ...turn.decisions import FinalAnswer
from ...turn.events import Usage
from ...turn.parse import ReactParser
from ...turn.ports import AnswerDraft, ReactModel, RefinedAnswer
from ...turn.prompt import instructions_text
from ...turn.request import TurnRequest
from . import metrics

logger = logging.getLogger(__name__)

PATTERN = "refine"  # the pattern of a request that asks for it
PROMPTS = {"critique": "memory-critique-answer", "revise": "memory-revise-answer"}
STORE_S = 5.0  # how long a step may take to be stored
TRUSTED = frozenset({"user", "import"})  # whose memories are the person's words

Notify = Callable[[str], Awaitable[None]]


def read_plan(options: Any, pattern: str, settings: AgentMemSettings) -> Plan | None:
    """How the answer of a request is refined.  None: not at all.

    Raises: BadRequest (an option has the wrong type or is out of range).
    """
    if options is not None and not isinstance(options, RefineOptions):
        raise BadRequest(f'refine must be an object such as {{"max_loops": 1}}, not {type(options).__name__}')
    if options is None and pattern != PATTERN and settings.refine == "off":
        return None
    given = options or RefineOptions()
    usual: CritiqueKind = "grounded" if settings.refine == "off" else settings.refine
    plan = Plan(
        critique=_choice("critique", given.critique, get_args(CritiqueKind), usual),
        max_loops=_whole("max_loops", given.max_loops, 3, settings.refine_max_loops),
        budget_tokens=_whole("budget_tokens", given.budget_tokens, 1_000_000, settings.refine_budget_tokens),
        stop_similarity=_similarity(given.stop_similarity),
        model=_choice("model", given.model, get_args(ModelChoice), "agent"),
        show=_choice("show", given.show, get_args(Show), "final"),
    )
    return plan if plan.max_loops else None


def read_options(given: Any) -> RefineOptions | None:
    """The options that a request gives as a JSON object.  None: it gives none.

    Raises: BadRequest (no object, an unknown option, or one that ``read_plan`` refuses).
    """
    if given is None:
        return None
    names = [each.name for each in fields(RefineOptions)]
    if not isinstance(given, dict):
        raise BadRequest(f'refine must be an object such as {{"max_loops": 1}}, not {json_type(given)}')
    if unknown := [name for name in given if name not in names]:
        raise BadRequest(f"refine has {str(unknown[0])[:40]!r}: use {', '.join(names)}")
    options = RefineOptions(**{name: value for name, value in given.items() if value is not None})
    read_plan(options, "", AgentMemSettings())
    return options


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


class AnswerRefiner:
    """Refines the answers of one request.  ``conversations``: client of the conversations service, None if there is none."""

    def __init__(self, processor: str, *, model: ReactModel, conversations: Any, clock: Clock, notify: Notify) -> None:
        self._processor = processor
        self._model = model
        self._conversations = conversations
        self._clock = clock
        self._notify = notify

    async def refine(self, request: TurnRequest, draft: AnswerDraft) -> RefinedAnswer:
        """Refine an answer.  Errors of the model or of storing do not raise."""
        plan = request.refine
        if plan is None or is_blank(draft.text):
            return RefinedAnswer(text=draft.text, citations=draft.citations, usage=Usage())
        critic = _ModelCritic(self._model)
        log = _SessionLog(request, draft, plan, self._conversations if draft.record else None, self._clock, self._notify)

        async def record(step: LoopStep) -> None:
            await log.append(step)
            if plan.show == "revisions" and step.phase != "draft":
                await self._notify(_show(step))

        with workflow("refine"):
            loop = Loop(_to_draft(request, draft), critic, plan=plan, record=record, ends_at=draft.ends_at)
            refined: Refined = await loop.run()
        logger.debug("an answer was refined: %d loops, %d kept, ended by %s", refined.loops, refined.kept, refined.stopped)
        metrics.count_refinement(self._processor, loops=refined.loops, kept=refined.kept, tokens=refined.tokens)
        return RefinedAnswer(text=refined.text, citations=refined.citations, usage=critic.usage)


class _ModelCritic:
    """The ``Critic`` of the loop over the flow's prompt service."""

    def __init__(self, model: ReactModel) -> None:
        self._model = model
        self.usage = Usage()

    async def ask(self, prompt: Prompt) -> tuple[str, int]:
        reply = await self._model.ask(PROMPTS[prompt.phase], prompt.variables, None)
        self.usage = self.usage.add(reply.usage)
        text = _answer_in(reply.text) if prompt.phase == "revise" else without_reasoning(reply.text)
        return text.strip(), (reply.usage.in_tokens or 0) + (reply.usage.out_tokens or 0)


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

    def __init__(self, request: TurnRequest, draft: AnswerDraft, plan: Plan, client: Any, clock: Clock, notify: Notify) -> None:
        self._request = request
        self._draft = draft
        self._plan = plan
        self._client = client
        self._clock = clock
        self._notify = notify
        self._id = derived_id("refinement", request.scope.key, request.invocation_id, draft.text)
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
        scope = self._request.scope
        request = GetRefinement(user=scope.user, collection=scope.collection, session_id=self._id)
        count: int = (await self._client.call(request, timeout_s=STORE_S)).count
        return count

    async def _store(self, place: int) -> None:
        scope, event = self._request.scope, to_wire(self._events[place])
        request = AppendRefinement(user=scope.user, collection=scope.collection, event=event, expected=place)
        await self._client.call(request, timeout_s=STORE_S)

    def _event(self, step: LoopStep) -> RefinementEvent:
        request, plan = self._request, self._plan
        return RefinementEvent(
            id=derived_id(request.invocation_id, str(len(self._events)), step.phase, step.text),
            session_id=self._id,
            conversation_id=_conversation_id(request, self._draft.recalled),
            phase=step.phase,
            query=request.question,
            text=step.text,
            variant=self._draft.model,
            sampling=Sampling(
                model=plan.model, max_loops=plan.max_loops, similarity_threshold=plan.stop_similarity,
                metadata={"critique": plan.critique, "budget_tokens": plan.budget_tokens},
            ),
            at=self._clock.now(),
            elapsed_ms=step.elapsed_ms,
            tokens=step.tokens,
            similarity=step.similarity,
            checks=step.checks,
            kept=step.kept,
            invocation_id=request.invocation_id,
        )  # fmt: skip


def _conversation_id(request: TurnRequest, recalled: Recalled | None) -> str:
    found = recalled.conversation_id if recalled else ""
    return request.conversation_id or found or request.recorded_conversation_id


def _to_draft(request: TurnRequest, draft: AnswerDraft) -> Draft:
    recalled = draft.recalled
    facts = recalled.citable if recalled else ()
    rules = [rule["action"] for rule in recalled.instructions if not rule["condition"]] if recalled else []
    return Draft(
        question=request.question,
        text=draft.text,
        citations=draft.citations,
        shown=tuple(
            Evidence(fact.id, memory_line(fact), parse_time(fact.timestamp), trusted=_is_persons(fact)) for fact in facts
        ),
        observations=tuple(each for each in _observations(request, draft) if each.text),
        rules=tuple(rules),
    )


def _is_persons(fact: Fact) -> bool:
    return fact.trust in TRUSTED and not is_by_assistant(fact.trust, fact.metadata)


def _observations(request: TurnRequest, draft: AnswerDraft) -> Iterator[Evidence]:
    """What the model saw besides the memories, the newest last.

    Earlier answers and episodes are the agent's words.  Results of this turn's tools count as much as the person's words: the
    question needed them.  Memories that a tool found are among the memories already, with their own trust.
    """
    recalled = draft.recalled
    yield Evidence("", f"Today is {request.asked_at.astimezone(read_zone(request.timezone)):%A, %Y-%m-%d}.")
    yield Evidence("", as_data(request.settings.additional_context))
    yield Evidence("", as_data(request.framing))
    if recalled is not None:
        yield Evidence("", instructions_text(recalled.instructions))
        yield Evidence("", as_data(recalled.profile.content) if recalled.profile is not None else "")
        yield from (Evidence("", episode_line(episode), trusted=False) for episode in recalled.episodes)
        yield Evidence("", as_data(recalled.thread.earlier))
        for exchange in recalled.thread.exchanges:
            yield Evidence("", as_data(exchange.query))
            yield Evidence("", as_data(exchange.result or exchange.summary), trusted=False)
    for step in draft.steps:
        if not step.failed and not (recalled is not None and step.action == RETRIEVE_FACTS):
            yield Evidence("", as_data(step.observation), trusted=step.action not in (RECALL_EPISODES, RETRIEVE_FACTS))


def _show(step: LoopStep) -> str:
    if step.phase == "critique":
        return f"Critique:\n{step.text}"
    return f"Revision ({'kept' if step.kept else 'not kept'}):\n{step.text}"
