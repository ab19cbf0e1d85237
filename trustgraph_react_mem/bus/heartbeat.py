"""Heartbeat metrics of a processor: its event loop runs, its consumers are connected.  `react-mem-health` reads them.

The metrics themselves are served by a thread, which goes on when the event loop hangs.
"""

import asyncio
import contextlib
import time
from collections.abc import Callable, Iterable

from prometheus_client import Gauge

BEAT_S = 1.0

_heartbeat = Gauge("tg_memory_heartbeat_timestamp_seconds", "When the event loop last turned (Unix time)", ["processor"])
_consumers = Gauge("tg_memory_consumers", "Topics this processor listens to", ["processor"])
_connected = Gauge("tg_memory_consumers_connected", "Those of them that the broker serves now", ["processor"])


async def beat(processor: str, connections: Callable[[], Iterable[bool]]) -> None:
    """Until cancelled, which removes the metrics.  ``connections``: of each consumer, whether it is connected."""
    try:
        while True:
            now = list(connections())
            _consumers.labels(processor).set(len(now))
            _connected.labels(processor).set(sum(now))
            _heartbeat.labels(processor).set(time.time())
            await asyncio.sleep(BEAT_S)
    finally:
        for gauge in (_consumers, _connected, _heartbeat):
            with contextlib.suppress(KeyError):  # another of this name was first
                gauge.remove(processor)
