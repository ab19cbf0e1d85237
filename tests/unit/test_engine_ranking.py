"""Records fetched from the engine are ranked by the formula that ranks a scope in memory."""

from datetime import timedelta

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from tests.simulation.virtual_time import run_in_virtual_time
from tests.unit.test_hot_scope import DIMENSION, SCOPE, START, WORDS, turn, vector
from trustgraph_react_mem.indexing.document import fact_document
from trustgraph_react_mem.indexing.passages import turn_documents
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.engine_ranking import EngineScope
from trustgraph_react_mem.retrieval.features import Question, columns
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES

QUESTIONS = [
    "When did Ann paint the horse in Oslo in May 2023?",
    "How many guitars does Bob have?",
    "What did I say about the river and the budget?",
    "Did you see Oslo?",
    "zebra",
    "",
]


def point(fact: Fact, turns: list[Fact]) -> IndexPoint:
    keys = run_in_virtual_time(turn_documents(turns, {fact.id: fact}))[fact.id] if fact in turns else fact_document(fact)
    return keys.point({name: vector(text) for name, text in keys.texts.items()})


contents = st.lists(st.sampled_from([*WORDS, "4000"]), min_size=1, max_size=8).map(" ".join)


@st.composite
def banks(draw: st.DrawFn) -> list[IndexPoint]:
    """Points of two conversations and of facts made from their turns, as the stack stores them."""
    found: list[IndexPoint] = []
    every: list[Fact] = []
    for source in ("s1", "s2"):
        turns = [
            Fact(
                id=f"{source}-{number}",
                scope=SCOPE,
                kind="turn",
                content=content,
                created_at=START,
                speaker=draw(st.sampled_from(["Ann", "Bob", ""])),
                trust=draw(st.sampled_from(["user", "assistant"])),
                source=source,
                position=number,
                said_at=START + timedelta(days=draw(st.integers(0, 90))),
                importance=draw(st.sampled_from([0.2, 0.5, 0.9])),
                uses=draw(st.integers(0, 3)),
            )
            for number, content in enumerate(draw(st.lists(contents, min_size=1, max_size=12)))
        ]
        every += turns
        found += [point(turn, turns) for turn in turns]
    for number, content in enumerate(draw(st.lists(contents, max_size=4))):
        turn = draw(st.sampled_from(every))
        fact = Fact(
            id=f"fact-{number}",
            scope=SCOPE,
            kind=draw(st.sampled_from(["semantic", "topic"])),
            content=content,
            created_at=START,
            turn_ids=(turn.id,),
            entities=tuple(draw(st.sets(st.sampled_from(["Oslo", "Minka"])))),
        )
        found.append(point(fact, []))
    return found


@settings(max_examples=examples(80), deadline=None)
@given(banks(), st.sampled_from(QUESTIONS), st.randoms(use_true_random=False))
def test_every_column_is_the_same_from_the_engine_and_in_memory(bank: list[IndexPoint], text: str, order: object) -> None:
    held = ScopeColumns(DIMENSION)
    held.put(bank)
    asked = Question.read(text, vector(text), asked_at=START)
    fetched = list(bank)
    order.shuffle(fetched)  # type: ignore[attr-defined]
    table, cosines = EngineScope(bank, DIMENSION).columns(asked, fetched)
    expected = columns(held, asked)[:, [held.slots[each.id] for each in fetched]]
    for name, row, other in zip(FEATURE_NAMES, table, expected, strict=True):
        np.testing.assert_allclose(row, other, atol=2e-3, err_msg=name)
    assert cosines.shape == (len(bank),)


def test_a_sample_stands_for_the_scope_it_was_taken_from() -> None:
    turns = [turn(n, f"{WORDS[n % 7]} {WORDS[n % 5]}") for n in range(400)]
    bank = [point(turn, turns) for turn in turns]
    held = ScopeColumns(DIMENSION)
    held.put(bank)
    asked = Question.read("horse river", vector("horse river"))
    whole = columns(held, asked)
    table, _ = EngineScope(bank[::2], DIMENSION).columns(asked, bank[100:160])
    for name in ("text", "context", "words", "words_context", "length", "recency"):
        row = FEATURE_NAMES.index(name)
        assert np.abs(table[row] - whole[row, 100:160]).mean() < 0.2, name
