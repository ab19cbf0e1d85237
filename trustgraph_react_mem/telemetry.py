"""Figures and traces of memory operations.

Figures are Prometheus metrics beside TrustGraph's own.  Traces follow OpenTelemetry's conventions for generative AI (memory
operations); without a configured SDK the API does nothing.  Neither ever holds user text, a user or a collection.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import Counter, Histogram

OPERATIONS: Mapping[str, str] = {
    "retrieve": "search_memory",
    "get": "search_memory",
    "list": "search_memory",
    "store": "create_memory",
    "import": "create_memory",
    "update": "update_memory",
    "undo": "update_memory",
    "rollback": "update_memory",
    "forget": "delete_memory",
    "forget-scope": "delete_memory",
}
"""Ours -> ``gen_ai.operation.name``; others keep their own name."""

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)

_seconds = Histogram(
    "tg_memory_operation_seconds", "Time from a memory request to its reply", ["service", "operation"], buckets=_BUCKETS
)
_failures = Counter("tg_memory_operation_errors_total", "Memory requests answered with an error", ["service", "error"])
_tracer = trace.get_tracer("trustgraph_react_mem")


class Observation:
    """What became of the operation that is being observed."""

    def __init__(self) -> None:
        self.error = ""

    def failed(self, wire_type: str) -> None:
        self.error = wire_type


@contextmanager
def observe(service: str, operation: str) -> Iterator[Observation]:
    """Time one operation.  ``operation`` is one of the service's own names, so that there are few label values."""
    observation = Observation()
    name = OPERATIONS.get(operation, operation)
    started = perf_counter()
    with _tracer.start_as_current_span(
        f"{name} {service}",
        kind=SpanKind.SERVER,
        attributes={"gen_ai.operation.name": name, "gen_ai.memory.store.name": service},
        record_exception=False,
    ) as span:
        try:
            yield observation
        finally:
            _seconds.labels(service, operation).observe(perf_counter() - started)
            if observation.error:
                _failures.labels(service, observation.error).inc()
                span.set_attribute("error.type", observation.error)
                span.set_status(StatusCode.ERROR)
