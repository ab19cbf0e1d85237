"""What the embedded broker stores: faults of the disk, its log, its supervision, and its replacement by a fresh store."""

import asyncio
import contextlib
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.doubles.small_stores import MemoryJobStore
from tests.integration.bus.bus_support import job, make_keyring, until
from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer, ReceivedJob, ensure_subscription
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.bus.storage import retirement
from trustgraph_react_mem.bus.storage.entry_log import entry_log_files
from trustgraph_react_mem.bus.storage.retirement import Needed, Salvage, retire, retired_directories, stored_bytes
from trustgraph_react_mem.disk import DiskSpace
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.memory.ports import Job, JobEntry

pytestmark = pytest.mark.later

MB = 2**20
NOW = datetime(2026, 1, 2, tzinfo=UTC)


def _fine() -> None:
    """The store answers."""


class Clock:
    def now(self) -> datetime:
        return NOW


class Bus:
    """A publisher and a worker's consumer on one broker; ``got``: ids of what was received and acknowledged, each once,
    because a broker may deliver a message more than once."""

    def __init__(self, broker: EmbeddedBroker, disk: DiskSpace | None = None) -> None:
        self.backend = DirectBackend(broker.url)
        self.keys = make_keyring()
        self.publisher = BusJobPublisher(
            self.backend, self.keys, partition_key=partition_key, source="test", timeout_s=10.0, disk=disk
        )
        self.consumer = JobConsumer(self.backend, self.keys)
        self.got: list[str] = []
        self.held: list[ReceivedJob] = []
        self.acknowledges = True
        self._task = asyncio.create_task(self._receive())

    async def _receive(self) -> None:
        while True:
            received = await self.consumer.receive()
            if received.head.id not in self.got:
                self.got.append(received.head.id)
            if self.acknowledges:
                await received.ack()
            else:
                self.held.append(received)

    async def close(self) -> None:
        self._task.cancel()
        await self.consumer.close()
        await self.publisher.close()
        await self.backend.close()


@contextlib.asynccontextmanager
async def bus_on(broker: EmbeddedBroker, disk: DiskSpace | None = None, *, worker: bool = True) -> AsyncIterator[Bus]:
    bus = Bus(broker, disk)
    if worker:
        await bus.consumer.add_workspace("default")
    try:
        yield bus
    finally:
        await bus.close()


def jobs(*numbers: int) -> list[Job]:
    return [job(number) for number in numbers]


def ids(*numbers: int) -> list[str]:
    return [job(number).id for number in numbers]


# ------------------------------------------------------------------------------------------------------ torn entries


async def torn_store(directory: Path) -> None:
    """Ten jobs in one file, with the beginning of a sixth that was not finished before it: as ENOSPC leaves it."""
    async with EmbeddedBroker(directory) as broker:
        backend, keys = DirectBackend(broker.url), make_keyring()
        await ensure_subscription(backend, "default")
        publisher = BusJobPublisher(backend, keys, partition_key=partition_key, source="test")
        await publisher.publish(jobs(*range(10)))
        await publisher.close()
        await backend.close()
    [path] = entry_log_files(directory)
    data = path.read_bytes()
    starts = [at for at in range(len(data)) if data.startswith(b"GELP\x02\x00\x2c\x00", at)]
    path.write_bytes(data[: starts[5]] + data[starts[5] : starts[5] + 77] + data[starts[5] :])


async def test_jobs_behind_a_torn_entry_come_back(tmp_path: Path) -> None:
    await torn_store(tmp_path)
    async with EmbeddedBroker(tmp_path) as broker, bus_on(broker) as bus:
        await until(lambda: bus.got == ids(*range(10)))
        await bus.publisher.publish(jobs(10))
        await until(lambda: bus.got == ids(*range(11)))


# ---------------------------------------------------------------------------------------------------------- full disk


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    place = tmp_path / "small"
    place.mkdir()
    mounted = os.geteuid() == 0 and shutil.which("mount") is not None
    if not mounted or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", str(place)], check=False).returncode:
        pytest.skip("no right to mount; torn entries and refused writes are tested without")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def fill(place: Path) -> Path:
    file = place / "filling"
    descriptor = os.open(file, os.O_CREAT | os.O_WRONLY)
    with contextlib.suppress(OSError):
        while True:
            os.write(descriptor, bytes(4096))
    os.close(descriptor)
    return file


@pytest.mark.parametrize("pauses", [(0.0,), (0.5, 0.0, 2.0)])
async def test_a_disk_that_is_full_loses_nothing_that_was_acknowledged(small_disk: Path, pauses: tuple[float, ...]) -> None:
    """Without the limit, so that the broker itself meets the full disk.  It is filled and freed several times."""
    acknowledged: list[str] = []
    room = DiskSpace(small_disk, 4 * MB)
    async with EmbeddedBroker(small_disk / "bus", disk=room) as broker, bus_on(broker) as bus:

        async def publish(number: int) -> None:
            with contextlib.suppress(EngineUnavailable):
                await bus.publisher.publish([job(number, text="x" * 3000)])
                acknowledged.append(job(number).id)

        for turn, pause_s in enumerate(pauses):
            number = 100 * turn
            for each in range(15):
                await publish(number + each)
            filling = fill(small_disk)
            beyond = [asyncio.create_task(publish(number + 50 + each)) for each in range(8)]
            await asyncio.sleep(pause_s)
            filling.unlink()
            await asyncio.gather(*beyond)
        await until(lambda: broker.pid != 0, deadline_s=60.0)
        async with asyncio.timeout(90.0):
            while job(9999).id not in acknowledged:
                await publish(9999)
        await until(lambda: set(acknowledged) <= set(bus.got), deadline_s=60.0)


# -------------------------------------------------------------------------------------------------------- fresh store


async def renewed(broker: EmbeddedBroker, bus: Bus, needed: Needed | None) -> None:
    async def replace() -> None:
        await broker.renew(lambda: retire(broker.directory, needed))

    async with bus.publisher.gate.closed():
        await bus.consumer.renew(replace)


def entry(one: Job, state: Any) -> JobEntry:
    return JobEntry(
        job_id=one.id,
        kind=one.kind,
        scope=one.scope,
        state=state,
        attempt=1,
        trigger="invocation",
        created_at=one.created_at,
        updated_at=NOW,
    )


async def test_a_fresh_store_has_the_jobs_that_are_needed_and_no_others(broker: EmbeddedBroker) -> None:
    store = MemoryJobStore(_fine, _fine)
    async with bus_on(broker) as bus:
        await bus.publisher.publish(jobs(*range(200)))
        await until(lambda: set(bus.got) == set(ids(*range(200))))
        before = stored_bytes(broker.directory)
        bus.acknowledges = False
        await bus.publisher.publish(jobs(200, 201, 202))
        await until(lambda: set(ids(200, 201, 202)) <= set(bus.got))
        await store.save([entry(job(202), "done")])  # finished in between
        needed = Needed(held=ids(200, 201, 202), barriers={"default": job(199).id})
        await renewed(broker, bus, needed)
        bus.got.clear()
        bus.acknowledges = True
        salvaged = await Salvage(bus.publisher, store, Clock()).run(broker.directory)  # type: ignore[arg-type]
        assert salvaged.moved == 2
        await until(lambda: set(bus.got) == set(ids(200, 201)))
        for held in bus.held:  # of the old store: must not acknowledge another message of the same number
            await held.ack()
        await bus.publisher.publish(jobs(300))
        await until(lambda: set(bus.got) == set(ids(200, 201, 300)))
        assert stored_bytes(broker.directory) < before / 2
        assert retired_directories(broker.directory) == []


@pytest.mark.parametrize("step", ["needed.json", "rename", "fresh start", "half of the jobs"])
async def test_a_kill_at_any_step_loses_no_job(tmp_path: Path, step: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """``kill -9`` after each step: the next start goes on."""

    class Killed(BaseException):
        pass

    async with EmbeddedBroker(tmp_path / "bus") as broker, bus_on(broker, worker=False) as bus:
        await ensure_subscription(bus.backend, "default")
        await bus.publisher.publish(jobs(*range(20)))
        directory = broker.directory

    def killed(*_: Any, **__: Any) -> None:
        raise Killed

    needed = Needed(held=ids(*range(20)), barriers={"default": "another"})
    with monkeypatch.context() as patched:
        if step == "needed.json":
            patched.setattr(Path, "rename", killed)
        elif step == "rename":
            patched.setattr(retirement, "sync_path", killed)
        with contextlib.suppress(Killed):
            retire(directory, needed)
    store = MemoryJobStore(_fine, _fine)
    if step == "half of the jobs":
        async with EmbeddedBroker(directory) as broker, bus_on(broker, worker=False) as bus:
            await bus.publisher.publish_encoded(
                [(one, data) for one, data in retirement._jobs(retired_directories(directory)[0], needed)][:10]
            )
    async with EmbeddedBroker(directory) as broker, bus_on(broker) as bus:
        await Salvage(bus.publisher, store, Clock()).run(directory)  # type: ignore[arg-type]
        await until(lambda: set(bus.got) >= set(ids(*range(20))))
        assert bus.got == ids(*range(20))
        assert retired_directories(directory) == []


async def test_a_repair_asks_the_job_store_and_keeps_what_is_too_old_to_know(tmp_path: Path) -> None:
    old = [replace(each, created_at=NOW - timedelta(days=30)) for each in jobs(1, 2)]
    async with EmbeddedBroker(tmp_path) as broker, bus_on(broker) as bus:
        await bus.publisher.publish([*old, *jobs(3, 4, 5)])
        await until(lambda: len(bus.got) == 5)
    [path] = entry_log_files(tmp_path)
    data = bytearray(path.read_bytes())
    data[data.rfind(b"GELP") + 200] ^= 0x55  # job 5 is damaged
    path.write_bytes(bytes(data))
    store = MemoryJobStore(_fine, _fine)
    await store.save([entry(old[0], "done"), entry(job(3), "done")])
    retire(tmp_path, None)
    async with EmbeddedBroker(tmp_path) as broker, bus_on(broker) as bus:
        salvaged = await Salvage(bus.publisher, store, Clock()).run(tmp_path)  # type: ignore[arg-type]
        assert (salvaged.moved, salvaged.doubtful, salvaged.unreadable) == (1, 1, 1)
        await until(lambda: bus.got == ids(4))
    [dead] = await store.listing(None, states=("dead",))
    assert dead.job_id == old[1].id
    assert dead.sealed_payload
    assert "replay" in dead.error
