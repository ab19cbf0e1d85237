"""The running conversation in the prompt: long exchanges are shortened, and only what is really shown is not recalled."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.memory.records import turn_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.recall.thread import read_thread
from trustgraph_react_mem.schema import ConversationMemory, InvocationSummary

SCOPE = Scope(workspace="w", user="u", collection="c")
LONG = "word " * 2000


def conversation(*exchanges: tuple[str, str], **metadata: str) -> ConversationMemory:
    told = [InvocationSummary(id=f"i{n}", query=query, result=result) for n, (query, result) in enumerate(exchanges)]
    return ConversationMemory(conversation_id="conv", invocations=told, metadata={"turns": str(len(told)), **metadata})


def shown(number: int, part: str) -> str:
    return turn_id(SCOPE, "conv", f"i{number}", part)


def test_a_long_answer_is_shortened_and_the_exchanges_before_it_stay() -> None:
    stored = conversation(("My cat is called Udon.", "Noted."), ("Tell me a story", LONG + "The end."))
    thread = read_thread(SCOPE, stored, (), window=6, budget=800)
    assert [exchange.query for exchange in thread.exchanges] == ["My cat is called Udon.", "Tell me a story"]
    assert thread.exchanges[1].result.startswith("word word")
    assert thread.exchanges[1].result.endswith("The end.")
    # The whole of the long answer is not in the prompt, so it may be recalled.
    assert thread.turn_ids == {shown(0, "question"), shown(0, "answer"), shown(1, "question")}


@pytest.mark.parametrize("mark", ["{}. ", "{}) ", "- ", "* ", "• "])
@pytest.mark.parametrize("budget", [300, 800])
def test_a_long_list_keeps_the_beginning_of_each_item(mark: str, budget: int) -> None:
    """ "And the second one?" asks for what neither head nor tail of the list has."""
    items = "\n".join(f"{mark.format(n)}Title{n}, by Author{n}. {'Words about it. ' * 200}" for n in range(1, 5))
    stored = conversation(("Which books?", f"Here they are:\n{items}\nEnjoy!"))
    [exchange] = read_thread(SCOPE, stored, (), window=6, budget=budget).exchanges
    assert all(f"Title{n}, by Author{n}." in exchange.result for n in range(1, 5))
    assert count_tokens(exchange.result) <= budget
    assert shown(0, "answer") not in read_thread(SCOPE, stored, (), window=6, budget=budget).turn_ids


def test_the_summary_of_what_was_said_before_is_shown() -> None:
    stored = conversation(("And now?", "Nothing."), summary="They spoke about a cat.", summary_upto="older", turns="20")
    assert read_thread(SCOPE, stored, (), window=6, budget=800).earlier == "They spoke about a cat."
    whole = conversation(("And now?", "Nothing."), summary="They spoke about a cat.", summary_upto="i0")
    assert read_thread(SCOPE, whole, (), window=6, budget=800).earlier == ""


def test_a_chat_history_takes_precedence_and_known_exchanges_are_recognised() -> None:
    stored = conversation(("My cat is called Udon.", "Noted."), ("Other", "thread"))
    chat = (InvocationSummary(query="My cat is called Udon.", result="Noted."), InvocationSummary(query="Unstored", result="x"))
    thread = read_thread(SCOPE, stored, chat, window=6, budget=800)
    assert [exchange.query for exchange in thread.exchanges] == ["My cat is called Udon.", "Unstored"]
    assert thread.turn_ids == {shown(0, "question"), shown(0, "answer")}
    assert [exchange.query for exchange in read_thread(SCOPE, None, chat, window=1, budget=800).exchanges] == ["Unstored"]


TEXTS = st.text(st.sampled_from("ab 昨1.,"), max_size=600)


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=8), st.integers(0, 8), st.integers(0, 500))
def test_exchanges_never_take_more_than_the_budget_and_have_no_gap(
    said: list[tuple[str, str]], window: int, budget: int
) -> None:
    thread = read_thread(SCOPE, conversation(*said), (), window=window, budget=budget)
    assert thread.tokens <= budget
    ids = [exchange.id for exchange in thread.exchanges]
    assert ids == [f"i{n}" for n in range(len(said))][len(said) - len(ids) :]
    if budget // 32 >= window:
        assert len(ids) == min(window, len(said))
    for number, (query, result) in enumerate(said):
        for part, text in (("question", query), ("answer", result)):
            if shown(number, part) in thread.turn_ids:
                place = ids.index(f"i{number}")
                assert getattr(thread.exchanges[place], "query" if part == "question" else "result") == text
