"""What the repositories of facts and of episodes do alike.  The order of their writes is in ``repositories.facts``."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Generic, TypeVar
from weakref import WeakValueDictionary

from ..indexing.document import IndexDocument
from ..indexing.passages import embed_documents, reuse_vectors
from ..indexing.routing import EmbeddingIndex, IndexRouter
from ..memory.fencing import before_deadline
from ..memory.ports import ChangeNotifier
from ..memory.ports.graph import RecordGraph
from ..memory.records import Episode, Fact
from ..memory.scope import Scope

BATCH = 256  # records in one transaction

Record = TypeVar("Record", Fact, Episode)
Graph = TypeVar("Graph", bound=RecordGraph[Any])
Documents = tuple[list[IndexDocument], list[IndexDocument]]


class RecordMemory(ABC, Generic[Record, Graph]):
    """The only writer of its records.  Use ``graph``, ``index`` and ``embedder`` only to read.

    ``index`` and ``embedder`` belong to the current embedding model.  During its change a scope may still be served by a
    previous one: see ``IndexRouter.read_index``.
    """

    store_name: ClassVar[str]

    def __init__(self, graph: Graph, router: IndexRouter, notifier: ChangeNotifier) -> None:
        self.graph = graph
        self.index = router.current.index
        self.embedder = router.current.embedder
        self.router = router
        self._notifier = notifier
        self._locks: WeakValueDictionary[Scope, asyncio.Lock] = WeakValueDictionary()

    @abstractmethod
    async def _documents(self, scope: Scope, records: Sequence[Record]) -> Documents:
        """The documents of these records, and those of other ones whose context they change, but not their text."""

    async def forget_scope(self, scope: Scope) -> None:
        """Remove all records of the scope."""
        async with self._write_lock(scope):
            await self.graph.tombstone(scope, None)
            await self.router.delete_scope(scope)
            await self.graph.forget_scope(scope)
            await self._notifier.changed(scope, self.store_name)

    async def finish_forgetting(self, scope: Scope, ids: Sequence[str]) -> None:
        """Complete an interrupted erasure from its tombstones, for the reconciler."""
        async with self._write_lock(scope):
            await self._remove(scope, ids)

    async def finish_indexing(self, scope: Scope, ids: Sequence[str]) -> None:
        """Index these records as the graph has them now, for the reconciler."""
        async with self._write_lock(scope):
            await self._index(scope, await self.graph.get(scope, ids))
            await self._notifier.changed(scope, self.store_name, ids=ids)

    async def reembed(self, scope: Scope, ids: Sequence[str]) -> int:
        """Write vectors of the current model for records that only a previous one has.  Returns how many still exist."""
        async with self._write_lock(scope):
            held = [record for record in await self.graph.get(scope, ids) if is_held(record)]
            documents, _ = await self._documents(scope, held)
            await self._write(scope, [self.router.current], documents)
            await self.graph.mark_indexed(scope, [record.id for record in held if record.indexed], True)
            await self._follow_others(scope, held)
        return len(held)

    async def _index(self, scope: Scope, records: Sequence[Record], *, reuse: bool = False) -> None:
        """Write, or for undone records delete, vectors; then set ``indexed``.  ``reuse``: reuse vectors of unchanged texts."""
        for start in range(0, len(records), BATCH):
            part = records[start : start + BATCH]
            held = [record for record in part if is_held(record)]
            if len(held) < len(part):  # first, because deleting works without the embedding model
                await self.router.delete(scope, [record.id for record in part if not is_held(record)])
            documents, grown = await self._documents(scope, held)
            if documents or grown:
                await self._write(scope, await self.router.write_indexes(scope), documents, grown, reuse=reuse)
            await self.graph.mark_indexed(scope, [record.id for record in part], True)

    async def _write(
        self,
        scope: Scope,
        indexes: Sequence[EmbeddingIndex],
        documents: Sequence[IndexDocument],
        grown: Sequence[IndexDocument] = (),
        *,
        reuse: bool = False,
    ) -> None:
        """Write points to these indexes.  ``grown``: documents of records whose context changed but whose text did not."""
        look = partial(self.graph.mark_indexed, scope, [each.id for each in documents], False)
        for space in indexes:
            points = await (reuse_vectors(scope, documents, space) if reuse else embed_documents(documents, space.embedder))
            points += await reuse_vectors(scope, grown, space) if grown else []
            await before_deadline(look, partial(space.index.upsert, scope, points))

    async def _follow_others(self, scope: Scope, records: Sequence[Record], *, reuse: bool = False) -> None:
        """Index again what another process changed, and drop what it erased, while these records were embedded here."""
        before = {record.id: replace(record, indexed=True) for record in records}
        there = await self.graph.get(scope, list(before)) if before else []
        now = {record.id: replace(record, indexed=True) for record in there}
        if erased := before.keys() - now.keys():
            await self.router.delete(scope, sorted(erased))
        await self._index(scope, [record for record in now.values() if record != before[record.id]], reuse=reuse)

    async def _remove(self, scope: Scope, ids: Sequence[str]) -> None:
        await self.router.delete(scope, ids)
        await self.graph.forget(scope, ids)
        await self._notifier.changed(scope, self.store_name, forgotten=list(ids))

    def _write_lock(self, scope: Scope) -> asyncio.Lock:
        return self._locks.setdefault(scope, asyncio.Lock())


def is_held(record: Fact | Episode) -> bool:
    """Whether the record has vectors.  Undone records have none."""
    return record.status != "undone" if isinstance(record, Fact) else record.undone_at is None
