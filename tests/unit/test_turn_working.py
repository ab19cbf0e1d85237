"""Working memory: what is kept when the trace is condensed."""

from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.turn.working import Step, WorkingMemory, condense

STEPS = st.lists(
    st.builds(
        Step,
        number=st.just(0),
        thought=st.text(max_size=40),
        action=st.sampled_from(["search", "read", "sum"]),
        arguments=st.dictionaries(st.sampled_from(["q", "n"]), st.text(max_size=30), max_size=2),
        observation=st.text(max_size=600),
        failed=st.booleans(),
    ),
    min_size=1,
    max_size=8,
)


def memory(steps: list[Step]) -> WorkingMemory:
    out = WorkingMemory()
    for number, step in enumerate(steps, start=1):
        out = out.add(
            Step(
                number=number, thought=step.thought, action=step.action, arguments=step.arguments, observation=step.observation
            )
        )
    return out


@given(STEPS, st.integers(1, 5))
def test_the_newest_steps_stay_and_the_count_does_not_change(steps: list[Step], keep: int) -> None:
    full = memory(steps)
    older = full.older(keep)
    after = full.compress("summary", covered=older)
    assert after.count == full.count == len(steps)
    assert after.steps == full.steps[-keep:]
    assert after.condensed == ("summary" if older else "")
    assert after.covers == len(older)


@given(STEPS, st.integers(60, 600))
def test_every_action_is_still_named_and_the_size_is_bounded(steps: list[Step], budget: int) -> None:
    full = memory(steps)
    text = condense(full.steps, condensed="an earlier summary", budget=budget)
    assert text.startswith("an earlier")
    for step in full.steps:
        assert f"{step.number}. {step.action}" in text
    assert len(text) <= max(budget * 4, 60 * (len(steps) + 1)) + 40 * (len(steps) + 1)


def test_short_results_survive_word_for_word() -> None:
    steps = memory([Step(number=1, thought="t", action="search", arguments={"q": "birthday"}, observation="7 May 2023")]).steps
    assert condense(steps) == '1. search {"q": "birthday"} gave: 7 May 2023'
