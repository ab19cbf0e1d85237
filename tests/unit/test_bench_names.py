"""Every figure that is asked for has one module that measures it, and an unknown name is refused."""

import subprocess
import sys
from collections import Counter

import pytest

from bench import servers
from bench.__main__ import MODULES, Measurement, wanted
from bench.row import Row

pytestmark = pytest.mark.later

TURNS = ("turn_stock", "turn_ours_memory_off", "turn_ours_10k")

ASKED = {
    "rpc_round_trip_p50",
    "turn_with_memory_p50",
    "turn_with_memory_p95",
    "recall_overhead_p50",
    "recall_overhead_p95",
    "search_hybrid_p95_100k",
    "search_hybrid_p95_1m",
    "context_tokens_p50",
    "stack_start",
    "stack_memory",
    "turns_per_second_1",
    "turns_per_second_4",
    "turns_per_second_16",
    "turns_per_second_50",
    "turns_per_second_stock_16",
    "locomo_recall_at_5",
    "locomo_recall_at_10",
    "job_publish_confirm_p50",
    "jobs_per_second",
    "record_jobs_per_second",
    "facts_stored_per_second",
    "facts_embedded_per_second",
    "store_100k_rate",
    "store_100k_memory",
    "store_100k_disk",
    "answer_latency_under_backlog",
    "rerank_1536",
    "update_1536",
    "weights_bytes_1536",
    "recall_rmm_overhead_p50",
}
MEASUREMENTS = [Measurement(module) for module in MODULES]


def test_each_figure_is_measured_in_one_place() -> None:
    counts = Counter(name for measurement in MEASUREMENTS for name in measurement.names)
    assert set(counts) >= ASKED
    assert [name for name, count in counts.items() if count > 1] == []


def test_the_figures_on_real_servers_have_their_names() -> None:
    asked = {f"{kind}_{part}_{side}" for kind in TURNS for part in ("p50", "p95") for side in ("pulsar", "embedded")}
    asked |= {f"turns_per_second_{count}" for count in (1, 8, 32)} | {"graph_query_neo4j", "graph_query_ladybug"}
    asked |= {"memory_agent-manager-react-mem", "memory_agent-facts", "memory_agent-episodes"}
    asked |= {"memory_agent-conversations", "memory_agent-memory-jobs"}
    assert asked <= set(servers.NAMES)
    assert len(servers.NAMES) == len(set(servers.NAMES))


def test_with_memory_slower_than_stock_without_is_told() -> None:
    rows = [
        Row("turn_ours_10k_p50_pulsar", 30.0, "ms", baseline=20.0),
        Row("turn_ours_10k_p95_pulsar", 30.0, "ms", baseline=40.0),
    ]
    assert servers.slower(rows) == ["turn_ours_10k_p50_pulsar: 30.0 ms, stock 20.0 ms"]


def test_slow_figures_run_only_by_name() -> None:
    ordinary = {name for measurement in MEASUREMENTS for name in wanted(measurement, "", None)}
    by_name = {name for measurement in MEASUREMENTS for name in wanted(measurement, "search_hybrid_p95_1m", None)}
    assert "search_hybrid_p95_1m" not in ordinary
    assert by_name == {"search_hybrid_p95_1m"}


def test_an_unknown_name_is_refused_with_the_known_ones() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "bench", "--only", "nonsense"], capture_output=True, text=True, timeout=600, check=False
    )
    assert done.returncode == 2
    assert "'nonsense'" in done.stderr
    assert "turn_with_memory_p50" in done.stderr
