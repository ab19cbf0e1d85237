"""What each phase sees of a session, and its tracking."""

import pytest

from tests.unit.refine.events import QUESTION, SESSION, event, run
from trustgraph_react_mem.errors import RefinementError
from trustgraph_react_mem.refine import tracking
from trustgraph_react_mem.refine.machine import apply
from trustgraph_react_mem.refine.records import Session
from trustgraph_react_mem.refine.views import (
    critique_view,
    draft_view,
    revise_view,
)

ROUND = ("critique", "revise")


def test_a_critique_sees_the_draft_and_the_last_two_revisions() -> None:
    assert critique_view(run("draft")).window == "[ORIGINAL BASELINE]\ndraft 0"
    view = critique_view(run("draft", *ROUND * 4))
    assert view.window == "[ORIGINAL BASELINE]\ndraft 0\n\n[ITERATION 3]\nrevise 6\n\n[ITERATION 4]\nrevise 8"
    assert (view.query, view.text) == (QUESTION, "revise 8")
    with pytest.raises(RefinementError, match="no_draft"):
        critique_view(Session(id=SESSION))


def test_a_revision_sees_the_text_that_stands_the_newest_critique_and_the_question() -> None:
    view = revise_view(run("draft", *ROUND, "critique"))
    assert (view.query, view.text, view.critique) == (QUESTION, "revise 2", "critique 3")
    with pytest.raises(RefinementError, match="no_critique"):
        revise_view(run("draft", *ROUND))
    with pytest.raises(RefinementError, match="no_draft"):
        revise_view(Session(id=SESSION))


def test_a_draft_sees_the_history_of_earlier_questions() -> None:
    session = run("draft", *ROUND)
    view = draft_view(session, "Another?")
    assert view.query == "Another?"
    assert [each.content for each in view.history] == [QUESTION, "revise 2"]
    assert draft_view(session, "").query == QUESTION
    with pytest.raises(RefinementError, match="query is empty"):
        draft_view(Session(id=SESSION), " ")


def test_suggestions_name_the_next_action() -> None:
    actions = {
        (): "draft",
        ("draft",): "critique",
        ("draft", "critique"): "revise",
        ("draft", *ROUND): "revise_or_finalize",
        ("draft", *ROUND * 3): "consider_finalizing",
    }
    for phases, action in actions.items():
        told = tracking.suggestions(run(*phases, elapsed_ms=100))
        assert told["next_action"] == action
        assert told["confidence"] == ("medium" if action == "revise_or_finalize" else "high")
    assert told["iteration_context"] == {"current_iteration": 3, "total_time": pytest.approx(0.7)}


def test_signals_of_convergence_say_what_they_follow_from() -> None:
    def kinds(session: Session) -> list[tuple[str, str]]:
        return [(each["type"], each["strength"]) for each in tracking.convergence_signals(session)]

    assert kinds(Session(id=SESSION)) == []
    assert kinds(run("draft", *ROUND)) == []
    assert kinds(run("draft", *ROUND * 3)) == [("iteration_count", "strong")]
    assert kinds(run("draft", *ROUND * 2, "critique")) == []
    assert kinds(run("draft", elapsed_ms=300_001)) == [("duration", "medium")]
    assert kinds(run("draft", elapsed_ms=300_000)) == []
    drafted = run("draft", "critique")
    assert kinds(apply(drafted, event("revise", number=5, similarity=0.98))) == [("similarity", "strong")]
    assert kinds(apply(drafted, event("revise", number=5, similarity=0.97))) == []
    assert kinds(apply(run("draft"), event("critique", "No further improvements.", 5))) == [("critique", "strong")]


def test_the_number_of_iterations_is_predicted_from_sessions_of_the_same_type() -> None:
    known = [run("draft", *ROUND * n, companion_type="strategy") for n in (1, 2, 3)]
    assert tracking.global_metrics([*known, Session(id=SESSION)])["avg_iterations_by_type"] == {"strategy": 2.0}
    (pattern,) = tracking.global_metrics(known)["convergence_patterns"]
    assert (pattern["avg_iterations"], pattern["convergence_rate"], pattern["samples"]) == (2.0, 0.33, 3)
    assert pattern["predicted_iterations"] == 2
    (few,) = tracking.global_metrics(known[:2])["convergence_patterns"]
    assert few["predicted_iterations"] is None
