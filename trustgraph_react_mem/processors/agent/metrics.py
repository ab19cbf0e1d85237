"""Metrics of the agent: those of TrustGraph's agents, under the same names, and additional ones for memory."""

from collections import Counter as Counts
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeVar

from prometheus_client import Counter, Gauge, Histogram
from trustgraph.base.metrics import BUCKETS_LLM

from ...bus.trustgraph_adapter import registered_collector
from ...telemetry.tracing import tool_call
from ...turn.decisions import RuleChanges

Collector = TypeVar("Collector", Counter, Gauge, Histogram)
_STAGES_S = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 100)


def _collector(kind: type[Collector], name: str, text: str, labels: list[str], **options: Any) -> Collector:
    """Create a metric, or reuse the one that a stock agent of this process has registered under the same name."""
    try:
        return kind(name, text, labels, **options)
    except ValueError:
        found: Collector = registered_collector(name)
        return found


SESSIONS = _collector(Counter, "tg_agent_session_total", "Requests by how they ended", ["processor", "outcome"])
ITERATIONS = _collector(
    Histogram,
    "tg_agent_iteration_count",
    "Steps of a request until its answer",
    ["processor"],
    buckets=[1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 15, 20],
)
TOOL_CALLS = _collector(Counter, "tg_agent_tool_invocation_total", "Calls of the agent's tools", ["processor", "tool"])
TOOL_SECONDS = _collector(
    Histogram,
    "tg_agent_tool_duration_seconds",
    "Time of a call of a tool (seconds)",
    ["processor", "tool"],
    buckets=BUCKETS_LLM,
)
TOOL_ERRORS = _collector(Counter, "tg_agent_tool_error_total", "Calls of tools that failed", ["processor", "tool"])
IN_FLIGHT = _collector(Gauge, "tg_memory_turns_in_flight", "Requests in progress", ["processor"])
STAGE_SECONDS = _collector(
    Histogram, "tg_memory_turn_stage_seconds", "Time of a turn by stage (seconds)", ["processor", "stage"], buckets=_STAGES_S
)
RULE_CHANGES = _collector(
    Counter,
    "tg_memory_rule_changes_total",
    "Rules of the user that the model said to be given or withdrawn, by what became of it: added, ended, or the reason for "
    "dropping it",
    ["processor", "result"],
)


def count_end(processor: str, outcome: str, *, iterations: int = 0, timings_ms: Mapping[str, float] | None = None) -> None:
    SESSIONS.labels(processor=processor, outcome=outcome).inc()
    if iterations:
        ITERATIONS.labels(processor=processor).observe(iterations)
    for stage, spent_ms in (timings_ms or {}).items():
        STAGE_SECONDS.labels(processor=processor, stage=stage).observe(spent_ms / 1000)


def count_rule_changes(processor: str, rules: RuleChanges) -> None:
    results = Counts("added" if change.op == "add" else "ended" for change in rules.made) + Counts(rules.dropped)
    for result, number in results.items():
        RULE_CHANGES.labels(processor=processor, result=result).inc(number)


@contextmanager
def measure_call(processor: str, tool: str) -> Iterator[None]:
    """Count a call of a tool, and measure how long it takes."""
    labels = {"processor": processor, "tool": tool}
    TOOL_CALLS.labels(**labels).inc()
    seconds, errors = TOOL_SECONDS.labels(**labels), TOOL_ERRORS.labels(**labels)
    with seconds.time(), errors.count_exceptions(), tool_call(tool):
        yield
