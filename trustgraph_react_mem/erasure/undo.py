"""Taking back: a record, an operation, or everything since a time.  Nothing here erases; only forgetting does.

- A record whose making is taken back is marked ``undone``, and so is whatever rests on it: facts drawn from a turn, the answer
  to a question, the episode and the exchange of its request.  A fact that rested on it only later becomes what it was before.
- Each undo and each rollback is an operation with a name; every change it makes carries it.  Undoing the operation brings all
  of it back, but what has been changed again since.
- What an undo decides rests on versions it has read; when another writer was faster, it decides anew.
- What rests on an episode goes and comes with it.  Summaries of a conversation lose what is taken back; they can be made again.
- Episodes and exchanges are marked first, facts last: run again after a crash, the same operation is finished.  Of an episode
  that is named the facts go first, for its own mark tells whether it goes or comes.
"""

import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from ..errors import BadRequest, Conflict, NotFound
from ..memory.ports import Reversal
from ..memory.records import Episode, Fact, VersionEntry, derived_id, rests_on, sources_of
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from .summaries import empty_summaries

ATTEMPTS = 8
AT_ONCE = 500  # records of one transaction; an undo is one, a rollback may be many
PAGE = 1000
_OPERATION = re.compile(r"(undo|rollback):[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertResult:
    """What an undo or a rollback did: ids of the facts it changed, numbers of the episodes and exchanges.

    ``operation`` is its name, which ``undo`` takes; ``now``: the named fact as it is now.
    """

    operation: str
    facts: tuple[str, ...]
    episodes: int = 0
    exchanges: int = 0
    now: Fact | None = None


@dataclass(slots=True, kw_only=True)
class _Plan:
    reversals: dict[str, Reversal] = field(default_factory=dict)
    episodes_out: list[str] = field(default_factory=list)
    episodes_in: list[str] = field(default_factory=list)
    exchanges_out: list[str] = field(default_factory=list)
    exchanges_in: list[str] = field(default_factory=list)
    turns: list[Fact] = field(default_factory=list)  # verbatim turns among what is taken back

    def __bool__(self) -> bool:
        return bool(self.reversals or self.episodes_out or self.episodes_in or self.exchanges_out or self.exchanges_in)


_Planning = Callable[[], Awaitable[_Plan]]


class Undo:
    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._episodes, self._conversations = core.facts, core.episodes, core.graph.conversations
        self._clock, self._notifier = core.clock, core.notifier

    async def undo(self, scope: Scope, name: str, *, by: str = "") -> RevertResult:
        """Take back the newest change of the record of that id, or all that the operation of that name did.

        Where the newest change of a record was an undo, all of that undo is taken back.  Taking back a supersession ends the
        replacement instead.

        Raises:
            NotFound: no record of that id is in the scope, or nothing that the operation did holds any more.
            BadRequest: what the record says has been learned again under another id, or it rests on what is taken back.
        """
        if _OPERATION.fullmatch(name):
            operation = _named("undo", scope, name)
            return await self._carried_out(scope, "", lambda: self._of_operation(scope, name), operation, by)
        history = await self._facts.graph.history(scope, name)
        if not history:
            return await self._undo_episode(scope, name, by)
        newest = history[0]
        if newest.trigger.startswith("undo:") and not (await self._facts.graph.get(scope, [name]))[0].indexed:
            return await self._finished(scope, newest.trigger, name)
        operation = _named("undo", scope, name, newest.version)
        return await self._carried_out(scope, name, lambda: self._of_record(scope, name, operation), operation, by)

    async def rollback(self, scope: Scope, to: datetime, *, by: str = "") -> RevertResult:
        """Take back every change since then: facts become what they were, and what was made since is taken back."""
        operation = _named("rollback", scope, to.isoformat())
        return await self._carried_out(scope, "", lambda: self._since(scope, to), operation, by)

    async def bring_back(self, scope: Scope, ids: Sequence[str], *, by: str = "", trigger: str = "") -> int:
        """Those of the records that are taken back hold again, as they were before that; their number."""
        undone = [fact for fact in await self._facts.graph.get(scope, ids) if fact.status == "undone"]
        reversals = []
        for fact in undone:
            former = next(entry.before for entry in await self._facts.graph.history(scope, fact.id) if entry.change == "undone")
            reversals.append(Reversal(record_id=fact.id, version=fact.version, to=former))
        for start in range(0, len(reversals), AT_ONCE):
            await self._facts.revert(scope, reversals[start : start + AT_ONCE], by=by, trigger=trigger)
        return len(reversals)

    # ------------------------------------------------------------------------------------------------ carrying out

    async def _carried_out(
        self, scope: Scope, name: str, plan: _Planning, operation: str, by: str, *, facts_first: bool = False
    ) -> RevertResult:
        for last in (False,) * (ATTEMPTS - 1) + (True,):
            planned = await plan()
            if not facts_first:
                await self._complete(scope, planned, operation)
            try:
                await self._revert(scope, planned, by, operation)
                break
            except Conflict:
                if await self._landed(scope, planned, operation):
                    break
                if last:
                    raise
        if facts_first:
            await self._complete(scope, planned, operation)
        now = await self._facts.graph.get(scope, [name]) if name else []
        return RevertResult(
            operation=operation if planned else "",
            facts=tuple(planned.reversals),
            episodes=len(planned.episodes_out) + len(planned.episodes_in),
            exchanges=len(planned.exchanges_out) + len(planned.exchanges_in),
            now=now[0] if now else None,
        )

    async def _complete(self, scope: Scope, plan: _Plan, operation: str) -> None:
        """Add the episodes and exchanges of the turns that go; mark them all."""
        now = self._clock.now()
        said_in = {turn.invocation_id for turn in plan.turns} - {""}
        if self._conversations is not None:
            plan.exchanges_out = sorted({*plan.exchanges_out, *said_in})
            if plan.exchanges_out:
                told = await self._conversations.invocations(scope, plan.exchanges_out)
                await empty_summaries(self._conversations, scope, told)
            await self._conversations.mark_undone(scope, plan.exchanges_out, now, operation)
            await self._conversations.mark_undone(scope, plan.exchanges_in, None, operation)
            if self._notifier is not None and (plan.exchanges_out or plan.exchanges_in):
                await self._notifier.changed(scope, "conversations")
        if self._episodes is not None:
            if plan.turns:
                told_in = _telling(await self._all_episodes(scope), plan.turns, operation)
                plan.episodes_out = sorted({*plan.episodes_out, *told_in})
            await self._episodes.mark_undone(scope, plan.episodes_out, now, operation)
            await self._episodes.mark_undone(scope, plan.episodes_in, None, operation)

    async def _revert(self, scope: Scope, plan: _Plan, by: str, operation: str) -> None:
        # what goes before what comes: what is said twice must not hold twice in between
        ordered = sorted(plan.reversals.values(), key=lambda each: each.to is not None and each.to.status == "active")
        for start in range(0, len(ordered), AT_ONCE):
            await self._facts.revert(scope, ordered[start : start + AT_ONCE], by=by, trigger=operation)

    async def _landed(self, scope: Scope, plan: _Plan, operation: str) -> bool:
        """Whether all of it is done: its commit was not confirmed, or another call of this name was faster."""
        made: dict[str, int] = {}
        for entry in await self._facts.graph.changes_by(scope, operation):  # newest first
            made.setdefault(entry.record_id, entry.version)
        facts = await self._facts.graph.get(scope, list(plan.reversals))
        if not facts or any(made.get(fact.id) != fact.version for fact in facts):
            return False
        await self._facts.finish_indexing(scope, [fact for fact in facts if not fact.indexed])
        return True

    async def _finished(self, scope: Scope, operation: str, name: str) -> RevertResult:
        """An undo whose index an error kept from following is finished rather than taken back."""
        ids = list(dict.fromkeys(entry.record_id for entry in await self._facts.graph.changes_by(scope, operation)))
        waiting = [fact for fact in await self._facts.graph.get(scope, ids) if not fact.indexed]
        await self._facts.finish_indexing(scope, waiting)
        (now,) = await self._facts.graph.get(scope, [name])
        return RevertResult(operation=operation, facts=tuple(ids), now=now)

    # ------------------------------------------------------------------------------------------------ deciding

    async def _of_record(self, scope: Scope, name: str, operation: str) -> _Plan:
        history = await self._facts.graph.history(scope, name)
        if not history:
            raise NotFound(f"no memory {name!r} in this scope: list its ids with the list operation")
        newest, (current,) = history[0], await self._facts.graph.get(scope, [name])
        if newest.trigger.startswith("undo:"):
            return await self._of_operation(scope, newest.trigger, named=name)
        if newest.before is None:
            return await self._with_what_rests_on(scope, current, operation)
        plan = _Plan(reversals={name: Reversal(record_id=name, version=current.version, to=newest.before)})
        if newest.change == "superseded" and current.superseded_by:
            for other in await self._facts.graph.get(scope, [current.superseded_by]):
                ended = replace(other, status="superseded", superseded_at=self._clock.now())
                if other.status == "active":
                    plan.reversals[other.id] = Reversal(record_id=other.id, version=other.version, to=ended)
        return await self._without_clashes(scope, plan, name)

    async def _of_operation(self, scope: Scope, operation: str, *, named: str = "") -> _Plan:
        newest: dict[str, VersionEntry] = {}
        for entry in await self._facts.graph.changes_by(scope, operation):
            newest.setdefault(entry.record_id, entry)
        plan = _Plan()
        for fact in await self._facts.graph.get(scope, list(newest)):
            entry = newest[fact.id]
            if fact.version == entry.version:
                plan.reversals[fact.id] = Reversal(record_id=fact.id, version=fact.version, to=entry.before)
        if self._conversations is not None:
            for said in await self._conversations.marked_by(scope, operation):
                (plan.exchanges_in if said.undone_at else plan.exchanges_out).append(said.id)
        if self._episodes is not None:
            for episode in await self._all_episodes(scope):
                if episode.operation == operation:
                    (plan.episodes_in if episode.undone_at else plan.episodes_out).append(episode.id)
        if not plan:
            raise NotFound(f"nothing that {operation!r} did in this scope holds any more: `history` tells what came after it")
        return await self._without_clashes(scope, plan, named)

    async def _since(self, scope: Scope, to: datetime) -> _Plan:
        oldest: dict[str, VersionEntry] = {}
        for entry in await self._facts.graph.changes_since(scope, to):  # newest first: the last one seen is the oldest
            oldest[entry.record_id] = entry
        plan, ids = _Plan(), list(oldest)
        for start in range(0, len(ids), PAGE):
            for fact in await self._facts.graph.get(scope, ids[start : start + PAGE]):
                before = oldest[fact.id].before
                if _is_as_before(fact, before):
                    continue
                plan.reversals[fact.id] = Reversal(record_id=fact.id, version=fact.version, to=before)
                if fact.kind == "turn" and (before is None or before.status == "undone"):
                    plan.turns.append(fact)
        if self._conversations is not None:
            for said in await self._conversations.changed_since(scope, to):
                if said.at >= to and said.undone_at is None:
                    plan.exchanges_out.append(said.id)
                elif said.at < to and said.undone_at is not None and said.undone_at >= to:
                    plan.exchanges_in.append(said.id)
        if self._episodes is not None:
            for episode in await self._all_episodes(scope):
                if episode.created_at >= to and episode.undone_at is None:
                    plan.episodes_out.append(episode.id)
                elif episode.created_at < to and episode.undone_at is not None and episode.undone_at >= to:
                    plan.episodes_in.append(episode.id)
        return plan

    async def _with_what_rests_on(self, scope: Scope, what: Fact | Episode, operation: str) -> _Plan:
        plan, gone = _Plan(), {what.id}
        if isinstance(what, Episode):
            plan.episodes_out = [what.id]
        else:
            plan.reversals[what.id] = Reversal(record_id=what.id, version=what.version, to=None)
            plan.turns = [what] if what.kind == "turn" else []
        known = [fact for fact in await self._all_facts(scope) if fact.id != what.id]
        episodes = await self._all_episodes(scope)
        while True:
            gone |= _telling(episodes, plan.turns, operation)
            found = [fact for fact in known if fact.id not in plan.reversals and _depends(fact, gone, plan.turns)]
            if not found:
                break
            for fact in found:
                to = _without(fact, await self._facts.graph.history(scope, fact.id), gone)
                plan.reversals[fact.id] = Reversal(record_id=fact.id, version=fact.version, to=to)
                if to is None:
                    gone.add(fact.id)
                    plan.turns += [fact] if fact.kind == "turn" else []
        return await self._without_clashes(scope, plan, what.id)

    async def _without_clashes(self, scope: Scope, plan: _Plan, named: str) -> _Plan:
        """Only what may hold again does: not what is known again under another id, nor what rests on what is taken back.

        The others stay as they are; the record that was named is refused.
        """
        again = [each.to for each in plan.reversals.values() if each.to is not None]
        coming = [fact for fact in again if fact.status == "active" and fact.kind != "turn"]
        asked = [(fact.content, fact.kind) for fact in coming]
        holders = await self._facts.graph.by_digests(scope, asked, [fact.speaker for fact in coming])
        sources = [source for fact in coming for source in rests_on(fact)]
        out = {
            each.id for each in await self._facts.graph.get(scope, sources) if each.status == "undone"
        } - plan.reversals.keys()
        if self._episodes is not None:
            told = await self._episodes.graph.get(scope, sources)
            out |= {each.id for each in told if each.undone_at is not None} - {*plan.episodes_in}
        for fact, holder in zip(coming, holders, strict=True):
            known = holder is not None and holder.id not in plan.reversals
            missing = sorted(out & set(rests_on(fact)))
            if not known and not missing:
                continue
            if fact.id == named and holder is not None and known:
                raise BadRequest(f"what {named!r} said is known again as {holder.id!r}: undo or forget that one first")
            if fact.id == named:
                raise BadRequest(f"{named!r} was drawn from {missing[0]!r}, which is taken back: undo that first")
            del plan.reversals[fact.id]
        return plan

    # ------------------------------------------------------------------------------------------------ episodes alone

    async def _undo_episode(self, scope: Scope, name: str, by: str) -> RevertResult:
        """With the facts that rest on it.  They go first: run again after a crash, the same is finished."""
        found = await self._episodes.graph.get(scope, [name]) if self._episodes is not None else []
        if self._episodes is None or not found:
            raise NotFound(f"no memory {name!r} in this scope: list its ids with the list operation")
        operation = _named("undo", scope, name, found[0].operation)
        return await self._carried_out(
            scope, "", lambda: self._of_episode(scope, found[0], operation), operation, by, facts_first=True
        )

    async def _of_episode(self, scope: Scope, episode: Episode, operation: str) -> _Plan:
        if episode.undone_at is None:
            return await self._with_what_rests_on(scope, episode, operation)
        plan, coming = _Plan(episodes_in=[episode.id]), {episode.id}
        whole = await self._of_operation(scope, episode.operation)
        again = {each.record_id: each.to for each in whole.reversals.values() if each.to is not None}
        while resting := [key for key, fact in again.items() if key not in coming and _rests(fact, coming)]:
            coming |= {*resting}
        plan.reversals = {key: each for key, each in whole.reversals.items() if key in coming}
        return await self._without_clashes(scope, plan, episode.id)

    async def _all_facts(self, scope: Scope) -> list[Fact]:
        found: list[Fact] = []
        while page := await self._facts.graph.listing(scope, statuses=(), limit=PAGE, offset=len(found)):
            found += page
        return found

    async def _all_episodes(self, scope: Scope) -> list[Episode]:
        found: list[Episode] = []
        while self._episodes is not None:
            page = await self._episodes.graph.listing(scope, undone=True, limit=PAGE, offset=len(found))
            if not page:
                break
            found += page
        return found


def _named(kind: str, scope: Scope, *parts: str | int) -> str:
    return f"{kind}:{derived_id(kind, scope.key, *parts).replace('-', '')[:12]}"


def _depends(fact: Fact, gone: Collection[str], turns: Sequence[Fact]) -> bool:
    """On what goes: drawn from it, put in place by it, or said in answer to one of the turns."""
    if _rests(fact, gone) or (fact.status == "superseded" and fact.superseded_by in gone):
        return True
    return fact.kind == "turn" and any(
        fact.invocation_id == turn.invocation_id != "" and fact.position > turn.position for turn in turns
    )


def _rests(fact: Fact, gone: Collection[str]) -> bool:
    return any(source in gone for source in rests_on(fact))


def _without(fact: Fact, history: Sequence[VersionEntry], gone: Collection[str]) -> Fact | None:
    """The fact as it would be without what goes; None when there would be none.  ``history``: newest first."""
    if fact.kind == "turn":
        return None
    first = history[-2].before if len(history) > 1 else fact
    if first is None or _rests(first, gone):
        return None
    newest = history[0]
    if newest.before is not None and not _rests(newest.before, gone):
        return newest.before
    kept = ",".join(source for source in sources_of(fact) if source not in gone)
    return replace(
        fact,
        turn_ids=tuple(turn for turn in fact.turn_ids if turn not in gone),
        metadata={**fact.metadata, **({"sources": kept} if "sources" in fact.metadata else {})},
    )


def _is_as_before(fact: Fact, before: Fact | None) -> bool:
    if before is None:
        return fact.status == "undone"
    return fact == replace(before, version=fact.version, uses=fact.uses, last_used_at=fact.last_used_at, indexed=fact.indexed)


def _telling(episodes: Sequence[Episode], turns: Sequence[Fact], operation: str) -> set[str]:
    """Ids of the episodes of one of the turns' requests, or of a whole conversation in which one of them was made."""
    said_in, sources = {turn.invocation_id for turn in turns} - {""}, {turn.source for turn in turns} - {""}
    return {each.id for each in episodes if _tells_of(each, said_in, sources, operation)}


def _tells_of(episode: Episode, said_in: set[str], sources: set[str], operation: str) -> bool:
    if episode.undone_at is not None and episode.operation != operation:
        return False
    told = episode.metadata.get("invocation_id", "")
    return told in said_in if told else episode.metadata.get("of") == "conversation" and episode.source in sources
