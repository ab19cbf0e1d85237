"""Answers of a scripted model to the prompts of background jobs."""

import json

from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing.scripted_model import emptiest


def empty_answer(name: str, request: ChatRequest) -> str:
    """The answer that changes least: nothing found."""
    if request.schema is not None:
        return json.dumps(emptiest(request.schema))
    return "Nothing to add."
