"""What a worker knows of the jobs in its hands.  All of it can be lost: topic and ledger bring it back."""

import asyncio
import contextlib
from collections import Counter, OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import datetime

from ..memory.ports import Job, JobEntry
from ..memory.scope import Scope
from .delayed_queue import DelayedQueue
from .delivery import JobOutcome, lane

REMEMBERED = 50_000  # ids of finished jobs kept in memory, against duplicates that are already on their way


@dataclass(slots=True)
class WorkerState:
    """Shared by the parts of one worker, all in one event loop."""

    queued: dict[str, Job] = field(default_factory=dict)
    queued_models: set[str] = field(default_factory=set)
    heads: dict[str, Job] = field(default_factory=dict)  # whose turn it is, until their end is acknowledged
    running: dict[str, asyncio.Task[JobOutcome]] = field(default_factory=dict)
    deferred: dict[str, DelayedQueue] = field(default_factory=dict)  # by lane; none is empty
    expected: dict[str, Job] = field(default_factory=dict)  # published by this process and not yet finished
    finished: OrderedDict[str, Scope] = field(default_factory=OrderedDict)
    cancelled: set[str] = field(default_factory=set)
    republished: dict[str, datetime] = field(default_factory=dict)  # job id -> until when it is not sent again
    model_rests: dict[str, datetime] = field(default_factory=dict)  # workspace -> until when its model is left alone
    saving: set[str] = field(default_factory=set)  # jobs whose entry is on its way into the ledger
    counts: Counter[str] = field(default_factory=Counter)
    progress: asyncio.Event = field(default_factory=asyncio.Event)

    def begin_anew(self) -> None:
        """Forget what is in hand: the source delivers it again."""
        for book in (self.queued, self.queued_models, self.running, self.heads, self.deferred):
            book.clear()

    def in_hand(self, job_id: str) -> bool:
        return job_id in self.queued or job_id in self.heads

    def dequeue(self, job_id: str) -> None:
        self.queued.pop(job_id, None)
        self.queued_models.discard(job_id)

    def note_deferred(self, entry: JobEntry) -> None:
        self.deferred.setdefault(lane(head_of(entry)), DelayedQueue()).note(replace(entry, sealed_payload=""))

    def forget_deferred(self, key: str, job_id: str) -> None:
        behind = self.deferred.get(key)
        if behind is not None:
            behind.forget(job_id)
            if not len(behind):
                del self.deferred[key]

    def note_finished(self, head: Job) -> None:
        self.finished[head.id] = head.scope
        if len(self.finished) > REMEMBERED:
            self.finished.popitem(last=False)

    def strike_out(self, job_id: str) -> None:
        """The job is over here, or lies in the ledger."""
        self.dequeue(job_id)
        self.heads.pop(job_id, None)
        self.expected.pop(job_id, None)
        self.cancelled.discard(job_id)
        self.republished.pop(job_id, None)
        self.moved()

    def forget_scope(self, scope: Scope) -> None:
        """What is said anew in the scope may lead to jobs of the same ids."""
        for key, waiting in list(self.deferred.items()):
            if waiting.scope == scope:
                del self.deferred[key]
        for job_id in [job_id for job_id, owner in self.finished.items() if owner == scope]:
            del self.finished[job_id]

    @contextlib.contextmanager
    def being_saved(self, job_id: str) -> Iterator[None]:
        self.saving.add(job_id)
        try:
            yield
        finally:
            self.saving.discard(job_id)
            self.moved()

    def moved(self) -> None:
        self.progress.set()


def head_of(entry: JobEntry) -> Job:
    return Job(
        id=entry.job_id,
        kind=entry.kind,
        scope=entry.scope,
        payload={},
        created_at=entry.created_at,
        attempt=entry.attempt,
        trigger=entry.trigger,
    )
