"""Answers of a scripted model to the prompts of background jobs."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing.scripted_model import emptiest

from .prompt_text import read_blocks

LINE_KEYS = ("lines", "reference")
SUMMARY_CHARS = 200
_LINE = re.compile(r"^\[(\d+)\] ?(.*)$", re.MULTILINE)


def empty_answer(name: str, request: ChatRequest) -> str:
    """The answer that changes least: nothing found, two facts stay, a topic is added, a summary is the beginning."""
    if request.schema is not None:
        return json.dumps(emptiest(request.schema) | _unrelated(request.schema))
    if name == "memory-summarise-invocation":
        return read_blocks(request.prompt).get("result", "")[:SUMMARY_CHARS]
    return "Add()" if name == "memory-update-topics" else "Nothing to add."


def _unrelated(schema: Mapping[str, Any]) -> dict[str, str]:
    """For a question how two facts are related: that both hold."""
    properties = schema.get("properties", {})
    return {
        name: choice
        for name, each in properties.items()
        for choice in each.get("enum", ())
        if choice in ("both", "other", "different")
    }


def resolve_lines(answer: Any, prompt: str) -> Any:
    """``answer`` with the lines that it names by their text as the numbers that they have in this prompt.

    An item of a list is left out if none of its lines is in the prompt: batches of a conversation overlap, so one script
    answers all of them.
    """
    if isinstance(answer, Mapping):
        return {key: _resolve(key, value, prompt) for key, value in answer.items()}
    if isinstance(answer, Sequence) and not isinstance(answer, str):
        items = [resolve_lines(item, prompt) for item in answer]
        return [item for item in items if not (isinstance(item, Mapping) and any(item.get(key) == [] for key in LINE_KEYS))]
    return answer


def _resolve(key: str, value: Any, prompt: str) -> Any:
    if key not in LINE_KEYS:
        return resolve_lines(value, prompt)
    numbered = {int(number): text for number, text in _LINE.findall(prompt[_find_lines(prompt) :])}
    numbers = [line if isinstance(line, int) else _number(line, numbered) for line in value]
    return [number for number in numbers if number is not None]


def _number(text: str, numbered: Mapping[int, str]) -> int | None:
    return next((number for number, line in numbered.items() if text in line), None)


def _find_lines(prompt: str) -> int:
    """Where the lines of the conversation begin.  The numbered lines before them are the examples of the template."""
    begins, before = 0, -1
    for match in _LINE.finditer(prompt):
        if int(match[1]) <= before:
            begins = match.start()
        before = int(match[1])
    return begins
