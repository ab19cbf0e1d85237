"""What is forgotten is gone from the turns that the ranking weights keep for training."""

from collections.abc import Sequence

import numpy as np
import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from trustgraph_react_mem.erasure.receipt import Level
from trustgraph_react_mem.learning.handler_table import build_handlers
from trustgraph_react_mem.memory.ports import Job, JsonValue
from trustgraph_react_mem.memory.records import turn_id
from trustgraph_react_mem.rerank import Weights
from trustgraph_react_mem.rerank.archive import decode
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
        await memory.record(question, conversation=talk, retrieval=retrieval(ids, question, form), settings=settings)
    return ids


async def weights_of(memory: Memory) -> Weights:
    stored = await memory.stores.weights.load(ANN)
    assert stored is not None
    return Weights.from_bytes(stored.blob, profile=stored.profile, dimension=stored.dimension)


def contains(weights: Weights, query: np.ndarray) -> bool:
    """Whether the vector occurs in the stored turns or in the outer products."""
    vectors = [turn.query for turn in map(decode, weights.archive)]
    vectors += [turn.matrices.query for turn in weights.pending if turn.matrices is not None]
    vectors += list(weights.wq.right)
    return any(float(v @ query) > 0.999 * float(np.linalg.norm(v)) for v in vectors)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", ["record", "conversation"])
async def test_a_forgotten_question_is_gone_from_the_weights(form: str, level: Level) -> None:
    async with open_memory(settings=quiet(form), model=None) as memory:
        await learned(memory, form)
        space = await memory.facts.router.read_index(ANN)
        query = (await space.embedder.embed(["What is my zanzibar PIN?"], role="query"))[0]
        before = await weights_of(memory)
        assert contains(before, query)
        question = turn_id(ANN, "secret", "secret-0", "question")
        receipt = await memory.forget(level, ids=[question] if level == "record" else [], conversation_id="secret")
        assert receipt["places"]["weights"] == {"found": 1, "removed": 1, "left": 0}
        after = await weights_of(memory)
        assert not contains(after, query)
        assert len(after.archive) == len(before.archive) - 1
        assert b"secret-0" not in after.to_bytes()


@pytest.mark.parametrize("form", FORMS)
async def test_a_forgotten_record_is_gone_from_the_candidates(form: str) -> None:
    async with open_memory(settings=quiet(form), model=None) as memory:
        ids = await learned(memory, form)
        receipt = await memory.forget("record", ids=[ids[1]])
        assert receipt["places"]["weights"]["left"] == 0
        after = await weights_of(memory)
        assert ids[1].encode() not in after.to_bytes()
        turns = [decode(entry) for entry in after.archive]
        assert turns
        assert all(turn.candidates.ids == (ids[0], ids[2]) and turn.candidates.features.shape[0] == 2 for turn in turns)
        assert after.pending == ()


async def test_a_reward_that_comes_after_the_receipt_brings_nothing_back() -> None:
    async with open_memory(settings=quiet("calibrated"), model=None) as memory:
        ids = await learned(memory, "calibrated")
        question = turn_id(ANN, "secret", "secret-0", "question")
        await memory.forget("record", ids=[question])
        payload: dict[str, JsonValue] = {
            "conversation_id": "secret",
            "invocation_id": "secret-0",
            "retrieval": retrieval(ids, "What is my zanzibar PIN?", "calibrated"),
        }
        late = Job(id="late", kind="reward", scope=ANN, payload=payload, created_at=memory.clock.now())
        before = await weights_of(memory)
        await build_handlers(memory.context)["reward"](late)
        assert (await weights_of(memory)).archive == before.archive
