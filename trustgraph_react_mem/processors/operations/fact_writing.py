"""Operations that change facts: store, import, update, forget, undo, rollback."""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import get_args

from ...bootstrap import MemoryServices
from ...erasure.forget import forget_job
from ...erasure.receipt import Level
from ...erasure.undo import RevertResult
from ...errors import BadRequest, NotFound
from ...indexing.document import wire_fact
from ...memory.fencing import exclusive
from ...memory.records import FACT_KINDS, Fact, Trust, in_language
from ...memory.requests import (
    ForgetFacts,
    ForgetScope,
    ImportLines,
    ImportTurns,
    RollBack,
    StoreFact,
    UndoChange,
    UpdateFact,
)
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...schema import FactsResponse
from ...settings import AgentMemSettings
from ..service import Operations, checked_time, new_id, removed_beside
from .checks import choose, data_policy, screen
from .transcript_facts import imported_turns

MOST_CONTENT = 100_000
BY = "facts-service"


class FactWriting:
    """For one flow: ``settings`` are that flow's."""

    def __init__(self, memory: MemoryServices, settings: AgentMemSettings) -> None:
        self._memory = memory
        self._settings = settings

    def table(self) -> Operations:
        return {
            StoreFact: self.store,
            ImportTurns: self.import_turns,
            ImportLines: self.import_lines,
            UpdateFact: self.update,
            ForgetFacts: self.forget,
            ForgetScope: self.forget_scope,
            UndoChange: self.undo,
            RollBack: self.roll_back,
        }

    async def store(self, scope: Scope, request: StoreFact) -> FactsResponse:
        """One fact; ``fact_id`` is the stored one's, which may have been there before."""
        kind = choose("kind", request.kind, [one for one in FACT_KINDS if one != "turn"])
        fact = Fact(
            id=request.id or new_id(),
            scope=scope,
            kind=kind,
            content=self._screened(scope, request.content),
            created_at=self._memory.clock.now(),
            trust=choose("trust", request.trust, get_args(Trust)),
            source=request.source,
            importance=_importance(request.importance, 0.5),
            condition=self._screened(scope, request.condition) if request.condition else "",
            action=self._screened(scope, request.action) if request.action else "",
            metadata=request.metadata,
        )
        fact = in_language(fact, self._settings.language)
        _check_size(fact)
        stored = (await self._memory.facts.store(scope, [fact], by=BY, trigger="store"))[0]
        if stored.status == "undone":  # its id was stored before and undone: store it as the request has it
            if not await self._memory.undo.restore(scope, [stored.id], by=BY, trigger="store"):
                raise BadRequest("the fact was derived from a memory that is undone: undo that change first")
            stored = (await self._memory.facts.store(scope, [fact], by=BY, trigger="store"))[0]
        return FactsResponse(fact_id=stored.id, facts=[wire_fact(stored)], count=1)

    async def import_turns(self, scope: Scope, request: ImportTurns) -> FactsResponse:
        """``count``: how many were new."""
        if not request.turns:
            raise BadRequest("import needs turns, or data with the lines of an export")
        if not request.source:
            raise BadRequest("import needs a source: the id of the conversation that the turns belong to")
        policy, now = data_policy(self._settings, scope), self._memory.clock.now()
        turns = await imported_turns(self._memory.stores.graph.facts, scope, request.source, request.turns, policy, now)
        turns = [in_language(turn, self._settings.language) for turn in turns]
        again = await self._memory.undo.restore(scope, [turn.id for turn in turns], by=BY, trigger="import")
        return FactsResponse(count=again + await self._memory.facts.add_turns(scope, request.source, turns))

    async def import_lines(self, scope: Scope, request: ImportLines) -> FactsResponse:
        """``count``: how many were new."""
        count = await self._memory.importer.lines(scope, request.lines, data_policy(self._settings, scope))
        await self._memory.notifier.changed(scope, "switches")
        return FactsResponse(count=count)

    async def update(self, scope: Scope, request: UpdateFact) -> FactsResponse:
        """What the request names is changed, the rest stays."""
        found = await self._memory.facts.graph.get(scope, [request.id])
        if not found:
            raise NotFound(f"there is no fact {request.id!r} in this scope")
        old = found[0]
        changed = replace(
            old,
            content=self._screened(scope, request.content) if request.content else old.content,
            condition=self._screened(scope, request.condition) if request.condition else old.condition,
            action=self._screened(scope, request.action) if request.action else old.action,
            importance=_importance(request.importance, old.importance),
            metadata={**old.metadata, **request.metadata},
        )
        changed = in_language(changed, self._settings.language)
        _check_size(changed)
        stored = await self._memory.facts.update(scope, changed, by=BY, trigger="update")
        if request.status:
            status = choose("status", request.status, ("active", "quarantined"))
            await self._memory.facts.set_status(scope, [request.id], status, by=BY)
            stored = (await self._memory.facts.graph.get(scope, [request.id]))[0]
        return FactsResponse(fact_id=stored.id, facts=[wire_fact(stored)], count=1)

    async def forget(self, scope: Scope, request: ForgetFacts) -> FactsResponse:
        """The records are gone on return; what was learned from them follows in a job, named in ``stats``."""
        found = await self._memory.facts.graph.get(scope, request.ids)
        said_in = [fact.invocation_id for fact in found if fact.kind == "turn"]
        job = forget_job(scope, "record", at=self._memory.clock.now(), ids=request.ids, invocation_ids=said_in)
        # The job first, and whatever was found: a broker that refuses leaves all as it was, and a retry publishes again.
        await removed_beside(self._memory, job, lambda: self._memory.facts.forget(scope, request.ids))
        return FactsResponse(count=len(found), stats={"job": job.id})

    async def forget_scope(self, scope: Scope, request: ForgetScope) -> FactsResponse:
        """Erasing all places is a job; ``stats`` names it, its receipt is with the jobs service."""
        level = choose("level", request.level, [one for one in get_args(Level) if one != "record"])
        job = forget_job(scope, level, at=self._memory.clock.now(), conversation_id=request.conversation_id)
        await self._memory.publisher.publish([job])
        return FactsResponse(stats={"job": job.id, "level": level})

    async def undo(self, scope: Scope, request: UndoChange) -> FactsResponse:
        """``facts``: the record as it is now; ``count``: the records it changed."""
        done = await self._exclusively(scope, lambda: self._memory.undo.undo(scope, request.id, by=BY))
        return FactsResponse(facts=[wire_fact(done.now)] if done.now else [], count=_number(done), stats=_stats(done))

    async def roll_back(self, scope: Scope, request: RollBack) -> FactsResponse:
        at = checked_time("at", request.at)
        if at is None:
            raise BadRequest("rollback needs at: the time to return to, ISO 8601")
        done = await self._exclusively(scope, lambda: self._memory.undo.rollback(scope, at, by=BY))
        return FactsResponse(count=_number(done), stats=_stats(done))

    async def _exclusively(self, scope: Scope, revert: Callable[[], Awaitable[RevertResult]]) -> RevertResult:
        """A job that has read what is reverted must not write what it derived from it: it starts again."""
        done = await exclusive(self._memory.stores.graph.fence, scope, revert)
        self._memory.delayed_reindexer.schedule(scope, done)
        return done

    def _screened(self, scope: Scope, text: str) -> str:
        if not text.strip():
            raise BadRequest("content is empty: write what is to be remembered")
        if len(text) > MOST_CONTENT:
            raise BadRequest(f"content has {len(text)} characters: use at most {MOST_CONTENT}, or several facts")
        return screen(text, self._settings, scope, "the content")


def _importance(value: float | None, unnamed: float) -> float:
    if value is None:
        return unnamed
    if not 0 <= value <= 1:
        raise BadRequest(f"importance {value} must lie between 0 and 1")
    return value


def _check_size(fact: Fact) -> None:
    texts = [fact.content, fact.condition, fact.action, fact.source, fact.id, dict(fact.metadata)]
    check_size(f"the {fact.kind} fact with its metadata", texts)


def _number(done: RevertResult) -> int:
    return len(done.facts) + done.episodes + done.exchanges


def _stats(done: RevertResult) -> dict[str, str]:
    numbers = {"facts": len(done.facts), "episodes": done.episodes, "exchanges": done.exchanges}
    return {"operation": done.operation, **{name: str(number) for name, number in numbers.items()}}
