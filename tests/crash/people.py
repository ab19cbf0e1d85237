"""People who ask without pause while things break, and what is there of it afterwards.

A turn whose last message says that it was recorded is acknowledged; each has a word of its own, so that it can be counted
afterwards: as a verbatim record, and in its conversation.
"""

import asyncio
import contextlib
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.cli.views.trace import TurnTrace
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import GetConversation, ListFacts, WaitUntilIdle
from trustgraph_react_mem.schema import AgentRequest

TURN_TIMEOUT_S = 8.0
IDLE_TIMEOUT_S = 90.0
SETTLED_TIMEOUT_S = 300.0
UNCONFIRMED = "the message bus did not confirm it in time"


@dataclass(slots=True)
class Tally:
    """``acknowledged`` turns by their word; the others counted afterwards."""

    rounds: int = 0
    asked: int = 0
    acknowledged: dict[str, str] = field(default_factory=dict)  # word -> user
    found: int = 0
    lost: list[str] = field(default_factory=list)
    doubled: list[str] = field(default_factory=list)
    unacknowledged_kept: int = 0

    @property
    def broken(self) -> bool:
        return bool(self.lost or self.doubled)


class People:
    """``connect`` is called for each person, and again whenever the connection or a turn fails."""

    def __init__(
        self,
        connect: Callable[[], Awaitable[MemoryBus]],
        count: int,
        *,
        named: str = "user",
        turn_timeout_s: float = TURN_TIMEOUT_S,
    ) -> None:
        self.tally = Tally()
        self.missing: list[str] = []  # parts of recall that failed in acknowledged turns
        self.unconfirmed: list[str] = []  # words of answered turns that say so: the broker took too long to confirm their jobs
        self.unacknowledged: list[str] = []  # how each other turn ended
        self.users = [f"{named}{number}" for number in range(count)]
        self.told: dict[str, list[str]] = {}  # user -> the words of the conversation as it is kept, once counted
        self._connect = connect
        self._asking = asyncio.Event()
        self._turn_timeout_s = turn_timeout_s
        self._turns = 0  # that run now

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """They ask while this lasts, unless they are silenced."""
        self._asking.set()
        people = [asyncio.create_task(self._person(user)) for user in self.users]
        try:
            yield
        finally:
            for person in people:
                person.cancel()
            await asyncio.gather(*people, return_exceptions=True)

    def silence(self) -> None:
        """Until ``resume``, when everybody connects anew."""
        self._asking.clear()

    def resume(self) -> None:
        self._asking.set()

    async def at_rest(self) -> None:
        """Until the turns that were begun before ``silence`` have ended."""
        while self._turns:  # noqa: ASYNC110 - each has a time limit
            await asyncio.sleep(0.05)

    async def acknowledged(self, more: int, timeout_s: float = 60.0) -> None:
        """Until so many further turns were acknowledged.  Raises: TimeoutError."""
        wanted = len(self.tally.acknowledged) + more
        async with asyncio.timeout(timeout_s):
            while len(self.tally.acknowledged) < wanted:  # noqa: ASYNC110 - answers of other processes
                await asyncio.sleep(0.05)

    async def _person(self, user: str) -> None:
        while True:
            await self._asking.wait()
            try:
                async with await self._connect() as bus:
                    while self._asking.is_set():
                        self._turns += 1
                        try:
                            await self._ask(bus, user)
                        finally:
                            self._turns -= 1
            except (MemoryServiceError, TimeoutError) as error:
                self.unacknowledged.append(f"{type(error).__name__}: {error}")
            await asyncio.sleep(0.05)

    async def _ask(self, bus: MemoryBus, user: str) -> None:
        self.tally.asked += 1
        word = f"word{self.tally.asked:06}"
        request = AgentRequest(
            question=f"I keep {word} in the drawer", user=user, collection="default", conversation_id=f"talk-{user}"
        )
        trace = TurnTrace(question=request.question, conversation_id=request.conversation_id)
        async for message in bus.ask(request, timeout_s=self._turn_timeout_s):
            for _ in trace.feed(message):
                pass
        if trace.cited.get("recorded") is True:
            self.tally.acknowledged[word] = user
            self.missing += trace.missing
        elif any(UNCONFIRMED in thought for thought in trace.thoughts):
            self.unconfirmed.append(word)
        else:
            self.unacknowledged.append(f"{word}: {trace.error or trace.cited or trace.answer!r} {trace.thoughts[-1:]}")

    async def count(self) -> Tally:
        """What is kept of it, once every record job has run; one that was put off meanwhile is waited for.

        A slow machine is waited for, too: turns count as lost if in SETTLED_TIMEOUT_S none of them is kept.
        """
        tally, clock = self.tally, asyncio.get_running_loop().time
        tally.lost, deadline = list(tally.acknowledged), clock() + SETTLED_TIMEOUT_S
        while True:
            records, invocations = await self._kept()
            lost = [word for word in tally.acknowledged if not records[word] or not invocations[word]]
            if len(lost) < len(tally.lost):
                deadline = clock() + SETTLED_TIMEOUT_S
            tally.lost = lost
            if not lost or clock() > deadline:
                break
            await asyncio.sleep(1.0)
        tally.doubled = sorted({word for counted in (records, invocations) for word, number in counted.items() if number > 1})
        tally.found = len(tally.acknowledged) - len(tally.lost)
        tally.unacknowledged_kept = len(set(records) - set(tally.acknowledged))
        return tally

    async def _kept(self) -> tuple[Counter[str], Counter[str]]:
        """Words among the verbatim records and in the conversations, each with how often."""
        records: Counter[str] = Counter()
        invocations: Counter[str] = Counter()
        async with await self._connect() as bus:
            for user in self.users:
                idle = WaitUntilIdle(kind="record", user=user, timeout_s=IDLE_TIMEOUT_S)
                await bus.call(idle)
                records.update(await _words(bus, user))
                whole = GetConversation(user=user, conversation_id=f"talk-{user}", limit=100_000)
                with contextlib.suppress(MemoryServiceError):  # nothing of this user was kept: counted as lost
                    found = (await bus.call(whole)).conversation
                    self.told[user] = [item.query.split()[2] for item in found.invocations] if found else []
                    invocations.update(self.told[user])
        return records, invocations


async def _words(bus: MemoryBus, user: str) -> list[str]:
    """Of all questions that are kept of a user as verbatim records."""
    words: list[str] = []
    offset = 0
    while True:
        request = ListFacts(user=user, kinds=["turn"], limit=500, offset=offset)
        facts = (await bus.call(request)).facts
        words += [fact.content.split()[2] for fact in facts if fact.content.startswith("I keep ")]
        if len(facts) < 500:
            return words
        offset += len(facts)
