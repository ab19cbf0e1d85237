"""The messages of a framework's session, kept as documents, and learned from.

Invariants:
- Messages are kept as they are, after the policy for secrets and personal data, and returned in their order.
- Memory learns only from what the user and the assistant said.  What tools returned is kept and never learned.
- A message is erased with the memory of its words, and the other way round.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import BadRequest
from ..manager import MemoryManager
from ..manager.portal import run_apart
from ..manager.scoped import erase
from .items import Items, StoredItem, check_item

KEPT = "message"  # key of the value: a message is never taken for a fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A message.  ``role`` and ``text``: what is learned from; no text: nothing is."""

    message: Mapping[str, Any]
    role: str = "user"
    text: str = ""


class History:
    """The messages of one session.  ``kind``: the framework, so that equal names of sessions do not meet."""

    def __init__(self, memory: MemoryManager, kind: str, session_id: str) -> None:
        if not session_id:
            raise BadRequest("session_id is empty: name the session, or create one with its own id")
        self._memory = memory
        self._items = Items(memory)
        self._name = (kind, session_id)
        self._session_id = session_id
        self._last = 0

    async def read(self) -> list[dict[str, Any]]:
        """Oldest first."""
        return [dict(item.value[KEPT]) for item in await run_apart(self._read_stored())]

    async def append(self, messages: Sequence[Said]) -> None:
        """Raises: BadRequest (a message is not JSON, or writing memory is switched off), TooLarge.  Nothing is stored then."""
        await run_apart(self._append(messages))

    async def pop(self) -> dict[str, Any] | None:
        """Erase the newest message with the memory of its words, and return it."""
        return await run_apart(self._pop())

    async def clear(self) -> None:
        """Erase the messages.  What memory learned from them stays."""
        await run_apart(self._clear())

    async def _read_stored(self) -> list[StoredItem]:
        items = await self._items.all(self._session_id, facts=False)
        own = [item for item in items if item.name[:-1] == self._name and KEPT in item.value]
        return sorted(own, key=lambda item: item.name)

    async def _append(self, messages: Sequence[Said]) -> None:
        now = self._items.now()
        new = []
        for said in messages:
            self._last = max(time.time_ns(), self._last + 1)
            name = (*self._name, f"{self._last:020d}")
            item = StoredItem(
                name=name,
                value={KEPT: dict(said.message)},
                created=now,
                updated=now,
                index=False,
                conversation=self._session_id,
            )
            new.append(check_item(item))
        spoken = [place for place, said in enumerate(messages) if said.text.strip()]
        if spoken:
            turns = [{"role": messages[place].role, "content": messages[place].text, "timestamp": now} for place in spoken]
            ids = (await self._memory.add(turns, conversation=self._session_id)).ids
            sources = dict(zip(spoken, ids, strict=True))
            new = [item.repeating(sources[place]) if place in sources else item for place, item in enumerate(new)]
        if new:
            await self._items.put(new)

    async def _pop(self) -> dict[str, Any] | None:
        if not (stored := await self._read_stored()):
            return None
        newest = stored[-1]
        if newest.sources:
            await erase(self._memory, newest.sources)
        await self._items.delete([newest.name])
        return dict(newest.value[KEPT])

    async def _clear(self) -> None:
        await self._items.delete([item.name for item in await self._read_stored()])
