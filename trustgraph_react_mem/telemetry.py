"""Metrics and traces of memory operations.

Prometheus metrics beside TrustGraph's own.  Traces follow OpenTelemetry's conventions for generative AI (memory operations);
without a configured SDK they are no-ops.  Neither contains user text, a user or a collection.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from time import perf_counter

from opentelemetry import trace
from opentelemetry.trace import SpanKind, StatusCode
from prometheus_client import Counter, Gauge, Histogram

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
"""Our operation -> ``gen_ai.operation.name``.  Other operations keep their name."""

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)

_seconds = Histogram(
    "tg_memory_operation_seconds", "Time from a memory request to its reply", ["service", "operation"], buckets=_BUCKETS
)
_failures = Counter("tg_memory_operation_errors_total", "Memory requests answered with an error", ["service", "error"])
_job_failures = Counter("tg_memory_job_errors_total", "Failed attempts of background jobs", ["kind", "error"])
_missing = Counter("tg_memory_recall_missing_total", "Parts of a recall that failed or timed out", ["part", "reason"])

_scopes_to_repair = Gauge(
    "tg_memory_scopes_to_repair", "Scopes in which graph and vectors differ, and which are being repaired"
)

# Learned ranking, over all scopes of the process: a label per user would reveal who asks.
NEWEST = 100
_rewarded = Counter("tg_memory_rewarded_turns_total", "Turns with a recall, by kind of citation", ["citation"])
_reward = Gauge("tg_memory_reward", f"Mean reward (-1..1) of the newest {NEWEST} answers with citations or NO_CITE")
_citation_rate = Gauge("tg_memory_citation_rate", f"Mean share of the memories shown that these {NEWEST} answers cite")
_weight_norm = Histogram(
    "tg_memory_weight_norm",
    "Norm of a scope's learned weights, at each rewarded turn",
    buckets=(0, 0.03, 0.1, 0.2, 0.4, 0.7, 1, 1.5, 2, 5),
)
_bank_size = Histogram(
    "tg_memory_bank_size",
    "Memories in a scope's index, at each rewarded turn",
    buckets=(10, 100, 300, 1e3, 3e3, 1e4, 3e4, 1e5, 3e5, 1e6),
)
_newest_rates: deque[float] = deque(maxlen=NEWEST)
_tracer = trace.get_tracer("trustgraph_react_mem")


class Observation:
    """The outcome of an observed operation."""

    def __init__(self) -> None:
        self.error = ""

    def failed(self, wire_type: str) -> None:
        self.error = wire_type


@contextmanager
def observe(service: str, operation: str) -> Iterator[Observation]:
    """Time one operation.  ``operation`` must be one of the service's operation names, to bound the number of labels."""
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


def record_reward(citation: str, row: Mapping[str, float]) -> None:
    """Record the reward row of a turn.  ``citation``: cited, none, malformed or absent."""
    _rewarded.labels(citation).inc()
    _weight_norm.observe(row.get("weight_norm", 0.0))
    _bank_size.observe(row.get("bank_size", 0.0))
    if citation in ("cited", "none") and "citation_rate" in row:
        _newest_rates.append(row["citation_rate"])
        mean = sum(_newest_rates) / len(_newest_rates)
        _citation_rate.set(mean)
        _reward.set(2 * mean - 1)


def count_job_failure(kind: str, wire_type: str) -> None:
    """Count a failed attempt.  The job may be retried."""
    _job_failures.labels(kind, wire_type).inc()


def set_scopes_to_repair(number: int) -> None:
    _scopes_to_repair.set(number)


def count_missing_part(part: str, reason: str) -> None:
    _missing.labels(part, reason).inc()
