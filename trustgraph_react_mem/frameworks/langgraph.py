"""LangGraph's ``BaseStore``: long-term memory of LangGraph's agents, and of LangMem's tools.

A value with a text under ``content`` becomes a fact that agents of the same user recall; other values are documents.

Deviations from LangGraph's ``InMemoryStore``:
- Labels of a namespace are also checked in ``batch``.
- Putting an existing name keeps ``created_at``; a namespace without values is not listed.
- Values are JSON, and secrets in them are redacted.  Expired values are never returned.
- Without ``index["embed"]``, the memory's own embedding model ranks by meaning, so a query always gives scores.
- ``offset`` also counts values without a score; a comparison with a value that is not a number does not match.
- Vectors of ``index["embed"]`` are kept in this process only.

Source: langgraph-checkpoint 4.3, ``langgraph.store.base`` and ``langgraph.store.memory``.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

import numpy as np

from ..errors import BadRequest
from ..extras import missing_extra
from ..manager import MemoryManager
from ..manager.portal import run_apart, run_blocking
from ..memory.ports import Vector
from .items import Items, Name, StoredItem

try:
    from langgraph.store.base import (
        BaseStore,
        GetOp,
        IndexConfig,
        InvalidNamespaceError,
        Item,
        ListNamespacesOp,
        MatchCondition,
        Op,
        PutOp,
        Result,
        SearchItem,
        SearchOp,
        TTLConfig,
        ensure_embeddings,
        get_text_at_path,
        tokenize_path,
        validate_op_namespace,
    )
except ImportError as error:
    raise missing_extra("the store for LangGraph", "langgraph") from error

MOST_VECTORS = 20_000
REFRESHED = 0.1  # share of the time to live after which a read writes a new time: not every read is a new version


@dataclass(slots=True)
class _Batch:
    """The operations of one call, and what was read for them."""

    ops: list[Op]
    puts: dict[Name, PutOp] = field(default_factory=dict)  # the last one of each name
    named: dict[Name, StoredItem] = field(default_factory=dict)
    listed: list[StoredItem] = field(default_factory=list)
    similar: dict[str, dict[Name, float]] = field(default_factory=dict)  # by query, from the memory's own search
    refreshed: dict[Name, StoredItem] = field(default_factory=dict)
    now: datetime = datetime.min


class MemoryStore(BaseStore):
    """A ``BaseStore`` over the memory of a user.

    Arguments:
        memory: whose user and collection hold the values.  The caller closes it, after the store was used.
        index: ``fields`` that are searched by meaning (default: the whole value), and ``embed`` with ``dims`` for another
            embedding model than the memory's.
        ttl: as in LangGraph's other stores.  With ``sweep_interval_minutes``, calls erase expired values at that interval.

    Errors are those of ``trustgraph_react_mem.errors``, and InvalidNamespaceError.
    """

    supports_ttl = True

    def __init__(self, memory: MemoryManager, *, index: IndexConfig | None = None, ttl: TTLConfig | None = None) -> None:
        self._items = Items(memory)
        self._fields: list[str] = list((index or {}).get("fields") or ["$"])
        embed = (index or {}).get("embed")
        self._embeddings = ensure_embeddings(embed) if embed is not None else None
        self._vectors: OrderedDict[str, Vector] = OrderedDict()  # by text
        self.ttl_config = ttl
        self._swept: datetime | None = None
        self._written: datetime | None = None

    # ------------------------------------------------------------------------------------------------ batches

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        work = run_blocking(self._read(list(ops)))
        if self._embeddings is not None:
            documents, queries = self._texts(work)
            self._remember(documents, self._embeddings.embed_documents(documents) if documents else [])
            self._remember_queries(queries, [self._embeddings.embed_query(query) for query in queries])
        results = self._results(work)
        run_blocking(self._write(work))
        return results

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        work = await run_apart(self._read(list(ops)))
        if self._embeddings is not None:
            documents, queries = self._texts(work)
            self._remember(documents, await self._embeddings.aembed_documents(documents) if documents else [])
            self._remember_queries(queries, [await self._embeddings.aembed_query(query) for query in queries])
        results = self._results(work)
        await run_apart(self._write(work))
        return results

    def sweep_ttl(self) -> int:
        """Erase expired values.  Returns their number."""
        return run_blocking(self._sweep(self._items.now()))

    async def asweep_ttl(self) -> int:
        """As ``sweep_ttl``."""
        return await run_apart(self._sweep(self._items.now()))

    # ------------------------------------------------------------------------------------------------ reading

    async def _read(self, ops: list[Op]) -> _Batch:
        """Everything the operations need, before any of them writes."""
        work = _Batch(ops, now=self._items.now())
        for op in ops:
            validate_op_namespace(op)
            if isinstance(op, PutOp):
                if not op.namespace:
                    raise InvalidNamespaceError("Namespace cannot be empty.")
                work.puts[(*op.namespace, op.key)] = op
            elif not isinstance(op, GetOp | SearchOp | ListNamespacesOp):
                raise ValueError(f"Unknown operation type: {type(op)}")
        work.named = await self._items.get((*op.namespace, op.key) for op in ops if isinstance(op, GetOp))
        if any(isinstance(op, SearchOp | ListNamespacesOp) for op in ops):
            work.listed = [item for item in await self._items.all() if item.expires is None or item.expires > work.now]
        if self._embeddings is None:
            for query in {op.query for op in ops if isinstance(op, SearchOp) and op.query and op.query.strip()}:
                work.similar[query] = await self._items.similarities(query)
        return work

    def _results(self, work: _Batch) -> list[Result]:
        results: list[Result] = []
        for op in work.ops:
            match op:
                case GetOp():
                    item = work.named.get((*op.namespace, op.key))
                    self._refresh(work, op.refresh_ttl, [item] if item else [])
                    results.append(_to_item(item) if item else None)
                case SearchOp():
                    results.append(self._search(work, op))
                case ListNamespacesOp():
                    results.append(_namespaces(work.listed, op))
                case _:
                    results.append(None)
        return results

    def _search(self, work: _Batch, op: SearchOp) -> list[SearchItem]:
        depth = len(op.namespace_prefix)
        chosen = [item for item in work.listed if len(item.name) > depth and item.name[:depth] == tuple(op.namespace_prefix)]
        chosen = [item for item in _by_namespace(chosen) if _matches(item.value, op.filter)]
        scores: Mapping[Name, float] = {}
        if op.query and self._embeddings is not None:
            scores = self._scores(op.query, chosen)
        elif op.query:
            similar = work.similar.get(op.query, {})
            scores = {item.name: similar[item.name] for item in chosen if item.name in similar and item.index is not False}
        ranked = sorted((item for item in chosen if item.name in scores), key=lambda item: -scores[item.name])
        page = [*ranked, *(item for item in chosen if item.name not in scores)][op.offset : op.offset + op.limit]
        self._refresh(work, op.refresh_ttl, page)
        return [SearchItem(**_fields_of(item), score=scores.get(item.name)) for item in page]

    def _refresh(self, work: _Batch, wanted: bool, items: Sequence[StoredItem]) -> None:
        for item in items:
            if wanted and item.ttl_s is not None and item.expires is not None:
                longer = item.extended(work.now)
                if longer.expires and longer.expires - item.expires > REFRESHED * timedelta(seconds=item.ttl_s):
                    work.refreshed[item.name] = longer

    # ------------------------------------------------------------------------------------------------ vectors

    def _texts(self, work: _Batch) -> tuple[list[str], list[str]]:
        """Texts of values and of queries whose vectors are not known yet."""
        queries = {op.query: None for op in work.ops if isinstance(op, SearchOp) and op.query}
        texts = {text: None for op in work.puts.values() if op.value is not None for text in self._searched(op.value, op.index)}
        for item in work.listed if queries else ():
            texts |= dict.fromkeys(self._searched(item.value, item.index))
        unknown = [query for query in queries if _query_key(query) not in self._vectors]
        return [text for text in texts if text not in self._vectors], unknown

    def _searched(self, value: Mapping[str, Any], index: object) -> list[str]:
        """The texts of a value that are searched by meaning."""
        if index is False:
            return []
        paths = index if isinstance(index, list | tuple) else self._fields
        found = (get_text_at_path(value, path if path == "$" else tokenize_path(path)) for path in paths)
        return [text for texts in found for text in texts or ()]

    def _remember(self, texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        for text, vector in zip(texts, vectors, strict=True):
            self._vectors[text] = np.asarray(vector, dtype=np.float32)
        while len(self._vectors) > max(MOST_VECTORS, len(texts)):
            self._vectors.popitem(last=False)

    def _remember_queries(self, queries: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        self._remember([_query_key(query) for query in queries], vectors)

    def _scores(self, query: str, items: Sequence[StoredItem]) -> dict[Name, float]:
        """The cosine of the query and the most similar text of each item."""
        asked, scores = self._vectors[_query_key(query)], dict[Name, float]()
        for item in items:
            known = [self._vectors[text] for text in self._searched(item.value, item.index) if text in self._vectors]
            if known:
                scores[item.name] = max(_cosine(asked, vector) for vector in known)
        return scores

    # ------------------------------------------------------------------------------------------------ writing

    async def _write(self, work: _Batch) -> None:
        puts = [await self._items.check(self._new(name, op)) for name, op in work.puts.items() if op.value is not None]
        fresh = [item for name, item in work.refreshed.items() if name not in work.puts]
        if gone := [name for name, op in work.puts.items() if op.value is None]:
            await self._items.delete(gone)
        if puts or fresh:
            await self._items.put([*puts, *fresh])
        interval = (self.ttl_config or {}).get("sweep_interval_minutes")
        if interval and (self._swept is None or work.now - self._swept >= timedelta(minutes=interval)):
            await self._sweep(work.now)

    def _new(self, name: Name, op: PutOp) -> StoredItem:
        now = self._next_time()
        if not isinstance(op.value, Mapping):
            raise BadRequest(f"the value of {op.key!r} is {type(op.value).__name__}: pass a dictionary")
        text = "\n".join(self._searched(op.value, op.index))
        index = list(op.index) if isinstance(op.index, list | tuple) else op.index
        ttl_s = op.ttl * 60 if op.ttl is not None else None
        item = StoredItem(name=name, value=op.value, created=now, updated=now, ttl_s=ttl_s, index=index, text=text)
        return item.extended(now)

    def _next_time(self) -> datetime:
        """Later than every time before, because values are listed in the order of their creation."""
        now = self._items.now()
        if self._written is not None and now <= self._written:
            now = self._written + timedelta(microseconds=1)
        self._written = now
        return now

    async def _sweep(self, now: datetime) -> int:
        self._swept = now
        gone = [item.name for item in await self._items.all() if item.expires is not None and item.expires <= now]
        await self._items.delete(gone)
        return len(gone)


def _fields_of(item: StoredItem) -> dict[str, Any]:
    return {
        "namespace": item.name[:-1],
        "key": item.name[-1],
        "value": dict(item.value),
        "created_at": item.created,
        "updated_at": item.updated,
    }


def _to_item(item: StoredItem) -> Item:
    return Item(**_fields_of(item))


def _by_namespace(items: Sequence[StoredItem]) -> list[StoredItem]:
    """Together by namespace, in the order of the oldest value of each."""
    places: dict[Name, list[StoredItem]] = {}
    for item in items:
        places.setdefault(item.name[:-1], []).append(item)
    return [item for group in places.values() for item in group]


def _namespaces(items: Sequence[StoredItem], op: ListNamespacesOp) -> list[Name]:
    found = {item.name[:-1] for item in items}
    for condition in op.match_conditions or ():
        found = {namespace for namespace in found if _is_match(condition, namespace)}
    if op.max_depth is not None:
        found = {namespace[: op.max_depth] for namespace in found}
    return sorted(found)[op.offset : op.offset + op.limit]


def _is_match(condition: MatchCondition, namespace: Name) -> bool:
    path = tuple(condition.path)
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def _matches(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    return all(_is_equal(value.get(key), each) for key, each in (wanted or {}).items())


def _is_equal(value: Any, wanted: Any) -> bool:
    if isinstance(wanted, Mapping):
        if any(str(key).startswith("$") for key in wanted):
            return all(_compare(value, operator, operand) for operator, operand in wanted.items())
        return isinstance(value, Mapping) and all(_is_equal(value.get(key), each) for key, each in wanted.items())
    if isinstance(wanted, list | tuple):
        same = isinstance(value, list | tuple) and len(value) == len(wanted)
        return same and all(_is_equal(one, other) for one, other in zip(value, wanted, strict=True))
    return bool(value == wanted)


def _compare(value: Any, operator: str, operand: Any) -> bool:
    if operator == "$eq":
        return bool(value == operand)
    if operator == "$ne":
        return bool(value != operand)
    if operator not in ("$gt", "$gte", "$lt", "$lte"):
        raise ValueError(f"Unsupported operator: {operator}")
    try:
        one, other = float(value), float(operand)
    except (TypeError, ValueError):
        return False
    return {"$gt": one > other, "$gte": one >= other, "$lt": one < other, "$lte": one <= other}[operator]


def _query_key(query: str) -> str:
    """Queries have vectors of their own, because a model may embed them unlike documents."""
    return f"\0{query}"


def _cosine(one: Vector, other: Vector) -> float:
    scale = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.dot(one, other)) / scale if scale else 0.0
