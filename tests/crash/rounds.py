"""Real processes under load, killed at random moments, and what is there afterwards."""

import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Literal

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.stack_state import running_stack

from .people import People, Tally

ROOT = Path(__file__).parents[2]
USERS = 6
READY_TIMEOUT_S = 240.0  # a start takes seconds, on a busy machine minutes

Victim = Literal["stack", "starting stack"]


@dataclass(slots=True)
class Stack:
    """One running stack."""

    process: asyncio.subprocess.Process
    home: Path

    @classmethod
    async def launched(cls, home: Path) -> "Stack":
        with (home / "stack.log").open("ab") as log:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                "-m",
                "tests.crash.stack",
                str(home),
                stdout=asyncio.subprocess.PIPE,
                stderr=log,
                cwd=ROOT,
                start_new_session=True,
            )
        return cls(process, home)

    async def ready(self) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(READY_TIMEOUT_S):
            line = await self.process.stdout.readline()
        if not line:
            raise RuntimeError("the stack ended before it was ready: see stack.log in the directory of the rounds")

    async def kill(self) -> None:
        """kill -9."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        await self.process.wait()


class Rounds:
    def __init__(self, home: Path, seed: int) -> None:
        self._home = home
        self._random = Random(seed)
        self._people = People(self._connected, USERS)
        self.tally = self._people.tally

    async def run(self, rounds: int) -> Tally:
        """Raises: RuntimeError, TimeoutError (a stack that does not start again)."""
        stack = await self._up()
        async with self._people.asking():
            for _ in range(rounds):
                self._people.resume()
                await self._people.acknowledged(1)  # however slow the machine is: without one, a round shows nothing
                await asyncio.sleep(self._random.uniform(0.0, 2.0))
                stack = await self._struck(stack, self._victim())
                self.tally.rounds += 1
            await asyncio.sleep(1.0)
        await stack.kill()
        stack = await self._up()
        try:
            return await self._people.count()
        finally:
            await stack.kill()

    def _victim(self) -> Victim:
        # every kind in the first rounds, then any
        kinds: Sequence[Victim] = ("stack", "starting stack")
        return kinds[self.tally.rounds] if self.tally.rounds < len(kinds) else self._random.choice(kinds)

    async def _struck(self, stack: Stack, victim: Victim) -> Stack:
        self._people.silence()
        await stack.kill()
        if victim == "starting stack":
            starting = await Stack.launched(self._home)
            await asyncio.sleep(self._random.uniform(0.1, 2.0))
            await starting.kill()
        return await self._up()

    async def _up(self) -> Stack:
        stack = await Stack.launched(self._home)
        await stack.ready()
        self._people.resume()
        return stack

    async def _connected(self) -> MemoryBus:
        stack = running_stack(self._home / "data")
        if stack is None:
            raise EngineUnavailable("no stack is running at this moment")
        return await MemoryBus.connect(stack.address)
