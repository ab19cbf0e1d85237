"""Metrics of the memory services, for Prometheus: beside TrustGraph's own, in the same registry.

No label holds user text, a user, a collection or an id.
"""

from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from opentelemetry.trace import Span, SpanKind
from prometheus_client import Counter, Gauge, Histogram

from . import tracing
from .tracing import error_type

_BUCKETS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30)

_seconds = Histogram(
    "tg_memory_operation_seconds", "Time from a memory request to its reply", ["service", "operation"], buckets=_BUCKETS
)
_failures = Counter("tg_memory_operation_errors_total", "Memory requests answered with an error", ["service", "error"])
# The names of OpenTelemetry's conventions, in Prometheus' spelling.  ``task``: the prompt.
_model_seconds = Histogram(
    "gen_ai_client_operation_duration_seconds",
    "Time of a call of a model",
    ["gen_ai_operation_name", "task"],
    buckets=(0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92),
)
_model_failures = Counter("tg_memory_model_errors_total", "Failed calls of models", ["task", "error"])
_in_tokens = Counter("gen_ai_client_inference_usage_input_tokens_total", "Tokens of prompts", ["gen_ai_response_model", "task"])
_out_tokens = Counter(
    "gen_ai_client_inference_usage_output_tokens_total", "Tokens of answers", ["gen_ai_response_model", "task"]
)

jobs = Counter("tg_memory_jobs_total", "Runs of background jobs, by the state that they ended in", ["kind", "state"])
_job_seconds = Histogram(
    "tg_memory_job_seconds", "Time of one attempt of a background job", ["kind"], buckets=(*_BUCKETS, 100, 300)
)
_jobs_waiting = Gauge("tg_memory_jobs_waiting", "Background jobs of this worker: queued, running or deferred", ["state"])
_job_age = Gauge("tg_memory_job_age_seconds", "Age of the oldest background job that is queued or deferred; 0: none")
job_failures = Counter("tg_memory_job_errors_total", "Failed attempts of background jobs", ["kind", "error"])
missing_parts = Counter("tg_memory_recall_missing_total", "Parts of a recall that failed or timed out", ["part", "reason"])

_tool_seconds = Histogram("tg_memory_mcp_seconds", "Time of a call of an MCP tool", ["tool"], buckets=(*_BUCKETS, 100, 600))
_tool_calls = Counter(
    "tg_memory_mcp_calls_total", "Calls of MCP tools; outcome: ok, or the type of the error", ["tool", "outcome"]
)
proxied = Counter(
    "tg_memory_proxy_requests_total",
    "Requests to the OpenAI-compatible interface, by outcome: ok, an HTTP status or an error",
    ["interface", "answered_by", "outcome"],
)
exchanges = Counter(
    "tg_memory_proxy_exchanges_total",
    "Exchanges with a model of another endpoint: recorded, failed (to be recorded) or skipped",
    ["outcome"],
)

scopes_to_repair = Gauge("tg_memory_scopes_to_repair", "Scopes in which graph and vectors differ, and which are being repaired")

understood = Counter(
    "tg_memory_understood_total",
    "Items of a model's answers by what became of them: added, replaced, ..., or dropped_ and the check that they failed",
    ["result"],
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


_graph_records = Gauge("tg_memory_graph_records", "Records in the graph, as counted at the start and each hour", ["store"])
_index_points = Gauge("tg_memory_index_points", "Records in the vector index, as counted with those in the graph", ["store"])
disk_free = Gauge("tg_memory_disk_free_bytes", "Free space where the embedded stores are")


@dataclass(slots=True)
class Observation:
    """An observed operation.  ``error``: the type of the error that it was answered with."""

    span: Span
    error: str = ""


@contextmanager
def observe(request: Any, workspace: str, *, kind: SpanKind = SpanKind.SERVER) -> Iterator[Observation]:
    """Time one memory operation, in a span.  A typed request has one of few operations, which bounds the number of labels."""
    service: str = request.service
    seconds = _seconds.labels(service, request.operation)
    with tracing.memory_call(service, workspace, request, kind=kind) as span, seconds.time():
        observation = Observation(span)
        try:
            yield observation
        finally:
            if observation.error:
                _failures.labels(service, observation.error).inc()
                tracing.fail(span, observation.error)


@dataclass(frozen=True, slots=True)
class ModelCall:
    """A running call of a language model."""

    task: str
    span: Span

    def used(self, model: str | None, in_tokens: int | None, out_tokens: int | None) -> None:
        """Record which model answered, and its tokens, as far as the service says."""
        name, read, written = model or "", in_tokens or 0, out_tokens or 0
        tracing.record_usage(self.span, model=name, in_tokens=read, out_tokens=written)
        _in_tokens.labels(name, self.task).inc(read)
        _out_tokens.labels(name, self.task).inc(written)


@contextmanager
def observe_model(task: str) -> Iterator[ModelCall]:
    """Time a call of a language model, in a span.  ``task``: the name of its prompt."""
    with tracing.model_call(task) as span, _timed("chat", task):
        yield ModelCall(task, span)


@contextmanager
def observe_embedding(model: str) -> Iterator[None]:
    """Time a call of an embedding model, in a span."""
    with tracing.embedding_call(model), _timed("embeddings", "embeddings"):
        yield


@contextmanager
def _timed(operation: str, task: str) -> Iterator[None]:
    with _model_seconds.labels(operation, task).time():
        try:
            yield
        except BaseException as error:
            _model_failures.labels(task, error_type(error)).inc()
            raise


@contextmanager
def observe_tool(name: str) -> Iterator[None]:
    """Time a call of an MCP tool.  ``name``: one of the server's own."""
    outcome = "ok"
    with _tool_seconds.labels(name).time():
        try:
            yield
        except BaseException as error:
            outcome = error_type(error)
            raise
        finally:
            _tool_calls.labels(name, outcome).inc()


@contextmanager
def observe_job(topic: str, job_id: str, kind: str, traceparent: str) -> Iterator[None]:
    """Time one attempt of a job, in a trace of its own (``tracing.job_run``)."""
    with tracing.job_run(topic, job_id, kind, traceparent), _job_seconds.labels(kind).time():
        yield


def set_jobs_waiting(by_state: Mapping[str, int], oldest_s: float) -> None:
    for state, number in by_state.items():
        _jobs_waiting.labels(state).set(number)
    _job_age.set(max(0.0, oldest_s))


def set_sizes(store: str, records: int, points: int) -> None:
    """``store``: facts or episodes.  ``records``: in the graph, ``points``: in the vector index."""
    _graph_records.labels(store).set(records)
    _index_points.labels(store).set(points)


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
