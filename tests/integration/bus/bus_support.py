"""What the bus tests share."""

import asyncio
import base64
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from trustgraph_react_mem.errors import ScopeErased
from trustgraph_react_mem.memory.ports import Job, JobKind
from trustgraph_react_mem.memory.scope import Scope

DEADLINE_S = 15.0


class PlainKeys:
    """A key ring that hides nothing but forgets as the real one does."""

    def __init__(self) -> None:
        self.destroyed: set[Scope] = set()

    async def seal(self, scope: Scope, plain: bytes) -> str:
        return base64.b64encode(plain).decode()

    async def open(self, scope: Scope, sealed: str) -> bytes:
        if scope in self.destroyed:
            raise ScopeErased("the key is gone")
        return base64.b64decode(sealed)

    async def destroy(self, scope: Scope) -> bool:
        self.destroyed.add(scope)
        return True


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
