"""LangGraph's ``BaseStore``: long-term memory of LangGraph's agents, and of LangMem's tools.

A value with a text under ``content`` becomes a fact that agents of the same user recall; other values are documents.

Deviations from LangGraph's ``InMemoryStore``:
- Labels of a namespace are also checked in ``batch``.
- Half a character (a lone surrogate) is refused in a name, and replaced by U+FFFD in a value.
- Putting an existing name keeps ``created_at``; a namespace without values is not listed.
- Values are JSON, and secrets in them are redacted.  Expired values are never returned.
- The memory's own embedding model ranks by meaning, so a query always gives scores, and ``index["embed"]`` is refused.
- ``offset`` also counts values without a score.

Source: langgraph-checkpoint 4.3, ``langgraph.store.base`` and ``langgraph.store.memory``.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any

from ..errors import BadRequest
from ..manager import MemoryManager
from ..manager.portal import run_apart, run_blocking
from .items import Items, Name, StoredItem, check_item

try:
    from langgraph.store import base
    from langgraph.store.memory import InMemoryStore
except ImportError as error:
    raise ImportError(
        "the store for LangGraph needs langgraph-checkpoint: pip install 'langgraph-checkpoint>=4.3,<5'"
    ) from error

USER = "{user}"
MOST_TTL = 52_560_000  # minutes: a hundred years
REFRESHED = 0.1  # share of the time to live after which a read writes a new time: not every read is a new version


@dataclass(slots=True)
class _Batch:
    """Operations on the values of one user, and what was read for them.

    ``known``: the values that have not expired: all of them if an operation searches or lists, else those that are got.
    ``reference``: LangGraph's own store with the same values, which decides what a filter and a list of namespaces mean.
    """

    items: Items
    now: datetime
    ops: list[base.Op] = field(default_factory=list)
    puts: dict[Name, base.PutOp] = field(default_factory=dict)  # the last one of each name
    new: list[StoredItem] = field(default_factory=list)
    known: dict[Name, StoredItem] = field(default_factory=dict)
    reference: InMemoryStore = field(default_factory=InMemoryStore)
    similar: dict[str, dict[Name, float]] = field(default_factory=dict)  # by query, from the memory's own search
    refreshed: dict[Name, StoredItem] = field(default_factory=dict)


class MemoryStore(base.BaseStore):
    """A ``BaseStore`` over the memory of a user, or of all users of an application.

    Arguments:
        memory: whose user and collection hold the values.  The caller closes it, after the store was used.
        users: a namespace with ``{user}`` in it, such as ``("memories", "{user}")``.  Values below it are in the memory of the
            user whose name stands there, apart from those of others; such a search must name the user.
        index: ``fields`` that are searched by meaning (default: the whole value).
        ttl: as in LangGraph's other stores.  With ``sweep_interval_minutes``, calls erase expired values at that interval.

    Errors are those of ``trustgraph_react_mem.errors``, and InvalidNamespaceError.
    """

    supports_ttl = True

    def __init__(
        self,
        memory: MemoryManager,
        *,
        users: Sequence[str] = (),
        index: base.IndexConfig | None = None,
        ttl: base.TTLConfig | None = None,
    ) -> None:
        if users and USER not in users:
            raise BadRequest(f"users is {tuple(users)!r}: put {USER!r} where the name of the user stands")
        if index and "embed" in index:
            raise BadRequest("index has an embedding model (embed): leave it out, the memory's own model searches the values")
        self._memory = memory
        self._users = tuple(users)
        self._opened = {"": Items(memory)}  # by user; "": the manager's own
        self._fields: list[str] = list((index or {}).get("fields") or ["$"])
        self.ttl_config = ttl
        self._swept: datetime | None = None
        self._written: datetime | None = None

    # ------------------------------------------------------------------------------------------------ batches

    def batch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        return run_blocking(self._run(list(ops)))

    async def abatch(self, ops: Iterable[base.Op]) -> list[base.Result]:
        return await run_apart(self._run(list(ops)))

    async def _run(self, ops: Sequence[base.Op]) -> list[base.Result]:
        works = await self._read_all(ops)
        found = {id(op): self._result(work, op) for work in works for op in work.ops}
        await self._write_all(works)
        return [found[id(op)] for op in ops]

    def sweep_ttl(self) -> int:
        """Erase expired values of the users that this store has served.  Returns their number."""
        return run_blocking(self._sweep())

    async def asweep_ttl(self) -> int:
        """As ``sweep_ttl``."""
        return await run_apart(self._sweep())

    def _owner(self, op: base.Op) -> Items:
        """Whose values an operation concerns.  Raises: BadRequest (all users', or a type of operation that is not known)."""
        match op:
            case base.GetOp() | base.PutOp():
                namespace = tuple(op.namespace)
            case base.SearchOp():
                namespace = tuple(op.namespace_prefix)
            case base.ListNamespacesOp():
                prefixes = [tuple(each.path) for each in op.match_conditions or () if each.match_type == "prefix"]
                namespace = max(prefixes, key=len, default=())
            case _:
                raise ValueError(f"Unknown operation type: {type(op)}")
        if not self._users:
            return self._opened[""]
        place = self._users.index(USER)
        if any(label not in ("*", wanted) for label, wanted in zip(namespace, self._users[:place], strict=False)):
            return self._opened[""]
        if len(namespace) <= place or "*" in namespace[: place + 1]:
            raise BadRequest(f"the namespace {namespace!r} names no user: begin it as {self._users!r} does")
        user = namespace[place]
        if user not in self._opened:
            self._opened[user] = Items(self._memory.shared(user=user))
        return self._opened[user]

    # ------------------------------------------------------------------------------------------------ reading

    async def _read_all(self, ops: Sequence[base.Op]) -> list[_Batch]:
        """Everything the operations need, before any of them writes; checked, so that nothing is stored of a bad batch."""
        works: dict[int, _Batch] = {}
        for op in ops:
            base.validate_op_namespace(op)
            if isinstance(op, base.PutOp) and not op.namespace:
                raise base.InvalidNamespaceError("Namespace cannot be empty.")
            items = self._owner(op)
            works.setdefault(id(items), _Batch(items=items, now=items.now())).ops.append(op)
        for work in works.values():
            await self._read(work)
        return list(works.values())

    async def _read(self, work: _Batch) -> None:
        ops = work.ops
        work.puts = {(*op.namespace, op.key): op for op in ops if isinstance(op, base.PutOp)}
        for name, op in work.puts.items():
            if op.value is not None:
                item = check_item(self._new(work, name, op))
                work.new.append(replace(item, text="\n".join(self._find_searched(item.value, item.index))))
        if any(isinstance(op, base.SearchOp | base.ListNamespacesOp) for op in ops):
            items = [item for item in await work.items.all() if not item.is_expired(work.now)]
            work.known = {item.name: item for item in items}
            work.reference.batch([base.PutOp(item.name[:-1], item.name[-1], dict(item.value)) for item in items])
        else:
            work.known = await work.items.get((*op.namespace, op.key) for op in ops if isinstance(op, base.GetOp))
        for query in {op.query for op in ops if isinstance(op, base.SearchOp) and op.query and op.query.strip()}:
            work.similar[query] = await work.items.similarities(query)

    def _result(self, work: _Batch, op: base.Op) -> base.Result:
        match op:
            case base.GetOp():
                item = work.known.get((*op.namespace, op.key))
                self._refresh(work, op.refresh_ttl, [item] if item else [])
                return base.Item(**_fields_of(item)) if item else None
            case base.SearchOp():
                return self._search(work, op)
            case base.ListNamespacesOp():
                return work.reference.batch([op])[0]
        return None

    def _search(self, work: _Batch, op: base.SearchOp) -> list[base.SearchItem]:
        found = work.reference.search(tuple(op.namespace_prefix), filter=op.filter, limit=len(work.known))
        chosen = [work.known[(*each.namespace, each.key)] for each in found]
        similar = work.similar.get(op.query or "", {})
        scores = {item.name: similar[item.name] for item in chosen if item.name in similar and item.index is not False}
        ranked = sorted((item for item in chosen if item.name in scores), key=lambda item: -scores[item.name])
        page = [*ranked, *(item for item in chosen if item.name not in scores)][op.offset : op.offset + op.limit]
        self._refresh(work, op.refresh_ttl, page)
        return [base.SearchItem(**_fields_of(item), score=scores.get(item.name)) for item in page]

    def _refresh(self, work: _Batch, wanted: bool, items: Sequence[StoredItem]) -> None:
        for item in items:
            if wanted and item.ttl_s is not None and item.expires is not None:
                longer = item.extend(work.now)
                if longer.expires and longer.expires - item.expires > REFRESHED * timedelta(seconds=item.ttl_s):
                    work.refreshed[item.name] = longer

    def _find_searched(self, value: Mapping[str, Any], index: object) -> list[str]:
        """The texts of a value that are searched by meaning."""
        if index is False:
            return []
        paths = index if isinstance(index, list | tuple) else self._fields
        found = (base.get_text_at_path(value, path if path == "$" else base.tokenize_path(path)) for path in paths)
        return [text for texts in found for text in texts or ()]

    # ------------------------------------------------------------------------------------------------ writing

    async def _write_all(self, works: Sequence[_Batch]) -> None:
        for work in works:
            if gone := [name for name, op in work.puts.items() if op.value is None]:
                await work.items.delete(gone)
            fresh = [item for name, item in work.refreshed.items() if name not in work.puts]
            if work.new or fresh:
                await work.items.put([*work.new, *fresh])
        interval = (self.ttl_config or {}).get("sweep_interval_minutes")
        now = self._opened[""].now()
        if interval and (self._swept is None or now - self._swept >= timedelta(minutes=interval)):
            await self._sweep()

    def _new(self, work: _Batch, name: Name, op: base.PutOp) -> StoredItem:
        # Later than every time before, because values are listed in the order of their creation.
        now = max(work.now, self._written + timedelta(microseconds=1)) if self._written else work.now
        self._written = now
        if not isinstance(op.value, Mapping):
            raise BadRequest(f"the value of {op.key!r} is {type(op.value).__name__}: pass a dictionary")
        index = list(op.index) if isinstance(op.index, list | tuple) else op.index
        if op.ttl is not None and not 0 <= op.ttl <= MOST_TTL:
            raise BadRequest(f"the ttl of {op.key!r} is {op.ttl}: it is a number of minutes from 0 to {MOST_TTL}, or None")
        ttl_s = op.ttl * 60 if op.ttl is not None else None
        item = StoredItem(name=name, value=op.value, created=now, updated=now, ttl_s=ttl_s, index=index)
        return item.extend(now)

    async def _sweep(self) -> int:
        count = 0
        for items in list(self._opened.values()):
            self._swept = now = items.now()
            gone = [item.name for item in await items.all() if item.is_expired(now)]
            await items.delete(gone)
            count += len(gone)
        return count


def _fields_of(item: StoredItem) -> dict[str, Any]:
    return {
        "namespace": item.name[:-1],
        "key": item.name[-1],
        "value": dict(item.value),
        "created_at": item.created,
        "updated_at": item.updated,
    }
