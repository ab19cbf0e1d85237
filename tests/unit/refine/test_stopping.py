"""Whether a critique asks for anything: one reading for the loop and for the signals."""

import pytest

from trustgraph_react_mem.config import prompts
from trustgraph_react_mem.refine.stopping import SATISFIED, asks_nothing


@pytest.mark.parametrize("critique", ["No further improvements.", "no further improvements", "**No further improvements.**\n"])
def test_the_sentence_of_the_prompt_asks_nothing(critique: str) -> None:
    assert asks_nothing(critique)


@pytest.mark.parametrize(
    "critique",
    [
        "No further improvements to the style, but the date is wrong.",
        "The answer is right.\nNo further improvements.",
        "No changes are necessary.",
        "Name the year.",
        "",
    ],
)
def test_whatever_else_is_said_asks_something(critique: str) -> None:
    assert not asks_nothing(critique)


@pytest.mark.parametrize("name", ["memory-critique-answer", "refine-critique"])
def test_each_prompt_of_a_critique_gives_the_sentence(name: str) -> None:
    assert SATISFIED in prompts()[name]["prompt"]
