"""A scope in memory: however it came to its records, it scores the same; whatever is in it, no score is NaN."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from trustgraph_react_mem.indexing.document import describes, fact_document, query_sparse, wire_from_payload
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.columns.bm25 import bm25, inverse_document_frequency
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.columns.term_index import TermIndex
from trustgraph_react_mem.retrieval.date_evidence import NEAR, date_column, tells_of
from trustgraph_react_mem.retrieval.features import Question, columns, standardise
from trustgraph_react_mem.retrieval.temporal import TimeRange
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES, WEIGHTS

SCOPE = Scope(workspace="w", user="u", collection="c")
START = datetime(2023, 5, 1, tzinfo=UTC)
WORDS = ["horse", "paint", "river", "Oslo", "budget", "June", "sister", "guitar", "two", "yesterday", "?"]


def vector(text: str, dimension: int = 16) -> np.ndarray:
    values = np.random.default_rng(abs(sum(map(ord, text))) + len(text)).normal(size=dimension)
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
    grown = ScopeColumns(16)
    for fact in order:
        grown.put([point(turn(fact.position, "something else before", session=fact.source))])
        grown.put([point(fact)])
    grown.remove(sorted(gone))
    built = ScopeColumns(16)
    built.put([point(fact) for fact in facts if fact.id not in gone])
    question = ask("When did Ann paint the horse in Oslo?")
    one, other = columns(grown, question), columns(built, question)
    assert set(grown.slots) == set(built.slots)
    for record_id in built.slots:
        left, right = one[:, grown.slots[record_id]], other[:, built.slots[record_id]]
        np.testing.assert_allclose(left, right, atol=2e-3, err_msg=record_id)


@settings(max_examples=examples(60), deadline=None)
@given(banks, st.one_of(sentences, st.text(max_size=30)))
def test_scores_are_finite_whatever_is_asked(bank: list[tuple[str, str, str]], text: str) -> None:
    scope = ScopeColumns(16)
    scope.put([point(fact) for fact in facts_of(bank)])
    assert np.isfinite(WEIGHTS @ columns(scope, ask(text))).all()


def test_a_query_vector_that_is_not_a_number_leaves_the_words() -> None:
    scope = ScopeColumns(16)
    scope.put([point(turn(0, "horse")), point(turn(1, "guitar"))])
    question = Question.read("guitar", np.full(16, np.nan, np.float32))
    with np.errstate(invalid="ignore"):
        table = columns(scope, question)
    assert np.isfinite(table).all()
    assert np.argmax(table[FEATURE_NAMES.index("words")]) == 1


def test_an_empty_scope_and_one_record_have_scores() -> None:
    scope = ScopeColumns(16)
    assert columns(scope, ask("horse")).shape == (len(FEATURE_NAMES), 0)
    scope.put([point(turn(0, "a horse"))])
    assert np.isfinite(columns(scope, ask("horse"))).all()
    scope.remove(["s1-0"])
    assert len(scope) == 0
    assert np.isfinite(columns(scope, ask("horse"))).all()


def test_neighbours_lend_their_words_to_a_turn() -> None:
    scope = ScopeColumns(16)
    scope.put(
        [
            point(turn(0, "Do you play the guitar?")),
            point(turn(1, "Yes, every day")),
            point(
                turn(2, "Nice"),
            ),
        ]
    )
    table = columns(scope, ask("guitar"))
    words, near = table[FEATURE_NAMES.index("words")], table[FEATURE_NAMES.index("words_context")]
    assert words[1] == words[2]
    assert near[1] > near[2]


def test_a_record_made_from_a_turn_leads_to_it() -> None:
    scope = ScopeColumns(16)
    note = Fact(id="note", scope=SCOPE, kind="semantic", content="guitar lessons", created_at=START, turn_ids=("s1-1",))
    scope.put([point(turn(0, "hello")), point(turn(1, "yes")), point(note)])
    linked = columns(scope, ask("guitar lessons"))[FEATURE_NAMES.index("linked_words")]
    assert linked[scope.slots["s1-1"]] > 0
    assert linked[scope.slots["s1-0"]] == 0


@pytest.mark.parametrize(
    ("question", "higher"),
    [("What does Ann like?", "s1-0"), ("What does Bob like?", "s1-1"), ("What do Ann and Bob like?", "")],
)
def test_the_speaker_who_is_named_is_preferred(question: str, higher: str) -> None:
    scope = ScopeColumns(16)
    scope.put([point(turn(0, "tea")), point(turn(1, "tea", speaker="Bob"))])
    speaker = columns(scope, ask(question))[FEATURE_NAMES.index("speaker")]
    assert {record_id for record_id, slot in scope.slots.items() if speaker[slot] > 0} == ({higher} if higher else set())


def test_days_near_the_ones_meant_count_less() -> None:
    day = 86400.0
    said = np.array([10 * day, 12 * day, 100 * day])
    assert date_column(
        said, [TimeRange(start=datetime.fromtimestamp(10 * day, UTC), end=datetime.fromtimestamp(11 * day, UTC))]
    ).tolist() == pytest.approx([1.0, NEAR, 0.0])


def test_a_column_without_spread_is_zero() -> None:
    assert standardise(np.ones(5, np.float32))[0].tolist() == [0.0] * 5


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


def test_a_payload_has_no_empty_fields_and_describes_its_record_with_and_without_them() -> None:
    """Earlier versions stored empty fields."""
    said = turn(0, "one")
    payload = fact_document(said).payload
    assert all(value not in ("", None, [], {}) for name, value in payload.items() if name != "forms")
    for stored in (payload, {"condition": "", "valid_to": "", "turn_ids": [], "metadata": {}, **payload}):
        assert describes(stored, said)
        assert not describes({**stored, "condition": "x"}, said)
        assert not describes(stored, replace(said, condition="x"))
        assert not describes(stored, replace(said, speaker=""))


def test_a_turn_has_the_turns_before_it_in_its_context_key() -> None:
    turns = [turn(0, "one"), turn(1, "two", speaker="Bob"), turn(2, "three"), turn(3, "four")]
    keys = fact_document(turns[2], previous=turns[:2], following=turns[3:])
    assert keys.texts == {"text": "Ann: three", "context": "Ann: one Bob: two Ann: three"}
    assert set(query_sparse("four").indices) <= set(keys.sparse["words_context"].indices)
    assert not set(query_sparse("one").indices) & set(keys.sparse["words_context"].indices)
    with pytest.raises(ValueError, match="context"):
        keys.point({"text": vector("x")})


def test_facts_do_not_change_the_scores_of_turns() -> None:
    alone, mixed = ScopeColumns(16), ScopeColumns(16)
    turns = [
        point(turn(number, text)) for number, text in enumerate(("guitar lessons", "tea with milk", "a guitar in the rain"))
    ]
    fact = Fact(id="note", scope=SCOPE, kind="semantic", content="guitar", created_at=START, turn_ids=("s1-0",))
    alone.put(turns)
    mixed.put([*turns, point(fact)])
    rows = [FEATURE_NAMES.index(name) for name in ("text", "context", "nearest", "text_before", "length", "session_text")]
    before, after = (columns(scope, ask("guitar lessons"))[rows] for scope in (alone, mixed))
    slots = [mixed.slots[each.id] for each in turns]
    np.testing.assert_allclose(after[:, slots], before[:, [alone.slots[each.id] for each in turns]], atol=1e-5)


def test_words_that_facts_alone_have_count() -> None:
    scope = ScopeColumns(16)
    note = Fact(id="note", scope=SCOPE, kind="semantic", content="guitar lessons", created_at=START, turn_ids=("s1-1",))
    scope.put([point(turn(0, "hello")), point(turn(1, "yes")), point(note)])
    words = columns(scope, ask("guitar lessons"))[FEATURE_NAMES.index("words")]
    assert words[scope.slots["note"]] > 1


@pytest.mark.parametrize(
    ("said", "tells"),
    [
        ("We stacked firewood at the weekend.", True),
        ("El finde arreglé la valla del huerto.", True),
        ("On Sunday we carried the piano upstairs.", True),
        ("We carried the piano upstairs.", False),
        ("On Thursday we carried the piano upstairs.", False),
        ("Last year we carried the piano upstairs.", False),
    ],
)
def test_a_record_of_a_later_day_tells_of_the_time_that_it_names(said: str, tells: bool) -> None:
    weekend = TimeRange(start=datetime(2026, 5, 16, tzinfo=UTC), end=datetime(2026, 5, 18, tzinfo=UTC))
    language = "es" if said.startswith("El") else "en"
    record = {"content": said, "said_at": "2026-05-18T18:00:00Z", "language": language}
    assert tells_of(record, [weekend], UTC) == tells
