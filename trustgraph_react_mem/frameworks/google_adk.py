"""Google ADK: a memory service for its runners and its tools ``load_memory`` and ``preload_memory``.

An application (``app_name``) is a collection, so users and applications do not see one another's memories.

Source: google-adk 2.13, ``google.adk.memory.base_memory_service``.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from ..errors import BadRequest
from ..extras import missing_extra
from ..manager import MemoryManager
from ..manager.portal import run_apart
from ..manager.scoped import erase, erase_collection, send
from ..memory.requests import StoreFact
from .items import Items, StoredItem, check_item

try:
    from google.adk.events import Event
    from google.adk.memory import BaseMemoryService
    from google.adk.memory.base_memory_service import SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions import Session
    from google.genai.types import Content, Part
except ImportError as error:
    raise missing_extra("the memory service for Google ADK", "google-adk") from error

KIND = "google-adk"
LAST = "last_event"
USER = "user"
EVENTS = "events"  # the conversation of events that name no session


class MemoryService(BaseMemoryService):
    """Memory of the users and applications of ADK, in the store that ``memory`` is open on.

    Arguments:
        memory: its own user and collection are not used.  The caller closes it, after the service was used.
        limit: most memories that a search returns.

    Errors are those of ``trustgraph_react_mem.errors``.
    """

    def __init__(self, memory: MemoryManager, *, limit: int = 10) -> None:
        self._memory = memory
        self._limit = limit

    async def add_session_to_memory(self, session: Session) -> None:
        """Learn from the events that are new since the last call for this session.

        So a message that was erased meanwhile is not learned again.
        """
        own = self._of(session.app_name, session.user_id)
        items = Items(own)
        name = (KIND, session.id, LAST)
        marked = (await run_apart(items.get([name]))).get(name)
        ids = [event.id for event in session.events]
        last = str(marked.value[LAST]) if marked else ""
        new = session.events[ids.index(last) + 1 :] if last in ids else session.events
        await self._learn(own, new, session.id)
        if ids and ids[-1] != last:
            now = items.now()
            mark = StoredItem(name=name, value={LAST: ids[-1]}, created=now, updated=now, index=False)
            await run_apart(items.put([check_item(mark)]))

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Learn from these events.  One that is known is not learned twice.  ``custom_metadata`` is not used."""
        await self._learn(self._of(app_name, user_id), events, session_id or EVENTS)

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Store each text as a fact.  What an author other than the user says is held back until the user confirms it."""
        own = self._of(app_name, user_id)
        for entry in memories:
            text = _text_of(entry.content)
            if not text:
                raise BadRequest("a memory has no text: add parts with a text, other parts cannot be remembered")
            metadata = {key: str(value) for key, value in {**(custom_metadata or {}), **entry.custom_metadata}.items()}
            trust = "user" if entry.author in (None, "", USER) else "assistant"
            await send(own, StoreFact(id=entry.id or "", content=text, trust=trust, metadata=metadata))

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        if not query.strip():
            return SearchMemoryResponse()
        found = await self._of(app_name, user_id).retrieve(query, limit=self._limit)
        return SearchMemoryResponse(
            memories=[
                MemoryEntry(
                    id=entry.id,
                    content=Content(role=USER, parts=[Part(text=entry.content)]),
                    author=entry.metadata.get("speaker") or None,
                    timestamp=entry.timestamp.isoformat(),
                    custom_metadata={"score": entry.score, "kind": entry.kind},
                )
                for entry in found
            ]
        )

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Erase one memory with what was derived from it; without an id, everything of the user in the application.

        Raises: BadRequest (the id is empty: nothing is erased).
        """
        own = self._of(app_name, user_id)
        if memory_id is None:
            await erase_collection(own)
        elif not memory_id.strip():
            raise BadRequest("memory_id is empty: name the memory to erase, or pass None to erase all memories of the user")
        else:
            await erase(own, [memory_id])

    def _of(self, app_name: str, user_id: str) -> MemoryManager:
        if not user_id or not app_name:
            raise BadRequest("app_name and user_id must both be given: without them it is not clear whose memory is meant")
        return self._memory.shared(user=user_id, collection=app_name)

    async def _learn(self, own: MemoryManager, events: Sequence[Event], conversation: str) -> None:
        said = [message for message in map(_to_message, events) if message]
        if said:
            await own.add(said, conversation=conversation)


def _to_message(event: Event) -> dict[str, Any] | None:
    """What was said in an event.  None: a partial answer, a call of a tool or its result."""
    text = _text_of(event.content)
    if not text or event.partial:
        return None
    role = USER if event.author == USER else "assistant"
    said_at = datetime.fromtimestamp(event.timestamp, UTC)
    return {"role": role, "content": text, "timestamp": said_at, **({"id": event.id} if event.id else {})}


def _text_of(content: Content | None) -> str:
    """Without the model's thoughts."""
    parts = content.parts or [] if content else []
    return "\n".join(part.text for part in parts if part.text and not part.thought).strip()
