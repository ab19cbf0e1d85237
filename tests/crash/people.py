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
from trustgraph_react_mem.errors import EngineUnavailable, MemoryServiceError, NotFound
from trustgraph_react_mem.memory.requests import GetConversation, ListFacts, WaitUntilIdle
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.turn_trace import TurnTrace

TURN_TIMEOUT_S = 8.0
IDLE_TIMEOUT_S = 90.0
SETTLED_TIMEOUT_S = 300.0
SERVICE_TIMEOUT_S = 120.0  # bounds a failure
UNCONFIRMED = "did not confirm"  # as the agent says it, and the bus


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
        self.unacknowledged: list[str] = []  # how each other turn ended, by its word
        self.users = [f"{named}{number}" for number in range(count)]
        self.told: dict[str, list[str]] = {}  # user -> the words of the conversation as it is kept, once counted
        self._connect = connect
        self._asking = asyncio.Event()
        self._turn_timeout_s = turn_timeout_s
        self._running: dict[str, str] = {}  # word -> user, of the turns that run now
        self._tasks: list[asyncio.Task[None]] = []

    @asynccontextmanager
    async def asking(self) -> AsyncIterator[None]:
        """They ask while this lasts, unless they are silenced."""
        self._asking.set()
        self._tasks = [asyncio.create_task(self._person(user)) for user in self.users]
        try:
            yield
        finally:
            for person in self._tasks:
                person.cancel()
            ended = await asyncio.gather(*self._tasks, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception):
                raise error

    def silence(self) -> None:
        """Until ``resume``, when everybody connects anew."""
        self._asking.clear()

    def resume(self) -> None:
        self._asking.set()

    async def answered(self) -> None:
        """Until the turns that run now have ended, each within its time limit."""
        begun = set(self._running)
        await self._until(lambda: not begun & set(self._running))

    async def acknowledged(self, more: int, timeout_s: float = 60.0) -> None:
        """Until so many further turns were acknowledged.  Raises: TimeoutError (in ``timeout_s`` not one was)."""
        wanted = len(self.tally.acknowledged) + more
        while (now := len(self.tally.acknowledged)) < wanted:
            try:
                async with asyncio.timeout(timeout_s):
                    await self._until(lambda now=now: len(self.tally.acknowledged) > now)  # type: ignore[misc]
            except TimeoutError:
                raise TimeoutError(
                    f"no turn was acknowledged in {timeout_s:g} s; {wanted - now} of {more} are missing; these run: "
                    f"{self._running}; others ended so: {self.unacknowledged[-5:]}"
                ) from None

    async def _until(self, holds: Callable[[], bool]) -> None:
        """Raises: what ended a person."""
        while not holds():
            for person in self._tasks:
                if person.done():
                    person.result()
            await asyncio.sleep(0.05)

    async def _person(self, user: str) -> None:
        while True:
            await self._asking.wait()
            # Connects again after each failure, without a limit.
            with contextlib.suppress(MemoryServiceError, TimeoutError):
                async with await self._connect() as bus:
                    while self._asking.is_set():
                        await self._ask(bus, user)
            await asyncio.sleep(0.05)

    async def _ask(self, bus: MemoryBus, user: str) -> None:
        self.tally.asked += 1
        word = f"word{self.tally.asked:06}"
        self._running[word] = user
        try:
            await self._turn(bus, user, word)
        except (MemoryServiceError, TimeoutError) as error:
            self.unacknowledged.append(f"{word} of {user}: {type(error).__name__}: {error}")
            raise
        finally:
            del self._running[word]

    async def _turn(self, bus: MemoryBus, user: str, word: str) -> None:
        request = AgentRequest(
            question=f"I keep {word} in the drawer", user=user, collection="default", conversation_id=f"talk-{user}"
        )
        trace = TurnTrace(question=request.question, conversation_id=request.conversation_id)
        async for message in bus.ask(request, timeout_s=self._turn_timeout_s):
            for _ in trace.feed(message):
                pass
        if trace.cited.get("recorded") is True:
            self.tally.acknowledged[word] = user
            self.missing += [f"{word} of {user}: {part}" for part in trace.missing]
        elif any(UNCONFIRMED in thought for thought in trace.thoughts):
            self.unconfirmed.append(word)
        else:
            how = trace.error or trace.cited or repr(trace.answer)
            self.unacknowledged.append(f"{word} of {user}: {how} {trace.thoughts[-1:]}")

    async def count(self) -> Tally:
        """What is kept of it, once every record job has run; one that was put off meanwhile is waited for.

        A slow machine is waited for, too: turns count as lost if in SETTLED_TIMEOUT_S none of them is kept.

        Raises: EngineUnavailable (the services have not answered for so long).
        """
        tally, clock = self.tally, asyncio.get_running_loop().time
        tally.lost, deadline = list(tally.acknowledged), clock() + SETTLED_TIMEOUT_S
        while True:
            try:
                records, invocations = await self._kept()
            except EngineUnavailable:
                if clock() > deadline:
                    raise
            else:
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
                await bus.call(idle, SERVICE_TIMEOUT_S)
                records.update(await _words(bus, user))
                whole = GetConversation(user=user, conversation_id=f"talk-{user}", limit=100_000)
                with contextlib.suppress(NotFound):  # nothing of this user was kept: counted as lost
                    found = (await bus.call(whole, SERVICE_TIMEOUT_S)).conversation
                    self.told[user] = [item.query.split()[2] for item in found.invocations] if found else []
                    invocations.update(self.told[user])
        return records, invocations


async def _words(bus: MemoryBus, user: str) -> list[str]:
    """Of all questions that are kept of a user as verbatim records."""
    words: list[str] = []
    offset = 0
    while True:
        request = ListFacts(user=user, kinds=["turn"], limit=500, offset=offset)
        facts = (await bus.call(request, SERVICE_TIMEOUT_S)).facts
        words += [fact.content.split()[2] for fact in facts if fact.content.startswith("I keep ")]
        if len(facts) < 500:
            return words
        offset += len(facts)
