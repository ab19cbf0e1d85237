"""A scope in memory: however it came to its records, it scores the same; whatever is in it, no score is NaN."""

from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from trustgraph_react_mem.indexing.document import fact_document, query_sparse, wire_from_payload
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.columns.bm25 import bm25, inverse_document_frequency
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.columns.term_index import TermIndex
from trustgraph_react_mem.retrieval.features import Question, columns
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES

SCOPE = Scope(workspace="w", user="u", collection="c")
START = datetime(2023, 5, 1, tzinfo=UTC)
DIMENSION = 16
WORDS = ["horse", "paint", "river", "Oslo", "budget", "June", "sister", "guitar", "two", "yesterday", "?"]


def vector(text: str) -> np.ndarray:
    values = np.random.default_rng(abs(sum(map(ord, text))) + len(text)).normal(size=DIMENSION)
    return (values / np.linalg.norm(values)).astype(np.float32)


def turn(number: int, content: str, *, session: str = "s1", speaker: str = "Ann") -> Fact:
    return Fact(
        id=f"{session}-{number}",
        scope=SCOPE,
        kind="turn",
        content=content,
        created_at=START,
        speaker=speaker,
        source=session,
        position=number,
        said_at=START + timedelta(days=number),
    )


def point(fact: Fact) -> IndexPoint:
    keys = fact_document(fact)
    return keys.point({name: vector(text) for name, text in keys.texts.items()})


def ask(text: str) -> Question:
    return Question.read(text, vector(text))


sentences = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
banks = st.lists(st.tuples(sentences, st.sampled_from(["s1", "s2"]), st.sampled_from(["Ann", "Bob"])), min_size=1, max_size=25)


def facts_of(bank: list[tuple[str, str, str]]) -> list[Fact]:
    counts: dict[str, int] = {}
    found = []
    for content, session, speaker in bank:
        counts[session] = counts.get(session, -1) + 1
        found.append(turn(counts[session], content, session=session, speaker=speaker))
    return found


@settings(max_examples=examples(60), deadline=None)
@given(banks, st.data())
def test_a_scope_changed_record_by_record_scores_as_one_built_at_once(
    bank: list[tuple[str, str, str]], data: st.DataObject
) -> None:
    facts = facts_of(bank)
    gone = data.draw(st.sets(st.sampled_from([fact.id for fact in facts]), max_size=len(facts) - 1))
    order = data.draw(st.permutations(facts))
    grown = ScopeColumns(DIMENSION)
    for fact in order:
        grown.put([point(turn(fact.position, "something else before", session=fact.source))])
        grown.put([point(fact)])
    grown.remove(sorted(gone))
    built = ScopeColumns(DIMENSION)
    built.put([point(fact) for fact in facts if fact.id not in gone])
    question = ask("When did Ann paint the horse in Oslo?")
    one, other = columns(grown, question), columns(built, question)
    assert set(grown.slots) == set(built.slots)
    for record_id in built.slots:
        left, right = one[:, grown.slots[record_id]], other[:, built.slots[record_id]]
        np.testing.assert_allclose(left, right, atol=2e-3, err_msg=record_id)


def test_neighbours_lend_their_words_to_a_turn() -> None:
    scope = ScopeColumns(DIMENSION)
    scope.put([point(turn(0, "Do you play the guitar?")), point(turn(1, "Yes, every day")), point(turn(2, "Nice"))])
    table = columns(scope, ask("guitar"))
    words, near = table[FEATURE_NAMES.index("words")], table[FEATURE_NAMES.index("words_context")]
    assert words[1] == words[2]
    assert near[1] > near[2]


@pytest.mark.parametrize(
    ("question", "higher"),
    [("What does Ann like?", "s1-0"), ("What does Bob like?", "s1-1"), ("What do Ann and Bob like?", "")],
)
def test_the_speaker_who_is_named_is_preferred(question: str, higher: str) -> None:
    scope = ScopeColumns(DIMENSION)
    scope.put([point(turn(0, "tea")), point(turn(1, "tea", speaker="Bob"))])
    speaker = columns(scope, ask(question))[FEATURE_NAMES.index("speaker")]
    assert {record_id for record_id, slot in scope.slots.items() if speaker[slot] > 0} == ({higher} if higher else set())


def test_bm25_agrees_with_its_formula() -> None:
    index = TermIndex()
    for slot, text in enumerate(("a a b", "b c", "c c c c")):
        index.add(slot, text.split())
    counts = index.counts(["a", "c", "zzz"], 3)[:, :3]
    idf = inverse_document_frequency(np.array([1, 2], np.float32), 3)
    scores = bm25(counts, np.array([3, 2, 4], np.float32), 15.0, idf)

    def weight(tf: float, n: float, length: float) -> float:
        return float(np.log(1 + (3 - n + 0.5) / (n + 0.5)) * tf * 2.2 / (tf + 1.2 * (0.25 + 0.75 * length / 15)))

    np.testing.assert_allclose(scores, [weight(2, 1, 3), weight(1, 2, 2), weight(4, 2, 4)], rtol=1e-5)


def test_a_payload_gives_the_wire_record_back() -> None:
    fact = Fact(
        id="f",
        scope=SCOPE,
        kind="procedural",
        content="Answer in bullets",
        created_at=START,
        speaker="Ann",
        valid_to=START + timedelta(days=3),
        entities=("Ann",),
        turn_ids=("s1-1",),
        condition="answering Ann",
        action="use bullets",
        importance=0.8,
        metadata={"turn": "D1:3"},
        indexed=True,
    )
    keys = fact_document(fact)
    wire = wire_from_payload("f", keys.payload, START)
    assert (wire.condition, wire.metadata, wire.valid_to) == ("answering Ann", {"turn": "D1:3"}, "2023-05-04T00:00:00+00:00")
    assert set(query_sparse("bullets").indices) <= set(keys.sparse["words"].indices)


def test_a_turn_has_the_turns_before_it_in_its_context_key() -> None:
    turns = [turn(0, "one"), turn(1, "two", speaker="Bob"), turn(2, "three"), turn(3, "four")]
    keys = fact_document(turns[2], previous=turns[:2], following=turns[3:])
    assert keys.texts == {"text": "Ann: three", "context": "Ann: one Bob: two Ann: three"}
    assert set(query_sparse("four").indices) <= set(keys.sparse["words_context"].indices)
    assert not set(query_sparse("one").indices) & set(keys.sparse["words_context"].indices)
