"""What the places for traces cost in a program that has no OpenTelemetry SDK, which is the default.

One turn passes about 40 of them (``tests/integration/telemetry``).
"""

import time
from collections.abc import Callable, Set
from pathlib import Path

from opentelemetry.trace import SpanKind

from trustgraph_react_mem.memory.requests import RetrieveFacts
from trustgraph_react_mem.telemetry import tracing
from trustgraph_react_mem.telemetry.propagation import current_headers, received

from .row import Row, percentile

(OFF,) = NAMES = ("tracing_off_us",)

PLACES = 20_000
ROUNDS = 15
SPANS_OF_A_TURN = 40

REQUEST = RetrieveFacts(query="where did we meet")
PROPERTIES = {"id": "a3f0c1"}


async def collect(names: Set[str], data: Path | None = None) -> list[Row]:
    assert not tracing.is_active()
    empty, off = (percentile([_microseconds(work) for _ in range(ROUNDS)], 50) for work in (_nothing, _request))
    cost = off - empty
    turn_ms = SPANS_OF_A_TURN * cost / 1000
    note = f"a span, its context sent and received; about {turn_ms:.2f} ms in a turn of {SPANS_OF_A_TURN} spans"
    return [Row(OFF, cost, "us", note)]


def _microseconds(work: Callable[[], None]) -> float:
    """Of one call."""
    started = time.perf_counter()
    for _ in range(PLACES):
        work()
    return (time.perf_counter() - started) * 1e6 / PLACES


def _nothing() -> None:
    pass


def _request() -> None:
    with received(PROPERTIES), tracing.memory_call("agent-facts", "default", REQUEST, kind=SpanKind.SERVER):
        current_headers()
