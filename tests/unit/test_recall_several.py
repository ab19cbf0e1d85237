"""Questions about several memories: which they are, and what they get."""

from typing import Any

import pytest

from trustgraph_react_mem.indexing.recaps import asks_for_several
from trustgraph_react_mem.recall.wanted import SEVERAL_FACTS
from trustgraph_react_mem.schema import Fact, FactsResponse, MemoryOptions

from .test_recall_gather import Client, gatherer, request

SEVERAL = [
    "In which order did I visit the museums?",
    "Can you list all the books that I mentioned?",
    "Summarise how the move went, please.",
    "What were the different problems that I had with the car over time?",
    "Walk me through what happened with the visa.",
    "How many different jobs did Ann have?",
    "How often did we go to the lake?",
    "Tell me about all the times I was late.",
    "How many cakes did I bake across our conversations?",
    "Nenne mir alle Städte, in denen ich gewohnt habe.",
    "In welcher Reihenfolge habe ich die Prüfungen geschrieben?",
    "Fasse bitte zusammen, wie der Umzug lief.",
    "Dans quel ordre ai-je visité les villes ?",
    "Résume le voyage.",
    "¿Cuántas veces fui al médico?",
    "Quante volte sono stata a Roma?",
    "Quantas vezes fui ao médico?",
    "Hoe vaak heb ik hardgelopen?",
    "Podsumuj remont kuchni.",
    "Сколько раз я был в Риме?",
    "我去过的所有城市是哪些？",
    "旅行の順番を教えて",
]
SINGLE = [
    "Which museum did I visit first?",
    "When did Ann start her new job?",
    "What is the name of my dentist?",
    "How many siblings does Ann have?",
    "Where does my sister live?",
    "What did I order at the restaurant?",
    "Are you all right?",
    "Wo wohnt meine Schwester?",
    "Où habite ma sœur ?",
    "¿Dónde vive mi hermana?",
    "Где живёт моя сестра?",
    "妹はどこに住んでいる？",
]


@pytest.mark.parametrize("question", SEVERAL)
def test_a_question_about_several_memories_is_recognised(question: str) -> None:
    assert asks_for_several(question)


@pytest.mark.parametrize("question", SINGLE)
def test_a_question_about_one_is_not(question: str) -> None:
    assert not asks_for_several(question)


def told(*months: int, words: int = 3) -> FactsResponse:
    """Best first."""
    found = [
        Fact(id=f"f{month}", content=f"Museum {month} " + "was large " * words, timestamp=f"2023-{month:02}-01T10:00:00+00:00")
        for month in months
    ]
    return FactsResponse(
        facts=found, candidate_ids=[each.id for each in found], feature_names=["base"], features=[0.0] * len(found)
    )


async def gathered(question: str, found: FactsResponse, **settings: Any) -> tuple[list[str], int]:
    """Ids of the memories shown, in order, and the number of facts that was requested."""
    client = Client(found)
    recalled = await gatherer(facts=client, conversations=Client(None)).gather(request(question, **settings))
    assert recalled.retrieval is not None
    assert recalled.retrieval.shown_ids == tuple(fact.id for fact in recalled.facts)  # so that a number means the same fact
    return [fact.id for fact in recalled.facts], client.requests[0].top_k


async def test_more_memories_are_shown_in_the_order_of_time() -> None:
    months = (7, 2, 11, 5, 1, 9, 3, 12)
    shown, requested = await gathered(SEVERAL[0], told(*months))
    assert shown == [f"f{month}" for month in sorted(months)]
    assert requested >= SEVERAL_FACTS


async def test_another_question_keeps_its_number_and_the_order_of_relevance() -> None:
    shown, requested = await gathered(SINGLE[0], told(7, 2, 11, 5, 1, 9, 3, 12))
    assert shown == ["f7", "f2", "f11", "f5", "f1"]
    assert requested < SEVERAL_FACTS


async def test_the_budget_limits_them_to_the_most_relevant_ones() -> None:
    months = (7, 2, 11, 5, 1, 9, 3, 12)
    shown, _ = await gathered(SEVERAL[0], told(*months, words=400), memory_budget=200)
    assert 0 < len(shown) < len(months)
    assert shown == [f"f{month}" for month in sorted(months[: len(shown)])]


async def test_the_client_s_own_limit_stands() -> None:
    client = Client(told(7, 2))
    limited = request(SEVERAL[0], MemoryOptions(retrieval_limit=2))
    await gatherer(facts=client, conversations=Client(None)).gather(limited)
    assert client.requests[0].top_k < SEVERAL_FACTS
