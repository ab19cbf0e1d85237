"""Plan an undo or a rollback: the states that records return to, and the episodes and exchanges to undo or restore.

Planning only reads.  A plan depends on the versions that were read, so carrying it out fails if another writer changes one of
them first.  Dependents are found by edges (``FactGraph.dependents_of``), so the cost depends on the records affected.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from ..errors import BadRequest, NotFound
from ..memory.ports import Reversal
from ..memory.records import (
    KEPT_FROM,
    OUTCOME,
    Episode,
    Fact,
    FactStatus,
    VersionEntry,
    dependency_ids,
    free_from_plan,
    provenance_ids,
    sources_of,
)
from ..memory.scope import Scope
from ..repositories.core import MemoryCore

PAGE = 1000


@dataclass(slots=True, kw_only=True)
class Plan:
    """What an undo will change.  ``*_out``: ids to mark as undone; ``*_in``: ids to restore; ``reversals``: by fact id."""

    reversals: dict[str, Reversal] = field(default_factory=dict)
    episodes_out: list[str] = field(default_factory=list)
    episodes_in: list[str] = field(default_factory=list)
    exchanges_out: list[str] = field(default_factory=list)
    exchanges_in: list[str] = field(default_factory=list)
    turns: list[Fact] = field(default_factory=list)  # verbatim turns among what is undone

    def returning(self, status: FactStatus) -> list[Fact]:
        """The facts that return with this status."""
        return [each.to for each in self.reversals.values() if each.to is not None and each.to.status == status]

    def state_of(self, fact: Fact) -> Fact | None:
        """The fact as it will be.  None: undone."""
        return self.reversals[fact.id].to if fact.id in self.reversals else fact

    def change(self, fact: Fact, to: Fact | None) -> None:
        self.reversals[fact.id] = Reversal(record_id=fact.id, version=fact.version, to=to)

    def __bool__(self) -> bool:
        return bool(self.reversals or self.episodes_out or self.episodes_in or self.exchanges_out or self.exchanges_in)


class UndoPlanner:
    """Makes plans.  Every method can raise NotFound, and BadRequest (a named record cannot be restored)."""

    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._clock = core.facts, core.clock
        self._episodes, self._conversations = core.episodes, core.graph.conversations

    async def of_record(self, scope: Scope, name: str, operation: str) -> Plan:
        """Undo the newest change of a fact, apart from counted outcomes.  ``operation``: the name of the new undo."""
        history = await self._facts.graph.history(scope, name)
        if not history:
            raise NotFound(f"no memory {name!r} in this scope: list the memories to see their ids")
        (current,) = await self._facts.graph.get(scope, [name])
        newest = next((entry for entry in history if entry.trigger != OUTCOME), history[-1])
        if newest.trigger.startswith("undo:"):
            return await self.of_operation(scope, newest.trigger, operation, named=name)
        if newest.before is None or newest.before.status == "undone":
            return await self._undo_with_dependents(scope, current, operation)
        plan = Plan()
        plan.change(current, newest.before)
        if current.status == "superseded" and current.superseded_by and newest.before.status == "active":
            for other in await self._facts.graph.get(scope, [current.superseded_by]):
                ended = replace(other, status="superseded", superseded_at=self._clock.now())
                if other.status == "active" and other.kind != "turn":  # a turn that withdrew a rule was said all the same
                    plan.change(other, ended)
            await self._end_parts(scope, plan, name, current.superseded_by)
        return await self._without_conflicts(scope, plan, name)

    async def of_operation(self, scope: Scope, earlier: str, operation: str, *, named: str = "") -> Plan:
        """Undo the changes of an earlier operation, except for records changed again since.

        A record that the earlier operation restored or created is undone together with what was derived from it since then.
        ``operation``: the name of the new undo.  ``named``: the fact that the user asked for, if any.
        """
        newest: dict[str, VersionEntry] = {}
        for entry in await self._facts.graph.changes_by(scope, earlier):
            newest.setdefault(entry.record_id, entry)
        plan, gone = Plan(), list[Fact | Episode]()
        for fact in await self._facts.graph.get(scope, list(newest)):
            entry = newest[fact.id]
            if fact.version == entry.version:
                plan.change(fact, entry.before)
                if entry.before is None or entry.before.status == "undone":
                    gone.append(fact)
        for said in await self._conversations.list_marked_by(scope, earlier):
            (plan.exchanges_in if said.undone_at else plan.exchanges_out).append(said.id)
        for episode in await self._episodes.graph.list_marked_by(scope, earlier):
            (plan.episodes_in if episode.undone_at else plan.episodes_out).append(episode.id)
            gone += [] if episode.undone_at else [episode]
        if not plan:
            raise NotFound(f"no change of {earlier!r} is still in effect in this scope: see the later changes in `history`")
        await self._add_dependents(scope, plan, gone, operation)
        return await self._without_conflicts(scope, plan, named)

    async def since(self, scope: Scope, to: datetime) -> Plan:
        """Undo all changes at or after ``to``."""
        oldest: dict[str, VersionEntry] = {}
        for entry in await self._facts.graph.changes_since(scope, to):  # newest first: the last one seen is the oldest
            oldest[entry.record_id] = entry
        plan, ids = Plan(), list(oldest)
        for start in range(0, len(ids), PAGE):
            for fact in await self._facts.graph.get(scope, ids[start : start + PAGE]):
                before = oldest[fact.id].before
                if _is_as_before(fact, before):
                    continue
                plan.change(fact, before)
                if fact.kind == "turn" and (before is None or before.status == "undone"):
                    plan.turns.append(fact)
        for said in await self._conversations.list_changed_since(scope, to):
            _mark(said.id, said.at, said.undone_at, to, plan.exchanges_out, plan.exchanges_in)
        for episode in await self._episodes.graph.list_changed_since(scope, to):
            _mark(episode.id, episode.created_at, episode.undone_at, to, plan.episodes_out, plan.episodes_in)
        return await self._without_lost_plans(scope, plan)

    async def _undo_with_dependents(self, scope: Scope, what: Fact | Episode, operation: str) -> Plan:
        plan = Plan()
        if isinstance(what, Episode):
            plan.episodes_out = [what.id]
        else:
            plan.change(what, None)
        await self._add_dependents(scope, plan, [what], operation)
        return await self._without_conflicts(scope, plan, what.id)

    async def _add_dependents(self, scope: Scope, plan: Plan, undone: Sequence[Fact | Episode], operation: str) -> None:
        """Add what must change because the plan undoes these records."""
        gone = {each.id for each in undone}
        plan.turns += [each for each in undone if isinstance(each, Fact) and each.kind == "turn"]
        known = await self._possible_dependents(scope, undone, operation)
        given, histories, before = {*plan.reversals}, dict[str, Sequence[VersionEntry]](), -1
        while len(gone) > before:  # what is found gone later may be what an earlier one rests on
            before = len(gone)
            gone |= {episode.id for episode in await self.episodes_of(scope, plan.turns, operation)}
            for fact in known:
                if fact.id in given | gone or not _depends(fact, gone, plan.turns):
                    continue
                if fact.id not in histories:
                    histories[fact.id] = await self._facts.graph.history(scope, fact.id)
                to = _without_sources(fact, histories[fact.id], gone)
                plan.change(fact, to)
                if to is None:
                    gone.add(fact.id)
                    plan.turns += [fact] if fact.kind == "turn" else []

    async def _without_conflicts(self, scope: Scope, plan: Plan, named: str) -> Plan:
        """Remove reversals that would restore a duplicate or a part of another active fact, or a fact derived from an undone
        record.

        Raises: BadRequest (one of them is the record that was named).
        """
        coming = [fact for fact in plan.returning("active") if fact.kind != "turn"]
        barred = dict[str, Fact]()  # what keeps a fact from being active, by its id
        for fact, holder, missing in await self._obstacles(scope, plan, coming):
            if fact.id == named and holder is not None:
                raise BadRequest(f"{holder.id!r} says all that {named!r} says: undo or forget that one first")
            if fact.id == named and missing:
                raise BadRequest(f"{named!r} was drawn from {missing[0]!r}, which is undone: undo that first")
            if holder is not None:
                barred[fact.id] = holder
            if holder is not None or missing:
                del plan.reversals[fact.id]
        await self._add_waiting(scope, plan)
        for fact, holder, missing in await self._obstacles(scope, plan, await self._free_again(scope, plan)):
            if holder is not None:
                barred[fact.id] = holder
            elif not missing:
                plan.reversals[fact.id], before = replace(plan.reversals[fact.id], to=fact), plan.reversals[fact.id].to
                await self._end_parts(scope, plan, fact.id, before.superseded_by if before else "")
        await self._add_barred(scope, plan, barred)
        return await self._without_lost_plans(scope, plan)

    async def _add_barred(self, scope: Scope, plan: Plan, barred: Mapping[str, Fact]) -> None:
        """Let facts that would return as replaced by something undone be replaced by what holds their place.

        They return when that is undone, too.
        """
        for fact in await self._facts.graph.get(scope, list(barred)) if barred else ():
            left, holder = plan.state_of(fact), barred[fact.id]
            if left is not None and left.status == "superseded" and left.superseded_by != holder.id:
                plan.change(fact, replace(left, superseded_by=holder.id))

    async def _end_parts(self, scope: Scope, plan: Plan, whole: str, by: str) -> None:
        """End what was kept of a fact when ``by`` replaced it: the whole holds again."""
        for kept in await self._facts.graph.dependents_of(scope, [by]):
            part = plan.state_of(kept)
            if part is not None and part.metadata.get(KEPT_FROM) == whole and part.status == "active":
                plan.change(kept, replace(part, status="superseded", superseded_at=self._clock.now()))

    async def _obstacles(self, scope: Scope, plan: Plan, coming: Sequence[Fact]) -> list[tuple[Fact, Fact | None, list[str]]]:
        """What keeps each fact from being active: another one that says all of it, and undone records it was drawn from."""
        asked = [(fact.content, fact.kind) for fact in coming]
        holders = await self._facts.graph.by_digests(scope, asked, [fact.speaker for fact in coming])
        parts = [fact.metadata[KEPT_FROM] for fact in coming if KEPT_FROM in fact.metadata]
        wholes = {fact.id: fact for fact in await self._facts.graph.get(scope, parts) if _holds(fact)} if parts else {}
        sources = [source for fact in coming for source in provenance_ids(fact)]
        found = await self._facts.graph.get(scope, sources)
        out = {each.id for each in found if each.status == "undone"} - plan.reversals.keys()
        episodes = await self._episodes.graph.get(scope, sources)
        out |= {each.id for each in episodes if each.undone_at is not None} - {*plan.episodes_in}
        obstacles = []
        for fact, same in zip(coming, holders, strict=True):
            holder = same or wholes.get(fact.metadata.get(KEPT_FROM, ""))
            known = holder is not None and holder.id not in plan.reversals
            obstacles.append((fact, holder if known else None, sorted(out & set(provenance_ids(fact)))))
        return obstacles

    async def _free_again(self, scope: Scope, plan: Plan) -> list[Fact]:
        """The facts that return as replaced by what is undone, as they held before they were replaced."""
        replaced = plan.returning("superseded")
        found = await self._superseding(scope, plan, replaced)
        gone = {key for key, fact in found.items() if fact is None or fact.status == "undone"}
        return [
            _held_before(fact, await self._facts.graph.history(scope, fact.id), gone)
            for fact in replaced
            if fact.superseded_by in gone
        ]

    async def _superseding(self, scope: Scope, plan: Plan, facts: Iterable[Fact]) -> dict[str, Fact | None]:
        """What takes the place of these facts, by id, as the plan leaves it."""
        ids = sorted({fact.superseded_by for fact in facts} - {""})
        return {fact.id: plan.state_of(fact) for fact in await self._facts.graph.get(scope, ids)} if ids else {}

    async def _without_lost_plans(self, scope: Scope, plan: Plan) -> Plan:
        """Let a fact that returns hold on, if what was to take its place later does not hold."""
        ending = [fact for fact in plan.returning("active") if fact.superseded_by]
        found = await self._superseding(scope, plan, ending)
        standing = {key for key, fact in found.items() if fact is not None and fact.status == "active"}
        for to in ending:
            if to.superseded_by not in standing:
                plan.reversals[to.id] = replace(plan.reversals[to.id], to=free_from_plan(to))
        return plan

    async def _add_waiting(self, scope: Scope, plan: Plan) -> None:
        """Let the facts hold on that were to end for one that the plan ends."""
        ended = {key for key, each in plan.reversals.items() if each.to is None or each.to.status != "active"}
        for fact in await self._facts.graph.dependents_of(scope, sorted(ended)) if ended else ():
            if fact.status == "active" and fact.superseded_by in ended and fact.id not in plan.reversals:
                plan.change(fact, free_from_plan(fact))

    async def of_episode(self, scope: Scope, episode: Episode, operation: str) -> Plan:
        """Undo an episode, or restore it if it is undone, together with the facts derived from it."""
        if episode.undone_at is None:
            return await self._undo_with_dependents(scope, episode, operation)
        plan, coming = Plan(episodes_in=[episode.id]), {episode.id}
        whole = await self.of_operation(scope, episode.operation, operation)
        again = {each.record_id: each.to for each in whole.reversals.values() if each.to is not None}
        while resting := [key for key, fact in again.items() if key not in coming and _derives_from(fact, coming)]:
            coming |= {*resting}
        plan.reversals = {key: each for key, each in whole.reversals.items() if key in coming}
        return await self._without_conflicts(scope, plan, episode.id)

    async def episodes_of(self, scope: Scope, turns: Sequence[Fact], operation: str) -> list[Episode]:
        """Episodes of the invocations of these turns, and of their whole conversations.

        Episodes that another operation undid before are not included.
        """
        if not turns:
            return []
        said_in = {turn.invocation_id for turn in turns} - {""}
        sources = {turn.source for turn in turns} - {""}
        found = await self._episodes.graph.by_source(scope, invocation_ids=sorted(said_in), conversation_ids=sorted(sources))
        standing = [each for each in found if each.undone_at is None or each.operation == operation]
        told = [(each, each.metadata.get("invocation_id", "")) for each in standing]
        return [each for each, said in told if said in said_in or (not said and each.metadata.get("of") == "conversation")]

    async def _possible_dependents(self, scope: Scope, undone: Sequence[Fact | Episode], operation: str) -> list[Fact]:
        """All facts that may change if these records are undone (a superset).

        Follows edges from a turn to the facts and episodes derived from it, from episodes to the facts derived from them, and
        from a question to the answer of the same invocation.
        """
        if not undone:
            return []
        sources, turns = {each.id for each in undone}, list[Fact]()
        found = {each.id: each for each in undone if isinstance(each, Fact)}
        while True:
            known = {turn.id for turn in turns}
            new = {fact.id: fact for fact in found.values() if fact.kind == "turn" and fact.id not in known}
            said_in = sorted({turn.invocation_id for turn in new.values()} - {""})
            new |= {turn.id: turn for turn in await self._facts.graph.turns_of(scope, said_in) if turn.id not in new}
            turns += new.values()
            episodes = await self.episodes_of(scope, turns, operation)
            sources |= {turn.id for turn in turns} | {episode.id for episode in episodes}
            drawn = await self._facts.graph.dependents_of(scope, sorted(sources))
            more = {fact.id: fact for fact in (*turns, *drawn) if fact.id not in found and fact.status != "undone"}
            if not more:
                break
            found |= more
        for each in undone:
            found.pop(each.id, None)
        return list(found.values())


def _mark(record_id: str, made_at: datetime, undone_at: datetime | None, to: datetime, out: list[str], back: list[str]) -> None:
    """Undo what was made since ``to``, or restore what was undone since."""
    if made_at >= to and undone_at is None:
        out.append(record_id)
    elif undone_at is not None and made_at < to <= undone_at:
        back.append(record_id)


def _depends(fact: Fact, gone: Collection[str], turns: Sequence[Fact]) -> bool:
    """Whether the fact depends on undone records: derived from or superseded by one, or the answer to one of the turns."""
    sources = dependency_ids(fact) if fact.status in ("superseded", "active") else provenance_ids(fact)
    said = fact.invocation_id if fact.kind == "turn" else ""
    return any(source in gone for source in sources) or (
        said != "" and any(said == turn.invocation_id and fact.position > turn.position for turn in turns)
    )


def _holds(fact: Fact) -> bool:
    """Whether the fact is active, and nothing is to take its place."""
    return fact.status == "active" and not fact.superseded_by


def _derives_from(fact: Fact, gone: Collection[str]) -> bool:
    return any(source in gone for source in provenance_ids(fact))


def _without_sources(fact: Fact, history: Sequence[VersionEntry], gone: Collection[str]) -> Fact | None:
    """The fact without the undone records among its sources; None if none would be left.  ``history``: newest first."""
    if fact.kind == "turn":
        return None
    first = history[-2].before if len(history) > 1 else fact
    if first is None or _derives_from(first, gone):
        return None
    newest = history[0]
    if newest.before is not None and not any(source in gone for source in dependency_ids(newest.before)):
        return newest.before
    fact = _held_before(fact, history, gone) if fact.superseded_by in gone else fact
    kept = ",".join(source for source in sources_of(fact) if source not in gone)
    return replace(
        fact,
        turn_ids=tuple(turn for turn in fact.turn_ids if turn not in gone),
        metadata={**fact.metadata, **({"sources": kept} if "sources" in fact.metadata else {})},
    )


def _held_before(fact: Fact, history: Sequence[VersionEntry], gone: Collection[str]) -> Fact:
    """The fact as it held before undone records replaced it.  ``history``: newest first."""
    befores = (each.before for each in history if each.before is not None)
    held = next((each for each in befores if each.status != "undone" and each.superseded_by not in gone), fact)
    return replace(
        fact,
        status=held.status,
        superseded_by=held.superseded_by,
        superseded_at=held.superseded_at,
        valid_to=held.valid_to,
    )


def _is_as_before(fact: Fact, before: Fact | None) -> bool:
    if before is None:
        return fact.status == "undone"
    return fact == replace(before, version=fact.version, uses=fact.uses, last_used_at=fact.last_used_at, indexed=fact.indexed)
