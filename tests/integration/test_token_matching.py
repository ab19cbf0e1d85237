"""Recall with an embedding model that shows its tokens, on the embedded engines."""

from collections.abc import AsyncIterator
from dataclasses import replace

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
    async with open_bank(WordTokenEmbedder(64)) as opened:
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


# -- where questions of the past stand among long messages and short ones ----------------------------------------------


DETAILED = "Hm, so how do I set up alerts in the dashboard when the bounce rate goes above forty percent?"
BRIEF = "And how about alerts for bounce?"
STATED = "The dashboard sends its alerts about the bounce rate to the on-call engineer."
LONG = (
    "I am rewriting the billing service, which reads invoices from the ledger, groups them by customer and contract, applies"
    " discounts, taxes and credit notes, renders a document in three languages, and sends it through the mail gateway. Number"
    " {number} of its modules still depends on the old scheduler, keeps its configuration in environment variables, and has no"
    " tests for leap years, currencies without decimals, customers in several countries or partial refunds."
)
SHORT = "Module {number} still depends on the old scheduler."
ALERTS = "Which alerts did I want in the dashboard for the bounce rate?"


def talk(filler: str, asked: Fact) -> list[Fact]:
    texts = [filler.format(number=number) for number in range(12)]
    said = [
        Fact(id=f"f{n}", scope=ANN, kind="turn", content=text, created_at=START, position=n) for n, text in enumerate(texts)
    ]
    return [*said, replace(asked, position=len(said)), replace(asked, id="stated", content=STATED, position=len(said) + 1)]


async def recalled(filler: str, content: str, *, trust: str = "user", hot_records: int = 200_000) -> list[str]:
    asked = Fact(id="asked", scope=ANN, kind="turn", content=content, created_at=START, trust=trust)  # type: ignore[arg-type]
    async with open_bank(WordTokenEmbedder(), hot_records=hot_records) as bank:
        await bank.memory.add_turns(ANN, "c1", talk(filler, asked))
        found = await bank.retriever.retrieve(ANN, RetrievalQuery(question=ALERTS, rerank="off", top_k=20, threshold=0.01))
    return [fact.id for fact in found.facts]


@pytest.mark.parametrize("hot_records", [200_000, 0], ids=["memory", "engine"])
async def test_a_detailed_question_among_long_messages_is_recalled(hot_records: int) -> None:
    found = await recalled(LONG, DETAILED, hot_records=hot_records)
    assert set(found[:2]) == {"asked", "stated"}


@pytest.mark.parametrize("hot_records", [200_000, 0], ids=["memory", "engine"])
async def test_any_other_question_stands_behind_the_statement(hot_records: int) -> None:
    for found in (
        await recalled(LONG, BRIEF, hot_records=hot_records),
        await recalled(LONG, DETAILED, trust="assistant", hot_records=hot_records),
        await recalled(SHORT, DETAILED, hot_records=hot_records),
    ):
        assert found[0] == "stated"
