"""The turn's machine: its table, and what holds whatever the model and the tools do."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from trustgraph_react_mem.turn import machine as m
from trustgraph_react_mem.turn.parse import FinalAnswer, ToolCall, Unparsed
from trustgraph_react_mem.turn.working import Step, WorkingMemory

EVENTS: tuple[m.Event, ...] = (
    m.Started(recall=True, publish=True),
    m.RecallDone(),
    m.ModelDone(decision=FinalAnswer(thought="t", text="a")),
    m.ModelFailed(message="down"),
    m.ToolDone(observation="o"),
    m.Condensed(summary="s"),
    m.Published(),
    m.PublishRefused(message="no"),
)


@pytest.mark.parametrize("phase", get_args(m.Phase))
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_the_table_alone_says_what_may_come(phase: m.Phase, event: m.Event) -> None:
    turn = m.TurnState(phase=phase, pending=Step(number=1, thought="", action="x"), condensing=(), publish=True)
    if type(event) in m.LEGAL[phase]:
        then, effects = m.step(turn, event)
        assert then.phase in m.LEGAL[phase][type(event)]
        assert effects
    else:
        with pytest.raises(m.IllegalEvent):
            m.step(turn, event)


def test_every_phase_but_the_last_two_is_left_by_some_event() -> None:
    assert [phase for phase in get_args(m.Phase) if not m.LEGAL[phase]] == ["done", "failed"]


WAITS = {"recalling": m.Recall, "thinking": m.CallModel, "acting": m.RunTool, "condensing": m.Condense, "publishing": m.Publish}
TEXT = st.text("abc ", max_size=12)
DECISIONS = st.one_of(
    st.builds(FinalAnswer, thought=TEXT, text=st.text("abc", min_size=1, max_size=5)),
    st.builds(ToolCall, thought=TEXT, name=st.just("tool")),
    st.builds(Unparsed, thought=TEXT, text=TEXT, reason=st.just("why")),
)
NEXT: dict[m.Phase, st.SearchStrategy[m.Event]] = {
    "new": st.builds(m.Started, recall=st.booleans(), publish=st.booleans()),
    "recalling": st.builds(m.RecallDone),
    "thinking": st.one_of(st.builds(m.ModelDone, decision=DECISIONS), st.builds(m.ModelFailed, message=TEXT)),
    "acting": st.builds(m.ToolDone, observation=st.text("xyz ", max_size=900), failed=st.booleans()),
    "condensing": st.builds(m.Condensed, summary=TEXT),
    "publishing": st.one_of(st.builds(m.Published), st.builds(m.PublishRefused, message=TEXT)),
}


@settings(max_examples=examples(300), deadline=None)
@given(st.data(), st.integers(1, 6), st.integers(200, 800), st.integers(1, 4))
def test_a_turn_always_ends_and_never_leaves_the_table(data: st.DataObject, most: int, threshold: int, keep: int) -> None:
    limits = m.Limits(max_iterations=most, working_memory_threshold=threshold, working_memory_keep=keep)
    turn = m.TurnState(limits=limits)
    seen: list[m.Effect] = []
    for _ in range(8 * most + 20):
        if turn.over:
            break
        turn, effects = m.step(turn, data.draw(NEXT[turn.phase]))
        seen += effects
        # exactly one effect brings the next event, and it is the last one
        waiting = [effect for effect in effects if isinstance(effect, tuple(WAITS.values()))]
        assert waiting == ([] if turn.over else [effects[-1]])
        if not turn.over:
            assert isinstance(effects[-1], WAITS[turn.phase])
    assert turn.over
    assert sum(isinstance(effect, m.Finish | m.Fail) for effect in seen) == 1
    assert isinstance(seen[-1], m.Finish | m.Fail)
    ran = [effect.number for effect in seen if isinstance(effect, m.RunTool)]
    assert ran == list(range(1, len(ran) + 1))
    assert len(ran) <= most
    calls = [effect for effect in seen if isinstance(effect, m.CallModel)]
    assert len(calls) <= 2 * (most + 1)
    if isinstance(seen[-1], m.Finish):
        assert seen[-1].answer
        published = [place for place, effect in enumerate(seen) if isinstance(effect, m.Publish)]
        assert bool(published) == turn.publish


def call(name: str = "tool") -> m.ModelDone:
    return m.ModelDone(decision=ToolCall(thought="I look", name=name))


def after(*events: m.Event, limits: m.Limits | None = None) -> tuple[m.TurnState, list[m.Effect]]:
    turn, seen = m.TurnState(limits=limits or m.Limits()), list[m.Effect]()
    for event in events:
        turn, effects = m.step(turn, event)
        seen += effects
    return turn, seen


START = m.Started(recall=False, publish=False)


def test_too_many_steps_end_with_an_answer_and_not_with_an_error() -> None:
    turn, seen = after(
        START,
        call(),
        m.ToolDone(observation="found"),
        call(),
        m.ToolDone(observation="more"),
        limits=m.Limits(max_iterations=2),
    )
    assert isinstance(seen[-1], m.CallModel)
    assert seen[-1].closing
    assert seen[-1].hint
    turn, effects = m.step(turn, call())  # it still wants a tool
    assert isinstance(effects[-1], m.Finish)
    assert (effects[-1].answer, effects[-1].reason) == ("I look", "max-iterations")


def test_without_any_word_of_the_model_the_last_result_is_the_answer() -> None:
    silent = m.ModelDone(decision=ToolCall(thought="", name="tool"))
    _, seen = after(START, silent, m.ToolDone(observation="42"), silent, limits=m.Limits(max_iterations=1))
    assert isinstance(seen[-1], m.Finish)
    assert seen[-1].answer == "42"


def test_a_broken_text_is_asked_for_once_more_then_taken_as_it_is() -> None:
    broken = m.ModelDone(decision=Unparsed(thought="", text="it is 42", reason="no marker"))
    turn, seen = after(START, broken)
    assert isinstance(seen[-1], m.CallModel)
    assert "no marker" in seen[-1].hint
    _, effects = m.step(turn, broken)
    assert effects[-1] == m.Finish(number=1, answer="it is 42", reason="best-effort", recorded=False)


def test_the_record_is_published_before_the_end_and_a_refusal_is_told() -> None:
    done = m.ModelDone(decision=FinalAnswer(thought="t", text="a"))
    turn, seen = after(m.Started(recall=False, publish=True), done)
    assert isinstance(seen[-1], m.Publish)
    _, effects = m.step(turn, m.PublishRefused(message="the broker is away"))
    assert isinstance(effects[0], m.SayNotice)
    assert "the broker is away" in effects[0].text
    assert effects[1] == m.Finish(number=1, answer="a", reason="final-answer", recorded=False)


def test_a_history_of_the_client_is_continued() -> None:
    steps = tuple(Step(number=n, thought="", action="tool", observation="o") for n in (1, 2))
    turn, effects = m.step(m.TurnState(memory=WorkingMemory(steps=steps)), START)
    assert turn.number == 3
    assert effects == (m.CallModel(number=3),)


def test_older_steps_are_condensed_and_the_count_goes_on() -> None:
    limits = m.Limits(working_memory_threshold=200, working_memory_keep=1, max_iterations=9)
    long = m.ToolDone(observation="x" * 900)
    turn, seen = after(START, call(), long, call(), long, limits=limits)
    assert isinstance(seen[-1], m.Condense)
    assert [step.number for step in seen[-1].steps] == [1]
    turn, effects = m.step(turn, m.Condensed(summary="x was found"))
    assert (turn.memory.condensed, turn.memory.covers, turn.number) == ("x was found", 1, 3)
    assert effects == (m.CallModel(number=3),)
    turn, _ = m.step(turn, call())
    turn, _ = m.step(turn, long)
    turn, _ = m.step(turn, m.Condensed())  # the model failed: done here
    assert turn.number == 4
    assert turn.memory.condensed.startswith("x was found\n2. tool {} gave: xxx")


def test_too_little_to_be_worth_a_call_is_condensed_at_once() -> None:
    limits = m.Limits(working_memory_threshold=200, working_memory_keep=1)
    turn, seen = after(START, call(), m.ToolDone(observation="short"), call(), m.ToolDone(observation="y" * 900), limits=limits)
    assert not any(isinstance(effect, m.Condense) for effect in seen)
    assert turn.phase == "thinking"
    assert turn.memory.condensed == "1. tool {} gave: short"
