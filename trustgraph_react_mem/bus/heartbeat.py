"""Heartbeat metrics of a processor, read by `react-mem-health`: is the event loop running, are the consumers connected?

A thread serves the metrics, so they can be read while the event loop hangs.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable

from prometheus_client import Counter, Gauge

BEAT_S = 1.0

_heartbeat = Gauge("tg_memory_heartbeat_timestamp_seconds", "Last time that the event loop ran (Unix time)", ["processor"])
_consumers = Gauge("tg_memory_consumers", "Topics that this processor subscribes to", ["processor"])
_configured = Gauge("tg_memory_configured", "1 once this processor has applied its configuration, else 0", ["processor"])
_connected = Gauge("tg_memory_consumers_connected", "Subscribed topics with a live broker connection", ["processor"])
_receive_failures = Counter("tg_memory_receive_errors_total", "Receiving tasks that failed and were started again", ["topic"])


def count_receive_failure(topic: str) -> None:
    """``topic``: without names of workspaces and processes, to bound the number of labels."""
    _receive_failures.labels(topic).inc()


async def run_heartbeat(
    processor: str,
    connections: Callable[[], Iterable[bool]],
    configured: Callable[[], bool] = lambda: True,
) -> None:
    """Update the metrics until cancelled, then remove them.

    ``connections`` returns one flag per consumer: whether it is connected.
    ``configured``: whether the flows of the configuration have been started.
    """
    try:
        while True:
            now = list(connections())
            _consumers.labels(processor).set(len(now))
            _connected.labels(processor).set(sum(now))
            _configured.labels(processor).set(configured())
            _heartbeat.labels(processor).set(time.time())
            await asyncio.sleep(BEAT_S)
    finally:
        for gauge in (_consumers, _connected, _configured, _heartbeat):
            with contextlib.suppress(KeyError):  # another processor of this process registered the metrics first
                gauge.remove(processor)
