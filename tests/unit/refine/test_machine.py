"""The machine of refinement: positions, invariants over every order of events, and what is refused."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.unit.refine.events import BEGAN, PHASES, QUESTION, SESSION, code_of, event, run
from trustgraph_react_mem.errors import RefinementError
from trustgraph_react_mem.refine import tracking
from trustgraph_react_mem.refine.machine import apply, fold, position
from trustgraph_react_mem.refine.records import (
    MOST_HISTORY_PAIRS,
    HistoryMessage,
    RefinementEvent,
    Sampling,
    Session,
    Slot,
)

Call = tuple[str, dict[str, Any], bool]
QUERIES: tuple[dict[str, Any], ...] = ({"query": ""}, {"query": QUESTION}, {"query": "Another?"})
ORDERS: tuple[Call, ...] = tuple((phase, query, confirm) for phase in PHASES for query in QUERIES for confirm in (False, True))
#: Every kind of call: other variants and sampling, revisions that were not kept, and what belongs elsewhere.
CALLS: tuple[Call, ...] = (
    *ORDERS,
    *(
        (phase, {"query": "", **more}, confirm)
        for phase in PHASES
        for more in (
            {"variant": "large"},
            {"sampling": Sampling(max_loops=7, execution_mode="client")},
            {"companion_type": "strategy"},
            {"conversation_id": "talk"},
            {"session_id": SESSION.replace("7", "8")},
        )
        for confirm in (False, True)
    ),
    *(("draft", {"query": QUESTION, "variant": variant}, True) for variant in ("large", "small")),
    *(("revise", {"query": "", "kept": kept}, confirm) for kept in (False, True) for confirm in (False, True)),
)
#: Those with which all orders are tried: what is refused everywhere is left to the random orders.
EXHAUSTIVE: tuple[Call, ...] = (
    *ORDERS,
    ("draft", {"query": QUESTION, "variant": "large"}, True),
    ("revise", {"kept": False}, True),
)


def test_the_five_states_of_a_slot_follow_from_the_lengths_of_its_arrays() -> None:
    states = {
        (): ("initial", "draft", 0, False, False),
        ("draft",): ("balanced", "critique", 0, True, False),
        ("draft", "critique"): ("needs_revision", "revise", 1, False, True),
        ("draft", "critique", "revise"): ("balanced", "critique_or_finalize", 1, True, False),
        ("draft", "critique", "revise", "critique", "revise", "critique"): ("needs_revision", "revise", 3, False, True),
    }
    for phases, expected in states.items():
        where = position(run(*phases).slot)
        assert (where.phase, where.next_action, where.iteration, where.can_critique, where.can_revise) == expected
    assert position(Slot(query=QUESTION)).phase == "needs_draft"


def check_invariants(before: Session, after: Session) -> None:
    for slot in after.slots:
        assert slot.draft
        assert len(slot.revision) <= len(slot.critique) <= len(slot.revision) + 1
        assert [each.phase for each in slot.events][:1] == ["draft"]
        assert tuple(each.text for each in slot.events if each.phase == "critique") == slot.critique
        assert tuple(each.text for each in slot.events if each.phase == "revise") == slot.revision
    assert len(after.history) <= 2 * MOST_HISTORY_PAIRS
    assert [each.role for each in after.history] == ["human", "ai"] * (len(after.history) // 2)
    assert after.slots[: len(before.slots) - 1] == before.slots[:-1]
    if before.slot and before.slot.revision:
        assert after.slots[len(before.slots) - 1].draft == before.slot.draft
    assert after.events == before.events + 1
    if after.slot is None:
        return
    assert (after.slot.variant, after.slot.sampling) == (after.slot.events[0].variant, after.slot.events[0].sampling)
    kept = [each.text for each in after.slot.events if each.phase == "revise" and each.kept is not False]
    assert after.history[-2:] == (
        HistoryMessage(role="human", content=after.slot.query),
        HistoryMessage(role="ai", content=kept[-1] if kept else after.slot.draft),
    )
    assert {each.session_id for slot in after.slots for each in slot.events} == {after.id}
    check_position(after)


def check_position(session: Session) -> None:
    """The position follows from the lengths, and what it says comes next is what the session allows."""
    slot = session.slot
    assert slot is not None
    where, told = position(slot), tracking.phase_tracking(session)
    balanced = len(slot.critique) == len(slot.revision)
    assert (where.phase, where.can_critique, where.can_revise) == (
        "balanced" if balanced else "needs_revision", balanced, not balanced,
    )  # fmt: skip
    assert (where.iteration, told["iteration_number"]) == (len(slot.critique), len(slot.revision))
    assert [each["phase"] for each in told["phase_sequence"]] == ["draft", *["critique", "revise"] * 500][: len(slot.events)]
    own = {"companion_type": session.companion_type, "conversation_id": session.conversation_id}
    for phase, allowed in (("critique", True), ("revise", where.can_revise), ("draft", False)):
        following = event(phase, "next", 999, **{"query": "", "variant": slot.variant, **own})
        assert (code_of(session, following) == "") is allowed
    assert tracking.suggestions(session)["next_action"] in (
        ("revise",) if where.can_revise else ("critique", "revise_or_finalize", "consider_finalizing")
    )


def explore(before: Session, depth: int) -> int:
    """Try every call, and every one after each that was accepted.  Returns the number of accepted calls."""
    accepted = 0
    for phase, more, confirm in EXHAUSTIVE if depth else ():
        new = event(phase, number=before.events, **more)
        if code_of(before, new, confirm=confirm):
            continue
        after = apply(before, new, confirm=confirm)
        check_invariants(before, after)
        accepted += 1 + explore(after, depth - 1)
    return accepted


def test_the_invariants_hold_in_every_order_of_four_calls() -> None:
    assert explore(Session(id=SESSION), 4) > 1_000


@given(st.lists(st.sampled_from(CALLS), max_size=30))
def test_the_invariants_hold_in_long_orders_and_the_log_gives_the_session_back(calls: list[Call]) -> None:
    session, log = Session(id=SESSION), list[RefinementEvent]()
    for number, (phase, more, confirm) in enumerate(calls):
        new, before = event(phase, number=number, **more), repr(session)
        try:
            after = apply(session, new, confirm=confirm)
        except RefinementError:
            assert fold(SESSION, [*log, new]).slots == session.slots or not confirm  # a log has only what was confirmed
            continue
        finally:
            assert repr(session) == before
        check_invariants(session, after)
        session = after
        log.append(new)
    assert fold(SESSION, log) == session


@pytest.mark.parametrize(
    ("phases", "refused", "code"),
    [
        ((), event("critique"), "no_draft"),
        ((), event("revise"), "no_draft"),
        ((), event("draft", query=" "), "validation_error"),
        (("draft",), event("revise"), "no_critique"),
        (("draft", "critique", "revise"), event("revise"), "no_critique"),
        (("draft",), event("draft"), "validation_error"),
        (("draft", "critique", "revise"), event("draft"), "validation_error"),
        (("draft",), event("critique", query="Another?"), "pollution_detected"),
        (("draft",), event("critique", companion_type="strategy"), "pollution_detected"),
        (("draft",), event("critique", conversation_id="other"), "pollution_detected"),
        (("draft",), event("critique", session_id=SESSION.replace("7", "8")), "pollution_detected"),
    ],
)
def test_a_step_out_of_order_is_refused_by_name(phases: tuple[str, ...], refused: RefinementEvent, code: str) -> None:
    assert code_of(run(*phases), refused) == code


def test_a_new_draft_over_an_existing_one_needs_confirmation_and_is_refused_after_a_revision() -> None:
    second = event("draft", "better", 5)
    drafted = apply(run("draft", "critique"), second, confirm=True)
    assert (len(drafted.slots), drafted.slots[0].draft, drafted.slots[0].critique) == (1, "better", ())
    assert drafted.history == (HistoryMessage(role="human", content=QUESTION), HistoryMessage(role="ai", content="better"))
    assert code_of(run("draft", "critique", "revise"), second, confirm=True) == "validation_error"


def test_a_repeated_critique_replaces_the_last_and_a_repeated_revision_does_if_confirmed() -> None:
    criticised = apply(run("draft", "critique"), event("critique", "sharper", 5))
    assert criticised.slots[0].critique == ("sharper",)
    revised = apply(run("draft", "critique", "revise"), event("revise", "shorter", 5), confirm=True)
    assert (revised.slots[0].revision, revised.history[-1].content) == (("shorter",), "shorter")


def test_history_has_the_newest_three_pairs_with_the_newest_text_of_each() -> None:
    session = Session(id=SESSION)
    for number in range(5):
        session = apply(session, event("draft", f"draft {number}", number, query=f"question {number}"))
    session = apply(apply(session, event("critique", number=6)), event("revise", "final", 7))
    assert [each.content for each in session.history] == [
        *("question 2", "draft 2", "question 3", "draft 3", "question 4", "final"),
    ]


@pytest.mark.parametrize(
    ("wrong", "code"),
    [
        ({"session_id": "7"}, "invalid_session"),
        ({"session_id": SESSION.upper()}, "invalid_session"),
        ({"session_id": ""}, "invalid_session"),
        ({"id": ""}, "validation_error"),
        ({"text": " "}, "validation_error"),
        ({"companion_type": "poet"}, "validation_error"),
        ({"similarity": 7}, "validation_error"),
        ({"elapsed_ms": -1}, "validation_error"),
    ],
)
def test_an_event_names_the_value_that_is_wrong(wrong: dict[str, Any], code: str) -> None:
    with pytest.raises(RefinementError, match=next(iter(wrong))) as refused:
        event("draft", **wrong)
    assert refused.value.code == code


def test_an_event_survives_json() -> None:
    full = event("revise", similarity=0.5, kept=True, sampling=Sampling(temperature=0.2, stop_sequences=("END",)))
    assert RefinementEvent.from_dict(full.as_dict()) == full
    assert full.at == BEGAN
