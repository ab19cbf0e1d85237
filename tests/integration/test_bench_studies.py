"""What parts of the ranking bring, and for whom learning is worth it, over small files."""

from collections.abc import AsyncIterator
from pathlib import Path

import numpy as np
import pytest

from bench.bank import Bank, open_bank
from bench.cached_embedder import CachedTokenEmbedder, cached
from bench.coverage import KS
from bench.evaluate import ground_of
from bench.parts import CHANGES, EXPERTS, gathered, rows_of, show, without_context
from bench.preferences import FEWEST, TAKEN, study, taken
from bench.preferences import Preference as Prefers
from bench.transcripts import AskedTranscript, read_asked_transcripts
from trustgraph_react_mem.retrieval.weighting import ROWS, WEIGHTS
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

from .test_evaluation import locomo

pytestmark = pytest.mark.later


@pytest.fixture
def transcripts(tmp_path: Path) -> list[AskedTranscript]:
    return read_asked_transcripts(locomo(tmp_path / "data.json"))


@pytest.fixture
async def bank() -> AsyncIterator[Bank]:
    async with open_bank(HashedEmbedder()) as opened:
        yield opened


async def test_each_part_has_a_row_over_the_same_questions(
    bank: Bank, transcripts: list[AskedTranscript], capsys: pytest.CaptureFixture[str]
) -> None:
    cases = [case for each in transcripts for case in await gathered(bank, each, HashedEmbedder())]
    rows = rows_of(cases)
    assert set(rows) >= {"default", "best expert per scope", *CHANGES}
    assert sum(name.startswith(("expert", "Hedge")) for name in rows) >= len(EXPERTS)
    assert {len(row) for row in rows.values()} == {32}
    assert all(len(each) == len(KS) for row in rows.values() for each in row)
    assert np.mean(rows["default"]) > np.mean(rows["without speakers"])
    show("small", rows)
    assert "| default |" in capsys.readouterr().out


def test_the_weight_of_a_context_goes_to_the_record_itself() -> None:
    weights = without_context(WEIGHTS)
    assert weights[ROWS["text"]] == pytest.approx(WEIGHTS[ROWS["text"]] + WEIGHTS[ROWS["nearest"]])
    assert not weights[[ROWS["context"], ROWS["nearest"], ROWS["context_after"], ROWS["session_context"]]].any()


async def test_users_take_what_they_prefer_and_learning_follows(bank: Bank, transcripts: list[AskedTranscript]) -> None:
    ground = await ground_of(bank, transcripts[0], HashedEmbedder(), observations=True)
    items = await ground.default()
    by_bob = ground.hot.column("speaker") == ground.hot.speakers["bob"]
    asked = taken(ground, items, Prefers("one speaker", by_bob))
    assert asked
    assert any(by_bob[ground.hot.slots[each]] for item in asked for each in item.asked.evidence)
    assert {len(item.asked.evidence) for item in asked} <= {1, TAKEN}
    found = study(ground, items, seeds=2)
    assert set(found) >= {"the evidence", "one speaker", "facts", "turns"}
    for plain, learning in found.values():
        assert len(plain) >= FEWEST
        assert len(learning) == 2 * len(plain)


class Counting(HashedEmbedder):
    """Shows tokens, and counts the texts that it embeds."""

    asked = 0

    async def embed_tokens(self, texts, *, role):  # type: ignore[no-untyped-def]
        self.asked += len(texts)
        return await super().embed(texts, role=role), [np.ones((1, self.profile.dimension // 64), np.uint64) for _ in texts]

    async def embed(self, texts, *, role):  # type: ignore[no-untyped-def]
        self.asked += len(texts)
        return await super().embed(texts, role=role)


async def test_the_cache_embeds_a_text_once_for_its_vector_and_its_tokens(tmp_path: Path) -> None:
    inner = Counting()
    kept = cached(inner, tmp_path)
    assert isinstance(kept, CachedTokenEmbedder)
    vectors, signs = await kept.embed_tokens(["one", "two"], role="passage")
    assert (len(vectors), len(signs)) == (2, 2)
    assert (await kept.embed(["two", "one"], role="passage") == vectors[::-1]).all()
    kept.close()
    assert inner.asked == 2
