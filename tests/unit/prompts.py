"""Requests and rendered prompts for tests of a turn."""

from datetime import UTC, datetime
from typing import Any

import ibis

from trustgraph_react_mem import config
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.turn.request import TurnRequest
from trustgraph_react_mem.turn.tools import ToolSet


def rendered(prompt_id: str, variables: dict[str, Any]) -> str:
    """As by the engine that TrustGraph uses."""
    text: str = ibis.Template(config.prompts()[prompt_id]["prompt"]).render(variables)
    return text


def make_request(question: str, **settings: Any) -> TurnRequest:
    return TurnRequest(
        scope=Scope(workspace="w", user="u", collection="c"),
        question=question,
        settings=AgentMemSettings(**settings),
        asked_at=datetime(2026, 5, 7, tzinfo=UTC),
        session_id="s",
        invocation_id="i",
        memory=True,
        record=True,
        tools=ToolSet(),
    )
