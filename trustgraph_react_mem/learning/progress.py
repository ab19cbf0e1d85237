"""How far the jobs at a conversation's end have read it, so that each end continues where the last one stopped.

The metadata of the conversation holds one position for each kind of job.  It is written after the effects of the job, so a job
that is interrupted or repeated reads the same invocations again, and writes the same records.  A job that became a dead letter
leaves the position where it was, so the next end covers its invocations, too.
"""

from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Literal

from ..jobs.payload import read_int
from ..memory.ports import ConversationGraph, Job
from ..memory.records import Conversation
from ..repositories.core import MemoryCore

Reader = Literal["reflected_to", "promoted_to"]
MOST_AT_ONCE = 200  # invocations of one session; a longer one is read in several
MOST_IMPORTED = 2000  # positions of imported turns that are read at once
#: Conversations that version 0.1.0 has ended before have no position.  Only their newest invocations are read again.
MOST_WITHOUT_POSITION = 50


@dataclass(frozen=True, slots=True)
class Session:
    """Positions of the first and the last invocation to read, both included."""

    first: int
    last: int


async def sessions(core: MemoryCore, job: Job, conversation_id: str, reader: Reader) -> AsyncIterator[Session]:
    """The sessions that the job has to read, in order.  Each counts as read when the next one is asked for.

    Payload of the job: ``to``, the last invocation when the conversation ended; ``from`` only if a person names the part.
    """
    conversations = core.graph.conversations
    newest = await conversations.get(job.scope, conversation_id, limit=1, undone=True)
    named = "from" in job.payload
    if newest is None or not newest.invocations:  # imported turns belong to no conversation of the agent
        yield Session(read_int(job, "from", 0), read_int(job, "to", MOST_IMPORTED))
        return
    last = min(read_int(job, "to", newest.invocations[-1].position), newest.invocations[-1].position)
    first = max(0, read_int(job, "from", 0)) if named else await _first(core, job, newest, reader, last)
    while first <= last:
        session = Session(first, min(last, first + MOST_AT_ONCE - 1))
        yield session
        if not named:
            await _advance(conversations, job, conversation_id, reader, session.last)
        first = session.last + 1


async def _first(core: MemoryCore, job: Job, conversation: Conversation, reader: Reader, last: int) -> int:
    if position := conversation.metadata.get(reader):
        return int(position) + 1
    if await _was_read_by_0_1_0(core, job, conversation, reader):
        return max(0, last + 1 - MOST_WITHOUT_POSITION)
    return 0


async def _was_read_by_0_1_0(core: MemoryCore, job: Job, conversation: Conversation, reader: Reader) -> bool:
    if reader == "reflected_to":
        return "topics_left_out" in conversation.metadata
    made = await core.episodes.graph.by_source(job.scope, conversation_ids=[conversation.id])
    return any(episode.metadata.get("of") == "conversation" for episode in made)


async def _advance(conversations: ConversationGraph, job: Job, conversation_id: str, reader: Reader, last: int) -> None:
    now = await conversations.get(job.scope, conversation_id, limit=1, undone=True)
    if now is not None and int(now.metadata.get(reader) or -1) < last:
        await conversations.set_metadata(job.scope, conversation_id, {reader: str(last)})
