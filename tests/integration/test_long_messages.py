"""Where questions of the past stand: among long messages to an assistant detailed ones are first, others behind statements."""

from dataclasses import replace

import pytest

from bench.bank import open_bank
from tests.doubles.token_embedder import WordTokenEmbedder
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.retrieval.query import RetrievalQuery

from .jobs_support import ANN, START

pytestmark = pytest.mark.later

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
QUESTION = "Which alerts did I want in the dashboard for the bounce rate?"


def turns(filler: str, asked: Fact) -> list[Fact]:
    texts = [filler.format(number=number) for number in range(12)]
    said = [
        Fact(id=f"f{n}", scope=ANN, kind="turn", content=text, created_at=START, position=n) for n, text in enumerate(texts)
    ]
    return [*said, replace(asked, position=len(said)), replace(asked, id="stated", content=STATED, position=len(said) + 1)]


async def recalled(filler: str, content: str, *, trust: str = "user", hot_records: int = 200_000) -> list[str]:
    asked = Fact(id="asked", scope=ANN, kind="turn", content=content, created_at=START, trust=trust)  # type: ignore[arg-type]
    async with open_bank(WordTokenEmbedder(), hot_records=hot_records) as bank:
        await bank.memory.add_turns(ANN, "c1", turns(filler, asked))
        found = await bank.retriever.retrieve(ANN, RetrievalQuery(question=QUESTION, rerank="off", top_k=20, threshold=0.01))
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
