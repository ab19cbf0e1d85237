"""What is forgotten is gone from the turns that the ranking weights keep for training."""

import json
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.records import turn_id
from trustgraph_react_mem.rerank import Weights
from trustgraph_react_mem.rerank.archive import ArchivedTurn, decode, encode, make_archived
from trustgraph_react_mem.rerank.forgetting import Forgotten, forget_turns
from trustgraph_react_mem.settings import AgentMemSettings

pytestmark = pytest.mark.later

FORMS = ("calibrated", "paper")


def quiet(form: str) -> AgentMemSettings:
    return AgentMemSettings.model_validate({"enable-auto-fact-extraction": False, "fact-ttl-days": 0, "rerank": form})


def retrieval(ids: Sequence[str], query: str, form: str) -> dict[str, JsonValue]:
    return {
        "candidate_ids": list(ids),
        "shown_ids": list(ids[:2]),
        "features": [[1.0 - 0.1 * place] for place in range(len(ids))],
        "feature_names": ["retrieval"],
        "query": query,
        "mode": form,
        "seed": 1,
        "cited": [0],
        "citation": "cited",
    }


async def learned(memory: Memory, form: str) -> list[str]:
    """Four questions, learned from; returns the ids of the records that were ranked."""
    settings: dict[str, JsonValue] = {"rerank": form, "enable-auto-fact-extraction": False}
    for text in ("My cat is called Udon.", "I live in Bergen.", "I like tea."):
        await memory.say(text, conversation="facts", settings=settings)
    await memory.settled()
    ids = [turn.id for turn in await memory.turns() if turn.trust == "user"]
    for number, question in enumerate(("What is my zanzibar PIN?", "Where do I live?", "Which drink?", "And my cat?", "Else?")):
        talk = "secret" if number == 0 else "other"
        await memory.say(question, conversation=talk, retrieval=retrieval(ids, question, form), settings=settings)
        await memory.settled()
    return ids


async def weights_of(memory: Memory) -> Weights:
    stored = await memory.stores.weights.load(ANN)
    assert stored is not None
    return Weights.from_bytes(stored.blob, profile=stored.profile, dimension=stored.dimension)


async def forget(memory: Memory, job: Job) -> dict[str, dict[str, int]]:
    await memory.worker.pending.publish([job])
    await memory.settled()
    receipt = json.loads(await memory.summary(job))
    assert receipt["complete"]
    places: dict[str, dict[str, int]] = receipt["places"]
    return places


def contains(weights: Weights, query: np.ndarray) -> bool:
    """Whether the vector occurs in the stored turns or in the outer products."""
    vectors = [turn.query for turn in map(decode, weights.archive)]
    vectors += [turn.matrices.query for turn in weights.pending if turn.matrices is not None]
    vectors += list(weights.wq.right)
    return any(float(v @ query) > 0.999 * float(np.linalg.norm(v)) for v in vectors)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", ["record", "conversation"])
async def test_a_forgotten_question_is_gone_from_the_weights(form: str, level: str) -> None:
    async with open_memory(settings=quiet(form), model=None) as memory:
        await learned(memory, form)
        space = await memory.facts.router.read_index(ANN)
        query = (await space.embedder.embed(["What is my zanzibar PIN?"], role="query"))[0]
        before = await weights_of(memory)
        assert contains(before, query)
        question = turn_id(ANN, "secret", "secret-0", "question")
        at = memory.clock.now()
        if level == "record":
            places = await forget(memory, forget_job(ANN, "record", at=at, ids=[question]))
        else:
            places = await forget(memory, forget_job(ANN, "conversation", at=at, conversation_id="secret"))
        assert places["weights"] == {"found": 1, "removed": 1, "left": 0}
        after = await weights_of(memory)
        assert not contains(after, query)
        assert len(after.archive) == len(before.archive) - 1
        assert b"secret-0" not in after.to_bytes()


@pytest.mark.parametrize("form", FORMS)
async def test_a_forgotten_record_is_gone_from_the_candidates(form: str) -> None:
    async with open_memory(settings=quiet(form), model=None) as memory:
        ids = await learned(memory, form)
        places = await forget(memory, forget_job(ANN, "record", at=memory.clock.now(), ids=[ids[1]]))
        assert places["weights"]["left"] == 0
        after = await weights_of(memory)
        assert ids[1].encode() not in after.to_bytes()
        turns = [decode(entry) for entry in after.archive]
        assert turns
        assert all(turn.ids == (ids[0], ids[2]) and turn.features.shape[0] == 2 for turn in turns)
        assert after.pending == ()


async def test_what_a_quota_evicts_is_gone_from_the_weights() -> None:
    settings = quiet("calibrated").model_copy(update={"fact_quota": 4})
    async with open_memory(settings=settings, model=None) as memory:
        await learned(memory, "calibrated")
        kept = (await weights_of(memory)).to_bytes()
        assert b"secret-0" in kept
        job = await memory.submit("retain", {})
        await memory.settled()
        left = {turn.id for turn in await memory.turns()}
        assert "facts_over_quota=0" not in await memory.summary(job)
        after = await weights_of(memory)
        assert {each for entry in after.archive for each in decode(entry).ids} <= left
        asked = {turn.invocation_id for turn in await memory.turns()}
        assert {decode(entry).invocation_id for entry in after.archive} <= asked


async def test_a_reward_that_comes_after_the_receipt_brings_nothing_back() -> None:
    async with open_memory(settings=quiet("calibrated"), model=None) as memory:
        ids = await learned(memory, "calibrated")
        question = turn_id(ANN, "secret", "secret-0", "question")
        await forget(memory, forget_job(ANN, "record", at=memory.clock.now(), ids=[question]))
        payload: dict[str, JsonValue] = {
            "conversation_id": "secret",
            "invocation_id": "secret-0",
            "retrieval": retrieval(ids, "What is my zanzibar PIN?", "calibrated"),
        }
        late = Job(id="late", kind="reward", scope=ANN, payload=payload, created_at=memory.clock.now())
        before = await weights_of(memory)
        await build_handlers(memory.context)["reward"](late)
        assert (await weights_of(memory)).archive == before.archive


async def test_an_interrupted_erasure_reaches_the_weights_when_it_resumes() -> None:
    async with open_memory(settings=quiet("calibrated"), model=None) as memory:
        ids = await learned(memory, "calibrated")
        await memory.facts.forget(ANN, [ids[1]])  # the records are gone, the rest of the erasure was interrupted
        await forget(memory, forget_job(ANN, "record", at=memory.clock.now(), ids=[ids[1]]))
        assert ids[1].encode() not in (await weights_of(memory)).to_bytes()


async def test_turns_of_version_0_1_0_go_with_the_first_forgotten_question() -> None:
    async with open_memory(settings=quiet("calibrated"), model=None) as memory:
        ids = await learned(memory, "calibrated")
        now = await weights_of(memory)
        old = replace(
            now,
            archive=tuple(encode(_without_place(decode(entry))) for entry in now.archive),
            pending=tuple(replace(turn, origin=0) for turn in now.pending),
        )
        kept = forget_turns(old, Forgotten(records={ids[0]}))
        assert len(kept.archive) == len(old.archive)
        assert kept.pending == old.pending
        gone = forget_turns(old, Forgotten(invocations={"secret-0"}))
        assert (gone.archive, gone.pending) == ((), ())


def _without_place(turn: ArchivedTurn) -> ArchivedTurn:
    return replace(turn, conversation_id="", invocation_id="")


def test_an_archived_turn_comes_back_whole() -> None:
    generator = np.random.default_rng(3)
    turn = ArchivedTurn(
        job_id="j", ids=("a", "b", "c"), shown=(2, 0), cited=(1,), state="cited", seed=4, muted=frozenset({1}),
        query=np.array([0.5, 0.25, -1.0], np.float32), base=np.array([3.0, 2.0, 1.0]),
        features=generator.integers(0, 4, (3, 2)).astype(float), feature_names=("x", "y"), conversation_id="c",
        invocation_id="i",
    )  # fmt: skip
    again = decode(encode(turn))
    assert (again.ids, again.conversation_id, again.invocation_id) == (turn.ids, "c", "i")
    left = again.without({"a"})
    assert left is not None
    assert (left.ids, left.shown, left.cited, left.muted, left.features.tolist()) == (
        ("b", "c"), (1,), (), frozenset({0}), turn.features[1:].tolist(),
    )  # fmt: skip
    assert again.without({"a", "c"}) is None
    vectors = {record: np.ones(3, np.float32) for record in turn.ids}
    experience = again.with_vectors(vectors)
    assert experience is not None
    assert make_archived(experience).invocation_id == "i"
