"""A large scope answers as if all of its records had been scored exactly."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from trustgraph_react_mem.indexing.document import fact_document
from trustgraph_react_mem.memory.ports import IndexPoint
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.retrieval.columns.payloads import Payloads
from trustgraph_react_mem.retrieval.columns.scope_columns import ScopeColumns
from trustgraph_react_mem.retrieval.columns.vectors import ExactKeys, SketchedKeys
from trustgraph_react_mem.retrieval.features import NO_VECTOR, Question, columns
from trustgraph_react_mem.retrieval.shortlist import QueryTerms, shortlist
from trustgraph_react_mem.retrieval.weighting import FEATURE_NAMES, fuse

SCOPE = Scope(workspace="w", user="u", collection="c")
START = datetime(2023, 5, 1, tzinfo=UTC)
DIMENSION, TOPICS, TURNS = 128, 60, 20
RECORDS = 3000
PEOPLE = ("Ann", "Bob", "Cleo")
WORDS = [
    f"{a}{b}" for a in ("mar", "ton", "ber", "lis", "gon", "fen", "dop", "wik") for b in ("ka", "lo", "mu", "ri", "sat", "vex")
]


class Meanings:
    """Vectors like those of sentences: a common part, a topic, the directions of which matter unequally, and a rest."""

    def __init__(self) -> None:
        rng = np.random.default_rng(5)
        self.scale = 0.8 ** np.arange(DIMENSION) + 0.01
        self.common = rng.normal(size=DIMENSION)
        self.topics = rng.normal(size=(TOPICS, DIMENSION)) * self.scale * 3

    def of(self, topic: int, seed: int) -> np.ndarray:
        rest = np.random.default_rng(seed).normal(size=DIMENSION) * self.scale * 2
        vector = self.common + self.topics[topic] + rest
        scaled: np.ndarray = (vector / np.linalg.norm(vector)).astype(np.float32)
        return scaled


MEANINGS = Meanings()


def points(records: int = RECORDS) -> list[IndexPoint]:
    rng = np.random.default_rng(9)
    found = []
    for number in range(records):
        topic = (number // 5) % TOPICS
        said = [*rng.choice(WORDS, size=6).tolist(), WORDS[topic % len(WORDS)]]
        fact = Fact(
            id=f"r{number}",
            scope=SCOPE,
            kind="turn",
            content=" ".join(said) + ("?" if number % 4 == 0 else ""),
            created_at=START,
            speaker=PEOPLE[number % 2 if number % 7 else 2],
            source=f"s{number // TURNS}",
            position=number % TURNS,
            said_at=START + timedelta(hours=number),
        )
        keys = fact_document(fact)
        vectors = {"text": MEANINGS.of(topic, number), "context": MEANINGS.of(topic, number + 10**6)}
        found.append(IndexPoint(id=fact.id, vectors=vectors, payload=keys.payload))
    note = Fact(id="note", scope=SCOPE, kind="semantic", content="marka tonlo", created_at=START, turn_ids=("r7",))
    found.append(IndexPoint(id="note", vectors={"text": MEANINGS.of(0, 4)}, payload=fact_document(note).payload))
    return found


@pytest.fixture(scope="module")
def bank() -> list[IndexPoint]:
    return points()


def filled(bank: list[IndexPoint], exact_up_to: int) -> ScopeColumns:
    scope = ScopeColumns(DIMENSION, exact_up_to)
    for start in range(0, len(bank), 500):
        scope.put(bank[start : start + 500])
    return scope


def best(scope: ScopeColumns, question: Question, count: int = 20) -> list[str]:
    if isinstance(scope.vectors, SketchedKeys):
        [(slots, table)] = shortlist(scope, question, [scope.column("active")])
    else:
        table, slots = columns(scope, question), np.arange(scope.n)
    scores = np.where(scope.column("active")[slots], fuse(table), -np.inf)
    return [scope.ids[slots[row]] for row in np.argsort(-scores)[:count]]


def questions() -> list[Question]:
    rng = np.random.default_rng(2)
    asked = []
    for number in range(25):
        topic = int(rng.integers(TOPICS))
        words = " ".join(rng.choice(WORDS, size=2))
        text = f"{'When did' if number % 3 == 0 else 'What does'} {PEOPLE[number % 3]} {words} {WORDS[topic % len(WORDS)]}?"
        asked.append(Question.read(text, MEANINGS.of(topic, 10**7 + number)))
    return asked


@pytest.mark.slow
def test_the_shortlist_agrees_with_scoring_every_record(bank: list[IndexPoint]) -> None:
    exact, sketched = filled(bank, 10**6), filled(bank, 1000)
    assert isinstance(exact.vectors, ExactKeys)
    assert isinstance(sketched.vectors, SketchedKeys)
    shared = [len(set(best(exact, asked)) & set(best(sketched, asked))) / 20 for asked in questions()]
    assert np.mean(shared) >= 0.95


@pytest.mark.later
def test_columns_of_the_shortlist_are_those_of_the_whole(bank: list[IndexPoint]) -> None:
    exact, sketched = filled(bank, 10**6), filled(bank, 1000)
    asked = questions()[0]
    [(slots, table)] = shortlist(sketched, asked, [sketched.column("active")])
    whole = columns(exact, asked)[:, [exact.slots[sketched.ids[slot]] for slot in slots]]
    off = np.abs(table - whole).mean(axis=1)
    for name in ("text", "context", "words", "words_wide", "speaker", "time_asked", "question", "length", "recency", "date"):
        assert off[FEATURE_NAMES.index(name)] < 0.15, name


@pytest.mark.later
def test_a_scope_that_shrinks_and_grows_stays_right(bank: list[IndexPoint]) -> None:
    grown = filled(bank, 1000)
    gone = [point.id for point in bank[100:1500]]
    with grown.lock:
        grown.remove(gone)
    left = [point for point in bank if point.id not in set(gone)]
    exact = filled(left, 10**6)
    shared = [len(set(best(exact, asked)) & set(best(grown, asked))) / 20 for asked in questions()]
    assert np.mean(shared) >= 0.9
    assert not set(gone) & {record_id for asked in questions() for record_id in best(grown, asked)}
    with grown.lock:
        grown.put(bank[100:1500])
    shared = [len(set(best(filled(bank, 10**6), asked)) & set(best(grown, asked))) / 20 for asked in questions()[:5]]
    assert np.mean(shared) >= 0.9


@pytest.mark.later
def test_only_allowed_records_are_listed_and_groups_are_apart(bank: list[IndexPoint]) -> None:
    scope = filled(bank, 1000)
    kind = scope.column("kind")
    nobody = np.zeros(scope.n, np.bool_)
    (turns, _), (notes, table), (none, _) = shortlist(scope, questions()[0], [kind == 0, kind == 1, nobody])
    assert not (kind[turns] == 1).any()
    assert [scope.ids[slot] for slot in notes] == ["note"]
    assert table.shape == (len(FEATURE_NAMES), 1)
    assert len(none) == 0


@pytest.mark.later
def test_words_that_were_read_ahead_change_nothing_and_are_read_again_after_a_change(bank: list[IndexPoint]) -> None:
    scope = filled(bank, 1000)
    for asked in questions()[:5]:
        read = QueryTerms.of(scope, replace(asked, vector=NO_VECTOR))
        [(slots, table)] = shortlist(scope, asked, [scope.column("active")])
        [(ahead, columns_ahead)] = shortlist(scope, asked, [scope.column("active")], read=read)
        assert sorted(ahead) == sorted(slots)
        assert np.array_equal(table[:, np.argsort(slots)], columns_ahead[:, np.argsort(ahead)])
        with scope.lock:
            scope.remove([scope.ids[slots[0]]])
        [(after, _)] = shortlist(scope, asked, [scope.column("active")], read=read)
        assert slots[0] not in after


@pytest.mark.later
@pytest.mark.parametrize("text", ["", "?", "zzz qqq", "Ann", "marka", "2023-05-03"])
def test_any_question_gives_finite_scores(bank: list[IndexPoint], text: str) -> None:
    scope = filled(bank[:1500], 1000)
    for vector in (MEANINGS.of(0, 1), np.zeros(DIMENSION, np.float32), np.full(DIMENSION, np.nan, np.float32)):
        with np.errstate(invalid="ignore"):
            [(slots, table)] = shortlist(scope, Question.read(text, vector), [scope.column("active")])
            assert np.isfinite(fuse(table)).all()
        assert len(slots)


@pytest.mark.later
def test_vectors_are_decoded_to_a_thousandth(bank: list[IndexPoint]) -> None:
    scope = filled(bank, 1000)
    for point in bank[::300]:
        decoded = scope.vectors.rows("text", [scope.slots[point.id]])[0]
        np.testing.assert_allclose(decoded, point.vectors["text"], atol=4e-3)
        assert decoded @ point.vectors["text"] == pytest.approx(1, abs=2e-3)


def test_a_payload_reads_as_it_was_but_for_what_is_empty() -> None:
    payloads = Payloads()
    said: dict[str, Any] = {
        "content": "ünï \ud800",
        "importance": 0.0,
        "uses": 0,
        "turn_ids": [],
        "speaker": "",
        "valid_to": None,
        "x": False,
    }
    payloads.append(said)
    assert payloads[0] == {"content": "ünï \ud800", "importance": 0.0, "uses": 0, "x": False}
    payloads.append({"a": 1})
    payloads[0] = {}
    assert (len(payloads), payloads[0], payloads[1]) == (2, {}, {"a": 1})
