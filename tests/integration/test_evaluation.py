"""`make eval` over small files: the agreed figures, what learns, answers of a model, going on after a stop."""

import csv
import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from bench.answering import read_lines
from bench.coverage import Answered
from bench.evaluate import Wanted, evaluate, show
from bench.gains import usefulness
from bench.methods import LEARNERS, ORACLE, PLAIN, WITHOUT_TOKENS, Found, oracle_order
from bench.sentences import sentences
from bench.sessions import Size, dialogue, grow
from bench.transcripts import TranscriptQuestion
from trustgraph_react_mem.rerank import Candidates
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

pytestmark = pytest.mark.later

PRESCRIBED = {f"{name}@{k}" for name in ("coverage", "any", "all") for k in (5, 10, 20)}
PRESCRIBED |= {"tokens@10", "p50_ms", "p95_ms", "by_category"}
THINGS = ("bicycle", "cello", "kettle", "ladder", "lantern", "anchor", "violin", "tractor", "telescope", "hammock")
PLACES = ("Oslo", "Graz", "Porto", "Lund", "Bergen", "Utrecht", "Siena", "Ghent", "Turku", "Brno")


def locomo(path: Path, people: int = 2) -> Path:
    rng = random.Random(1)
    data = []
    for number in range(people):
        conversation: dict[str, Any] = {"speaker_a": "Ann", "speaker_b": "Bob"}
        questions, statements = [], {}
        for session in range(1, 6):
            said = []
            for place in range(6):
                thing, town = rng.choice(THINGS), rng.choice(PLACES)
                said.append((f"D{session}:{place + 1}", "Ann" if place % 2 else "Bob", f"I bought a {thing} in {town}"))
            conversation[f"session_{session}_date_time"] = f"1:56 pm on {session} May, 2023"
            conversation[f"session_{session}"] = [{"speaker": who, "dia_id": name, "text": text} for name, who, text in said]
            statements[f"session_{session}_observation"] = {
                "Ann": [[text.replace("I ", "Ann "), name] for name, who, text in said if who == "Ann"]
            }
            for name, who, text in said[:4]:
                town, category = text.rsplit(maxsplit=1)[-1], session if session < 6 else 4
                wanted = f"What did {who} buy in {town}?"
                questions.append({"question": wanted, "answer": text.split()[3], "category": category, "evidence": [name]})
        data.append({"sample_id": f"c{number}", "conversation": conversation, "qa": questions, "observation": statements})
    path.write_text(json.dumps(data), encoding="utf-8")
    return path


def longmemeval(path: Path) -> Path:
    item = {
        "question_type": "single-session-user",
        "question": "Where did I buy the cello?",
        "answer": "Graz",
        "question_date": "2023/05/30 (Tue) 23:40",
        "haystack_dates": ["2023/05/20 (Sat) 02:21"],
        "haystack_session_ids": ["s1"],
        "haystack_sessions": [
            [
                {"role": "user", "content": "I bought a cello in Graz", "has_answer": True},
                {"role": "assistant", "content": "Nice"},
            ]
        ],
    }
    path.write_text(json.dumps([{**item, "question_id": name} for name in ("q1", "q2")]), encoding="utf-8")
    return path


async def test_every_method_has_the_agreed_figures_and_a_row_a_question(tmp_path: Path) -> None:
    await evaluate(locomo(tmp_path / "data.json"), tmp_path / "out", HashedEmbedder(), Wanted(seeds=2))
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    methods = summary["methods"]
    assert set(methods) == {*PLAIN, "default", WITHOUT_TOKENS, "default+facts", ORACLE, *LEARNERS}
    assert summary["questions"] == 32  # those of category 5 stand apart
    assert summary["seeds"] == [0, 1]
    for name, figures in methods.items():
        assert set(figures) >= PRESCRIBED, name
        assert set(figures["by_category"]) == {"1", "2", "3", "4"}
        assert 0 <= figures["all@5"] <= figures["coverage@5"] <= figures["any@5"] <= 100
        assert figures["coverage@5"] <= figures["coverage@10"] <= figures["coverage@20"]
    assert methods[ORACLE]["coverage@5"] == methods[ORACLE]["coverage@20"] == methods["default"]["coverage@20"]
    assert methods[ORACLE]["coverage@5"] >= methods["default"]["coverage@5"]
    for name in LEARNERS:
        assert set(methods[name]["by_half"]) == {"first", "second"}
        assert set(methods[name]["spread"]) >= {"coverage@5", "coverage@10"}
        assert methods[name]["gain"]["second"]["coverage@5"]["spread"] >= 0
    with (tmp_path / "out" / "rows.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    for name in methods:
        own = [row for row in rows if row["method"] == name]
        seeds = 2 if name in LEARNERS else 1
        assert len([row for row in own if row["category"] != "5"]) == 32 * seeds
        mean = 100 * sum(float(row["coverage@5"]) for row in own if row["category"] != "5") / (32 * seeds)
        assert mean == pytest.approx(methods[name]["coverage@5"], abs=0.05)


@pytest.mark.parametrize(
    ("turns", "evidence", "order"),
    [
        ([{"a"}, {"b"}, {"c"}], {"c"}, [2, 0, 1]),
        ([{"a"}, {"b"}, {"c"}, {"d"}], {"b", "d"}, [1, 3, 0, 2]),
        ([set(), {"b"}, {"b"}, {"b", "c"}, {"d"}], {"b", "c", "d"}, [3, 4, 1, 2, 0]),  # what only repeats comes later
        ([{"a"}, {"b"}], {"x"}, [0, 1]),
        ([], {"x"}, []),
    ],
)
def test_the_oracle_order_has_all_evidence_first_and_else_keeps_the_order(
    turns: list[set[str]], evidence: set[str], order: list[int]
) -> None:
    ids, vector = [str(row) for row in range(len(turns))], np.zeros(4, np.float32)
    candidates = Candidates.of(ids, np.zeros((len(ids), 4), np.float32), np.zeros((len(ids), 1)), ("base",))
    asked = TranscriptQuestion(text="What?", evidence=tuple(sorted(evidence)))
    assert oracle_order(Found(0, asked, vector, candidates, tuple(map(frozenset, turns)), tuple(ids), 1.0)) == order


async def test_a_file_of_longmemeval_is_measured_too(tmp_path: Path) -> None:
    summary = await evaluate(longmemeval(tmp_path / "data.json"), tmp_path / "out", HashedEmbedder(), Wanted(seeds=1))
    assert summary["questions"] == 2
    methods: Any = summary["methods"]
    assert methods["default"]["coverage@5"] == 100.0
    assert set(methods["default"]["by_category"]) == {"single-session-user"}
    show(summary)


def row(place: int, hit: bool, *, seed: int = 0, method: str = "m") -> Answered:
    order = [frozenset({"t1"} if hit else {"t2"})] + [frozenset[str]()] * 4
    return Answered(
        method=method,
        seed=seed,
        transcript="c",
        number=place,
        category="1",
        order=order,
        texts=["x"] * 5,
        evidence=frozenset({"t1"}),
        ms=1.0,
        half="first" if place < 20 else "second",
        place=place,
    )


def test_usefulness_says_when_the_target_is_reached_and_what_cannot_be_exceeded() -> None:
    found: Any = usefulness([row(place, place >= 20) for place in range(60)], batch=4)
    # The trailing mean of twenty passes 0.4 when eight of them hit: with question 28, after the 8 that follow the first window.
    assert found["of_the_answers"]["updates"] == 2
    assert found["of_the_answers"]["start"] == 0.0
    assert found["of_the_answers"]["end"] == 1.0
    assert found["of_the_shown"]["updates"] is None
    assert found["of_the_shown"]["ceiling"] == 0.2


def scripted() -> ScriptedModel:
    return ScriptedModel(
        rules=[
            Rule(when="Two answers to the same question", answer='{"same": true}'),
            Rule(when="You answer a user's question", answer="Thought: I know.\nFinal Answer: a cello <cite>0</cite>"),
        ]
    )


@pytest.mark.slow
async def test_answers_are_kept_and_only_the_missing_ones_are_asked_for(tmp_path: Path) -> None:
    data, out = locomo(tmp_path / "data.json"), tmp_path / "out"
    first = scripted()
    await evaluate(data, out, HashedEmbedder(), Wanted(seeds=1, answers=3), first)
    assert len(first.calls) == 6  # an answer and a judgement each
    again = scripted()
    with (out / "answers.jsonl").open("a") as file:
        file.write('{"model": "scripted", "jud')  # killed while it wrote
    summary: Any = await evaluate(data, out, HashedEmbedder(), Wanted(seeds=1, answers=5), again)
    assert len(again.calls) == 4
    answers = summary["answers"]
    assert (answers["model"], answers["judge"], answers["questions"]) == ("scripted", "scripted", 5)
    assert answers["judged_right"] == 100.0
    assert answers["citations"] == {"cited": 100.0}
    rows = list(read_lines(out / "answers.jsonl"))
    assert {row["answer"] for row in rows} == {"a cello"}
    assert all(row["cited"] == [0] for row in rows)
    assert answers["f1"] == pytest.approx(100 * sum(row["f1"] for row in rows) / 5, abs=0.01)


# -- `python -m bench sessions`: a scope that grew, against the same memories read afresh ------------------------------


SMALL = Size(sessions=6, turns=12, every=2, early=2, asked=10, learned_a_session=2)


def test_a_question_that_is_asked_has_one_answer_in_the_whole_bank() -> None:
    spoken, probes = dialogue(Size())
    assert [len(turns) for turns in spoken] == [100] * 100
    answers = Counter(utterance.question for utterance in sentences(10_000, seed=17))
    assert all(answers[probe.text] == 1 for probe in probes)
    assert all(spoken[probe.session][probe.turn % 100].question == probe.text for probe in probes)
    assert dialogue(Size())[1] == probes


async def test_both_ways_answer_the_same_questions_at_every_checkpoint() -> None:
    rows: Any = await grow(HashedEmbedder(), SMALL)
    assert [(row["sessions"], row["memories"]) for row in rows] == [(2, 24), (4, 48), (6, 72)]
    for row in rows:
        assert row["questions"] == 10
        assert row["gap"]["coverage@5"] == pytest.approx(row["grown"]["coverage@5"] - row["plain"]["coverage@5"])
        assert row["grown"]["coverage@5"] > 20
        assert 0 < row["grown"]["p50_ms"] <= row["grown"]["p95_ms"]
