"""Facts that are values of a key.  The newest value is active, the earlier ones are superseded."""

import asyncio
from collections.abc import Mapping
from weakref import WeakValueDictionary

from ...memory.ports import FactGraph
from ...memory.records import Fact, derived_id
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...repositories.core import MemoryCore

VERSIONS_AT_ONCE = 16
BY = "manager"

# The versions of a key are numbered: without the lock, two concurrent writers would use the same number.
_locks: WeakValueDictionary[tuple[Scope, str], asyncio.Lock] = WeakValueDictionary()


def version_ids(scope: Scope, key: str, start: int) -> dict[str, int]:
    """The ids of some versions of a key, from number ``start``, with their numbers."""
    return {derived_id("key", scope.key, key, number): number for number in range(start, start + VERSIONS_AT_ONCE)}


async def learn_value(core: MemoryCore, scope: Scope, key: str, value: str, metadata: Mapping[str, str]) -> Fact:
    """Store a value, and supersede the former one.  The same value again changes nothing.  Raises: TooLarge."""
    facts = core.facts
    async with _locks.setdefault((scope, key), asyncio.Lock()):
        versions = await _load_versions(facts.graph, scope, key)
        number, now = 1 + max(versions, default=-1), core.clock.now()
        new = Fact(
            id=next(name for name, own in version_ids(scope, key, number).items() if own == number),
            scope=scope,
            kind="semantic",
            content=f"{key}: {value}",
            created_at=now,
            valid_from=now,
            entities=(key,),
            metadata={**metadata, "key": key, "value": value},
        )
        check_size(f"the value of the key {key[:40]!r} with its metadata", [new.content, dict(new.metadata)])
        current = [fact for fact in versions.values() if fact.status == "active"]
        if current and current[-1].metadata.get("value") == value:
            return current[-1]
        if current:
            return await facts.supersede(scope, [fact.id for fact in current], new, by=BY)
        [stored] = await facts.store(scope, [new], by=BY)
        if stored.id != new.id:
            # A fact with the same content exists.  If an agent stored it, it has no key: replace it by the keyed fact.
            # If it has another key, keep both.
            same = [] if stored.metadata.get("key") else [stored.id]
            return await facts.supersede(scope, same, new, by=BY)
        return stored


async def _load_versions(graph: FactGraph, scope: Scope, key: str) -> dict[int, Fact]:
    """The stored versions of a key by their numbers, oldest first.  Numbers have gaps where a version was forgotten."""
    found, start = dict[int, Fact](), 0
    while True:
        ids = version_ids(scope, key, start)
        page = {ids[fact.id]: fact for fact in await graph.get(scope, list(ids))}
        found |= {number: page[number] for number in sorted(page)}
        if not page:
            return found
        start += VERSIONS_AT_ONCE
