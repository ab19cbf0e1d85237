"""Repository of facts.  The order of its writes keeps graph and vectors consistent after any crash.

Invariants:
- A write goes to the graph (``indexed=False``), then to the vectors, then to the graph (``indexed=True``).  The reconciler
  finds interrupted writes by this flag.
- An erasure writes a tombstone to the graph, which hides the record from all reads, then deletes the vectors, then the node.
- Facts with the same content, kind and speaker are one fact.  Turns are never merged.
- Every change keeps the previous version in the history.  An undone fact has no vectors; only an erasure removes a record.
- Writes to a scope are serialised within this process, and each one invalidates the caches at its end.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from ..errors import BadRequest, Conflict, NotFound
from ..indexing.passages import AFTER, BEFORE, documents_of
from ..indexing.routing import IndexRouter
from ..memory.digest import content_digest, is_same_speaker
from ..memory.former import former_since
from ..memory.ports import ChangeNotifier, Clock, FactGraph, Reversal
from ..memory.records import ITEM, ONLY_IN, Fact, FactStatus, provenance_ids
from ..memory.scope import Scope
from .records import BATCH, Documents, RecordMemory

STORE = "facts"


class FactMemory(RecordMemory[Fact, FactGraph]):
    store_name = STORE

    def __init__(self, graph: FactGraph, router: IndexRouter, notifier: ChangeNotifier, clock: Clock) -> None:
        super().__init__(graph, router, notifier)
        self._clock = clock

    # -------------------------------------------------------------------------------------------- storing

    async def store(self, scope: Scope, facts: Sequence[Fact], *, by: str = "", trigger: str = "") -> list[Fact]:
        """Store facts, and return the stored versions in the same order.

        For a duplicate, the existing fact is returned.  A fact that was derived from an undone record is not stored, and is
        returned with status ``undone``.

        Raises:
            BadRequest: a fact has no content or id, or belongs to another scope.
            ModelUnavailable: the facts are stored, and will be indexed by a retry or the reconciler.
        """
        for fact in facts:
            _check(scope, fact)
        if not facts:
            return []
        async with self._write_lock(scope):
            undone = await self._undone_ids(scope, [source for fact in facts for source in provenance_ids(fact)])
            sound = [fact for fact in facts if undone.isdisjoint(provenance_ids(fact))]
            chosen = await self._deduplicate(scope, sound)
            new = {fact.id: replace(fact, indexed=False) for fact, is_new in chosen if is_new}
            await self.graph.put(list(new.values()), change="created", by=by, trigger=trigger)
            stored = {fact.id: fact for fact in await self.graph.get(scope, [fact.id for fact, _ in chosen])}
            waiting = [fact for fact in stored.values() if not fact.indexed]
            await self._index(scope, waiting)
            if waiting:
                await self._notifier.changed(scope, STORE, ids=[fact.id for fact in waiting])
        known = iter(replace(stored[fact.id], indexed=True) for fact, _ in chosen)
        return [next(known) if undone.isdisjoint(provenance_ids(fact)) else replace(fact, status="undone") for fact in facts]

    async def add_turns(
        self,
        scope: Scope,
        conversation_id: str,
        turns: Sequence[Fact],
        *,
        by: str = "import",
        trigger: str = "import",
    ) -> int:
        """Store many verbatim turns of one conversation, given in order.  Returns the number of new turns.

        A repeated call skips turns that are stored and indexed, so it continues after an interruption.
        """
        turns = [replace(turn, source=conversation_id, kind="turn", indexed=False) for turn in turns]
        for turn in turns:
            _check(scope, turn)
        added = 0
        batches = [turns[start : start + BATCH] for start in range(0, len(turns), BATCH)]
        for batch in batches:
            async with self._write_lock(scope):
                known = {fact.id for fact in await self.graph.get(scope, [turn.id for turn in batch])}
                new = [turn for turn in batch if turn.id not in known]
                await self.graph.put(new, change="created", by=by, trigger=trigger)
        for batch in batches:  # only now, because the document of a turn contains the turns after it
            async with self._write_lock(scope):
                # As the graph has them: a turn may have been undone or changed since an interrupted call stored it.
                waiting = [fact for fact in await self.graph.get(scope, [turn.id for turn in batch]) if not fact.indexed]
                await self._index(scope, waiting)
                if waiting:
                    await self._notifier.changed(scope, STORE, ids=[turn.id for turn in waiting])
                added += len(waiting)
        return added

    async def update(self, scope: Scope, fact: Fact, *, by: str = "", trigger: str = "", version: int = 0) -> Fact:
        """Replace the fact with the same id; the previous version stays in the history.

        Raises: NotFound, PreconditionFailed (the stored fact has another version than ``version``; 0 = any).

        If the new version is derived from an undone record, nothing changes and the current version is returned.
        """
        _check(scope, fact)
        async with self._write_lock(scope):
            current = await self._get_required(scope, fact.id)
            known = provenance_ids(current)
            if await self._undone_ids(scope, [source for source in provenance_ids(fact) if source not in known]):
                return current
            await self.graph.put([replace(fact, indexed=False)], change="updated", by=by, trigger=trigger, version=version)
            return (await self._reindex(scope, [fact.id]))[0]

    async def supersede(
        self,
        scope: Scope,
        old_ids: Sequence[str],
        new: Fact,
        *,
        kept: Sequence[Fact] = (),
        planned: Mapping[str, datetime] | None = None,
        until: datetime | None = None,
        by: str = "",
        trigger: str = "",
    ) -> Fact:
        """Replace the old facts by ``new``.  They stay, with the end of their validity.  Raises NotFound (unknown old id).

        ``kept``: what of them still holds, stored in the same transaction if its ids are new.  ``planned``: further old facts,
        which stay active until a time in the future.  ``until``: when the others ceased to hold; else when ``new`` began.
        If ``new`` is derived from an undone record, nothing changes and ``new`` is returned with status ``undone``.
        """
        for fact in (new, *kept):
            _check(scope, fact)
        async with self._write_lock(scope):
            for old_id in (*old_ids, *(planned or ())):
                await self._get_required(scope, old_id)
            if await self._undone_ids(scope, provenance_ids(new)):
                return replace(new, status="undone")
            await self.graph.supersede(
                scope,
                old_ids,
                replace(new, indexed=False),
                kept=[replace(fact, indexed=False) for fact in kept],
                planned=planned,
                until=until,
                at=self._clock.now(),
                by=by,
                trigger=trigger,
            )
            stored = await self._reindex(scope, [new.id, *(fact.id for fact in kept), *old_ids, *(planned or ())])
            return next(fact for fact in stored if fact.id == new.id)

    async def set_status(self, scope: Scope, ids: Sequence[str], status: FactStatus, *, by: str = "") -> None:
        async with self._write_lock(scope):
            await self.graph.set_status(scope, ids, status, at=self._clock.now(), by=by)
            await self._reindex(scope, ids)

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        """Count a use of each fact at that time, in the graph and the index.  A use not later than the last is ignored."""
        async with self._write_lock(scope):
            await self.graph.touch(scope, ids, at=at)
            await self._reindex(scope, ids)

    # -------------------------------------------------------------------------------------------- undoing

    async def revert(self, scope: Scope, reversals: Sequence[Reversal], *, by: str, trigger: str) -> list[Fact]:
        """Return records to an earlier state, or mark them as undone.  Returns the stored versions.

        Undone records leave the index and stay in the graph with their history.

        Raises: Conflict (another writer changed a record since the reversal was planned; nothing was done).
        """
        if not reversals:
            return []
        ids = [reversal.record_id for reversal in reversals]
        async with self._write_lock(scope):
            now = await self.graph.get(scope, ids)
            neighbours = await self._neighbouring_turns(scope, [*now, *(each.to for each in reversals if each.to is not None)])
            # The documents of neighbouring turns contain the text of the changed turns, so they must be indexed again.
            await self.graph.mark_indexed(scope, [turn.id for turn in neighbours], False)
            try:
                await self.graph.revert(scope, reversals, at=self._clock.now(), by=by, trigger=trigger)
            except Conflict:
                await self._index(scope, neighbours)
                raise
            try:
                stored = await self._reindex(scope, ids)
                await self._index(scope, neighbours)
            finally:
                # Even if the embedding model is unavailable: caches must not keep undone records.
                await self._notifier.changed(scope, STORE, ids=[*ids, *(turn.id for turn in neighbours)])
            return stored

    # -------------------------------------------------------------------------------------------- forgetting

    async def forget(self, scope: Scope, ids: Sequence[str]) -> None:
        """Remove records with their history for good."""
        async with self._write_lock(scope):
            await self._forget(scope, list(dict.fromkeys(ids)))

    # -------------------------------------------------------------------------------------------- order of writes

    async def _documents(self, scope: Scope, records: Sequence[Fact]) -> Documents:
        return await documents_of(scope, records, self.graph)

    async def _reindex(self, scope: Scope, ids: Sequence[str]) -> list[Fact]:
        """Index these facts as the graph has them now, invalidate caches, and return the facts."""
        facts = await self.graph.get(scope, ids)
        waiting = [fact for fact in facts if not fact.indexed]
        await self._index(scope, waiting, reuse=True)
        await self._follow_others(scope, waiting, reuse=True)
        await self._notifier.changed(scope, STORE, ids=list(ids))
        return [replace(fact, indexed=True) for fact in facts]

    async def _forget(self, scope: Scope, ids: Sequence[str]) -> None:
        if not ids:
            return
        facts = await self.graph.get(scope, ids)
        neighbours = await self._neighbouring_turns(scope, facts)
        await self.graph.mark_indexed(scope, [turn.id for turn in neighbours], False)
        try:
            await self.graph.tombstone(scope, ids)
            await self.router.delete(scope, ids)
            await self.graph.forget(scope, ids)
        except BaseException:
            # The facts may be deleted already.  A retry would not find them and could not invalidate the caches.
            await self._notifier.changed(scope, STORE, forgotten=list(ids))
            raise
        # The documents of neighbouring turns contain the text of the erased turns, so they must be indexed again.
        await self._index(scope, neighbours)
        await self._notifier.changed(scope, STORE, ids=[turn.id for turn in neighbours], forgotten=list(ids))

    async def _neighbouring_turns(self, scope: Scope, facts: Sequence[Fact]) -> list[Fact]:
        gone = {fact.id for fact in facts}
        positions: dict[str, list[int]] = {}
        for fact in facts:
            if fact.kind == "turn" and fact.source:
                positions.setdefault(fact.source, []).append(fact.position)
        neighbours: dict[str, Fact] = {}
        for source, places in positions.items():
            near = await self.graph.turns_near(scope, source, min(places) - AFTER, max(places) + BEFORE)
            reached = {place + step for place in places for step in range(-AFTER, BEFORE + 1)}
            neighbours |= {turn.id: turn for turn in near if turn.position in reached and turn.id not in gone}
        return list(neighbours.values())

    async def _deduplicate(self, scope: Scope, facts: Sequence[Fact]) -> list[tuple[Fact, bool]]:
        """For each fact: the fact itself or an existing duplicate, and whether it must be written."""
        # Turns are kept as they were said, a rule of one conversation says nothing about others, and a named value is found
        # by its name.
        asked = [fact for fact in facts if not _stands_alone(fact)]
        contents = [(fact.content, fact.kind) for fact in asked]
        found = iter(await self.graph.by_digests(scope, contents, [fact.speaker for fact in asked]))
        seen: dict[tuple[str, str], list[Fact]] = {}
        chosen: list[tuple[Fact, bool]] = []
        for fact in facts:
            if _stands_alone(fact):
                chosen.append((fact, True))
                continue
            same = next(found)
            if same is not None and (ONLY_IN in same.metadata or former_since(same, self._clock.now()) is not None):
                same = None
            earlier = seen.setdefault((fact.kind, content_digest(fact.content)), [])
            before = next((each for each in earlier if is_same_speaker(each.speaker, fact.speaker)), None)
            duplicate = before if same is None or same.id == fact.id else same
            if duplicate is None:
                earlier.append(fact)
            chosen.append((duplicate or fact, duplicate is None))
        return chosen

    async def _undone_ids(self, scope: Scope, ids: Sequence[str]) -> set[str]:
        """Those of the ids that are undone."""
        found = await self.graph.get(scope, ids) if ids else []
        return {fact.id for fact in found if fact.status == "undone"}

    async def _get_required(self, scope: Scope, record_id: str) -> Fact:
        found = await self.graph.get(scope, [record_id])
        if not found:
            raise NotFound(f"no memory {record_id!r} in this scope: list the memories to see their ids")
        return found[0]


def _stands_alone(fact: Fact) -> bool:
    """Whether the fact is stored beside another one with the same content."""
    return fact.kind == "turn" or ONLY_IN in fact.metadata or ITEM in fact.metadata


def _check(scope: Scope, fact: Fact) -> None:
    if fact.scope != scope:
        raise BadRequest("a fact must be stored in its own scope: the call named another one")
    if not fact.content.strip():
        raise BadRequest("a fact needs content: it was empty")
    if not fact.id:
        raise BadRequest("a fact needs an id: give it a derived one")
