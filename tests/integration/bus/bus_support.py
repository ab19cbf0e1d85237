"""What the bus tests share."""

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from tests.doubles.small_stores import MemoryKeyRing
from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.memory.ports import Job, JobKind
from trustgraph_react_mem.memory.scope import Scope

DEADLINE_S = 15.0


def make_keyring() -> MemoryKeyRing:
    def check() -> None:
        return None

    return MemoryKeyRing(check, check)


def scope(user: str = "ann") -> Scope:
    return Scope(workspace="default", user=user, collection="default")


def job(number: int, user: str = "ann", kind: JobKind = "record", **payload: Any) -> Job:
    return Job(
        id=f"{user}-{kind}-{number}",
        kind=kind,
        scope=scope(user),
        payload={"number": number, **payload},
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
    )


async def until(condition: Callable[[], bool], *, deadline_s: float = DEADLINE_S) -> None:
    """Wait for something another process does; fails the test when it does not come."""
    async with asyncio.timeout(deadline_s):
        while not condition():  # noqa: ASYNC110 - another process can set no event
            await asyncio.sleep(0.01)


async def kill(broker: EmbeddedBroker) -> None:
    """Kill -9.  Returns when it was started again and listens."""
    pid = broker.pid
    os.kill(pid, signal.SIGKILL)
    await until(lambda: broker.pid not in (0, pid))
    async with asyncio.timeout(DEADLINE_S):
        while True:
            with contextlib.suppress(OSError):
                _, writer = await asyncio.open_connection("127.0.0.1", broker.port)
                writer.close()
                return await writer.wait_closed()
            await asyncio.sleep(0.01)
