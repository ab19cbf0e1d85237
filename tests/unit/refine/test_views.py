"""What each phase sees of a session, and its tracking."""

import pytest

from tests.unit.refine.events import BEGAN, QUESTION, SESSION, event, run
from trustgraph_react_mem.errors import RefinementError
from trustgraph_react_mem.memory.timefmt import format_time
from trustgraph_react_mem.refine import tracking
from trustgraph_react_mem.refine.machine import apply
from trustgraph_react_mem.refine.records import Session
from trustgraph_react_mem.refine.views import (
    add_similarity,
    baseline_draft,
    critique_view,
    draft_view,
    latest_critique,
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


def test_a_critique_names_the_text_that_it_is_of_even_if_a_revision_repeats_it() -> None:
    unchanged = apply(run("draft", "critique"), event("revise", "draft 0", 2))
    assert latest_critique(unchanged)["of_text"] == "draft"
    assert latest_critique(apply(unchanged, event("critique", number=3)))["of_text"] == "revision 1"
    worse = apply(run("draft", *ROUND, "critique"), event("revise", "revise 2", 4, kept=False))
    assert latest_critique(apply(worse, event("critique", number=5)))["of_text"] == "revision 1"


def test_a_draft_sees_the_history_and_the_slots_of_earlier_questions() -> None:
    session = run("draft", *ROUND)
    view = draft_view(session, "Another?")
    assert (view.query, view.slots) == ("Another?", session.slots)
    assert [each.content for each in view.history] == [QUESTION, "revise 2"]
    assert draft_view(session, "").query == QUESTION
    with pytest.raises(RefinementError, match="query is empty"):
        draft_view(Session(id=SESSION), " ")


def test_a_revision_is_compared_with_the_text_that_it_revises() -> None:
    session = run("draft", "critique")
    new = event("revise", "draft 0", 2)
    assert add_similarity(session, new).similarity == 1.0
    assert add_similarity(session, event("revise", "draft 0", 2, similarity=0.5)).similarity == 0.5
    repeated = apply(session, event("revise", "other words", 2))
    assert add_similarity(repeated, new).similarity == 1.0  # it replaces the revision of the same critique
    assert add_similarity(session, event("critique", "draft 0", 2)).similarity is None


def test_tracking_follows_the_current_slot() -> None:
    session = run("draft", *ROUND, "critique", elapsed_ms=1500)
    told = tracking.phase_tracking(session)
    assert (told["current_tool"], told["iteration_number"], told["total_iterations"]) == ("revise", 1, 2)
    assert [each["phase"] for each in told["phase_sequence"]] == ["draft", "critique", "revise", "critique"]
    assert told["phase_timings"] == {"draft_0": 1.5, "critique_0": 1.5, "revise_0": 1.5, "critique_1": 1.5}
    assert told["total_duration"] == 6.0
    assert tracking.phase_tracking(session, current_tool="draft")["current_tool"] == "draft"
    assert tracking.phase_tracking(Session(id=SESSION))["current_tool"] == "draft"
    assert tracking.phase_tracking(run("draft", *ROUND))["current_tool"] == "critique"


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


def test_an_analysis_converges_only_when_nothing_is_left_to_revise() -> None:
    session = run("draft", *ROUND * 3)
    told = tracking.convergence_analysis(session)
    assert (told["converged"], told["reason"], told["slot_index"]) == (True, "3 iterations", 0)
    assert not tracking.convergence_analysis(apply(session, event("critique", number=9)))["converged"]
    assert tracking.convergence_analysis(Session(id=SESSION))["slot_index"] is None


def test_the_position_has_counts_once_there_is_a_slot() -> None:
    assert set(tracking.phase(Session(id=SESSION))) == {"phase", "next_action", "iteration", "can_critique", "can_revise"}
    told = tracking.phase(run("draft", "critique"))
    assert (told["critiques_count"], told["revisions_count"], told["query"]) == (1, 0, QUESTION)


def test_the_timeline_numbers_the_steps_of_each_phase() -> None:
    (slot,) = tracking.iteration_timeline(run("draft", *ROUND, "critique"))["slots"]
    assert [(each["phase"], each["index"]) for each in slot["events"]] == [
        *(("draft", 0), ("critique", 0), ("revise", 0), ("critique", 1)),
    ]


def test_the_draft_and_the_newest_critique_can_be_read_alone() -> None:
    session = run("draft", *ROUND, "critique")
    draft, critique = baseline_draft(session), latest_critique(session)
    assert (draft["slot_index"], draft["query"], draft["draft"], draft["at"]) == (0, QUESTION, "draft 0", format_time(BEGAN))
    assert (critique["index"], critique["critique"], critique["of_text"]) == (1, "critique 3", "revision 1")
    with pytest.raises(RefinementError, match="no_draft"):
        baseline_draft(Session(id=SESSION))
    with pytest.raises(RefinementError, match="no_critique"):
        latest_critique(run("draft"))


def test_the_number_of_iterations_is_predicted_from_sessions_of_the_same_type() -> None:
    known = [run("draft", *ROUND * n, companion_type="strategy") for n in (1, 2, 3)]
    assert tracking.global_metrics([*known, Session(id=SESSION)])["avg_iterations_by_type"] == {"strategy": 2.0}
    (pattern,) = tracking.global_metrics(known)["convergence_patterns"]
    assert (pattern["avg_iterations"], pattern["convergence_rate"], pattern["samples"]) == (2.0, 0.33, 3)
    assert pattern["predicted_iterations"] == 2
    (few,) = tracking.global_metrics(known[:2])["convergence_patterns"]
    assert few["predicted_iterations"] is None
