"""The turn's machine: its table, and what holds whatever the model and the tools do."""

from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import examples
from trustgraph_react_mem.memory.ports import Switches
from trustgraph_react_mem.recall.query import SearchQuery
from trustgraph_react_mem.recall.records import Recalled
from trustgraph_react_mem.rerank.citations import Citations
from trustgraph_react_mem.turn import events as e
from trustgraph_react_mem.turn import machine as m
from trustgraph_react_mem.turn.decisions import FinalAnswer, ToolCall, Unparsed
from trustgraph_react_mem.turn.working import Step

EVENTS: tuple[e.Event, ...] = (
    e.Started(recall=True, publish=True),
    e.RecallDone(),
    e.ModelDone(decision=FinalAnswer(thought="t", text="a")),
    e.PromptAbsent(),
    e.ModelFailed(message="down"),
    e.TimeIsUp(limit_s=1),
    e.ToolDone(observation="o"),
    e.Condensed(summary="s"),
    e.Published(),
    e.PublishRefused(message="no"),
)


@pytest.mark.parametrize("phase", get_args(m.Phase))
@pytest.mark.parametrize("event", EVENTS, ids=lambda event: type(event).__name__)
def test_the_table_alone_says_what_may_come(phase: m.Phase, event: e.Event) -> None:
    turn = m.TurnState(phase=phase, pending=Step(number=1, thought="", action="x"), condensing=(), publish=True)
    if type(event) in m.LEGAL[phase]:
        then, effects = m.step(turn, event)
        assert then.phase in m.LEGAL[phase][type(event)]
        assert effects
    else:
        with pytest.raises(m.IllegalEvent):
            m.step(turn, event)


WAITS = {
    "recalling": "recall",
    "thinking": "call-model",
    "acting": "run-tool",
    "condensing": "condense",
    "publishing": "publish",
}


def name_of(effect: e.Effect) -> str:
    return "run-tool" if isinstance(effect, e.RunTool) else "fail" if isinstance(effect, e.Fail) else str(effect)


TEXT = st.text("abc ", max_size=12)
DECISIONS = st.one_of(
    st.builds(FinalAnswer, thought=TEXT, text=st.text("abc", min_size=1, max_size=5)),
    st.builds(ToolCall, thought=TEXT, name=st.just("tool")),
    st.builds(Unparsed, thought=TEXT, text=TEXT, reason=st.just("why")),
)
SPENT = st.integers(0, 5000).map(lambda eighths: eighths / 8)  # ms, whose sums are exact
TOKENS = st.none() | st.integers(0, 99)
USAGE = st.builds(e.Usage, in_tokens=TOKENS, out_tokens=TOKENS, model=st.sampled_from([None, "m"]))
CITED = st.none() | st.builds(Citations, state=st.just("cited"), indices=st.tuples(st.integers(0, 9)))
RECALLED = st.builds(
    Recalled,
    gate=st.just("search"),
    query=st.just(SearchQuery(question="q")),
    switches=st.none() | st.builds(Switches, read=st.booleans(), write=st.booleans()),
)
NEXT: dict[m.Phase, st.SearchStrategy[e.Event]] = {
    "new": st.builds(e.Started, recall=st.booleans(), publish=st.booleans()),
    "recalling": st.builds(e.RecallDone, recalled=st.none() | RECALLED, spent_ms=SPENT),
    "thinking": st.one_of(
        st.builds(e.ModelDone, decision=DECISIONS, usage=USAGE, streamed=TEXT, citations=CITED, spent_ms=SPENT),
        st.builds(e.ModelFailed, message=TEXT),
    ),
    "acting": st.builds(
        e.ToolDone,
        observation=st.text("xyz ", max_size=900),
        failed=st.booleans(),
        tool_state=st.none() | TEXT,
        spent_ms=SPENT,
    ),
    "condensing": st.builds(e.Condensed, summary=TEXT, usage=USAGE, spent_ms=SPENT),
    "publishing": st.one_of(
        st.builds(e.Published, job_id=st.just("job"), spent_ms=SPENT), st.builds(e.PublishRefused, message=TEXT, spent_ms=SPENT)
    ),
}
STAGES = {
    e.RecallDone: "recall",
    e.ModelDone: "model",
    e.ToolDone: "tools",
    e.Condensed: "condense",
    e.Published: "publish",
    e.PublishRefused: "publish",
}


def play(data: st.DataObject, limits: m.Limits) -> tuple[m.TurnState, list[e.Event], list[e.Effect]]:
    """A turn to its end, with events as they may come.  Of the effects of a step the last alone brings the next event."""
    turn, events, seen = m.TurnState(limits=limits), list[e.Event](), list[e.Effect]()
    for _ in range(8 * limits.max_iterations + 20):
        events.append(data.draw(NEXT[turn.phase]))
        turn, effects = m.step(turn, events[-1])
        seen += effects
        waiting = [effect for effect in effects if name_of(effect) in WAITS.values()]
        assert waiting == ([] if turn.is_over else [effects[-1]])
        if turn.is_over:
            return turn, events, seen
        assert name_of(effects[-1]) == WAITS[turn.phase]
    pytest.fail("the turn did not end")


@settings(max_examples=examples(200), deadline=None)
@given(st.data(), st.integers(1, 4), st.integers(200, 400))
def test_the_state_holds_all_that_events_brought(data: st.DataObject, most: int, threshold: int) -> None:
    limits = m.Limits(max_iterations=most, working_memory_threshold=threshold, working_memory_keep=1)
    turn, events, _ = play(data, limits)
    spent: dict[str, float] = {}
    usage = e.Usage()
    for event in events:
        stage = STAGES.get(type(event))
        if stage is not None:
            spent[stage] = spent.get(stage, 0.0) + getattr(event, "spent_ms", 0.0)
        usage = usage.add(getattr(event, "usage", e.Usage()))
    assert turn.timings_ms == {stage: ms for stage, ms in spent.items() if ms}
    assert turn.usage == usage
    tools = [event for event in events if isinstance(event, e.ToolDone)]
    assert [(step.observation, step.failed) for step in turn.steps] == [(tool.observation, tool.failed) for tool in tools]
    assert turn.tool_state == next((tool.tool_state for tool in reversed(tools) if tool.tool_state is not None), "")
    last = events[-1]
    assert turn.job_id == (last.job_id if isinstance(last, e.Published) else "")
    assert bool(turn.notice) == isinstance(last, e.PublishRefused)
    models = [event for event in events if isinstance(event, e.ModelDone)]
    if models:
        assert turn.streamed == models[-1].streamed
    answered = [
        event.citations for event in events if isinstance(event, e.ModelDone) and isinstance(event.decision, FinalAnswer)
    ]
    assert turn.citations == (answered[-1] if answered else None)


def test_a_missing_prompt_repeats_the_call_once_with_its_hint() -> None:
    broken = e.ModelDone(decision=Unparsed(thought="", text="", reason="no marker"))
    turn, seen = after(START, broken)
    turn, effects = m.step(turn, e.PromptAbsent())
    assert (effects, turn.stock_prompt, turn.repairs) == ((seen[-1],), True, 1)
    with pytest.raises(m.IllegalEvent, match="only once"):
        m.step(turn, e.PromptAbsent())


@settings(max_examples=examples(300), deadline=None)
@given(st.data(), st.integers(1, 6), st.integers(200, 800), st.integers(1, 4))
def test_a_turn_always_ends_and_never_leaves_the_table(data: st.DataObject, most: int, threshold: int, keep: int) -> None:
    limits = m.Limits(max_iterations=most, working_memory_threshold=threshold, working_memory_keep=keep)
    turn, _, seen = play(data, limits)
    names = [name_of(effect) for effect in seen]
    assert names.count("finish") + names.count("fail") == 1
    assert names[-1] in ("finish", "fail")
    assert [step.number for step in turn.steps] == list(range(1, names.count("run-tool") + 1))
    assert len(turn.steps) <= most
    assert names.count("call-model") <= 2 * (most + 1)
    if names[-1] == "finish":
        assert turn.answer
        assert ("publish" in names) == turn.publish


def call() -> e.ModelDone:
    return e.ModelDone(decision=ToolCall(thought="I look", name="tool"))


def after(*events: e.Event, limits: m.Limits | None = None) -> tuple[m.TurnState, list[e.Effect]]:
    turn, seen = m.TurnState(limits=limits or m.Limits()), list[e.Effect]()
    for event in events:
        turn, effects = m.step(turn, event)
        seen += effects
    return turn, seen


START = e.Started(recall=False, publish=False)


def test_too_many_steps_end_with_an_answer_and_not_with_an_error() -> None:
    turn, seen = after(
        START,
        call(),
        e.ToolDone(observation="found"),
        call(),
        e.ToolDone(observation="more"),
        limits=m.Limits(max_iterations=2),
    )
    assert seen[-1] == "call-model"
    assert turn.closing
    assert turn.hint
    turn, effects = m.step(turn, call())  # it still wants a tool
    assert effects[-1] == "finish"
    assert (turn.answer, turn.reason) == ("more", "max-iterations")


def test_the_record_is_published_before_the_end_and_a_refusal_is_told() -> None:
    done = e.ModelDone(decision=FinalAnswer(thought="t", text="a"))
    turn, seen = after(e.Started(recall=False, publish=True), done)
    assert seen[-1] == "publish"
    turn, effects = m.step(turn, e.PublishRefused(message="the broker is away"))
    assert effects == ("say-notice", "finish")
    assert "the broker is away" in turn.notice
    assert (turn.number, turn.answer, turn.reason, turn.job_id) == (1, "a", "final-answer", "")


def test_older_steps_are_condensed_and_the_count_goes_on() -> None:
    limits = m.Limits(working_memory_threshold=200, working_memory_keep=1, max_iterations=9)
    long = e.ToolDone(observation="x" * 900)
    turn, seen = after(START, call(), long, call(), long, limits=limits)
    assert seen[-1] == "condense"
    assert [step.number for step in turn.condensing] == [1]
    turn, effects = m.step(turn, e.Condensed(summary="x was found"))
    assert (turn.memory.condensed, turn.memory.covers, turn.number) == ("x was found", 1, 3)
    assert (effects, turn.closing, turn.hint) == (("call-model",), False, "")
    turn, _ = m.step(turn, call())
    turn, _ = m.step(turn, long)
    turn, _ = m.step(turn, e.Condensed())  # the model failed: done here
    assert turn.number == 4
    assert turn.memory.condensed.startswith("x was found\n2. tool {} gave: xxx")
