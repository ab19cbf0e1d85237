"""Operations that change facts: store, import, update, forget, undo, rollback and rate; and the memory switches."""

import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import get_args

from ...erasure.dependents import split_dependents
from ...erasure.forget import forget_job
from ...erasure.receipt import Level
from ...erasure.repeats import find_repeats
from ...erasure.undo import RevertResult
from ...errors import BadRequest, NotFound, PreconditionFailed
from ...indexing.document import wire_fact
from ...memory.digest import content_digest
from ...memory.fencing import exclusive
from ...memory.policies import DataPolicy
from ...memory.ports import Job, JsonValue, Switches
from ...memory.records import FACT_KINDS, Fact, Trust, derived_id
from ...memory.requests import (
    FindRepeats,
    ForgetFacts,
    ForgetScope,
    ImportLines,
    ImportTurns,
    RateFacts,
    RollBack,
    StoreFact,
    SwitchMemory,
    UndoChange,
    UpdateFact,
)
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...memory.text.printable import is_blank
from ...memory.timefmt import read_time
from ...memory.trust.owner_seal import VERIFIED, Purpose
from ...memory.trust.quarantine import hold_back, status_of
from ...retrieval.query import RetrievalQuery
from ...schema import Fact as WireFact
from ...schema import FactsResponse
from ...settings import flow_payload, is_personal
from ..service import FlowOperations, new_id, publish_and_remove, serves
from .checks import choose, screen, screen_metadata
from .fact_support import find_support
from .keyed_facts import learn_value
from .transcript_facts import to_turn_facts

MOST_CONTENT = 100_000
MOST_SHOWN = 100  # records that a rollback would change
SIMILAR = 40  # turns among which repeats are looked for
NEVER = "never"  # as ``valid_to`` of an update: recalled without end
BY = "facts-service"
UPDATE_ATTEMPTS = 5


class FactWriting(FlowOperations):
    @serves(StoreFact)
    async def store(self, scope: Scope, request: StoreFact) -> FactsResponse:
        """Store one fact.  ``fact_id`` is the id of the stored fact: an earlier one if the same fact was stored already.

        That one gets what the request says besides its content.  ``stats["change"]``: created, updated or none.
        """
        if request.key:
            return await self._learn(scope, request)
        policy = await self._policy(scope)
        policy.check_id("the id", request.id)
        policy.check_id("the source", request.source)
        kind = choose("kind", request.kind, [one for one in FACT_KINDS if one != "turn"])
        fact = Fact(
            id=request.id or new_id(),
            scope=scope,
            kind=kind,
            content=await self._screen(policy, request.content),
            created_at=self._memory.clock.now(),
            trust=choose("trust", request.trust, get_args(Trust)),
            source=request.source,
            importance=0.5 if request.importance is None else request.importance,
            condition=await self._screen(policy, request.condition) if request.condition else "",
            action=await self._screen(policy, request.action) if request.action else "",
            metadata=await screen_metadata(request.metadata, policy),
            valid_to=read_time("valid_to", request.valid_to),
            said_at=read_time("said_at", request.said_at),
            speaker=policy.screen_name(request.speaker) if request.speaker else "",
        )
        _check_size(fact)
        fact = await self._gate(scope, fact, request)
        if fact.status == "quarantined" and not request.id:  # who repeats what is held back does not fill the quarantine
            fact = replace(fact, id=derived_id("held", scope.key, kind, content_digest(fact.content)))
        stored = (await self._memory.facts.store(scope, [fact], by=BY, trigger="store"))[0]
        if stored.status == "undone" and (request.id or fact.status == "active"):
            # Its id was stored before and undone: store it as the request has it.
            if not await self._memory.undo.restore(scope, [stored.id], by=BY, trigger="store"):
                raise BadRequest("the fact was derived from a memory that is undone: undo that change first")
            stored = (await self._memory.facts.store(scope, [fact], by=BY, trigger="store"))[0]
        if stored.status == "quarantined" and fact.status == "active":  # a person says what was held back
            freed = replace(stored, status="active", trust=fact.trust, speaker=fact.speaker, metadata=fact.metadata)
            stored = await self._memory.facts.update(scope, freed, by=BY, trigger="store")
        change = "created"
        if stored.id != fact.id:
            whole = await self._complete(scope, stored, fact, request)
            change, stored = "none" if whole == stored else "updated", whole
        stats = {"status": stored.status, "change": change}
        return FactsResponse(fact_id=stored.id, facts=[self._wire(stored)], count=1, stats=stats)

    async def _complete(self, scope: Scope, known: Fact, fact: Fact, request: StoreFact) -> Fact:
        """The fact that is known already, with what it is stored with now.  Nobody changes another's word in this way."""
        if self._is_shared(scope):
            return known
        for _ in range(UPDATE_ATTEMPTS):
            if (known.status, known.trust) != (fact.status, fact.trust):
                return known
            whole = replace(
                known,
                metadata={**known.metadata, **fact.metadata},
                importance=known.importance if request.importance is None else request.importance,
                valid_to=fact.valid_to,  # what is said again without an end has none: it may have expired meanwhile
            )
            if whole == known:
                return known
            try:
                return await self._memory.facts.update(scope, whole, by=BY, trigger="store", version=known.version)
            except (PreconditionFailed, NotFound):  # another writer came between, or an erasure
                found = await self._memory.facts.graph.get(scope, [known.id])
                if not found:
                    return known
                known = found[0]
        return known

    async def _gate(self, scope: Scope, fact: Fact, request: StoreFact) -> Fact:
        """The fact with the status that it gets, and with its sources if a person said what the assistant stores."""
        said, shared = None, self._is_shared(scope)
        if fact.trust == "assistant":
            said = await find_support(self._memory, scope, request, verified_only=shared)
        status = status_of(fact.kind, fact.trust, shared=shared, said=said is not None)
        if said is None:
            return replace(fact, status=status)
        mark = {VERIFIED: self._memory.graph.owner_seal.mark(scope, said.speaker, fact.content)} if shared else {}
        sources = (said.turn_id,) if said.turn_id else ()
        metadata = {**fact.metadata, **mark}
        return replace(fact, status=status, trust="user", speaker=said.speaker, turn_ids=sources, metadata=metadata)

    def _is_shared(self, scope: Scope) -> bool:
        return not is_personal(self._settings, scope.user, scope.collection)

    def _is_vouched(self, scope: Scope, proof: str, purpose: Purpose, *texts: str) -> bool:
        """Whether the owner of the data directory vouches for the request."""
        return self._memory.graph.owner_seal.accepts(proof, purpose, scope, *texts, at=self._memory.clock.now())

    async def _learn(self, scope: Scope, request: StoreFact) -> FactsResponse:
        """Store the value of a key.  Key and value are screened as one sentence: a key may show that its value is a secret."""
        if request.trust != "user":
            raise BadRequest(f"trust {request.trust!r} with a key: leave one out, because a key holds what a person says")
        policy = await self._policy(scope)
        key = await self._screen(policy, request.key)
        value = (await self._screen(policy, f"{key}: {request.content}")).removeprefix(f"{key}: ")
        stored = await learn_value(self._memory, scope, key, value, await screen_metadata(request.metadata, policy))
        return FactsResponse(fact_id=stored.id, facts=[self._wire(stored)], count=1)

    @serves(ImportTurns)
    async def import_turns(self, scope: Scope, request: ImportTurns) -> FactsResponse:
        """``count``: how many were new.  ``stats``: the position of the first and of the last turn in their conversation, and
        ``ids``, of the records of the turns, as a JSON list with "" for a turn that must not be stored."""
        if not request.turns:
            raise BadRequest("import needs turns, or data with the lines of an export")
        if not request.source:
            raise BadRequest("import needs a source: the id of the conversation that the turns belong to")
        policy, now = await self._policy(scope), self._memory.clock.now()
        found = await to_turn_facts(self._memory.graph.facts, scope, request.source, request.turns, policy, now)
        turns = [turn for turn in found if turn is not None]
        again = await self._memory.undo.restore(scope, [turn.id for turn in turns], by=BY, trigger="import")
        new = await self._memory.facts.add_turns(scope, request.source, turns)
        places = [turn.position for turn in turns]
        ids = json.dumps([turn.id if turn is not None else "" for turn in found])
        return FactsResponse(count=again + new, stats={"first": str(min(places)), "last": str(max(places)), "ids": ids})

    @serves(ImportLines)
    async def import_lines(self, scope: Scope, request: ImportLines) -> FactsResponse:
        """``count``: how many were new."""
        vouched = not self._is_shared(scope) or self._is_vouched(scope, request.proof, "import", request.lines)
        count = await self._memory.importer.lines(scope, request.lines, await self._policy(scope), hold=not vouched)
        await self._memory.notifier.changed(scope, "switches")
        return FactsResponse(count=count)

    @serves(UpdateFact)
    async def update(self, scope: Scope, request: UpdateFact) -> FactsResponse:
        """Change the fields that the request sets, and keep the others."""
        for left in reversed(range(UPDATE_ATTEMPTS)):
            try:
                stored = await self._update_once(scope, request)
                break
            except PreconditionFailed:  # another writer, such as one that superseded the fact, came between
                if request.version or not left:
                    raise
        if request.status:
            status = choose("status", request.status, ("active", "quarantined"))
            await self._memory.facts.set_status(scope, [request.id], status, by=BY)
            stored = (await self._memory.facts.graph.get(scope, [request.id]))[0]
        return FactsResponse(fact_id=stored.id, facts=[self._wire(stored)], count=1)

    async def _update_once(self, scope: Scope, request: UpdateFact) -> Fact:
        found = await self._memory.facts.graph.get(scope, [request.id])
        if not found:
            raise NotFound(f"no memory {request.id!r} in this scope: list the memories to see their ids")
        old, policy = found[0], await self._policy(scope)
        changed = replace(
            old,
            content=await self._screen(policy, request.content) if request.content else old.content,
            condition=await self._screen(policy, request.condition) if request.condition else old.condition,
            action=await self._screen(policy, request.action) if request.action else old.action,
            importance=old.importance if request.importance is None else request.importance,
            metadata={**old.metadata, **await screen_metadata(request.metadata, policy)},
            valid_to=_end(request.valid_to, old.valid_to),
        )
        _check_size(changed)
        vouched = self._is_vouched(scope, request.proof, "release", old.id, old.content, old.condition, old.action)
        if self._is_shared(scope) and not vouched:
            if old.status == "quarantined" and request.status == "active":
                raise BadRequest(f"the fact {old.id!r} is quarantined: the owner can run `react-mem memories release` on it")
            if changed != old and old.status == "active":
                changed = hold_back(changed)  # in one version: undoing the change brings the former words back
        version = request.version or old.version
        return await self._memory.facts.update(scope, changed, by=BY, trigger="update", version=version)

    @serves(ForgetFacts)
    async def forget(self, scope: Scope, request: ForgetFacts) -> FactsResponse:
        """Erase records.  A job, named in ``stats``, erases the memories derived from them."""
        found = await self._memory.facts.graph.get(scope, request.ids)
        said_in = [fact.invocation_id for fact in found if fact.kind == "turn"]
        job = forget_job(scope, "record", at=self._memory.clock.now(), ids=request.ids, invocation_ids=said_in)
        # The job is published even if nothing was found: an earlier try may have removed the records but not the rest.
        await publish_and_remove(self._memory, job, lambda: self._memory.facts.forget(scope, request.ids))
        return FactsResponse(count=len(found), stats={"job": job.id})

    @serves(FindRepeats)
    async def repeats(self, scope: Scope, request: FindRepeats) -> FactsResponse:
        """The assistant's answers that repeat these records.  ``stats["derived"]``: number of facts derived from them."""

        async def search(text: str) -> Sequence[str]:
            query = RetrievalQuery(question=text, top_k=SIMILAR, candidates=SIMILAR, kinds=("turn",), rerank="off")
            return [fact.id for fact in (await self._memory.retriever.retrieve(scope, query)).facts]

        found = await find_repeats(self._memory.facts, scope, request.ids, search)
        dependents = await self._memory.facts.graph.dependents_of(scope, request.ids)
        derived, _ = split_dependents(dependents, request.ids, self._memory.clock.now())
        return FactsResponse(facts=[self._wire(fact) for fact in found], count=len(found), stats={"derived": str(len(derived))})

    @serves(ForgetScope)
    async def forget_scope(self, scope: Scope, request: ForgetScope) -> FactsResponse:
        """Erase a whole scope in a job, named in ``stats``.  The jobs service returns its receipt."""
        level = choose("level", request.level, [one for one in get_args(Level) if one != "record"])
        job = forget_job(scope, level, at=self._memory.clock.now(), conversation_id=request.conversation_id)
        await self._memory.publisher.publish([job])
        return FactsResponse(stats={"job": job.id, "level": level})

    @serves(UndoChange)
    async def undo(self, scope: Scope, request: UndoChange) -> FactsResponse:
        """Undo the newest change of a record.  ``facts``: its new state.  ``count``: number of records that changed."""
        done = await self._run_exclusively(scope, lambda: self._memory.undo.undo(scope, request.id, by=BY))
        return FactsResponse(facts=[self._wire(done.now)] if done.now else [], count=_number(done), stats=_stats(done))

    @serves(RollBack)
    async def roll_back(self, scope: Scope, request: RollBack) -> FactsResponse:
        """Undo all changes after a time.  ``count``: number of records that changed, or would change; of these, ``facts`` has
        the first ones as they are."""
        at = read_time("at", request.at)
        if at is None:
            raise BadRequest("rollback needs at: the time to return to, ISO 8601")
        if request.dry_run:
            planned = await self._memory.undo.plan_rollback(scope, at)
            facts = await self._memory.facts.graph.get(scope, planned.facts[:MOST_SHOWN])
            return FactsResponse(facts=[self._wire(fact) for fact in facts], count=_number(planned), stats=_stats(planned))
        done = await self._run_exclusively(scope, lambda: self._memory.undo.rollback(scope, at, by=BY))
        return FactsResponse(count=_number(done), stats=_stats(done))

    @serves(SwitchMemory)
    async def switch(self, scope: Scope, request: SwitchMemory) -> FactsResponse:
        """Change the memory switches that the request sets, and return the current ones in ``stats``."""
        switches = self._memory.graph.switches
        if request.read is not None or request.write is not None:
            own = await switches.get(scope, request.conversation_id)
            chosen = Switches(
                read=own.read if request.read is None else request.read,
                write=own.write if request.write is None else request.write,
            )
            await switches.set(scope, chosen, request.conversation_id)
            await self._memory.notifier.changed(scope, "switches")
        now = await switches.get(scope, request.conversation_id)
        return FactsResponse(stats={"read": "on" if now.read else "off", "write": "on" if now.write else "off"})

    @serves(RateFacts)
    async def rate(self, scope: Scope, request: RateFacts) -> FactsResponse:
        """Publish a job that learns from a rating: 1 (useful) or -1 (not useful) for each id.

        The job worker is the only writer of the weights of the ranking.
        """
        if request.rating not in (1, -1):
            raise BadRequest(f"rating {request.rating} must be 1 (useful) or -1 (not useful)")
        known = {fact.id for fact in await self._memory.facts.graph.get(scope, request.ids)}
        unknown = [record_id for record_id in request.ids if record_id not in known]
        if unknown:
            raise NotFound(f"no memory {unknown[0]!r} in this scope: list the memories to see their ids")
        entries: JsonValue = [{"id": record_id, "rating": request.rating} for record_id in request.ids]
        job = Job(
            id=new_id(),
            kind="reward",
            scope=scope,
            payload={"feedback": entries, **flow_payload(self._flow, self._settings)},
            created_at=self._memory.clock.now(),
            trigger="management",
        )
        await self._memory.publisher.publish([job])
        return FactsResponse(stats={"job": job.id}, count=1)

    def _wire(self, fact: Fact) -> WireFact:
        return wire_fact(fact, self._memory.clock.now())

    async def _run_exclusively(self, scope: Scope, revert: Callable[[], Awaitable[RevertResult]]) -> RevertResult:
        """Revert while writers of the scope are fenced off: a job that read the reverted records must start again."""
        done = await exclusive(self._memory.graph.fence, scope, revert)
        self._memory.delayed_reindexer.schedule(scope, done)
        return done

    async def _screen(self, policy: DataPolicy, text: str) -> str:
        if is_blank(text):
            raise BadRequest("content is empty or invisible: write what is to be remembered")
        if len(text) > MOST_CONTENT:
            raise BadRequest(f"content has {len(text)} characters: use at most {MOST_CONTENT}, or several facts")
        return await screen(text, policy, "the content")


def _end(named: str, unnamed: datetime | None) -> datetime | None:
    """Until when an updated fact is recalled.  Raises: BadRequest."""
    if not named:
        return unnamed
    return None if named == NEVER else read_time("valid_to", named)


def _check_size(fact: Fact) -> None:
    texts = [fact.content, fact.condition, fact.action, fact.source, fact.id, dict(fact.metadata)]
    check_size(f"the {fact.kind} fact with its metadata", texts)


def _number(done: RevertResult) -> int:
    return len(done.facts) + done.episodes + done.exchanges


def _stats(done: RevertResult) -> dict[str, str]:
    numbers = {"facts": len(done.facts), "episodes": done.episodes, "exchanges": done.exchanges}
    return {"operation": done.operation, **{name: str(number) for name, number in numbers.items()}}
