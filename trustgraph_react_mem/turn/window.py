"""Fits tools and trace into their shares of the model's context window.

Recall has limited the memories before they were numbered, so citation numbers match what the model saw.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ..memory.tokens import count_tokens, cut_to_tokens
from .tools import Tool
from .working import STEP_TOKENS, Step, step_tokens

LONGEST_ARGUMENTS = 0.25  # share of a step's room


def fit_tools(tools: Sequence[Tool], tokens: int) -> list[Any]:
    """The variables of the tools.  Descriptions of arguments go first, then those of tools are shortened, then tools go."""
    variables = [_tool_variables(tool) for tool in tools]
    if _size(variables) <= tokens:
        return list(variables)
    for variable in variables:
        variable["arguments"] = [{**argument, "description": ""} for argument in variable["arguments"]]
    room = tokens
    while _size(variables) > tokens and room > 4:
        room //= 2
        for variable, tool in zip(variables, tools, strict=True):
            variable["description"] = cut_to_tokens(tool.description, room)
    while variables and _size(variables) > tokens:
        variables.pop()
    return list(variables)


def fit_trace(steps: Sequence[Step], condensed: str, tokens: int) -> tuple[list[Step], str]:
    """The steps and the summary of older ones in ``tokens`` tokens.

    What short steps leave goes to the longer ones.  If there is no room for labels, the oldest steps go.
    """
    condensed = cut_to_tokens(condensed, tokens // 4)
    left = tokens - count_tokens(condensed)
    newest = list(steps[len(steps) - min(len(steps), max(0, left // (2 * STEP_TOKENS))) :])
    sizes = {step.number: step_tokens(step) for step in newest}
    fitted: dict[int, Step] = {}
    for index, step in enumerate(sorted(newest, key=lambda step: sizes[step.number])):
        share = left // (len(newest) - index)
        kept = step if sizes[step.number] <= share else _fit_step(step, share)
        fitted[step.number] = kept
        left -= min(share, step_tokens(kept))
    return [fitted[step.number] for step in newest], condensed


def _fit_step(step: Step, tokens: int) -> Step:
    room = tokens - STEP_TOKENS - count_tokens(step.action)
    arguments = step.arguments_text
    if count_tokens(arguments) > room * LONGEST_ARGUMENTS:
        arguments = cut_to_tokens(arguments, int(room * LONGEST_ARGUMENTS))
        step = replace(step, arguments={"": arguments})
    thought = cut_to_tokens(step.thought, int(room * LONGEST_ARGUMENTS))
    rest = room - count_tokens(step.arguments_text) - count_tokens(thought)
    return replace(step, thought=thought, observation=cut_to_tokens(step.observation, rest))


def _tool_variables(tool: Tool) -> dict[str, Any]:
    arguments = [argument.model_dump() for argument in tool.arguments]
    return {"name": tool.name, "description": tool.description, "arguments": arguments}


def _size(tools: Sequence[dict[str, Any]]) -> int:
    return sum(
        6
        + 2 * count_tokens(tool["name"])  # once in the list of names
        + count_tokens(tool["description"])
        + sum(6 + count_tokens(" ".join(argument.values())) for argument in tool["arguments"])
        for tool in tools
    )
