"""Keeping a scope still in this worker while something of it is forgotten."""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Sequence

from ..memory.ports import Job
from ..memory.scope import Scope
from .delivery import LONG_KINDS
from .worker_state import WorkerState


class ScopeGate:
    """Which scopes are being erased or rest, and how often that was so."""

    def __init__(self, books: WorkerState) -> None:
        self._books = books
        self._erasing: dict[Scope, asyncio.Event] = {}  # set when the erasure is over
        self._paused: dict[Scope, asyncio.Event] = {}  # model jobs wait for it
        self.interruptions: Counter[Scope] = Counter()  # erasures and pauses so far
        self.erasures: Counter[Scope] = Counter()

    def is_erasing(self, scope: Scope) -> bool:
        return scope in self._erasing

    def is_paused(self, scope: Scope) -> bool:
        return scope in self._paused

    def held_back(self, head: Job) -> asyncio.Event | None:
        """What the job has to wait for before it may run."""
        erasing = self._erasing.get(head.scope)
        return self._paused.get(head.scope) if erasing is None and head.kind in LONG_KINDS else erasing

    @contextlib.asynccontextmanager
    async def quiet(self, scope: Scope) -> AsyncIterator[None]:
        """While inside, nothing of the scope runs here, and what was running leaves no trace.  Others wait."""
        books, over = self._books, asyncio.Event()
        self._erasing[scope] = over
        self.interruptions[scope] += 1
        self.erasures[scope] += 1
        try:
            await self._stopped([job_id for job_id in books.running if books.heads[job_id].scope == scope])
            # entries are saved in groups: one of this scope may be written again with those of others
            under_way = set(books.saving)
            while under_way & books.saving:
                books.progress.clear()
                await books.progress.wait()
            books.forget_scope(scope)
            yield
        finally:
            del self._erasing[scope]
            over.set()

    @contextlib.asynccontextmanager
    async def paused(self, scope: Scope) -> AsyncIterator[None]:
        """While inside, no job of the scope that takes long runs here; those that were running begin anew afterwards."""
        books, over = self._books, asyncio.Event()
        self._paused[scope] = over
        self.interruptions[scope] += 1
        try:
            running = [books.heads[job_id] for job_id in books.running]
            await self._stopped([head.id for head in running if head.scope == scope and head.kind in LONG_KINDS])
            yield
        finally:
            del self._paused[scope]
            over.set()

    async def _stopped(self, job_ids: Sequence[str]) -> None:
        tasks = [self._books.running[job_id] for job_id in job_ids]
        for task in tasks:
            task.cancel()
        if tasks:
            await asyncio.wait(tasks)
