"""What is counted of the ranking that learns and of what fails, and under which names."""

import numpy as np
import pytest
from prometheus_client import REGISTRY

from trustgraph_react_mem.learning.reward_log import citation_state, reward_row
from trustgraph_react_mem.rerank import Candidates, Experience
from trustgraph_react_mem.telemetry.metrics import NEWEST, record_reward


def sample(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def experience(cited: tuple[int, ...]) -> Experience:
    """Six candidates, of which retrieval has 0, 1, 2 first; shown were 3, 0, 1."""
    return Experience(
        job_id="j",
        query=np.ones(2, np.float32),
        candidates=Candidates(
            ids=tuple("abcdef"),
            vectors=np.ones((6, 2), np.float32),
            base=np.arange(6.0, 0.0, -1.0),
            features=np.zeros((6, 0)),
            feature_names=(),
        ),
        shown=(3, 0, 1),
        cited=cited,
        state="cited",
    )


@pytest.mark.parametrize(
    ("cited", "recall_prior", "mrr_prior", "mrr_shown"),
    [
        ((0,), 0.0, 1 / 3, 1.0),  # retrieval alone would not have shown it, and has it last of the three
        ((1,), 1.0, 1.0, 1 / 2),
        ((2,), 1.0, 1 / 2, 1 / 3),
        ((0, 1), 0.5, 1.0, 1.0),
    ],
)
def test_a_cited_turn_tells_what_retrieval_alone_would_have_shown(
    cited: tuple[int, ...], recall_prior: float, mrr_prior: float, mrr_shown: float
) -> None:
    row = reward_row(experience(cited), None, learns=True)
    assert row["citation_rate"] == pytest.approx(len(cited) / 3)
    assert row["reward"] == pytest.approx(2 * len(cited) / 3 - 1)
    assert (row["recall_prior"], row["mrr_prior"], row["mrr_shown"]) == pytest.approx((recall_prior, mrr_prior, mrr_shown))
    assert citation_state(row) == "cited"


def test_rewards_are_metrics_without_a_name_in_them() -> None:
    before = {state: sample("tg_memory_rewarded_turns_total", citation=state) for state in ("cited", "malformed")}
    norms, sizes = sample("tg_memory_weight_norm_count"), sample("tg_memory_bank_size_count")
    for _ in range(NEWEST):
        record_reward("cited", {"citation_rate": 0.4, "weight_norm": 0.25, "bank_size": 1200.0})
    record_reward("malformed", {"weight_norm": 0.25, "bank_size": 1200.0})
    assert sample("tg_memory_rewarded_turns_total", citation="cited") == before["cited"] + NEWEST
    assert sample("tg_memory_rewarded_turns_total", citation="malformed") == before["malformed"] + 1
    assert sample("tg_memory_citation_rate") == pytest.approx(0.4)
    assert sample("tg_memory_reward") == pytest.approx(-0.2)
    assert sample("tg_memory_weight_norm_count") == norms + NEWEST + 1
    assert sample("tg_memory_bank_size_count") == sizes + NEWEST + 1
    assert sample("tg_memory_bank_size_bucket", le="1000.0") == pytest.approx(
        sample("tg_memory_bank_size_bucket", le="3000.0") - (NEWEST + 1), abs=sizes
    )
    assert all(
        set(point.labels) <= {"citation", "le"}
        for family in REGISTRY.collect()
        if family.name in ("tg_memory_rewarded_turns", "tg_memory_reward", "tg_memory_weight_norm", "tg_memory_bank_size")
        for point in family.samples
    )
