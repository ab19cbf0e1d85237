"""Reward jobs on real embedded stores: replay, crash, concurrency, and every row of the specification's degradation table.

Names of tests follow seed sections F.4 (edge cases), F.5 (concurrency), F.6 (storage), F.7 (degradation).
"""

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.answers import parse_citations
from tests.doubles.core import core_over, ports
from tests.integration.engines import lend_graph, lend_index
from tests.integration.jobs_support import ANN, BOB, Notices
from trustgraph_react_mem.errors import BadRequest, Conflict, EngineUnavailable, NotFound
from trustgraph_react_mem.jobs.delivery import Handler
from trustgraph_react_mem.learning.context import HandlerContext
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.learning.reward_log import learning_status
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import IndexPoint, Job, StoredWeights
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.repositories.core import MemoryCore
from trustgraph_react_mem.rerank import Weights
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.graph.scope_state import CypherWeightStore
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

AT = datetime(2026, 3, 1, 9, tzinfo=UTC)
DEFAULTS = AgentMemSettings()
IDS = [f"m{n}" for n in range(8)]
TEXTS = ["hiking in the hills", "a green bicycle", "jazz on friday", "two cats", "a dentist", "old maps", "bread", "chess club"]


class Desk:
    """A handler over real stores, and makers of jobs."""

    def __init__(self, graph: LadybugGraph, index: EdgeIndex, embedder: HashedEmbedder) -> None:
        self.stores = GraphStores.over(graph, SystemClock(), bytes(32))
        self.store = CypherWeightStore(graph)
        self.index = index
        self.embedder = embedder
        self.notices = Notices()
        self.handler = self.made()

    def core(self, *, weights: Any = None, index: Any = None, embedder: Any = None, notifier: Any = None) -> MemoryCore:
        return core_over(
            ports(self.stores, weights=weights or self.store),
            index or self.index,
            embedder or self.embedder,
            notifier=notifier or self.notices,
        )

    def made(self, settings: AgentMemSettings = DEFAULTS, **other: Any) -> Handler:
        """As after a restart; some parts may be others."""
        context = HandlerContext(
            core=self.core(**other),
            model_for=lambda workspace, flow: None,
            settings_for=lambda workspace, flow: settings,
        )
        return build_handlers(context)["reward"]

    async def weights(self, scope: Scope = ANN) -> Weights | None:
        stored = await self.store.load(scope)
        return Weights.from_bytes(stored.blob, profile="hashed-64", dimension=64) if stored else None

    async def rows(self) -> list[Mapping[str, float]]:
        return [each.row for each in await self.store.reward_log(ANN, limit=100)]

    async def learned(self) -> Weights:
        weights = await self.weights()
        assert weights is not None
        return weights

    async def bytes(self, scope: Scope = ANN) -> bytes:
        stored = await self.store.load(scope)
        return stored.blob if stored else b""


def turn(number: int, *, cited: Sequence[int] | None = (1,), end: bool = False, scope: Scope = ANN, **change: Any) -> Job:
    state = "absent" if cited is None else "cited" if cited else "none"
    rng = np.random.default_rng(number)
    retrieval: dict[str, Any] = {
        "candidate_ids": IDS,
        "shown_ids": IDS[:5],
        "cited": None if cited is None else list(cited),
        "citation": state,
        "feature_names": ["base", "text", "speaker"],
        "features": rng.normal(size=24).tolist(),
        "query": f"question {number} about jazz",
        "mode": "calibrated",
        "policy_version": 0,
        "seed": number,
    }
    payload: dict[str, Any] = {
        "retrieval": retrieval | change,
        "conversation_id": "c",
        "at": (AT + timedelta(minutes=number)).isoformat(),
        "end_of_conversation": end,
    }
    return Job(id=f"job {number}", kind="reward", scope=scope, payload=payload, created_at=AT)


def job(payload: dict[str, Any], number: int = 900, scope: Scope = ANN) -> Job:
    return Job(id=f"job {number}", kind="reward", scope=scope, payload=payload, created_at=AT)


@pytest.fixture
async def desk() -> AsyncIterator[Desk]:
    embedder = HashedEmbedder(64)
    vectors = await embedder.embed(TEXTS, role="passage")
    async with lend_graph() as graph, lend_index(embedder.profile) as index:
        for scope in (ANN, BOB):
            await index.upsert(
                scope,
                [
                    IndexPoint(
                        id=record,
                        vectors={"text": vector, "context": vector},
                        payload={"content": text, "kind": "semantic", "status": "active"},
                    )
                    for record, vector, text in zip(IDS, vectors, TEXTS, strict=True)
                ],
            )
        yield Desk(graph, index, embedder)


async def learn(desk: Desk, numbers: Sequence[int], **more: Any) -> None:
    for number in numbers:
        await desk.handler(turn(number, **more))


# -- the batch, and what is stored when ----------------------------------------------------------------------


async def test_weights_are_stored_right_after_each_turn_and_applied_by_four(desk: Desk) -> None:
    outcomes = [await desk.handler(turn(number)) for number in range(4)]
    assert [o.summary for o in outcomes] == ["accumulated=1"] * 3 + ["applied=1"]
    weights = await desk.learned()
    assert (weights.turns, weights.updates, weights.pending) == (4, 1, ())
    assert weights.norm > 0
    stored = await desk.store.load(ANN)
    assert stored is not None
    assert stored.version == 4
    assert desk.notices.heard == [(ANN, "weights")] * 4
    assert len(await desk.store.reward_log(ANN)) == 4
    row = (await desk.rows())[0]
    assert row["citation_rate"] == pytest.approx(0.2)
    assert row["bank_size"] == 8


@pytest.mark.parametrize("ended_by", ["a turn", "an end without recall"])
async def test_the_learning_rate_is_a_setting(desk: Desk, ended_by: str) -> None:
    end = turn(1, end=True) if ended_by == "a turn" else job({"retrieval": None, "end_of_conversation": True})
    norms = []
    for rate in (1.0, 2.0):
        handler = desk.made(settings=AgentMemSettings(rmm_learning_rate=rate))
        await handler(job({"reset": True}))
        await handler(turn(0))
        await handler(end)
        weights = await desk.learned()
        assert (weights.updates, weights.pending) == (1, ())
        norms.append(weights.norm)
    assert norms[0] > 0
    assert norms[1] == pytest.approx(2 * norms[0], rel=0.01)


async def test_a_session_end_without_recall_applies_what_waits(desk: Desk) -> None:
    await learn(desk, [0, 1])
    ended = job({"retrieval": None, "end_of_conversation": True})
    assert (await desk.handler(ended)).summary == "flushed=1"
    assert (await desk.handler(ended)).summary == "flushed=0"
    assert (await desk.learned()).pending == ()


async def test_a_job_that_comes_again_changes_nothing(desk: Desk) -> None:
    await learn(desk, range(5))
    before = await desk.bytes()
    for number in range(5):
        assert (await desk.made()(turn(number))).summary == "seen=1"
    assert await desk.bytes() == before
    assert len(await desk.store.reward_log(ANN)) == 5


async def test_users_do_not_share_weights(desk: Desk) -> None:
    await learn(desk, range(4))
    assert await desk.weights(BOB) is None
    await learn(desk, range(4), scope=BOB)
    assert await desk.bytes(ANN) == await desk.bytes(BOB), "equal turns, equal weights: nothing depends on who or when"


# -- F.4 edge cases of sessions ------------------------------------------------------------------------------


async def test_f4_1_a_thread_that_was_interrupted_goes_on_with_its_weights(desk: Desk) -> None:
    await learn(desk, range(6))
    uninterrupted = await desk.bytes()
    for number in range(6):
        await desk.made()(turn(number, scope=BOB))  # a new process for each turn
    assert await desk.bytes(BOB) == uninterrupted


async def test_f4_2_a_session_over_several_invocations_is_learned_as_one(desk: Desk) -> None:
    for number in range(5):
        await desk.handler(turn(number, end=number == 4))
    weights = await desk.learned()
    assert (weights.turns, weights.updates, weights.pending) == (5, 2, ())


async def test_f4_3_a_session_that_never_ends_still_learns_by_batches(desk: Desk) -> None:
    await learn(desk, range(9))
    weights = await desk.learned()
    assert (weights.updates, len(weights.pending)) == (2, 1)


async def test_f4_4_a_partial_batch_survives_an_interruption(desk: Desk) -> None:
    """The specification accepts this loss; here nothing is lost, the waiting turns are stored with the weights."""
    await learn(desk, range(3))
    await desk.made()(turn(3))
    weights = await desk.learned()
    assert (weights.turns, weights.updates) == (4, 1)


async def test_f4_5_several_model_calls_of_one_turn_are_one_reward(desk: Desk) -> None:
    """One record job a turn, whatever tools it called: its id is the turn's, so a second one is seen."""
    await desk.handler(turn(1))
    await desk.handler(turn(1))
    assert (await desk.learned()).turns == 1


async def test_f4_6_a_turn_that_showed_nothing_teaches_nothing(desk: Desk) -> None:
    outcome = await desk.handler(turn(1, candidate_ids=[], shown_ids=[], features=[], cited=[]))
    assert outcome.summary == "empty=1"
    assert await desk.weights() is None


# -- F.5 concurrency, F.6 storage ----------------------------------------------------------------------------


class Racing(CypherWeightStore):
    """Another writer is first, ``times`` times."""

    times = 1

    async def save(self, scope: Scope, weights: StoredWeights, *, expected_version: int) -> None:
        if self.times:
            self.times -= 1
            raise Conflict("another writer was first: read again")
        await super().save(scope, weights, expected_version=expected_version)


async def test_f5_a_second_writer_means_read_again_and_nothing_is_lost(desk: Desk) -> None:
    racing = Racing(desk.store._engine)
    handler = desk.made(weights=racing)
    await handler(turn(0))
    weights = await desk.learned()
    assert weights.turns == 1
    racing.times = 99
    with pytest.raises(Conflict):
        await handler(turn(1))


async def test_f6_weights_of_another_model_keep_what_means_something_in_the_new_one(desk: Desk, tmp_path: Path) -> None:
    """Directions are of the other model's space; the weights of the features and the jobs that counted are not."""
    await learn(desk, range(8))
    before, stored_before = await desk.weights(), await desk.bytes()
    assert before is not None
    assert before.theta
    assert before.vector.any()
    wide = HashedEmbedder(32)
    index = await EdgeIndex.open(tmp_path / "wide", wide.profile)
    handler = desk.made(index=index, embedder=wide)
    await handler(turn(1))  # learned from before the change
    assert await desk.bytes() == stored_before
    points = [point async for batch in desk.index.scan(ANN) for point in batch]
    vectors = await wide.vectors([str(point.payload["content"]) for point in points])
    moved = [replace(point, vectors={"text": vector}) for point, vector in zip(points, vectors, strict=True)]
    await index.upsert(ANN, moved)
    await handler(turn(9))
    stored = await desk.store.load(ANN)
    assert stored is not None
    assert (stored.profile, stored.dimension) == ("hashed-32", 32)
    after = Weights.from_bytes(stored.blob, profile="hashed-32", dimension=32)
    assert after.turns == before.turns + 1
    assert set(before.seen) < set(after.seen)
    assert after.theta.keys() == before.theta.keys()
    assert after.vector.shape == (32,)
    await index.close()


# -- F.7 degradation -----------------------------------------------------------------------------------------


class Away:
    """An engine that does not answer."""

    def __init__(self, inner: Any) -> None:
        self._inner = inner
        self.profile = inner.profile if hasattr(inner, "profile") else None

    def __getattr__(self, name: str) -> Any:
        async def fail(*args: Any, **kwargs: Any) -> Any:
            raise EngineUnavailable("the engine does not answer: try again")

        return fail


async def test_f7_vector_store_query_fails_no_state_changes(desk: Desk) -> None:
    await learn(desk, range(4))
    before = await desk.bytes()
    with pytest.raises(EngineUnavailable):
        await desk.made(index=Away(desk.index))(turn(5))
    assert await desk.bytes() == before
    assert len(await desk.store.reward_log(ANN)) == 4
    await desk.handler(turn(5))  # the job is tried again and nothing is missing
    assert (await desk.learned()).turns == 5


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
async def test_f7_reranker_computation_fails_no_weight_updates(desk: Desk, value: float) -> None:
    await learn(desk, range(4))
    before = await desk.bytes()
    outcome = await desk.handler(turn(5, features=[value] * 24))
    assert outcome.summary == "not-finite=1"
    assert await desk.bytes() == before


async def test_f7_reranker_computation_fails_retrievals_own_order_and_the_reason(desk: Desk) -> None:
    await learn(desk, range(4))
    weights, stored = await desk.weights(), await desk.store.load(ANN)
    assert weights is not None
    assert stored is not None
    beyond = replace(weights, vector=np.full(64, 3e38, np.float32))
    await desk.store.save(ANN, replace(stored, version=5, blob=beyond.to_bytes()), expected_version=4)
    retriever = Retriever(desk.index, desk.embedder, weight_store=desk.store)
    query = RetrievalQuery(question="jazz on friday", top_k=3, candidates=8)
    plain = await retriever.retrieve(ANN, replace(query, rerank="off"))
    found = await retriever.retrieve(ANN, query)
    assert found.unranked == "not-finite"
    assert [fact.id for fact in found.facts] == [fact.id for fact in plain.facts]
    assert plain.unranked == ""


@pytest.mark.parametrize(
    "answer", ["Jazz. <cite>9</cite>", "Jazz. <cite>0, ", "Jazz. <cite>0</cite> <cite>none</cite>", "Jazz. [9]"]
)
async def test_f7_citation_parsing_fails_no_update_and_counted(desk: Desk, answer: str) -> None:
    await learn(desk, range(4))
    before = await desk.bytes()
    _, citations = parse_citations(answer, 5)
    outcome = await desk.handler(turn(5, citation=citations.state, cited=None))
    assert outcome.summary == "malformed=1"
    assert await desk.bytes() == before
    assert (await learning_status(desk.core(), ANN))["rates"]["malformed"] == pytest.approx(1 / 5)


@pytest.mark.parametrize("answer", ["Jazz.", "Jazz (0).", "Jazz [abc].", "Jazz [9]."])
async def test_f7_no_citation_at_all_no_update_and_counted(desk: Desk, answer: str) -> None:
    _, citations = parse_citations(answer, 5)
    outcome = await desk.handler(turn(5, citation=citations.state, cited=None))
    assert outcome.summary == "absent=1"
    assert await desk.weights() is None
    assert (await learning_status(desk.core(), ANN))["rates"]["absent"] == 1.0


async def test_f7_no_cite_is_a_reward_of_minus_one_for_all(desk: Desk) -> None:
    await desk.handler(turn(5, cited=()))
    row = (await desk.rows())[-1]
    assert row["reward"] == -1.0
    assert row["citation_rate"] == 0.0


async def test_f7_weight_store_away_ranking_goes_on_and_the_job_waits(desk: Desk) -> None:
    """The specification goes on with weights in memory; here the turn waits in its job, which is durable."""
    with pytest.raises(EngineUnavailable):
        await desk.made(weights=Away(desk.store))(turn(0))
    await learn(desk, range(4))
    retriever = Retriever(desk.index, desk.embedder, weight_store=desk.store)
    query = RetrievalQuery(question="jazz on friday", top_k=3, candidates=8)
    known = await retriever.retrieve(ANN, query)
    assert known.policy_version == 4
    retriever._policies._store = Away(desk.store)
    assert (await retriever.retrieve(ANN, query)).policy_version == 4, "loaded weights serve on"


async def test_f7_any_step_throws_nothing_half_done(desk: Desk) -> None:
    """Each step of the job fails once; after the retry everything is there, once."""

    class Deaf(Notices):
        async def changed(self, *told: Any) -> None:
            raise EngineUnavailable("the broker does not answer: try again")

    class NoLog(CypherWeightStore):
        async def log_reward(self, *args: Any, **kwargs: Any) -> None:
            raise EngineUnavailable("the graph does not answer: try again")

    for number, broken in enumerate(
        [desk.made(embedder=Away(desk.embedder)), desk.made(notifier=Deaf()), desk.made(weights=NoLog(desk.store._engine))]
    ):
        with pytest.raises(EngineUnavailable):
            await broken(turn(number))
        await desk.handler(turn(number))
    weights = await desk.learned()
    assert weights.turns == 3
    assert len(await desk.store.reward_log(ANN)) == 3


# -- payloads ------------------------------------------------------------------------------------------------


async def test_a_record_that_was_forgotten_since_is_left_out(desk: Desk) -> None:
    await desk.index.delete(ANN, ["m1", "m7"])
    assert (await desk.handler(turn(0, cited=(1, 2)))).summary == "accumulated=1"
    assert b"m1" not in (await desk.learned()).archive[0]
    await desk.index.delete(ANN, IDS)
    assert (await desk.handler(turn(1))).summary == "empty=1"


async def test_a_record_that_imitates_a_citation_earns_nothing(desk: Desk) -> None:
    vector = (await desk.embedder.embed(["x"], role="passage"))[0]
    await desk.index.upsert(
        ANN, [IndexPoint(id="m1", vectors={"text": vector}, payload={"content": "She likes jazz. <cite>1</cite>"})]
    )
    for number in range(8):
        await desk.handler(turn(number, cited=(1,)))
    weights = await desk.learned()
    assert weights.turns == 8
    assert weights.norm == 0.0


@pytest.mark.parametrize("settings", [{"rmm-learning-rate": 0.0}, {"rerank": "off"}])
async def test_switched_off_rewards_are_logged_and_nothing_is_learned(desk: Desk, settings: dict[str, Any]) -> None:
    for number in range(4):
        made = turn(number)
        await desk.handler(replace(made, payload={**made.payload, "settings": settings}))
    assert await desk.weights() is None
    assert [row["learning"] for row in await desk.rows()] == [0.0] * 4
    assert len(await desk.store.reward_log(ANN)) == 4


async def test_feedback_and_reset(desk: Desk) -> None:
    rated = job({"feedback": [{"id": "m2", "rating": 1}, {"id": "gone", "rating": -1}]})
    assert (await desk.handler(rated)).summary == "rated=1 changed=1"
    assert (await desk.handler(rated)).summary == "rated=1 changed=0"
    with pytest.raises(NotFound):
        await desk.handler(job({"feedback": [{"id": "gone", "rating": 1}]}, 901))
    with pytest.raises(BadRequest):
        await desk.handler(job({"feedback": [{"id": "m2", "rating": 5}]}, 902))
    await learn(desk, range(4))
    assert (await desk.handler(job({"reset": True}, 905))).summary == "reset=1"
    fresh = await desk.weights(ANN)
    assert fresh is not None
    assert fresh.norm == 0.0


async def test_offline_training_uses_the_archived_turns_once_per_job(desk: Desk) -> None:
    assert (await desk.handler(job({"pretrain": {"passes": 2}}))).summary.startswith("turns=0")
    await learn(desk, range(20))
    train = job({"pretrain": {"passes": 3}})
    first = await desk.handler(train)
    assert first.counts["turns"] == 20
    before = await desk.bytes()
    await desk.handler(train)
    assert await desk.bytes() == before
    with pytest.raises(BadRequest, match="1 to 50"):
        await desk.handler(job({"pretrain": {"passes": 0}}, 7))
