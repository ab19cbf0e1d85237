"""Record what TrustGraph's own agents send for each scenario: run in an environment with trustgraph-flow.

    build/stock/bin/python tests/contract/record_stock.py

Writes ``golden/react.json`` and ``golden/orchestrator.json`` beside this file.
"""

import asyncio
import json
import logging
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from trustgraph.schema import AgentRequest, AgentStep

from tests.contract.stock_doubles import SCENARIOS, TOOLS, play

GOLDEN = Path(__file__).parent / "golden"


async def record(processor_class: Any) -> dict[str, Any]:
    recorded: dict[str, Any] = {}
    for name, scenario in SCENARIOS.items():
        for streaming in (False, True):
            limit = scenario.get("max_iterations", 10)
            agent = processor_class(id="agent-manager", max_iterations=limit, taskgroup=None)
            await agent.on_tools_config("default", {"tool": TOOLS}, 1)
            key = f"{name}/{'streaming' if streaming else 'whole'}"
            recorded[key] = await play(agent.agent_request, AgentRequest, AgentStep, scenario, streaming=streaming)
    return recorded


def main() -> None:
    from trustgraph.agent.orchestrator.service import Processor as Orchestrator
    from trustgraph.agent.react.service import Processor as React

    logging.disable(logging.CRITICAL)
    GOLDEN.mkdir(exist_ok=True)
    for name, processor_class in (("react", React), ("orchestrator", Orchestrator)):
        text = json.dumps(asyncio.run(record(processor_class)), indent=1, ensure_ascii=False)
        (GOLDEN / f"{name}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
