"""The job topics of a process without a broker: what is confirmed is on the disk, whatever ends the process."""

import asyncio
import os
import signal
import sqlite3
import stat
import sys
from pathlib import Path

import pytest

from tests.integration.bus.bus_support import ObservedConsumer, job, make_keyring, receive, scope
from trustgraph_react_mem.bus.jobs import BusJobPublisher
from trustgraph_react_mem.bus.local.in_process import InProcessBus
from trustgraph_react_mem.bus.local.job_log import AHEAD, FILE, JobLog
from trustgraph_react_mem.errors import ConfigurationError, DiskFull, EngineUnavailable
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.schema.topics import job_queue

TOPIC = job_queue("default")

PROGRAM = """
import asyncio, sys
from pathlib import Path
from trustgraph_react_mem.bus.local.job_log import JobLog

async def main():
    log = await JobLog.open(Path(sys.argv[1]), "test")
    number = 0
    while True:
        await asyncio.gather(*(log.append("topic", "key", {"id": str(number + more)}, b"{}") for more in range(3)))
        number += 3
        print(number, flush=True)
        rows = await log.read("topic", 0)
        if number % 30 == 0:
            await log.remove(rows[0].origin)
            print("removed", rows[0].properties()["id"], flush=True)

asyncio.run(main())
"""


async def numbers(log: JobLog, topic: str) -> list[str]:
    found: list[str] = []
    after = 0
    while rows := await log.read(topic, after):
        found += [row.properties()["id"] for row in rows]
        after = rows[-1].origin
    return found


@pytest.mark.parametrize("lines", [1, 40, 150])
async def test_what_was_confirmed_before_kill_9_is_there_in_its_order_and_what_was_removed_is_not(
    tmp_path: Path, lines: int
) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", PROGRAM, str(tmp_path)),
        stdout=asyncio.subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert process.stdout is not None
    said = [(await process.stdout.readline()).decode().split() for _ in range(lines)]
    process.send_signal(signal.SIGKILL)
    said += [line.split() for line in (await process.stdout.read()).decode().splitlines(keepends=True) if line.endswith("\n")]
    await process.wait()
    confirmed = max(int(words[0]) for words in said if len(words) == 1)
    removed = {words[1] for words in said if len(words) == 2}
    log = await JobLog.open(tmp_path, "test")
    found = await numbers(log, "topic")
    await log.close()
    assert found == sorted(found, key=int)
    assert not removed & {*found}
    lost = {str(number) for number in range(confirmed)} - removed - {*found}
    assert len(lost) <= 1, "only one that was removed as the process ended, before it could say so"


async def test_a_publisher_that_is_cancelled_leaves_no_job_undelivered(tmp_path: Path) -> None:
    log = await JobLog.open(tmp_path, "test")
    bus, keys = InProcessBus(log), make_keyring()
    consumer = ObservedConsumer(bus, keys)
    await consumer.add_workspace("default")
    publisher = BusJobPublisher(bus, keys, partition_key=partition_key, source="test")
    await publisher.publish([job(0)])
    publishing = asyncio.create_task(publisher.publish([job(1)]))
    while len(await numbers(log, TOPIC)) < 2 and not publishing.done():  # noqa: ASYNC110 - until the row is committed
        await asyncio.sleep(0)
    publishing.cancel()
    await asyncio.gather(publishing, return_exceptions=True)
    await publisher.publish([job(2)])
    received = [each.head.id for each in await receive(consumer, len(await numbers(log, TOPIC)))]
    assert received in (["ann-record-0", "ann-record-1", "ann-record-2"], ["ann-record-0", "ann-record-2"])
    await consumer.close()
    await log.close()


async def test_a_backlog_is_delivered_in_its_order_while_more_is_published(tmp_path: Path) -> None:
    backlog = 2 * AHEAD + 7
    log = await JobLog.open(tmp_path, "test")
    bus, keys = InProcessBus(log), make_keyring()
    publisher = BusJobPublisher(bus, keys, partition_key=partition_key, source="test")
    await publisher.publish([job(number) for number in range(backlog)])
    consumer = ObservedConsumer(bus, keys)
    await consumer.add_workspace("default")
    more = asyncio.create_task(publisher.publish([job(number) for number in range(backlog, backlog + 50)]))
    received = await receive(consumer, backlog + 50)
    await more
    assert [each.head.id for each in received] == [f"ann-record-{number}" for number in range(backlog + 50)]
    await asyncio.gather(*(each.ack() for each in received))
    assert await numbers(log, TOPIC) == []
    await consumer.close()
    await log.close()


async def test_a_full_disk_refuses_a_job_and_loses_none(tmp_path: Path) -> None:
    log = await JobLog.open(tmp_path, "test")
    await log.append(TOPIC, "key", {"id": "kept"}, b"{}")
    pages = log._writing.execute("PRAGMA page_count").fetchone()[0]
    log._writing.execute(f"PRAGMA max_page_count = {pages}")
    with pytest.raises(DiskFull, match="free some space"):
        await log.append(TOPIC, "key", {"id": "refused"}, b"x" * 100_000)
    log._writing.execute("PRAGMA max_page_count = 1000000")
    await log.append(TOPIC, "key", {"id": "later"}, b"x" * 100_000)
    assert await numbers(log, TOPIC) == ["kept", "later"]
    await log.close()


async def test_jobs_of_other_data_and_a_damaged_file_are_refused_with_what_to_do(tmp_path: Path) -> None:
    await (await JobLog.open(tmp_path, "one")).close()
    with pytest.raises(ConfigurationError, match=r"belong to other data \(one\) than the graph \(two\)"):
        await JobLog.open(tmp_path, "two")
    (tmp_path / FILE).write_bytes(b"no database" * 1000)
    with pytest.raises(EngineUnavailable, match="check space, permissions and the disk"):
        await JobLog.open(tmp_path, "one")


async def test_only_its_owner_reads_the_file_and_what_was_deleted_is_overwritten(tmp_path: Path) -> None:
    log = await JobLog.open(tmp_path, "test")
    await log.append(TOPIC, "key", {"id": "1"}, b"harbour " * 100)
    (row,) = await log.read(TOPIC, 0)
    await log.remove(row.origin)
    files = list(tmp_path.glob(f"{FILE}*"))
    assert {stat.S_IMODE(path.stat().st_mode) for path in files} == {0o600}
    await log.close()
    assert b"harbour" not in (tmp_path / FILE).read_bytes()
    assert sqlite3.connect(tmp_path / FILE).execute("SELECT count(*) FROM job").fetchone() == (0,)
    assert scope().workspace == "default"


async def test_who_runs_jobs_is_told_of_a_workspace_before_its_first_job(tmp_path: Path) -> None:
    log = await JobLog.open(tmp_path, "test")
    bus, told = InProcessBus(log), list[str]()

    async def receive_jobs(workspace: str) -> None:
        assert await log.workspaces() == []
        told.append(workspace)

    bus.receive_jobs = receive_jobs
    publisher = BusJobPublisher(bus, make_keyring(), partition_key=partition_key, source="test")
    await publisher.publish([job(1)])
    assert told == ["default"]
    await log.close()


async def test_every_caller_learns_how_its_change_ended(tmp_path: Path) -> None:
    log = await JobLog.open(tmp_path, "test")
    await log.append(TOPIC, "key", {"id": "1"}, b"{}")
    log._writing.close()
    async with asyncio.timeout(5):
        for change in (log.append(TOPIC, "key", {"id": "2"}, b"{}"), log.remove(1)):
            with pytest.raises(EngineUnavailable, match=r"jobs\.db"):
                await change
    await log.close()


async def test_damaged_pages_are_found_at_the_start(tmp_path: Path) -> None:
    log = await JobLog.open(tmp_path, "test")
    for number in range(200):
        await log.append(TOPIC, "key", {"id": str(number)}, b"x" * 400)
    await log.close()
    with (tmp_path / FILE).open("r+b") as file:
        file.seek(3 * 4096)
        file.write(b"\xff" * 8 * 4096)
    with pytest.raises(EngineUnavailable, match="put back a backup"):
        await JobLog.open(tmp_path, "test")


async def test_a_close_waits_for_a_read_whose_caller_was_cancelled(tmp_path: Path) -> None:
    """SQLite's connection is used by the thread of the read: closing it meanwhile would end the process."""
    log = await JobLog.open(tmp_path, "test")
    count = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 3000000) SELECT max(i) FROM n"
    reading = asyncio.create_task(log._query(count))
    while not log._read_lock.locked():  # noqa: ASYNC110 - a thread takes it
        await asyncio.sleep(0)
    reading.cancel()
    await asyncio.gather(reading, return_exceptions=True)
    assert log._read_lock.locked()
    await log.close()
    assert not log._read_lock.locked()
