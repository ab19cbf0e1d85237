"""Questions that name a person otherwise than the records do."""

import pytest

from bench.bank import open_bank
from tests.doubles.token_embedder import WordTokenEmbedder
from trustgraph_react_mem.indexing.other_names import relations
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.schema import Fact as Shown

from .jobs_support import ANN, START

pytestmark = pytest.mark.later

EMI, LEO = "Emi", "Leo"
CHAT = [
    (LEO, "Hey Kate! How was the week?"),
    (EMI, "I planted tulips on the balcony."),
    (LEO, "I planted nothing on the balcony, my wife Greta waters the roses there."),
    (EMI, "My balcony faces the harbour."),
    (LEO, "Thanks, Kate! My balcony faces the yard."),
    (EMI, "Please call me Kit, by the way. My brother Oskar sold the boat."),
    (LEO, "Wow, Oslo! Greta sold a painting of the harbour, and Oskar called."),
    (EMI, "Great news. The boat was old."),
]


def turns(chat: list[tuple[str, str]]) -> list[Fact]:
    return [
        Fact(id=f"t{n}", scope=ANN, kind="turn", content=text, speaker=who, created_at=START, said_at=START, position=n)
        for n, (who, text) in enumerate(chat)
    ]


async def recalled(
    question: str, *, chat: list[tuple[str, str]] = CHAT, asker: str = "", hot_records: int = 200_000
) -> list[Shown]:
    async with open_bank(WordTokenEmbedder(), hot_records=hot_records) as bank:
        await bank.memory.add_turns(ANN, "c1", turns(chat))
        query = RetrievalQuery(question=question, rerank="off", top_k=3, threshold=0.01, asker=asker)
        return list((await bank.retriever.retrieve(ANN, query)).facts)


def about_speaker(fact: Shown) -> bool:
    return float(fact.why.get("speaker", 0)) > 0


@pytest.mark.parametrize("hot_records", [200_000, 0], ids=["memory", "engine"])
@pytest.mark.parametrize("name", ["Kate", "Kit", "Emi"])
async def test_a_speaker_is_found_by_the_names_that_others_use(name: str, hot_records: int) -> None:
    best = (await recalled(f"What did {name} plant on the balcony?", hot_records=hot_records))[0]
    assert best.content == "I planted tulips on the balcony."
    assert about_speaker(best)


async def test_a_name_that_nobody_is_called_means_no_speaker() -> None:
    assert not any(map(about_speaker, await recalled("What faces the harbour in Oslo?")))
    once = [CHAT[0], *CHAT[1:4]]  # once is not enough: it may be a slip of the tongue
    assert not any(map(about_speaker, await recalled("What did Kate plant on the balcony?", chat=once)))


async def test_a_name_is_forgotten_with_its_turns() -> None:
    async with open_bank(WordTokenEmbedder()) as bank:
        await bank.memory.add_turns(ANN, "c1", turns(CHAT[:5]))
        query = RetrievalQuery(question="What did Kate plant on the balcony?", rerank="off", top_k=3, threshold=0.01)
        before = (await bank.retriever.retrieve(ANN, query)).facts[0]
        await bank.memory.forget(ANN, ["t4"])
        after = (await bank.retriever.retrieve(ANN, query)).facts[0]
    assert about_speaker(before)
    assert not about_speaker(after)


@pytest.mark.parametrize(
    ("question", "asker", "name"),
    [
        ("What was sold by my wife in the harbour?", LEO, "Greta"),
        ("What was sold by my brother in the harbour?", LEO, "Oskar"),
        ("What was sold by Leo's brother in the harbour?", EMI, "Oskar"),
        ("What was sold by your wife in the harbour?", EMI, "Greta"),
        ("What was sold by my wife's office in the harbour?", LEO, "Greta"),
        ("What was sold by my dear old friend in the harbour?", LEO, ""),
    ],
)
async def test_my_wife_is_the_person_whom_the_asker_calls_so(question: str, asker: str, name: str) -> None:
    filler = [(LEO, f"Meeting number {number} about the roof was long.") for number in range(8)]
    chat = [
        (LEO, "My wife Greta and our brother, called Oskar, say hello."),
        *filler,
        (LEO, "Greta got rid of a painting in the harbour."),
        *filler,
        (LEO, "Oskar got rid of a painting in the harbour."),
        *filler,
    ]
    found = {fact.content: float(fact.why.get("words", 0)) for fact in await recalled(question, chat=chat, asker=asker)}
    best = sorted(found, key=lambda content: found[content])[-2:]
    if name:
        assert best[1] == f"{name} got rid of a painting in the harbour."
    else:  # no speaker has that name: neither is preferred
        assert found[best[0]] == found[best[1]]


async def test_my_wife_who_speaks_herself_is_asked_about() -> None:
    chat = [*CHAT, ("Greta", "I sold a vase on Monday."), (LEO, "I sold a lamp on Monday.")]
    assert (await recalled("What did my wife sell on Monday?", chat=chat, asker=LEO))[0].content == "I sold a vase on Monday."


@pytest.mark.parametrize(("asker", "speaker"), [(LEO, EMI), (EMI, LEO)])
async def test_you_is_the_other_one_of_two_people(asker: str, speaker: str) -> None:
    best = (await recalled("What did you say of the balcony?", asker=asker))[0]
    assert best.speaker == speaker
    assert about_speaker(best)


async def test_you_is_nobody_in_particular_among_three_or_with_an_assistant() -> None:
    chat = [*CHAT, ("Mara", "I painted the balcony.")]
    assert not any(map(about_speaker, await recalled("What did you say of the balcony?", chat=chat, asker=LEO)))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("My little brother Tom plays.", {"tom": "brother"}),
        ("Tom, my brother, plays.", {"tom": "brother"}),
        ("Max was my first boss.", {"max": "boss"}),
        ("This is Petra, my wife.", {"petra": "wife"}),
        ("Clara ist meine Schwester.", {"clara": "schwester"}),
        ("Anna, my wife is ill.", {}),  # said to Anna
        ("Thanks, Kate, my brother is fine.", {}),
        ("She is my sister, and this is my dog.", {}),
    ],
)
def test_relations_are_read_on_both_sides_of_the_name(text: str, found: dict[str, str]) -> None:
    assert relations(text) == found


async def test_a_handle_is_named_by_its_parts() -> None:
    chat = [("@emi_tanaka92", "I bought a red kite."), ("leo.marsh", "I bought a blue kite.")]
    assert (await recalled("Which kite did Tanaka buy?", chat=chat))[0].content == "I bought a red kite."
    assert (await recalled("Which kite did Marsh buy?", chat=chat))[0].content == "I bought a blue kite."
