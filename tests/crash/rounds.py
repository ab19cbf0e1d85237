"""Real processes under load, killed at random moments, and what is there afterwards.

People ask without pause.  A turn whose last message says that it was recorded is acknowledged; each has a word of its own, so
that it can be counted afterwards: as a verbatim record, and in its conversation.
"""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Literal

from trustgraph_react_mem.bus.client import MemoryBus
from trustgraph_react_mem.cli.trace import TurnTrace
from trustgraph_react_mem.errors import EngineUnavailable, MemoryServiceError
from trustgraph_react_mem.schema import AgentRequest, ConversationsRequest, FactsRequest, JobsRequest

ROOT = Path(__file__).parents[2]
USERS = 6
READY_TIMEOUT_S = 60.0
TURN_TIMEOUT_S = 8.0
IDLE_TIMEOUT_S = 90.0

Victim = Literal["machine", "stack", "broker", "starting stack"]


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


@dataclass(slots=True)
class Stack:
    """One running stack."""

    process: asyncio.subprocess.Process
    address: str = ""
    broker: int = 0

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
        return cls(process)

    async def ready(self) -> None:
        assert self.process.stdout is not None
        async with asyncio.timeout(READY_TIMEOUT_S):
            line = await self.process.stdout.readline()
        if not line:
            raise RuntimeError("the stack ended before it was ready: see stack.log in the directory of the rounds")
        told = json.loads(line)
        self.address, self.broker = told["address"], told["broker"]

    async def kill(self, *, broker_too: bool) -> None:
        """kill -9; without the broker, that one has to notice by itself."""
        with contextlib.suppress(ProcessLookupError):
            if broker_too:
                os.killpg(self.process.pid, signal.SIGKILL)
            else:
                self.process.kill()
        await self.process.wait()


class Rounds:
    def __init__(self, home: Path, seed: int) -> None:
        self.tally = Tally()
        self._home = home
        self._random = Random(seed)
        self._stack: Stack | None = None
        self._asking = asyncio.Event()

    async def run(self, rounds: int) -> Tally:
        """Raises: RuntimeError, TimeoutError (a stack that does not start again)."""
        stack = await self._up()
        people = [asyncio.create_task(self._person(f"user{number}")) for number in range(USERS)]
        try:
            for _ in range(rounds):
                self._asking.set()
                await asyncio.sleep(self._random.uniform(0.7, 2.5))
                stack = await self._struck(stack, self._victim())
                self.tally.rounds += 1
            await asyncio.sleep(1.0)
        finally:
            for person in people:
                person.cancel()
            await asyncio.gather(*people, return_exceptions=True)
        await stack.kill(broker_too=True)
        stack = await self._up()
        try:
            await self._count(stack)
        finally:
            await stack.kill(broker_too=True)
        return self.tally

    def _victim(self) -> Victim:
        # every kind in the first rounds, then any
        kinds: Sequence[Victim] = ("stack", "broker", "machine", "starting stack")
        return kinds[self.tally.rounds] if self.tally.rounds < len(kinds) else self._random.choice(kinds)

    async def _struck(self, stack: Stack, victim: Victim) -> Stack:
        if victim == "broker":
            with contextlib.suppress(ProcessLookupError):
                os.kill(_broker_of(stack), signal.SIGKILL)
            return stack  # the stack starts another one by itself
        self._asking.clear()
        await stack.kill(broker_too=victim == "machine")
        if victim == "starting stack":
            starting = await Stack.launched(self._home)
            await asyncio.sleep(self._random.uniform(0.1, 2.0))
            await starting.kill(broker_too=True)
        return await self._up()

    async def _up(self) -> Stack:
        stack = await Stack.launched(self._home)
        await stack.ready()
        self._stack = stack
        self._asking.set()
        return stack

    # ------------------------------------------------------------------------------------------------ load

    async def _person(self, user: str) -> None:
        while True:
            await self._asking.wait()
            assert self._stack is not None
            address = self._stack.address
            with contextlib.suppress(MemoryServiceError, TimeoutError):
                async with await MemoryBus.connect(address) as bus:
                    while self._asking.is_set() and self._stack.address == address:
                        await self._ask(bus, user)
            await asyncio.sleep(0.05)

    async def _ask(self, bus: MemoryBus, user: str) -> None:
        self.tally.asked += 1
        word = f"word{self.tally.asked:06}"
        request = AgentRequest(
            question=f"I keep {word} in the drawer", user=user, collection="default", conversation_id=f"talk-{user}"
        )
        trace = TurnTrace(question=request.question, conversation_id=request.conversation_id)
        async for message in bus.ask(request, timeout_s=TURN_TIMEOUT_S):
            for _ in trace.feed(message):
                pass
        if trace.cited.get("recorded") is True:
            self.tally.acknowledged[word] = user

    # ------------------------------------------------------------------------------------------------ counting

    async def _count(self, stack: Stack) -> None:
        records: Counter[str] = Counter()
        invocations: Counter[str] = Counter()
        async with await MemoryBus.connect(stack.address) as bus:
            for user in (f"user{number}" for number in range(USERS)):
                idle = JobsRequest(operation="wait-idle", kind="record", user=user, timeout_s=IDLE_TIMEOUT_S)
                await bus.jobs(idle)
                records.update(await _words(bus, user))
                whole = ConversationsRequest(operation="get", user=user, conversation_id=f"talk-{user}", limit=100_000)
                with contextlib.suppress(MemoryServiceError):  # nothing of this user was kept: counted as lost below
                    found = (await bus.conversations(whole)).conversation
                    invocations.update(item.query.split()[2] for item in found.invocations if found) if found else None
        tally = self.tally
        for word in tally.acknowledged:
            if not records[word] or not invocations[word]:
                tally.lost.append(word)
        tally.doubled = sorted({word for counted in (records, invocations) for word, number in counted.items() if number > 1})
        tally.found = sum(1 for word in tally.acknowledged if records[word] and invocations[word])
        tally.unacknowledged_kept = len(set(records) - set(tally.acknowledged))


async def _words(bus: MemoryBus, user: str) -> list[str]:
    """Of all questions that are kept of a user as verbatim records."""
    words: list[str] = []
    offset = 0
    while True:
        request = FactsRequest(operation="list", user=user, kinds=["turn"], limit=500, offset=offset)
        facts = (await bus.facts(request)).facts
        words += [fact.content.split()[2] for fact in facts if fact.content.startswith("I keep ")]
        if len(facts) < 500:
            return words
        offset += len(facts)


def _broker_of(stack: Stack) -> int:
    """The broker of the moment: the stack may have started another one since it was ready.  0 is never returned."""
    for line in Path(f"/proc/{stack.process.pid}/task/{stack.process.pid}/children").read_text().split():
        with contextlib.suppress(OSError):
            if "pulsar" in Path(f"/proc/{line}/cmdline").read_text():
                return int(line)
    if not stack.broker:
        raise EngineUnavailable("the stack has no broker of its own")
    return stack.broker
