"""Stops the jobs of a scope in this worker while data of the scope is erased.

The counters allow optimistic checks: code that reads a counter before and after an await knows whether an interruption began in
between.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator

from ..memory.ports import Job
from ..memory.scope import Scope
from .registry import is_long
from .worker_state import WorkerState


class ScopeGate:
    """Records which scopes are being erased or suspended, and counts how often that began.

    ``state``: of the worker that uses the gate.  A gate without a worker stops nothing.
    """

    def __init__(self) -> None:
        self.state = WorkerState()
        self.erasing: dict[Scope, asyncio.Event] = {}  # set when the erasure is over
        self.suspended: dict[Scope, asyncio.Event] = {}  # set when its long jobs may run again
        self.interruptions: Counter[Scope] = Counter()  # erasures and suspensions that have begun so far
        self.erasures: Counter[Scope] = Counter()

    async def wait_until_open(self, job: Job) -> None:
        """Wait until neither an erasure nor a suspension keeps the job from running."""
        while True:
            over = self.erasing.get(job.scope)
            if over is None and is_long(job.kind):
                over = self.suspended.get(job.scope)
            if over is None:
                return
            await over.wait()

    @contextlib.asynccontextmanager
    async def drain(self, scope: Scope) -> AsyncIterator[None]:
        """Context manager for an erasure: inside, no job of the scope runs in this worker.

        Running jobs are cancelled and leave no entry in the job store.  New jobs wait.
        """
        over = self.erasing[scope] = asyncio.Event()
        self.interruptions[scope] += 1
        self.erasures[scope] += 1
        try:
            await self.state.stop_running(scope, long_only=False)
            # A save in progress could otherwise write an entry after the erasure has removed the scope's entries.
            await self.state.wait_until_saved(scope)
            self.state.forget_delayed(scope)
            yield
        finally:
            del self.erasing[scope]
            over.set()

    @contextlib.asynccontextmanager
    async def suspend(self, scope: Scope) -> AsyncIterator[None]:
        """Context manager: inside, no long job of the scope runs in this worker.  Cancelled jobs start again afterwards."""
        over = self.suspended[scope] = asyncio.Event()
        self.interruptions[scope] += 1
        try:
            await self.state.stop_running(scope, long_only=True)
            yield
        finally:
            del self.suspended[scope]
            over.set()
