"""Texts that the embedding model always refuses: stored, found by keyword, marked, and no one else's trouble."""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

from tests.integration.jobs_support import ANN, BOB, Memory, open_memory
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.erasure.reconcile import Reconciler
from trustgraph_react_mem.errors import ModelUnavailable, RequestRefused
from trustgraph_react_mem.indexing.embedding import embed_rows, embed_texts
from trustgraph_react_mem.memory.ports import Matrix
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

WORD = "unspeakable"


class Picky(HashedEmbedder):
    """Refuses texts with a word, and texts of more than ``longest`` characters."""

    def __init__(self, longest: int = 10_000) -> None:
        super().__init__(64)
        self._longest = longest

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        if any(WORD in text or len(text) > self._longest for text in texts):
            self.calls.append(list(texts))
            raise RequestRefused("simulated")
        return await super().embed(texts, role=role)


async def test_one_refused_text_costs_its_batch_a_few_requests() -> None:
    embedder = Picky()
    texts = [f"text {n}" for n in range(64)]
    texts[40] = WORD
    vectors = await embed_texts(embedder, texts, role="passage")
    assert [text for text, vector in vectors.items() if vector is None] == [WORD]
    assert len(embedder.calls) < 20


async def test_a_text_that_is_too_long_is_cut_until_it_is_taken() -> None:
    embedder = Picky(longest=3000)
    long = "tea and " * 2000
    rows = await embed_rows(embedder, [long, WORD, "coffee", "coffee"], role="query")
    assert float(rows[0] @ (await embedder.embed([long[:2000]], role="query"))[0]) == pytest.approx(1.0)
    assert not rows[1].any()
    assert np.array_equal(rows[2], rows[3])


async def test_a_model_that_is_away_is_no_refusal() -> None:
    class Away(HashedEmbedder):
        async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
            raise ModelUnavailable("away")

    with pytest.raises(ModelUnavailable):
        await embed_texts(Away(), ["a", "b"], role="passage")


def refuse(monkeypatch: pytest.MonkeyPatch) -> None:
    embed = HashedEmbedder.embed

    async def picky(self: HashedEmbedder, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        if any(WORD in text for text in texts):
            raise RequestRefused("simulated")
        return await embed(self, texts, role=role)

    monkeypatch.setattr(HashedEmbedder, "embed", picky)


async def count(memory: Memory) -> int:
    return await memory.core.models.count_without_vector(ANN)


async def test_a_refused_text_stops_nobodys_memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async with open_memory(tmp_path) as memory:
        with monkeypatch.context() as patched:
            refuse(patched)
            jobs = [await memory.say(f"I keep the {name} in drawer 7") for name in ("lamp", WORD, "kettle")]
            jobs += [await memory.say("I keep the piano upstairs", scope=BOB, conversation="b")]
            await memory.settled()
            await memory.settled(BOB)
            assert [await memory.state(job) for job in jobs] == ["done"] * 4
            turns = await memory.turns()
            assert len(turns) == 6
            assert all(turn.indexed for turn in turns)
            assert await count(memory) == 1
            assert not (await Reconciler(memory.core).repair()).waiting
            await Reconciler(memory.core).repair_scope(ANN)
            assert await count(memory) == 1, "repair keeps the mark"
        await memory.submit("reembed", {})
        await memory.settled()
        assert await count(memory) == 0, "the model takes it now"


async def test_a_refused_text_can_be_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuse(monkeypatch)
    async with open_memory(tmp_path) as memory:
        await memory.say(f"I keep the {WORD} in drawer 7")
        await memory.settled()
        refused = next(turn for turn in await memory.turns() if WORD in turn.content)
        job = forget_job(ANN, "record", at=memory.clock.now(), ids=[refused.id])
        await memory.worker.pending.submit(job)
        assert await memory.worker.pending.wait_for(job.ref, timeout_s=20)
        assert await memory.state(job) == "done"
        assert await count(memory) == 0
        assert not any(WORD in turn.content for turn in await memory.turns())
