"""Record what TrustGraph's own agents send for each scenario: run in an environment with trustgraph-flow.

    build/stock/bin/python tests/contract/record_stock.py

Writes ``golden/stock.json`` beside this file: the messages, which must be those of both agents, what the librarian keeps, and
the triples of the orchestrator, which must hold all of the ReAct agent's.
"""

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from trustgraph.schema import AgentRequest, AgentStep

from tests.contract.stock_doubles import SCENARIOS, TOOLS, plain, play

GOLDEN = Path(__file__).parent / "golden" / "stock.json"


# Like "text-completion" but for the service that is asked: what streams differs in nothing.
ONLY_WHOLE = ("mcp-tool", "prompt", "structured-query", "row-embeddings-query")
# Ours sends other messages here, so that nothing else of them is compared.
ONLY_MESSAGES = ("unknown-tool", "unparsed", "too-many-steps", "model-error", "no-librarian")


async def record(classes: list[Any]) -> dict[str, Any]:
    """``classes``: the ReAct agent and the orchestrator."""
    recorded: dict[str, Any] = {}
    for name, scenario in SCENARIOS.items():
        kept = recorded[name] = {"messages": {}}
        for mode in ("whole",) if name in ONLY_WHOLE else ("whole", "streaming"):
            react, orchestrator = [await played(each, scenario, streaming=mode == "streaming") for each in classes]
            assert react["kept"] == orchestrator["kept"] == "as explained"
            assert react["librarian"] == orchestrator["librarian"]
            assert plain(react["messages"]) == plain(orchestrator["messages"])
            assert all(set(less) <= set(more) for less, more in zip(react["explained"], orchestrator["explained"], strict=True))
            kept["messages"][mode] = react["messages"]
            if mode == "whole" and name not in ONLY_MESSAGES:
                kept |= {"librarian": react["librarian"], "explained": orchestrator["explained"]}
    return recorded


async def played(processor_class: Any, scenario: dict[str, Any], *, streaming: bool) -> dict[str, Any]:
    agent = processor_class(id="agent-manager", max_iterations=scenario.get("max_iterations", 10), taskgroup=None)
    await agent.on_tools_config("default", {"tool": TOOLS}, 1)
    return await play(agent.agent_request, AgentRequest, AgentStep, scenario, streaming=streaming)


def main() -> None:
    from trustgraph.agent.orchestrator.service import Processor as Orchestrator
    from trustgraph.agent.react.service import Processor as React

    logging.disable(logging.CRITICAL)
    text = json.dumps(asyncio.run(record([React, Orchestrator])), indent=1, ensure_ascii=False)
    GOLDEN.write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
