"""The gate skips only what memory cannot help with; the query borrows only when it must; the budget is kept."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.memory.ports import Completion, JsonValue
from trustgraph_react_mem.recall.budget import fit_budget
from trustgraph_react_mem.recall.query import add_context, gate, is_vague, rewrite
from trustgraph_react_mem.schema import Episode, Fact, InvocationSummary

SKIPPED = [
    ("Hi!", "greeting"),
    ("Thank you :)", "greeting"),
    ("  OK. ", "greeting"),
    ("See you", "greeting"),
    ("?!", "empty"),
    ("", "empty"),
]
SEARCHED = [
    "What is the capital of France?",
    "日本の首都はどこですか",
    "12/5",
    "+49 171 234567",
    "Yes, book the other hotel",
    "Hi, what was the name of that restaurant?",
    "How much?",
    "Guten Morgen!",
    "12 * (7 + 3)",
]


@pytest.mark.parametrize(("question", "reason"), SKIPPED)
def test_what_memory_cannot_help_with_is_skipped(question: str, reason: str) -> None:
    assert gate(question) == reason


@pytest.mark.parametrize("question", SEARCHED)
def test_what_may_be_remembered_is_searched(question: str) -> None:
    assert gate(question) == "search"


@pytest.mark.parametrize(
    ("question", "vague"),
    [
        ("How much?", True),
        ("And that?", True),
        ("What about him?", True),
        ("why not?", True),
        ("Und wie teuer?", True),
        ("Et lui ?", True),
        ("¿Y cuánto?", True),
        ("それは？", True),
        ("Quanto costa?", True),
        ("E lei?", True),
        ("Quanto custa isso?", True),
        ("А она?", True),
        ("Ile to kosztuje?", True),
        ("Vad kostar det?", True),
        ("Quanto costa il corso di chitarra?", False),
        ("¿Cuándo es mi cita con el dentista?", False),
        ("Wo steht das neue Auto?", False),
        ("Wat kost het nieuwe boek?", False),
        ("Сколько стоит мой курс гитары?", False),
        ("Dove vive mia sorella Chiara?", False),
        ("What is my budget for the Hawaii trip?", False),
        ("Where did Josephine go?", False),
        ("Wann hat Anna ihr Auto verkauft?", False),
    ],
)
def test_vague_questions_are_known(question: str, vague: bool) -> None:
    assert is_vague(question) is vague


HISTORY = [
    InvocationSummary(query="I plan a holiday in Hawaii", result="Lovely. Which island?"),
    InvocationSummary(query="Maui, for two weeks", result="Noted: Maui."),
]


def test_a_vague_question_borrows_the_newest_words_first() -> None:
    query = add_context("How much?", HISTORY)
    assert query.mode == "context"
    assert query.question.startswith("How much? Maui")
    assert "Hawaii" in query.question
    assert query.question.count("Maui") == 1


class Model:
    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[str] = []

    async def prompt(self, prompt_id: str, variables: object) -> Completion:
        self.asked.append(prompt_id)
        return Completion(text=self.text)


async def test_the_model_rewrites_and_a_runaway_answer_is_not_used() -> None:
    model = Model('"How much will the holiday in Maui cost?"\nBecause ...')
    query = await rewrite("How much?", HISTORY, model, "model")
    assert (query.mode, query.question) == ("model", "How much will the holiday in Maui cost?")
    assert (await rewrite("How much?", HISTORY, Model("x" * 600), "model")).mode == "context"
    hyde = await rewrite("How much?", HISTORY, Model("The holiday costs 4000 dollars."), "hyde")
    assert hyde.question == "How much? The holiday costs 4000 dollars."


def fact(words: int, **fields: JsonValue) -> Fact:
    return Fact(id=str(words), content=" ".join(["word"] * words), **fields)  # type: ignore[arg-type]


@given(
    st.lists(st.integers(1, 200), max_size=8),
    st.lists(st.integers(1, 100), max_size=4),
    st.lists(st.integers(1, 100), max_size=4),
    st.integers(0, 600),
)
def test_memories_never_take_more_than_the_budget(facts: list[int], rules: list[int], episodes: list[int], budget: int) -> None:
    kept = fit_budget(
        [fact(words) for words in facts],
        [Fact(condition="when", action=" ".join(["do"] * words)) for words in rules],
        [Episode(goal=" ".join(["goal"] * words)) for words in episodes],
        budget,
    )
    assert kept.tokens <= budget
    order = [fact.id for fact in kept.facts]
    assert order == [str(words) for words in facts if str(words) in order][: len(order)] or len(set(facts)) < len(facts)


def test_a_long_memory_is_shown_as_the_passage_that_matters_and_leaves_room() -> None:
    page = "The house has a garden. " * 200 + "The key of the shed hangs behind the blue door. " + "The roof is red. " * 200
    kept = fit_budget([fact(5), Fact(content=page), fact(6)], [], [], 200, question="Where does the key of the shed hang?")
    assert len(kept.facts) == 3
    assert "behind the blue door" in kept.facts[1].content
    assert kept.tokens <= 200
