"""How far the ``understand`` jobs have read a conversation, so that each continues where the last one stopped.

The metadata of the conversation holds the position of the last invocation that was read.  It is written after the effects of
the job, so a job that is interrupted or repeated reads the same invocations again, and writes the same records.  A job that
became a dead letter leaves the position where it was, so the next one covers its invocations, too.
"""

from collections.abc import AsyncIterator, Sequence
from typing import TypeVar

from ..errors import NoModel
from ..jobs.delivery import JobOutcome, read_int
from ..memory.ports import Job
from ..memory.records import Conversation, Episode, Fact
from .context import Learn, Work

Record = TypeVar("Record", Fact, Episode)

UNDERSTOOD_TO = "understood_to"
FORMER = ("promoted_to", "reflected_to")  # positions that versions before 0.2 wrote at the end of a conversation
MOST_AT_ONCE = 200  # invocations of one session; a longer one is read in several
MOST_IMPORTED = 2000  # positions of imported turns that are read at once
MOST_WITHOUT_POSITION = 50  # newest invocations that are read of a long conversation that has no position


async def sessions(work: Work, conversation_id: str) -> AsyncIterator[tuple[int, int]]:
    """The sessions that the job has to read, in order: positions of the first and the last invocation, both included.

    Each counts as read when the next one is asked for.

    Payload of the job: ``to``, the last invocation to read; ``from`` only if a person names the part.
    """
    conversations, job = work.core.graph.conversations, work.job
    newest = await conversations.get(job.scope, conversation_id, limit=1, undone=True)
    named = "from" in job.payload
    if newest is None or not newest.invocations:  # imported turns belong to no conversation of the agent
        yield read_int(job, "from", 0), read_int(job, "to", MOST_IMPORTED)
        return
    last = min(read_int(job, "to", newest.invocations[-1].position), newest.invocations[-1].position)
    first = max(0, read_int(job, "from", 0)) if named else _first(newest, last)
    while first <= last:
        read = min(last, first + MOST_AT_ONCE - 1)
        yield first, read
        if not named:
            now = await conversations.get(job.scope, conversation_id, limit=1, undone=True)
            if now is not None and int(now.metadata.get(UNDERSTOOD_TO) or -1) < read:
                await conversations.set_metadata(job.scope, conversation_id, {UNDERSTOOD_TO: str(read)})
        first = read + 1


def _first(conversation: Conversation, last: int) -> int:
    positions = (conversation.metadata.get(key) for key in (UNDERSTOOD_TO, *FORMER))
    read = max((int(position) for position in positions if position), default=None)
    return max(0, last + 1 - MOST_WITHOUT_POSITION) if read is None else read + 1


NOT_DUE, NO_MODEL = "not-due", "no-model"  # notes of jobs that did nothing


def skip_without_model(run: Learn) -> Learn:
    """A handler whose job ends where no model is configured, instead of waiting for one."""

    async def handle(work: Work) -> JobOutcome:
        try:
            return await run(work)
        except NoModel:
            return JobOutcome(note=NO_MODEL)

    return handle


async def find_new(work: Work, records: Sequence[Record]) -> list[Record]:
    """The records since the last job of this kind that was not skipped, as far as the job store goes back.

    All of them for a job that a person asked for.
    """
    if not is_automatic(work.job):
        return list(records)
    last = await work.core.graph.job_store.last_done(work.scope, work.job.kind, without=(NOT_DUE, NO_MODEL))
    return [record for record in records if last is None or record.created_at > last.updated_at]


def is_automatic(job: Job) -> bool:
    """Whether the end of a conversation published the job, which then runs only if it is due."""
    return job.payload.get("when_due") is True
