"""Recall with an embedding model that shows its tokens, on the embedded engines."""

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from bench.bank import Bank, open_bank
from tests.doubles.token_embedder import WordTokenEmbedder
from trustgraph_react_mem.indexing.token_signs import TOKENS
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.schema import Fact as Shown

from .jobs_support import ANN, START, open_memory

pytestmark = pytest.mark.later

SAID = (
    "We went to the harbour and looked at the boats.",
    "My sister plays the violin in a small orchestra.",
    "The heating broke and the plumber came twice.",
    "Our dog learned to open the garden gate.",
    "I bought a second-hand bicycle from a neighbour.",
    *(f"Number {number} of my stamps came from {place}." for number, place in enumerate(("Peru", "Chad", "Fiji", "Oman") * 6)),
)
VIOLIN = 1
QUESTION = "harbour? no: who plays violin in an orchestra"


def turns() -> list[Fact]:
    return [
        Fact(id=f"t{number}", scope=ANN, kind="turn", content=text, created_at=START, said_at=START, position=number)
        for number, text in enumerate(SAID)
    ]


async def shown(bank: Bank) -> list[Shown]:
    query = RetrievalQuery(question=QUESTION, rerank="off", top_k=len(SAID))
    return list((await bank.retriever.retrieve(ANN, query)).facts)


def late_of(facts: list[Shown]) -> dict[str, float]:
    return {fact.id: float(fact.why.get("late", 0)) for fact in facts}


@pytest_asyncio.fixture
async def bank() -> AsyncIterator[Bank]:
    async with open_bank(WordTokenEmbedder()) as opened:
        await opened.memory.add_turns(ANN, "c1", turns())
        yield opened


async def test_the_record_with_the_question_s_words_gains_and_says_why(bank: Bank) -> None:
    found = await shown(bank)
    assert found[0].id == f"t{VIOLIN}"
    late = late_of(found)
    assert max(late, key=lambda record_id: late[record_id]) == f"t{VIOLIN}"
    assert late[f"t{VIOLIN}"] > 0.1


async def test_a_forgotten_record_leaves_no_tokens(bank: Bank) -> None:
    await bank.memory.forget(ANN, ["t1"])
    assert [point.id for point in await bank.index.fetch(ANN, ["t1"])] == []
    assert "t1" not in late_of(await shown(bank))


async def test_records_stored_without_tokens_get_them_by_re_embedding() -> None:
    async with open_memory() as memory:
        await memory.facts.add_turns(ANN, "c1", turns())
        ids = [f"t{number}" for number in range(len(SAID))]
        space = memory.facts.router.current
        assert not any(TOKENS in point.payload for point in await space.index.fetch(ANN, ids))
        # As after an upgrade: the same model shows its tokens now.
        object.__setattr__(space, "embedder", WordTokenEmbedder(space.profile.dimension))
        await memory.run("reembed", {})
        assert all(TOKENS in point.payload for point in await space.index.fetch(ANN, ids))
