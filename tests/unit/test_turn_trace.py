"""A turn put together from the agent's messages gives the same whole however its texts are cut."""

import json
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st
from trustgraph.schema import IRI, LITERAL, AgentResponse, Error, Term, Triple

from trustgraph_react_mem.cli.views import format_closing_line
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


def test_a_notice_that_a_turn_is_not_remembered_reaches_the_person() -> None:
    trace = TurnTrace(question="q")
    pieces = trace.feed(explain(CITED, {"ids": [], "recorded": False, "notice": "this turn will not be remembered"}))
    assert [(piece.kind, piece.text) for piece in pieces] == [("notice", "this turn will not be remembered")]
