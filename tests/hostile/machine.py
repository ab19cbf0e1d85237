"""One data directory with its stack, as somebody outside sees it: the bus, the command line, the files, the log."""

import asyncio
import contextlib
import json
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

from tests.crash.rounds import Stack
from tests.e2e.command import ReactMem, Result
from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import GetJob, ListFacts, Request, StoreFact, SubmitJob, WaitUntilIdle
from trustgraph_react_mem.schema import Fact, JobStatus
from trustgraph_react_mem.stack_state import running_stack
from trustgraph_react_mem.turn_trace import TurnTrace

from .foreign import Foreign, spy_on
from .scene import Scene

Response = TypeVar("Response")
KEPT_S = 25.0  # for a turn to be in memory; measured are one or two seconds
STOP_S = 30.0
ROUND_S = 5.0


class Machine:
    def __init__(self, home: Path) -> None:
        self.home = home
        self.data = home / "data"
        self.stack: Stack | None = None
        self.scene = Scene()
        self._bus: MemoryBus | None = None
        self._foreign: Foreign | None = None
        self._people = 0

    # -------------------------------------------------------------------------------------------- the stack

    async def up(self) -> None:
        """Start the stack, and stop what ran before.  Raises: RuntimeError (it ended), TimeoutError."""
        await self.kill()
        stack = await Stack.launched(self.home, "tests.hostile.stack")
        self.stack = stack
        await stack.ready()
        spy_on(self.data)

    async def kill(self) -> None:
        """kill -9"""
        await self._disconnect()
        if self.stack is not None:
            await self.stack.kill()
            self.stack = None

    async def stop(self) -> int:
        """SIGTERM, and the exit code.  Raises: TimeoutError."""
        assert self.stack is not None
        await self._disconnect()
        self.stack.process.terminate()
        async with asyncio.timeout(STOP_S):
            code = await self.stack.process.wait()
        self.stack = None
        return code

    def direct(self, **scene: Any) -> None:
        """Change what the models and the clock do from now on."""
        self.scene = replace(self.scene, **scene)
        self.scene.save(self.home / "scene.json")

    async def _disconnect(self) -> None:
        bus, self._bus = self._bus, None
        foreign, self._foreign = self._foreign, None
        for client in (bus, foreign):
            if client is not None:
                with contextlib.suppress(Exception):  # its broker may be away
                    async with asyncio.timeout(5):
                        await client.close()

    # ------------------------------------------------------------------------------------------- the bus

    @property
    def address(self) -> BusAddress:
        """As the owner of the data directory finds it.  Raises: RuntimeError (no stack runs)."""
        running = running_stack(self.data)
        if running is None:
            raise RuntimeError("no stack is running any more")
        return running.address

    async def bus(self) -> MemoryBus:
        if self._bus is None:
            self._bus = await MemoryBus.connect(self.address)
        return self._bus

    @property
    def foreign(self) -> Foreign:
        if self._foreign is None:
            self._foreign = Foreign.at(self.address, self.data)
        return self._foreign

    async def call(self, request: Request[Response], timeout_s: float = 30.0) -> Response:
        """Raises: MemoryServiceError."""
        return await (await self.bus()).call(request, timeout_s)

    async def ask(self, question: str, user: str, timeout_s: float = 60.0, **fields: Any) -> TurnTrace:
        """One turn, sent as any client may send it."""
        record = {"question": question, "user": user, "collection": "default", "conversation_id": f"talk-{user}", **fields}
        return await self.foreign.ask(record, timeout_s)

    async def tell(self, user: str, text: str, **fields: Any) -> None:
        """A turn that must be acknowledged and kept."""
        trace = await self.ask(text, user, **fields)
        assert trace.cited.get("recorded") is True, f"a turn of {user} was not recorded: {trace.error or trace.cited}"
        scope = {"collection": fields["collection"]} if "collection" in fields else {}
        assert await self.finds(user, text, **scope), f"a turn of {user} is acknowledged, but not kept"

    def person(self, name: str = "person") -> str:
        """A new user."""
        self._people += 1
        return f"{name}{self._people}"

    async def facts(self, user: str, **fields: Any) -> list[Fact]:
        return list((await self.call(ListFacts(user=user, limit=1000, **fields))).facts)

    async def finds(self, user: str, text: str, within_s: float = KEPT_S, **fields: Any) -> bool:
        """Whether a record of the user holds the text, now or soon."""

        async def found() -> bool:
            return any(text in fact.content for fact in await self.facts(user, **fields))

        return await eventually(found, within_s)

    async def jobs(self, user: str = "ana", *, everyone: bool = False, status: str = "") -> list[JobStatus]:
        """Jobs as the command line lists them: it holds what its owner may see."""
        chosen = [*(["--all"] if everyone else []), *(["--status", status] if status else [])]
        listed = await self.command(user, "jobs", "list", "--limit", "10000", *chosen)
        known = {each.name for each in fields(JobStatus)}
        return [JobStatus(**{key: value for key, value in job.items() if key in known}) for job in listed.value["jobs"]]

    async def unfinished(self, user: str, within_s: float = KEPT_S, kind: str = "record", **fields: Any) -> int:
        """Jobs of the user that are still open after a while."""
        left = 0

        async def idle() -> bool:
            nonlocal left
            left = (await self.call(WaitUntilIdle(user=user, kind=kind, timeout_s=min(within_s, ROUND_S), **fields))).count
            return not left

        await eventually(idle, within_s)
        return left

    async def still_records(self) -> None:
        """A question of a new person is answered, its turn is recorded, and a search finds it."""
        user = self.person("newcomer")
        await self.tell(user, f"I keep the keys of {user} in the drawer")

    async def store(self, user: str, content: str, **fields: Any) -> str:
        return (await self.call(StoreFact(user=user, content=content, **fields))).fact_id

    async def forget(self, user: str, *, timeout_s: float = 60.0, **payload: Any) -> dict[str, Any]:
        """The receipt of an erasure; empty if it is not done in time."""
        job = await self.call(SubmitJob(user=user, kind="forget", payload=json.dumps(payload), timeout_s=ROUND_S))
        receipt = job.data

        async def given() -> bool:
            nonlocal receipt
            receipt = receipt or (await self.call(GetJob(user=user, id=job.job_id))).data
            return bool(receipt)

        found: dict[str, Any] = json.loads(receipt) if await eventually(given, timeout_s) else {}
        return found

    # ---------------------------------------------------------------------------------- command line, files, log

    async def command(self, user: str, *arguments: str) -> Result:
        """``react-mem`` with ``--json`` over the data directory; it must succeed."""
        result = await asyncio.to_thread(ReactMem(self.home, user).run, *arguments, "--json", timeout_s=120)
        assert result.code == 0, f"react-mem {' '.join(arguments)} exits with {result.code}: {(result.err + result.out)[-300:]}"
        return result

    @property
    def log(self) -> str:
        file = self.home / "stack.log"
        return file.read_text("utf-8", "replace") if file.exists() else ""

    async def grep(self, words: Sequence[str]) -> dict[str, set[str]]:
        """The files of the machine that hold a word, by word, in UTF-8 or UTF-16; words that no file holds are left out."""
        return await asyncio.to_thread(grep, [self.data, self.home / "keys"], words)


def grep(folders: Iterable[Path], words: Sequence[str]) -> dict[str, set[str]]:
    forms = {word.encode(code): word for word in words for code in ("utf-8", "utf-16-le")}
    wanted = re.compile(b"|".join(map(re.escape, forms)))
    found: dict[str, set[str]] = {}
    for folder in folders:
        for file in files_of(folder):
            with contextlib.suppress(OSError):  # it may go while it is read
                if file.is_file():
                    for piece in written(file):
                        for hit in wanted.findall(piece):
                            found.setdefault(forms[hit], set()).add(str(file.relative_to(folder.parent)))
    return found


def files_of(folder: Path) -> Iterator[Path]:
    """All files in it; folders that go meanwhile are passed over."""
    for place, _, names in os.walk(folder):
        yield from (Path(place) / name for name in names)


def written(file: Path) -> Iterator[bytes]:
    """What was ever written to a file.  Engines reserve hundreds of megabytes that they have not used, which are left out."""
    with file.open("rb") as opened:
        end = 0
        while True:
            try:
                start = os.lseek(opened.fileno(), end, os.SEEK_DATA)
                end = os.lseek(opened.fileno(), start, os.SEEK_HOLE)
            except OSError:  # no more data
                return
            yield os.pread(opened.fileno(), end - start, start)


async def eventually(check: Any, within_s: float, every_s: float = 0.25) -> bool:
    """Whether an asynchronous condition becomes true in time."""
    loop = asyncio.get_running_loop()
    deadline = loop.time() + within_s
    while True:
        if await check():
            return True
        if loop.time() > deadline:
            return False
        await asyncio.sleep(every_s)
