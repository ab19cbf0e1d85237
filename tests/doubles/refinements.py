"""Refinement sessions among the conversations in memory, held to the suite of the real ones."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from trustgraph_react_mem.errors import Conflict
from trustgraph_react_mem.memory.records import Conversation, Invocation
from trustgraph_react_mem.memory.scope import Scope

Key = tuple[Scope, str]
Check = Callable[[], None]


class MemoryRefinementGraph:
    """``RefinementGraph``.  ``held``: the conversations, sessions among them; ``parents``: session -> conversation."""

    def __init__(
        self, held: dict[Key, Conversation], parents: dict[Key, str], check: Callable[[], None], hold: Callable[[], None]
    ):
        self._held, self._parents, self._check, self._hold = held, parents, check, hold

    async def append(
        self, scope: Scope, events: Sequence[Invocation], *, of: str, metadata: Mapping[str, str], expected: int | None = None
    ) -> int:
        self._hold()
        known = {item.id for (owner, _), held in self._held.items() if owner == scope for item in held.invocations}
        new = [event for event in events if event.id not in known]
        if not new:
            return 0
        key = (scope, new[0].conversation_id)
        began = min(event.at for event in new)
        before = self._held.get(key) or Conversation(
            id=key[1], scope=scope, started_at=began, last_at=began, ended_at=began, metadata=dict(metadata)
        )
        if expected not in (None, before.turns):
            raise Conflict("another number of events")
        placed = [replace(event, position=before.turns + n) for n, event in enumerate(new)]
        self._held[key] = replace(
            before,
            invocations=(*before.invocations, *placed),
            turns=before.turns + len(new),
            last_at=max(before.last_at or began, *(event.at for event in new)),
        )
        self._parents.setdefault(key, of)
        return len(new)

    async def listing(self, scope: Scope, *, of: str = "", limit: int = 100, offset: int = 0) -> list[Conversation]:
        self._check()
        found = sorted(self._own(scope, of), key=lambda held: held.id)
        found.sort(key=lambda held: str(held.last_at), reverse=True)
        return [replace(held, invocations=()) for held in found[offset : offset + limit]]

    async def silent_since(self, scope: Scope, before: datetime, *, limit: int = 100) -> list[Conversation]:
        self._check()
        found = [held for held in self._own(scope) if held.last_at and held.last_at < before]
        return [replace(held, invocations=()) for held in found[:limit]]

    async def count(self, scope: Scope, *, of: str = "") -> int:
        self._check()
        return len(self._own(scope, of))

    def _own(self, scope: Scope, of: str = "") -> list[Conversation]:
        keys = [key for key, parent in self._parents.items() if key[0] == scope and of in ("", parent)]
        return [self._held[key] for key in keys if key in self._held]
