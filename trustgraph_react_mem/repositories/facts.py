"""Writing and forgetting facts: the order that makes graph and vectors agree after any crash.

Invariants:
- a write goes graph (``indexed=False``) -> vectors -> graph (``indexed=True``); whatever is cut short is found by its flag;
- forgetting goes the other way behind a tombstone: graph (condemned, no call returns it any more) -> vectors -> graph (gone);
- the same content of the same kind and speaker is one fact, but what is said twice (kind ``turn``) was said twice;
- nothing is overwritten without a trace: updates, supersessions and changes of status leave a version to return to;
- what was taken back keeps its node and its history and has no point in the index; only forgetting removes a record;
- writes of one scope are serial within this process, and each ends with a notice to the caches.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import datetime
from functools import partial
from weakref import WeakValueDictionary

from ..errors import BadRequest, Conflict, NotFound
from ..indexing.document import IndexDocument
from ..indexing.passages import AFTER, BEFORE, embedded, keys_of, turn_keys, with_kept_vectors
from ..indexing.routing import EmbeddingIndex, EmbeddingModels, IndexRouter
from ..memory.digest import content_digest, one_speaker
from ..memory.fencing import before_deadline
from ..memory.ports import ChangeNotifier, Clock, FactGraph, Reversal
from ..memory.records import Fact, FactStatus, rests_on
from ..memory.scope import Scope

BATCH = 256  # facts in one transaction

STORE = "facts"


class FactMemory:
    """The one way to change facts for services and jobs; ``graph``, ``index`` and ``embedder`` are there for reading.

    ``index`` and ``embedder`` are those in use; while the embedding model changes, a scope may still be read by a former one:
    ``router.reading``.
    """

    def __init__(
        self,
        graph: FactGraph,
        models: EmbeddingModels,
        notifier: ChangeNotifier,
        clock: Clock,
    ) -> None:
        self.graph = graph
        self.index = models.current.facts
        self.embedder = models.current.embedder
        self.router = IndexRouter(models, "facts")
        self._notifier = notifier
        self._clock = clock
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()

    # -------------------------------------------------------------------------------------------- storing

    async def store(self, scope: Scope, facts: Sequence[Fact], *, by: str = "", trigger: str = "") -> list[Fact]:
        """Store each, and return what is stored now, in the order given; one that is there already is returned as it is.

        One that was drawn from what has been taken back is not stored, and returned as ``undone``.

        Raises:
            BadRequest: empty content, or a fact of another scope.
            ModelUnavailable: nothing is lost; the facts wait in the graph for a retry or the reconciler.
        """
        for fact in facts:
            _check(scope, fact)
        if not facts:
            return []
        async with self._writing(scope):
            undone = await self._undone(scope, [source for fact in facts for source in rests_on(fact)])
            sound = [fact for fact in facts if undone.isdisjoint(rests_on(fact))]
            chosen = await self._deduplicated(scope, sound)
            new = {fact.id: replace(fact, indexed=False) for fact, is_new in chosen if is_new}
            await self.graph.put(list(new.values()), change="created", by=by, trigger=trigger)
            stored = {fact.id: fact for fact in await self.graph.get(scope, [fact.id for fact, _ in chosen])}
            waiting = [fact for fact in stored.values() if not fact.indexed]
            await self._index(scope, waiting, kept=False)
            if waiting:
                await self._notifier.changed(scope, STORE, ids=[fact.id for fact in waiting])
        known = iter(replace(stored[fact.id], indexed=True) for fact, _ in chosen)
        return [next(known) if undone.isdisjoint(rests_on(fact)) else replace(fact, status="undone") for fact in facts]

    async def add_turns(
        self,
        scope: Scope,
        conversation_id: str,
        turns: Sequence[Fact],
        *,
        batch: int = BATCH,
        by: str = "import",
        trigger: str = "import",
    ) -> int:
        """Many verbatim turns of one conversation, in its order; the number that was not there before.

        Run again after an interruption, it goes on where it was.
        """
        turns = [replace(turn, source=conversation_id, kind="turn", indexed=False) for turn in turns]
        for turn in turns:
            _check(scope, turn)
        added = 0
        for start in range(0, len(turns), batch):
            part = turns[start : start + batch]
            async with self._writing(scope):
                indexed = {fact.id for fact in await self.graph.get(scope, [turn.id for turn in part]) if fact.indexed}
                new = [turn for turn in part if turn.id not in indexed]
                if new:
                    await self.graph.put(new, change="created", by=by, trigger=trigger)
                    await self._index_turns(scope, conversation_id, new, turns, start)
                    await self._notifier.changed(scope, STORE, ids=[turn.id for turn in new])
                added += len(new)
        return added

    async def update(self, scope: Scope, fact: Fact, *, by: str = "", trigger: str = "") -> Fact:
        """Replace the fact of that id; its former state stays in its history.  Raises NotFound.

        It stays as it is when it would rest on what has been taken back.
        """
        _check(scope, fact)
        async with self._writing(scope):
            current = await self._required(scope, fact.id)
            if await self._undone(scope, [source for source in rests_on(fact) if source not in rests_on(current)]):
                return current
            await self.graph.put([replace(fact, indexed=False)], change="updated", by=by, trigger=trigger)
            return (await self._settled(scope, [fact.id]))[0]

    async def supersede(
        self,
        scope: Scope,
        old_ids: Sequence[str],
        new: Fact,
        *,
        by: str = "",
        trigger: str = "",
        at: datetime | None = None,
    ) -> Fact:
        """``new`` replaces the old ones, which stay with their validity ended.  Raises NotFound for an unknown old id.

        Nothing is replaced, and ``new`` returned as ``undone``, when it rests on what has been taken back.
        """
        _check(scope, new)
        async with self._writing(scope):
            for old_id in old_ids:
                await self._required(scope, old_id)
            if await self._undone(scope, rests_on(new)):
                return replace(new, status="undone")
            await self.graph.supersede(
                scope, old_ids, replace(new, indexed=False), at=at or self._clock.now(), by=by, trigger=trigger
            )
            stored = await self._settled(scope, [new.id, *old_ids])
            return next(fact for fact in stored if fact.id == new.id)

    async def set_status(self, scope: Scope, ids: Sequence[str], status: FactStatus, *, by: str = "") -> None:
        async with self._writing(scope):
            await self.graph.set_status(scope, ids, status, at=self._clock.now(), by=by)
            await self._settled(scope, ids)

    async def touch(self, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
        """Count a use of each at that time, also in the index; a use that is not later than the last one counts nothing."""
        async with self._writing(scope):
            await self.graph.touch(scope, ids, at=at)
            await self._settled(scope, ids)

    # -------------------------------------------------------------------------------------------- taking back

    async def revert(self, scope: Scope, reversals: Sequence[Reversal], *, by: str, trigger: str) -> list[Fact]:
        """Each record as it was, or taken back: out of the index, and in the graph with its history.  What is stored now.

        Raises: Conflict (another writer changed one of them since that was decided; nothing was done).
        """
        if not reversals:
            return []
        ids = [reversal.record_id for reversal in reversals]
        async with self._writing(scope):
            now = await self.graph.get(scope, ids)
            beside = await self._turns_beside(scope, [*now, *(each.to for each in reversals if each.to is not None)])
            # Keys of the turns beside hold the words of what goes or comes: they are made anew.
            await self.graph.mark_indexed(scope, [turn.id for turn in beside], False)
            try:
                await self.graph.revert(scope, reversals, at=self._clock.now(), by=by, trigger=trigger)
            except Conflict:
                await self._index(scope, beside, kept=False)
                raise
            try:
                stored = await self._settled(scope, ids)
                await self._index(scope, beside, kept=False)
            finally:
                # Also when the embedding model is away: no cache goes on with what was taken back.
                await self._notifier.changed(scope, STORE, ids=[*ids, *(turn.id for turn in beside)])
            return stored

    # -------------------------------------------------------------------------------------------- forgetting

    async def forget(self, scope: Scope, ids: Sequence[str]) -> int:
        """Remove records with their history, for good; the number that was there."""
        async with self._writing(scope):
            return await self._forget(scope, list(dict.fromkeys(ids)))

    async def forget_scope(self, scope: Scope) -> dict[str, int]:
        """Remove all of a scope; what was removed per place."""
        async with self._writing(scope):
            await self.graph.tombstone(scope, None)
            vectors = await self.router.delete_scope(scope)
            counts = dict(await self.graph.forget_scope(scope))
            await self._notifier.changed(scope, STORE)
            return counts | {"vectors": vectors}

    async def finish_forgetting(self, scope: Scope, ids: Sequence[str]) -> None:
        """What an interrupted forgetting left behind its tombstones (for the reconciler)."""
        async with self._writing(scope):
            await self.router.delete(scope, ids)
            await self.graph.forget(scope, ids)
            await self._notifier.changed(scope, STORE, forgotten=ids)

    async def finish_indexing(self, scope: Scope, facts: Sequence[Fact]) -> None:
        """Vectors for facts that an interrupted write left without (for the reconciler)."""
        async with self._writing(scope):
            await self._index(scope, await self.graph.get(scope, [fact.id for fact in facts]), kept=False)
            await self._notifier.changed(scope, STORE, ids=[fact.id for fact in facts])

    async def embed_anew(self, scope: Scope, ids: Sequence[str]) -> int:
        """Vectors of the model in use for records that only a former one has; the number that is still there."""
        async with self._writing(scope):
            facts = [fact for fact in await self.graph.get(scope, ids) if fact.status != "undone"]
            keys, _ = await keys_of(scope, facts, self.graph)
            await self._write(scope, [self.router.current], keys, [], kept=False)
            await self.graph.mark_indexed(scope, [fact.id for fact in facts if fact.indexed], True)
        return len(facts)

    # -------------------------------------------------------------------------------------------- the order of writing

    async def _index(self, scope: Scope, facts: Sequence[Fact], *, kept: bool) -> None:
        """``kept``: take over vectors of unchanged texts instead of embedding them again."""
        for start in range(0, len(facts), BATCH):
            part = facts[start : start + BATCH]
            held = [fact for fact in part if fact.status != "undone"]
            if len(held) < len(part):  # first, for it needs no model
                await self.router.delete(scope, [fact.id for fact in part if fact.status == "undone"])
            keys, before = await keys_of(scope, held, self.graph)
            if keys or before:
                await self._write(scope, await self.router.writing(scope), keys, before, kept=kept)
            await self.graph.mark_indexed(scope, [fact.id for fact in part], True)

    async def _write(
        self,
        scope: Scope,
        router: Sequence[EmbeddingIndex],
        keys: Sequence[IndexDocument],
        grown: Sequence[IndexDocument],
        *,
        kept: bool,
    ) -> None:
        """Points into these indexes.  ``grown``: of turns whose own text has not changed."""
        look = partial(self.graph.mark_indexed, scope, [each.id for each in keys], False)
        for space in router:
            points = await (with_kept_vectors(scope, keys, space) if kept else embedded(keys, space.embedder))
            points += await with_kept_vectors(scope, grown, space) if grown else []
            await before_deadline(look, partial(space.index.upsert, scope, points))
        await self.router.settle(scope, router, [each.id for each in (*keys, *grown)])

    async def _index_turns(
        self, scope: Scope, conversation_id: str, new: Sequence[Fact], turns: Sequence[Fact], start: int
    ) -> None:
        """As ``_index``; the neighbours are at hand, only those before the first batch are read."""
        first = turns[0].position
        earlier: Sequence[Fact] = turns[max(0, start - AFTER - BEFORE) : start]
        if not start:
            earlier = await self.graph.turns_near(scope, conversation_id, first - AFTER - BEFORE, first - 1)
        order = [*earlier, *turns[start : start + BATCH + len(new)]]
        wanted = {turn.id: turn for turn in new}
        keys = turn_keys(order, wanted)
        # A turn that was there before and now has a successor: its neighbourhood has grown.
        before = {
            turn.id: turn for place, turn in enumerate(order[:-1]) if turn.id not in wanted and order[place + 1].id in wanted
        }
        grown = [each.id for each in await self.graph.get(scope, list(before)) if each.indexed]
        grown_keys = turn_keys(order, {record_id: before[record_id] for record_id in grown})
        router = await self.router.writing(scope)
        await self._write(scope, router, [keys[turn.id] for turn in new], list(grown_keys.values()), kept=False)
        await self.graph.mark_indexed(scope, [turn.id for turn in new], True)

    async def _settled(self, scope: Scope, ids: Sequence[str]) -> list[Fact]:
        """Index what the graph holds of these now, tell the caches, return it."""
        facts = await self.graph.get(scope, ids)
        await self._index(scope, [fact for fact in facts if not fact.indexed], kept=True)
        await self._notifier.changed(scope, STORE, ids=list(ids))
        return [replace(fact, indexed=True) for fact in facts]

    async def _forget(self, scope: Scope, ids: Sequence[str]) -> int:
        if not ids:
            return 0
        facts = await self.graph.get(scope, ids)
        neighbours = await self._turns_beside(scope, facts)
        await self.graph.mark_indexed(scope, [turn.id for turn in neighbours], False)
        try:
            await self.graph.tombstone(scope, ids)
            await self.router.delete(scope, ids)
            removed = await self.graph.forget(scope, ids)
        except BaseException:
            # Caches must not go on with what is perhaps gone: who tries again may not find it any more to tell them.
            await self._notifier.changed(scope, STORE, forgotten=list(ids))
            raise
        # Keys of the turns beside a forgotten one hold its words: they are made anew.
        await self._index(scope, neighbours, kept=False)
        await self._notifier.changed(scope, STORE, ids=[turn.id for turn in neighbours], forgotten=list(ids))
        return removed

    async def _turns_beside(self, scope: Scope, facts: Sequence[Fact]) -> list[Fact]:
        gone = {fact.id for fact in facts}
        positions: dict[str, list[int]] = {}
        for fact in facts:
            if fact.kind == "turn" and fact.source:
                positions.setdefault(fact.source, []).append(fact.position)
        beside: dict[str, Fact] = {}
        for source, places in positions.items():
            near = await self.graph.turns_near(scope, source, min(places) - AFTER, max(places) + BEFORE)
            reached = {place + step for place in places for step in range(-AFTER, BEFORE + 1)}
            beside |= {turn.id: turn for turn in near if turn.position in reached and turn.id not in gone}
        return list(beside.values())

    async def _deduplicated(self, scope: Scope, facts: Sequence[Fact]) -> list[tuple[Fact, bool]]:
        """Each fact or the one that says the same already, and whether it must be written."""
        asked = [fact for fact in facts if fact.kind != "turn"]
        known = await self.graph.by_digests(
            scope, [(fact.content, fact.kind) for fact in asked], [fact.speaker for fact in asked]
        )
        found = iter(known)
        seen: dict[tuple[str, str], list[Fact]] = {}
        chosen: list[tuple[Fact, bool]] = []
        for fact in facts:
            if fact.kind == "turn":
                chosen.append((fact, True))
                continue
            same = next(found)
            earlier = seen.setdefault((fact.kind, content_digest(fact.content)), [])
            before = next((each for each in earlier if one_speaker(each.speaker, fact.speaker)), None)
            if same is not None and same.id != fact.id:
                chosen.append((same, False))
            elif before is not None:
                chosen.append((before, False))
            else:
                earlier.append(fact)
                chosen.append((fact, True))
        return chosen

    async def _undone(self, scope: Scope, ids: Sequence[str]) -> set[str]:
        """Those that have been taken back."""
        found = await self.graph.get(scope, ids) if ids else []
        return {fact.id for fact in found if fact.status == "undone"}

    async def _required(self, scope: Scope, record_id: str) -> Fact:
        found = await self.graph.get(scope, [record_id])
        if not found:
            raise NotFound(f"no memory {record_id!r} in this scope: list its ids with the list operation")
        return found[0]

    @asynccontextmanager
    async def _writing(self, scope: Scope) -> AsyncIterator[None]:
        lock = self._locks.setdefault(scope, asyncio.Lock())
        async with lock:
            yield


def _check(scope: Scope, fact: Fact) -> None:
    if fact.scope != scope:
        raise BadRequest("a fact must be stored in its own scope: the call named another one")
    if not fact.content.strip():
        raise BadRequest("a fact needs content: it was empty")
    if not fact.id:
        raise BadRequest("a fact needs an id: give it a derived one")
