"""A turn put together from the agent's messages gives the same whole however its texts are cut."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trustgraph.schema import IRI, LITERAL, AgentResponse, Error, Term, Triple

from trustgraph_react_mem.cli.views.turn import format_closing_line, format_contributions, format_memory
from trustgraph_react_mem.schema.agent import CITED, RECALLED
from trustgraph_react_mem.turn_trace import TurnTrace


def explain(predicate: str, value: dict[str, object]) -> AgentResponse:
    triple = Triple(
        s=Term(type=IRI, iri="urn:x"), p=Term(type=IRI, iri=predicate), o=Term(type=LITERAL, value=json.dumps(value))
    )
    return AgentResponse(message_type="explain", explain_triples=[triple])


def chunks(kind: str, text: str, cuts: list[int], *, last: bool = False) -> list[AgentResponse]:
    places = sorted({min(cut, len(text)) for cut in cuts} | {0, len(text)})
    parts = [text[a:b] for a, b in pairwise(places)] or [text]
    messages = [AgentResponse(message_type=kind, content=part) for part in parts]
    messages[-1].end_of_message = True
    messages[-1].end_of_dialog = last
    return messages


TEXT = st.text(min_size=1, max_size=40)
CUTS = st.lists(st.integers(0, 40), max_size=5)


@given(thought=TEXT, seen=TEXT, answer=TEXT, cuts=CUTS)
def test_cutting_texts_into_chunks_changes_nothing(thought: str, seen: str, answer: str, cuts: list[int]) -> None:
    whole, cut = TurnTrace(question="q"), TurnTrace(question="q")
    for trace, where in ((whole, []), (cut, cuts)):
        for message in (
            *chunks("thought", thought, where),
            *chunks("observation", seen, where),
            *chunks("thought", thought, where),
            *chunks("answer", answer, where, last=True),
        ):
            trace.feed(message)
    assert cut.thoughts == whole.thoughts == [thought, thought]
    assert cut.observations == whole.observations == [seen]
    assert cut.answer == answer


@given(answer=TEXT, cuts=CUTS)
def test_pieces_spell_the_answer_and_mark_its_ends(answer: str, cuts: list[int]) -> None:
    trace = TurnTrace(question="q")
    pieces = [piece for message in chunks("answer", answer, cuts, last=True) for piece in trace.feed(message)]
    spoken = [piece for piece in pieces if piece.kind == "answer"]
    assert "".join(piece.text for piece in spoken) == answer
    assert [piece.starts for piece in spoken] == [True] + [False] * (len(spoken) - 1)
    assert spoken[-1].ends
    assert pieces[-1].kind == "end"


def test_the_explanations_name_what_was_recalled_and_cited() -> None:
    trace = TurnTrace(question="q")
    trace.feed(
        explain(
            RECALLED,
            {
                "memories": [{"id": "a"}, {"id": "b"}],
                "missing": [{"part": "episodes", "reason": "too slow"}],
                "timings_ms": {"embed": 2.0},
            },
        )
    )
    trace.feed(explain(CITED, {"ids": ["b"], "citation": "cited", "timings_ms": {"model": 9}}))
    assert [memory["id"] for memory in trace.memories] == ["a", "b"]
    assert trace.missing == ["episodes (too slow)"]
    assert trace.cited_ids == ["b"]
    assert trace.timings_ms() == {"embed": 2.0, "model": 9.0}
    assert "rests on memories 1" in format_closing_line(trace)
    trace.cited["rule_changes"] = [{"op": "end", "id": "r"}, {"op": "add"}, {"op": "add"}]
    assert "rests on memories 1 · 1 rule ended · 2 rules given" in format_closing_line(trace)
    assert trace.as_json()["rule_changes"] == trace.cited["rule_changes"]


def test_explanations_of_others_are_passed_over() -> None:
    trace = TurnTrace(question="q")
    assert trace.feed(explain("http://www.w3.org/ns/prov#value", {"memories": [{"id": "a"}]})) == []
    assert trace.memories == []


@pytest.mark.parametrize(
    "message",
    [
        AgentResponse(message_type="error", content="no model", end_of_message=True, end_of_dialog=True),
        AgentResponse(error=Error(type="agent-error", message="no model"), end_of_message=True, end_of_dialog=True),
    ],
)
def test_an_error_is_kept_and_ends_the_turn(message: AgentResponse) -> None:
    trace = TurnTrace(question="q")
    kinds = [piece.kind for piece in trace.feed(message)]
    assert trace.error == "no model"
    assert kinds == ["error", "end"]


def test_an_error_told_twice_is_shown_once() -> None:
    trace = TurnTrace(question="q")
    told = AgentResponse(message_type="error", content="no model", end_of_message=True)
    ended = AgentResponse(
        message_type="error", content="no model", error=Error(type="x", message="no model"), end_of_dialog=True
    )
    assert [piece.kind for message in (told, ended) for piece in trace.feed(message)] == ["error", "end"]
    assert trace.error_type == "x"


def test_a_notice_that_a_turn_is_not_remembered_reaches_the_person() -> None:
    trace = TurnTrace(question="q")
    pieces = trace.feed(explain(CITED, {"ids": [], "recorded": False, "notice": "this turn will not be remembered"}))
    assert [(piece.kind, piece.text) for piece in pieces] == [("notice", "this turn will not be remembered")]


@pytest.mark.parametrize(
    ("why", "shown"),
    [
        ({"words": "0.5", "text": "-1.25", "recency": "0.001"}, "text-1.25 words+0.50"),
        ({"note": "not a number"}, ""),
        (None, ""),
    ],
)
def test_the_largest_contributions_come_first(why: object, shown: str) -> None:
    assert format_contributions(why) == shown


def test_a_memory_is_shown_with_speaker_day_and_kind() -> None:
    memory = {"speaker": "Ana", "content": "I like tea.", "said_at": "2026-03-02T09:15:00+00:00", "kind": "turn"}
    assert format_memory(memory) == "Ana: I like tea. (2026-03-02)"
    assert format_memory(memory | {"kind": "topic"}) == "I like tea. (2026-03-02, topic)"
    assert format_memory({"content": "Tea is hot.", "kind": "turn"}) == "Tea is hot."
