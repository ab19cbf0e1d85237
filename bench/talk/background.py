"""Answers of a scripted model to the prompts of background jobs."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing.scripted_model import emptiest

LINE_KEYS = ("lines", "reference")
_LINE = re.compile(r"^\[(\d+)\] ?(.*)$", re.MULTILINE)


def empty_answer(name: str, request: ChatRequest) -> str:
    """The answer that changes least: nothing found, a topic is added, a summary is empty."""
    if request.schema is not None:
        return json.dumps(emptiest(request.schema))
    return "Add()" if name == "memory-update-topics" else "Nothing to add."


def resolve_lines(answer: Any, prompt: str) -> Any:
    """``answer`` with the lines that it names by their text as the numbers that they have in this prompt.

    An item of a list is left out if none of its lines is in the prompt: batches of a conversation overlap, so one script
    answers all of them.
    """
    if isinstance(answer, Mapping):
        return {key: _numbers(value, prompt) if key in LINE_KEYS else resolve_lines(value, prompt) for key, value in answer.items()}
    if isinstance(answer, Sequence) and not isinstance(answer, str):
        items = [resolve_lines(item, prompt) for item in answer]
        return [item for item in items if not (isinstance(item, Mapping) and any(item.get(key) == [] for key in LINE_KEYS))]
    return answer


def _numbers(lines: Sequence[int | str], prompt: str) -> list[int]:
    # The examples of the template come first and have numbers too.
    last = {int(number): text for number, text in _LINE.findall(prompt[_begin(prompt) :])}
    numbers = [line if isinstance(line, int) else next((at for at, text in last.items() if line in text), None) for line in lines]
    return [number for number in numbers if number is not None]


def _begin(prompt: str) -> int:
    """Where the lines of the conversation start: at the last line with the number of the first."""
    firsts = [match for match in _LINE.finditer(prompt)]
    starts = [match.start() for before, match in zip([None, *firsts], firsts) if before is None or int(match[1]) <= int(before[1])]
    return starts[-1] if starts else 0
