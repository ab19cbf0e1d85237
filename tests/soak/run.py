"""One run: load, faults every minute, samples every few seconds, and the count at the end."""

import asyncio
import contextlib
import os
import signal
import subprocess
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from random import Random

from tests.crash.people import Tally
from tests.hostile.machine import Machine
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import EngineUnavailable

from .crowd import Crowd
from .curves import measure

CONVERSATIONS = 50
PAUSE_S = 8.0
SAMPLE_S = 5.0
FAULT_S = 60.0
LASTING_S = 8.0  # of a fault that does not end by itself
DISK_MB = 3000
HOT_BYTES = 8 * 2**20  # scopes in memory: full while the curves warm up, as they only fill with more people
WARM = 1 / 3  # of the time

# A stack that is killed begins with an empty memory, so it is killed while the curves are not judged, and at the end.
WARM_UP_FAULTS = ("stack killed", "machine killed", "broker killed")
FAULTS = (
    "broker killed",
    "broker stopped",
    "model away",
    "embedder away",
    "embedder refuses",
    "disk full",
    "clock of requests off",
)


@dataclass(slots=True)
class Run:
    """``faults``: seconds and name of each."""

    seconds: float
    warm_s: float
    samples: dict[str, list[float]] = field(default_factory=dict)
    faults: list[tuple[float, str]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    tally: Tally = field(default_factory=Tally)
    people: int = 0
    erased: int = 0
    waited_for_receipts: int = 0  # erasures that had no receipt when the load ended
    exported: int = 0
    missing_in_exports: list[str] = field(default_factory=list)
    came_back: list[str] = field(default_factory=list)
    stuck: list[str] = field(default_factory=list)  # faults after which nobody was recorded until the next one
    ended: list[str] = field(default_factory=list)  # faults that ended the stack, but for those that kill it

    @property
    def lost_or_doubled(self) -> bool:
        return (
            self.tally.broken
            or bool(self.missing_in_exports or self.came_back or self.stuck or self.ended)
            or not self.tally.acknowledged
        )


class Soak:
    def __init__(self, home: Path, minutes: float, seed: int, report: Callable[[str], None]) -> None:
        self._machine = Machine(home)
        self._run = Run(seconds=60 * minutes, warm_s=60 * minutes * WARM)
        self._random = Random(seed)
        self._report = report
        self._crowd = Crowd(self._connected, CONVERSATIONS, self._random, pause_s=PAUSE_S)
        self._ballast: Path | None = None
        self._began = 0.0

    async def run(self) -> Run:
        """Raises: RuntimeError, TimeoutError (a stack that does not start again, an erasure that does not end)."""
        with self._own_disk():
            try:
                return await self._whole()
            finally:
                await self._machine.close()

    async def _whole(self) -> Run:
        run, crowd = self._run, self._crowd
        self._machine.home.mkdir(parents=True, exist_ok=True)
        self._machine.direct(hot_bytes=HOT_BYTES)
        await self._machine.up()
        self._began = asyncio.get_running_loop().time()
        async with crowd.asking():
            sampling = asyncio.create_task(self._sample())
            await self._strike()
            sampling.cancel()
        await crowd.hang_up()
        self._report("counting, after a last kill -9 of the machine")
        await self._machine.kill()
        await self._machine.up()
        run.tally = await crowd.count()
        run.waited_for_receipts = len(crowd.leaving)
        await crowd.erase_the_rest()
        run.came_back = await crowd.came_back()
        run.people, run.erased, run.exported = len(crowd.users) + len(crowd.erased), len(crowd.erased), crowd.exported
        run.missing_in_exports = crowd.missing_in_exports
        return run

    @property
    def _now(self) -> float:
        return asyncio.get_running_loop().time() - self._began

    async def _connected(self) -> MemoryBus:
        if self._machine.stack is None:
            raise EngineUnavailable("the stack is being started")
        return await MemoryBus.connect(self._machine.address)

    async def _sample(self) -> None:
        while True:
            await asyncio.sleep(SAMPLE_S)
            stack = self._machine.stack
            if stack is None:
                continue
            with contextlib.suppress(OSError, EngineUnavailable):  # it is being killed
                found = measure(stack.process.pid, stack.brokers_now(), self._machine.home, self._crowd.stored)
                for name, value in {"s": self._now, **found}.items():
                    self._run.samples.setdefault(name, []).append(value)

    async def _strike(self) -> None:
        """A fault every minute, until the time is over."""
        warm_up, steady = cycle(WARM_UP_FAULTS), cycle(FAULTS)
        every_s = min(FAULT_S, self._run.seconds / 9)  # a short run sees several, too
        at = every_s / 2
        await asyncio.sleep(at)
        while at < self._run.seconds:
            fault = next(warm_up if self._now < self._run.warm_s - every_s / 2 else steady)
            if fault == "disk full" and self._ballast is None:
                fault = next(steady)
            self._run.faults.append((self._now, fault))
            crowd = self._crowd
            self._report(
                f"{self._now:6.0f} s  {crowd.tally.asked:6} asked, {crowd.stored:6} kept, {len(crowd.erased):3} erased; {fault}"
            )
            await self._suffer(fault)
            recorded = crowd.recorded
            at += every_s
            await asyncio.sleep(max(0.0, min(at, self._run.seconds) - self._now))
            if crowd.recorded == recorded:
                self._run.stuck.append(fault)
            if (ended := self._machine.end_of_stack()) is not None:
                self._run.ended.append(f"{fault} (exit code {ended})")
                await self._kill(broker_too=True)

    async def _suffer(self, fault: str) -> None:
        machine = self._machine
        match fault:
            case "stack killed" | "machine killed":
                await self._kill(broker_too=fault == "machine killed")
            case "broker killed":
                with contextlib.suppress(ProcessLookupError):
                    machine.signal_broker(signal.SIGKILL)
            case "broker stopped":
                machine.signal_broker(signal.SIGSTOP)
                await asyncio.sleep(LASTING_S)
                machine.signal_broker(signal.SIGCONT)
            case "model away" | "embedder away" | "embedder refuses":
                scene = {"model away": "model_away", "embedder away": "embedder_away"}.get(fault)
                machine.direct(**({scene: True} if scene else {"embedder_refuses": ["7 in the drawer"]}))
                await asyncio.sleep(LASTING_S)
                machine.direct(model_away=False, embedder_away=False, embedder_refuses=[])
            case "disk full":
                assert self._ballast is not None
                _fill(self._ballast)
                await asyncio.sleep(LASTING_S)
                self._ballast.unlink()
            case "clock of requests off":
                self._crowd.request_clock_off_s = self._random.choice((-86_400.0, 86_400.0))
                await asyncio.sleep(LASTING_S)
                self._crowd.request_clock_off_s = 0.0

    async def _kill(self, *, broker_too: bool) -> None:
        """And start the stack again."""
        self._crowd.silence()
        await self._machine.kill(broker_too=broker_too)
        await self._crowd.hang_up()
        await self._machine.up()
        self._crowd.resume()

    @contextmanager
    def _own_disk(self) -> Iterator[None]:
        """The data directory on a disk of its own, so that it can be filled; without root it cannot."""
        data = self._machine.data
        data.mkdir(mode=0o700, parents=True)
        command = ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=0700", "tmpfs", str(data)]
        if subprocess.run(command, capture_output=True, check=False).returncode:
            self._run.left_out.append("disk full (a disk of its own cannot be mounted here: run as root)")
            yield
            return
        self._ballast = data / "ballast"
        try:
            yield
        finally:
            subprocess.run(["umount", "-l", str(data)], check=False)


def _fill(ballast: Path) -> None:
    free = os.statvfs(ballast.parent)
    with ballast.open("wb") as file, contextlib.suppress(OSError):
        os.posix_fallocate(file.fileno(), 0, max(free.f_bavail * free.f_frsize - 2**20, 1))
