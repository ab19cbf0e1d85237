"""The loop of refinement: the model criticises, what is damaged is not kept, and it ends within its limits."""

import asyncio
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from trustgraph_react_mem.errors import ModelUnavailable
from trustgraph_react_mem.refine.loop import Draft, LoopStep, Refined, refine
from trustgraph_react_mem.refine.plan import Plan
from trustgraph_react_mem.refine.records import Phase
from trustgraph_react_mem.rerank.citations import Citations

MEMORIES = ("Ann lives in Oslo", "Ann has 12 cats")
QUESTION = "Tell me about Ann."
WRONG, RIGHT = "Ann lives in Oslo. Ann has 14 cats.", "Ann lives in Oslo. Ann has 12 cats."
CRITIQUE = "No memory has 14 cats."


class Prompt(NamedTuple):
    phase: Phase
    variables: dict[str, Any]


class Scripted:
    """Answers with the given texts, then fails.  Keeps what it was asked."""

    def __init__(self, *texts: str, tokens: int = 10) -> None:
        self.texts, self.tokens = list(texts), tokens
        self.asked: list[Prompt] = []

    async def ask(self, phase: Phase, variables: Mapping[str, Any]) -> tuple[str, int]:
        self.asked.append(Prompt(phase, dict(variables)))
        if not self.texts:
            raise ModelUnavailable("no text is left")
        return self.texts.pop(0), self.tokens


async def run(
    draft: str, *texts: str, citations: Citations | None = None, **limits: float
) -> tuple[Refined, list[LoopStep], Scripted]:
    steps: list[LoopStep] = []
    critic = Scripted(*texts)

    async def record(step: LoopStep) -> None:
        steps.append(step)

    given_draft = Draft(question=QUESTION, text=draft, citations=citations, memories=MEMORIES)
    refined = await refine(given_draft, critic.ask, plan=Plan(**limits), record=record)  # type: ignore[arg-type]
    return refined, steps, critic


async def test_the_model_criticises_and_its_revision_stands() -> None:
    refined, steps, critic = await run(WRONG, CRITIQUE, RIGHT)
    assert (refined.text, refined.stopped, refined.loops, refined.kept) == (RIGHT, "loops", 1, 1)
    assert [(step.phase, step.text, step.kept) for step in steps] == [
        ("draft", WRONG, None),
        ("critique", CRITIQUE, None),
        ("revise", RIGHT, True),
    ]
    assert [prompt.phase for prompt in critic.asked] == ["critique", "revise"]
    assert critic.asked[1].variables["critique"] == CRITIQUE
    assert refined.tokens == 20


async def test_a_revision_that_loses_what_a_memory_says_is_not_kept_and_told_to_the_next() -> None:
    shorter = "Ann keeps cats."
    refined, steps, critic = await run(RIGHT, "Too long.", shorter, "Too long.", "12 cats, in Oslo.", max_loops=2)
    assert (refined.text, refined.loops, refined.kept) == ("12 cats, in Oslo.", 2, 1)
    assert [step.kept for step in steps if step.phase == "revise"] == [False, True]
    assert [prompt.variables["draft"] for prompt in critic.asked] == [RIGHT] * 4
    assert (critic.asked[1].variables["rejected"], critic.asked[3].variables["rejected"]) == ("", "- It leaves out 12.")


async def test_the_budget_of_tokens_ends_the_loop_before_a_call() -> None:
    refined, steps, critic = await run(WRONG, CRITIQUE, RIGHT, budget_tokens=20)
    assert (refined.text, refined.stopped, critic.asked) == (WRONG, "tokens", [])
    assert [step.phase for step in steps] == ["draft"]


async def test_the_limit_of_time_ends_the_loop() -> None:
    class Slow(Scripted):
        async def ask(self, phase: Phase, variables: Mapping[str, Any]) -> tuple[str, int]:
            await asyncio.sleep(60)
            return await super().ask(phase, variables)

    async def record(step: LoopStep) -> None: ...

    ends_at = asyncio.get_running_loop().time() + 0.05
    draft = Draft(question=QUESTION, text=WRONG, memories=MEMORIES)
    refined = await refine(draft, Slow(RIGHT).ask, plan=Plan(), record=record, ends_at=ends_at)
    assert (refined.text, refined.stopped) == (WRONG, "time")


async def test_a_model_that_fails_or_says_nothing_leaves_the_draft() -> None:
    assert (await run(WRONG))[0].stopped == "model"
    for nothing in ("  ", "\u200b\n\u2060"):
        refined, steps, _ = await run(WRONG, CRITIQUE, nothing)
        assert (refined.text, refined.stopped, steps[-1].phase) == (WRONG, "model", "critique")
        assert (await run(WRONG, nothing))[0].stopped == "accepted"


@pytest.mark.parametrize(
    "said",
    [
        "",
        "\u200b\u202e",
        "x" * 200_000,
        "7" * 200_000,
        "[" * 20_000 + '{"claims":',
        '{"claims": "all of them", "action": 7}',
        "[0] [1] [7] Final Answer: Final Answer:",
        "I have corrected the answer. [NO_CITE]",
        "安娜住在卑尔根。",
        "Ann lives in Bergen. She has 99 dogs. [0]",
        RIGHT,
    ],
    ids=range(11),
)
async def test_no_nonsense_of_a_model_replaces_an_answer_that_cites_memories_with_numbers(said: str) -> None:
    cited = Citations(state="cited", indices=(0, 1))
    refined, steps, _ = await run(RIGHT, *[said] * 6, citations=cited, max_loops=3)
    assert (refined.text, refined.citations) == (RIGHT, cited)
    assert refined.loops <= 3
    assert all(step.kept is False for step in steps if step.phase == "revise" and step.text != RIGHT)
