"""Stacks in processes that are forked from one that has imported their modules, which is half of the work of a start."""

import asyncio
import os
import signal
from pathlib import Path

from tests.crash.rounds import Stack
from tests.e2e.warm import WarmProcess, warm_command

LOOK_EVERY_S = 0.05


class ForkedProcess:
    """As ``asyncio.subprocess.Process``.  ``out``: the file that it writes to."""

    def __init__(self, process: WarmProcess, out: Path) -> None:
        self._process = process
        self._out = out
        self.pid = process.pid
        self.stdout = self

    @property
    def returncode(self) -> int | None:
        return self._process.poll()

    async def wait(self) -> int:
        while (code := self._process.poll()) is None:  # noqa: ASYNC110 - it ends in another process
            await asyncio.sleep(LOOK_EVERY_S)
        return code

    async def readline(self) -> bytes:
        """The first line; empty if the process ended without one."""
        while not (written := self._written()).endswith(b"\n") and self._process.poll() is None:  # noqa: ASYNC110 - as above
            await asyncio.sleep(LOOK_EVERY_S)
        return written

    def _written(self) -> bytes:
        return self._out.read_bytes() if self._out.exists() else b""

    def terminate(self) -> None:
        os.kill(self.pid, signal.SIGTERM)

    def kill(self) -> None:
        os.kill(self.pid, signal.SIGKILL)


async def launch(home: Path, program: str) -> Stack:
    """A stack over ``home``, whose log it appends to ``stack.log`` there."""
    out = home / "stack.out"
    out.unlink(missing_ok=True)
    streams = {"stdin": Path(os.devnull), "stdout": out, "stderr": home / "stack.log"}
    warm = await asyncio.to_thread(warm_command, program)
    return Stack(ForkedProcess(warm.start([str(home)], environment=os.environ, streams=streams), out), home)
