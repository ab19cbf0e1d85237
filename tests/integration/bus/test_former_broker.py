"""Jobs that a version before 0.2 left in the files of its embedded broker."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from tests.doubles.small_stores import MemoryStores
from tests.integration.bus.bus_support import job, make_keyring, scope
from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.jobs import BusJobPublisher
from trustgraph_react_mem.bus.local.former_broker import DIRECTORY, take_over_jobs
from trustgraph_react_mem.bus.local.job_log import JobLog
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.jobs.registry import partition_key
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Job, KeyRing
from trustgraph_react_mem.schema.topics import job_queue

NOW = datetime.now(UTC)
KEYS = make_keyring()


def recent(number: int, user: str = "ann") -> Job:
    return replace(job(number, user, text=f"word {number}"), created_at=NOW)


async def left(home: Path, *jobs: Job) -> None:
    """What a stack left whose broker had these jobs."""
    async with PulsarLite(home / DIRECTORY) as broker:
        backend = DirectBackend(broker.url)
        publisher = BusJobPublisher(backend, KEYS, partition_key=partition_key, source="test")
        await publisher.publish(jobs)
        await publisher.close()
        await backend.close()


async def taken_over(home: Path, stores: MemoryStores, keys: KeyRing = KEYS) -> list[str]:
    log = await JobLog.open(home, "test")
    await take_over_jobs(home, log, stores.job_store, keys, partition_key)
    rows = await log.read(job_queue(scope().workspace), 0)
    await log.close()
    assert all(row.key == f"{scope(row.properties()['id'].split('-')[0]).key}|write" for row in rows)
    return [row.value().id for row in rows]


async def test_unfinished_jobs_are_taken_over_in_their_order_and_finished_ones_are_not(tmp_path: Path) -> None:
    stores = MemoryStores(SystemClock())
    jobs = [recent(number) for number in range(8)] + [recent(1, "bob")]
    await left(tmp_path, *jobs)
    states = {"ann-record-0": "done", "ann-record-3": "deferred", "ann-record-4": "dead", "ann-record-5": "running"}
    await stores.job_store.save(
        [entry_from_job(each, states[each.id], at=NOW) for each in jobs if each.id in states]  # type: ignore[arg-type]
    )
    assert await taken_over(tmp_path, stores) == [*(f"ann-record-{number}" for number in (1, 2, 5, 6, 7)), "bob-record-1"]
    assert not (tmp_path / DIRECTORY).exists()
    assert len(await taken_over(tmp_path, stores)) == 6  # a second start has nothing more to take over


async def test_a_job_too_old_to_say_whether_it_has_run_is_a_dead_letter(tmp_path: Path) -> None:
    stores = MemoryStores(SystemClock())
    old = replace(recent(1), created_at=NOW - timedelta(days=8))
    await left(tmp_path, old, recent(2))
    assert await taken_over(tmp_path, stores) == ["ann-record-2"]
    (dead,) = await stores.job_store.listing(scope(), states=("dead",))
    assert (dead.job_id, bool(dead.sealed_payload)) == ("ann-record-1", True)
    assert "replay it if its turn is missing" in dead.error


async def test_a_later_job_of_its_partition_shows_that_an_old_one_has_ended(tmp_path: Path) -> None:
    stores = MemoryStores(SystemClock())
    jobs = [replace(recent(number), created_at=NOW - timedelta(days=60)) for number in range(3)]
    await left(tmp_path, *jobs, recent(7), replace(recent(1, "bob"), created_at=NOW - timedelta(days=60)))
    await stores.job_store.save([entry_from_job(recent(7), "done", at=NOW)])
    assert await taken_over(tmp_path, stores) == []
    assert [dead.job_id for dead in await stores.job_store.listing(None, states=("dead",))] == ["bob-record-1"]


async def test_an_old_job_of_a_scope_that_was_erased_leaves_nothing(tmp_path: Path) -> None:
    stores = MemoryStores(SystemClock())
    await left(tmp_path, replace(recent(1), created_at=NOW - timedelta(days=8)))
    assert await taken_over(tmp_path, stores, make_keyring()) == []
    assert await stores.job_store.listing(None) == []


async def test_what_a_crash_cut_off_or_changed_costs_itself_alone(tmp_path: Path) -> None:
    await left(tmp_path, *(recent(number) for number in range(3)))
    [file] = (tmp_path / DIRECTORY).rglob("entrylog/*.log")
    data = file.read_bytes()
    middle = data.index(b"ann-record-1")
    file.write_bytes(data[:middle] + b"ann-record-X" + data[middle + 12 :] + data[:100])
    assert await taken_over(tmp_path, MemoryStores(SystemClock())) == ["ann-record-0", "ann-record-2"]


async def test_without_an_old_broker_nothing_happens(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert await taken_over(tmp_path, MemoryStores(SystemClock())) == []
    assert caplog.records == []
