"""Fifty conversations at once, with people who come and go: some have their memory exported, some have it erased."""

import asyncio
import contextlib
import json
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime, timedelta
from random import Random

from tests.crash.people import SETTLED_TIMEOUT_S, TURN_TIMEOUT_S, People
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import ExportFacts, ListFacts, ListJobs, SubmitJob, WaitUntilIdle
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.turn_trace import TurnTrace

TURNS_OF_A_VISIT = (8, 40)  # then a person leaves, and another one comes
ERASURE_S = 60.0


class Crowd(People):
    """All share one connection, because each reply goes to every subscriber of its topic.

    ``pause_s``: mean seconds between a person's turns.  ``erased``: people whose memory was erased, by receipt.  ``leaving``:
    people who asked for that and have no receipt yet, so that nothing is known about their turns.
    """

    def __init__(self, connect: Callable[[], Awaitable[MemoryBus]], count: int, random: Random, *, pause_s: float) -> None:
        super().__init__(connect, count)
        self.erased: list[str] = []
        self.leaving: list[str] = []
        self.recorded = 0  # turns ever acknowledged
        self.exported = 0
        self.missing_in_exports: list[str] = []
        self.request_clock_off_s = 0.0
        self._came = count
        self._random = random
        self._pause_s = pause_s
        self._shared: asyncio.Task[MemoryBus] | None = None

    @property
    def stored(self) -> int:
        """Acknowledged turns that are not erased."""
        return len(self.tally.acknowledged)

    async def hang_up(self) -> None:
        """Close the shared connection: the stack is another one now."""
        shared, self._shared = self._shared, None
        if shared is not None:
            with contextlib.suppress(Exception):  # it may never have opened, or its broker is away
                async with asyncio.timeout(5):
                    await (await shared).close()

    async def _person(self, user: str) -> None:
        while True:
            for _ in range(self._random.randint(*TURNS_OF_A_VISIT)):
                await self._asking.wait()
                with contextlib.suppress(MemoryServiceError, TimeoutError):
                    await self._ask(await self._bus(), user)
                await asyncio.sleep(self._random.expovariate(1 / self._pause_s))
            user = await self._leave(user)

    async def _bus(self) -> MemoryBus:
        """Raises: MemoryServiceError (no stack answers)."""
        if self._shared is None or (self._shared.done() and self._shared.exception() is not None):
            self._shared = asyncio.ensure_future(self._connect())
        return await asyncio.shield(self._shared)

    async def _ask(self, bus: MemoryBus, user: str) -> None:
        self.tally.asked += 1
        word = f"word{self.tally.asked:06}"
        shifted = datetime.now(UTC) + timedelta(seconds=self.request_clock_off_s)
        request = AgentRequest(
            question=f"I keep {word} in the drawer",
            user=user,
            collection="default",
            conversation_id=f"talk-{user}",
            asked_at=shifted.isoformat() if self.request_clock_off_s else "",
        )
        trace = TurnTrace(question=request.question, conversation_id=request.conversation_id)
        async for message in bus.ask(request, timeout_s=TURN_TIMEOUT_S):
            trace.feed(message)
        if trace.cited.get("recorded") is True:
            self.tally.acknowledged[word] = user
            self.recorded += 1

    async def _leave(self, user: str) -> str:
        """The person's memory is erased, exported or left as it is.  Returns who comes instead."""
        way = self._random.random()
        if way < 0.4:
            await self._erase(user)
        elif way < 0.7:
            with contextlib.suppress(MemoryServiceError, TimeoutError):
                await self._export(user)
        self._came += 1
        newcomer = f"user{self._came}"
        self.users.append(newcomer)
        return newcomer

    async def _erase(self, user: str) -> None:
        """Until a receipt says that it is complete."""
        self.users.remove(user)
        self.leaving.append(user)
        told = self.tally.acknowledged
        self.tally.acknowledged = {word: who for word, who in told.items() if who != user}
        while True:
            await self._asking.wait()
            with contextlib.suppress(MemoryServiceError, TimeoutError):
                if await self._erased(await self._bus(), user):
                    return
            await asyncio.sleep(2.0)

    async def _erased(self, bus: MemoryBus, user: str) -> bool:
        """Whether a receipt came.  Raises: MemoryServiceError."""
        job = SubmitJob(user=user, kind="forget", payload=json.dumps({"level": "user"}), timeout_s=ERASURE_S)
        if not (await bus.call(job)).data:
            return False
        self.leaving.remove(user)
        self.erased.append(user)
        return True

    async def erase_the_rest(self) -> None:
        """Ask once more for each erasure without a receipt.  Raises: TimeoutError (one does not end)."""
        async with await self._connect() as bus:
            for user in list(self.leaving):
                async with asyncio.timeout(SETTLED_TIMEOUT_S):
                    while not await self._erased(bus, user):
                        pass  # it waited for the receipt, as long as a client does

    async def _export(self, user: str) -> None:
        """All acknowledged words must be in it, if nothing is waiting.  Raises: MemoryServiceError."""
        bus = await self._bus()
        waiting = (await bus.call(WaitUntilIdle(user=user, kind="record", timeout_s=20))).count
        waiting += (await bus.call(ListJobs(user=user, status="deferred"))).count
        lines, cursor = "", ""
        while True:
            page = await bus.call(ExportFacts(user=user, limit=500, cursor=cursor))
            lines += page.data
            cursor = page.stats.get("next", "")
            if not cursor:
                break
        self.exported += 1
        if not waiting:
            mine = [word for word, who in self.tally.acknowledged.items() if who == user]
            self.missing_in_exports += [word for word in mine if word not in lines]

    async def came_back(self) -> list[str]:
        """Erased people of whom something is stored."""
        found = []
        async with await self._connect() as bus:
            for user in self.erased:
                if (await bus.call(ListFacts(user=user, limit=10))).facts:
                    found.append(user)
        return found
