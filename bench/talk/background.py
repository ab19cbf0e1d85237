"""Answers of a scripted model to the prompts of background jobs."""

import json

from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing.scripted_model import emptiest

from .prompt_text import read_blocks

SUMMARY_CHARS = 200


def empty_answer(name: str, request: ChatRequest) -> str:
    """The answer that changes least: nothing found, and a summary is the beginning."""
    if request.schema is not None:
        return json.dumps(emptiest(request.schema))
    if name == "memory-summarise-invocation":
        return read_blocks(request.prompt).get("result", "")[:SUMMARY_CHARS]
    return "Nothing to add."
