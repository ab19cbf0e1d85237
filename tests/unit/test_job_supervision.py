"""Background work starts again after any fault, and its faults are errors in the log."""

import asyncio
import contextlib
from datetime import UTC, datetime, timedelta
from unittest.mock import AsyncMock, MagicMock

import pulsar
import pytest

from trustgraph_react_mem.bus.pulsar_driver import DirectConsumer
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.processors import job_runner, jobs
from trustgraph_react_mem.processors.job_runner import JobRunner
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.schema.topics import job_queue


@pytest.mark.parametrize("fault", [EngineUnavailable("no broker"), OSError("too many open files"), RuntimeError("a bug")])
async def test_a_worker_that_failed_starts_again_however_often_the_broker_is_away(
    fault: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(job_runner, "RESTART_S", 0.0)
    runner = object.__new__(JobRunner)
    again = asyncio.Event()

    async def run() -> None:
        if reopen.await_count < 3:
            raise fault
        again.set()
        await asyncio.Event().wait()

    reopen = AsyncMock(side_effect=[fault, fault, None])
    runner.worker, runner.consumer = MagicMock(run=run), MagicMock(reopen=reopen)
    running = asyncio.create_task(runner.run())
    async with asyncio.timeout(10):
        await again.wait()
    running.cancel()
    with contextlib.suppress(asyncio.CancelledError):
        await running
    assert [record.levelname for record in caplog.records] == ["ERROR"] * 3


async def test_a_consumer_that_the_broker_closed_is_subscribed_again(caplog: pytest.LogCaptureFixture) -> None:
    closed = pulsar.asyncio.PulsarException(pulsar.Result.AlreadyClosed)
    first, second = AsyncMock(_consumer=MagicMock()), AsyncMock(_consumer=MagicMock())
    first.receive.side_effect = closed
    received = MagicMock(data=lambda: b"", properties=dict)
    second.receive.return_value = received
    consumer = DirectConsumer(first, job_queue("w"), JobEnvelope, unsubscribes=False, subscribe=AsyncMock(return_value=second))
    async with asyncio.timeout(10):
        with pytest.raises(EngineUnavailable):
            await consumer.receive()
        assert (await consumer.receive()).origin is received
        await consumer.acknowledge(MagicMock(origin=received))
    second.acknowledge.assert_awaited_once_with(received)
    assert any(record.levelname == "ERROR" for record in caplog.records)


async def test_stores_are_compared_every_hour_also_after_the_clock_was_set_back() -> None:
    start, hour = datetime(2026, 3, 1, tzinfo=UTC), timedelta(hours=1)
    # At the start, a little later, after an hour, set back by a day, an hour after that
    times = [start, start + hour / 2, start + hour, start - 23 * hour, start - 22 * hour]
    memory = MagicMock(doubtful=(), comparison=AsyncMock())
    compared: list[int] = []

    def now() -> datetime:
        return times[0]

    async def sleep(_: float) -> None:
        compared.append(memory.comparison.compare.await_count)
        times.pop(0)
        if not times:
            raise asyncio.CancelledError

    memory.clock = MagicMock(now=now, sleep=sleep)
    with pytest.raises(asyncio.CancelledError):
        await object.__new__(jobs.Processor)._compare_stores(memory)
    assert compared == [0, 0, 1, 2, 3]
