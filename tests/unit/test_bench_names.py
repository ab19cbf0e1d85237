"""Every figure that is asked for has one module that measures it, and an unknown name is refused."""

from collections import Counter

import pytest

from bench.__main__ import MODULES, Measurement

pytestmark = pytest.mark.later


ASKED = {
    "rpc_round_trip_p50",
    "turn_with_memory_p50",
    "turn_with_memory_p95",
    "recall_overhead_p50",
    "recall_overhead_p95",
    "search_hybrid_p95_100k",
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
