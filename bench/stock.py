"""Runs the stock ReAct agent, prompt service and a fixed model in their own environment, on the measured broker.

Needs the environment ``make build/stock/.installed``.  The stock processors use their own backend and client, because the
comparison is with a stock deployment.
"""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import ConfigurationError, MemoryServiceError
from trustgraph_react_mem.processors import embedded_config
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.turn_trace import TurnTrace

from .patience import PATIENCE_S

ROOT = Path(__file__).parents[1]
PYTHON = ROOT / "build" / "stock" / "bin" / "python"
FLOW = "stock"
WORKSPACE = "default"

# About as long as a real template: a system line, the tools, the format of the reply, the question and the steps so far.
TEMPLATE = """\
Work out an answer to the question step by step, using the tools where they help.

Tools:
{% for tool in tools %}{{ tool.name }}: {{ tool.description }}
{% for argument in tool.arguments %}  {{ argument.name }} ({{ argument.type }}): {{ argument.description }}
{% endfor %}{% endfor %}
Reply in one of two forms. To use a tool:
Thought: what you are thinking
Action: one of {{ tool_names }}
Args: {"name": "value"}
To answer:
Thought: what you are thinking
Final Answer: the answer

Question: {{ question }}
{% for step in history %}Thought: {{ step.thought }}
Action: {{ step.action }}
Observation: {{ step.observation }}
{% endfor %}"""
TOOL = {
    "id": "ask-model",
    "name": "ask-model",
    "description": "Ask the language model a question",
    "type": "text-completion",
    "arguments": [{"name": "question", "type": "string", "description": "The question"}],
}


def _pair(name: str, spec: str = "") -> dict[str, str]:
    """Request and response topics of a stock service, under the names of a client spec."""
    prefix = f"{spec}-" if spec else ""
    return {f"{prefix}{kind}": f"{kind}:tg:{name}:{WORKSPACE}:{FLOW}" for kind in ("request", "response")}


def flow_entries() -> dict[str, dict[str, object]]:
    """Processor id -> its definition in the stock flow."""
    called = ("mcp-tool", "graph-rag", "structured-query", "embeddings")
    agent = {
        **_pair("agent"),
        "next": f"request:tg:agent:{WORKSPACE}:{FLOW}",
        **_pair("stock-text-completion", "text-completion"),
        **_pair("stock-prompt", "prompt"),
        **{key: topic for name in called for key, topic in _pair(name, name).items()},
        **_pair("row-embeddings", "row-embeddings-query"),
        "explainability": f"flow:tg:triples-store:{WORKSPACE}:{FLOW}",
        "librarian-request": f"request:tg:librarian:{WORKSPACE}",
        "librarian-response": f"response:tg:librarian:{WORKSPACE}",
    }
    prompt = {**_pair("stock-prompt"), **_pair("stock-text-completion", "text-completion")}
    return {
        "stock-agent": {"topics": agent, "parameters": {}},
        "stock-prompt": {"topics": prompt, "parameters": {}},
        "stock-model": {"topics": _pair("stock-text-completion"), "parameters": {}},
    }


@asynccontextmanager
async def stock_agent_alone(folder: Path, answer: str) -> AsyncIterator[MemoryBus]:
    """As ``stock_agent``, on a broker of its own."""
    async with PulsarLite(folder / "stock-bus") as broker:
        service = embedded_config.Processor(
            id="config-svc", path=str(folder / "stock-config.json"), pulsar_host=broker.url, seed=True
        )
        await service.start()
        try:
            async with (
                await MemoryBus.connect(broker.url) as bus,
                stock_agent(bus, broker.url, folder, answer) as client,
            ):
                yield client
        finally:
            await service.stop()


@asynccontextmanager
async def stock_agent(bus: MemoryBus, pulsar_url: str, folder: Path, answer: str) -> AsyncIterator[MemoryBus]:
    """A client of the stock flow, when it answers.  Raises: ConfigurationError (the environment is not installed)."""
    if not PYTHON.exists():
        raise ConfigurationError("the stock TrustGraph to compare with is not installed: run `make build/stock/.installed`")
    await bus.config_put("tool", {"ask-model": json.dumps(TOOL)})
    await bus.config_put(
        "prompt",
        {
            "system": json.dumps("You are a helpful assistant."),
            "template-index": json.dumps(["agent-react"]),
            "template.agent-react": json.dumps({"prompt": TEMPLATE, "response-type": "text"}),
        },
    )
    for processor, definition in flow_entries().items():
        await bus.config_put(f"processor:{processor}", {FLOW: json.dumps(definition)})
    process = await _start(pulsar_url, folder, answer)
    try:
        async with await MemoryBus.connect(pulsar_url, workspace=WORKSPACE, flow=FLOW) as client:
            await _ready(client, process, folder)
            yield client
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()


async def _start(pulsar_url: str, folder: Path, answer: str) -> asyncio.subprocess.Process:
    common = {"pulsar_host": pulsar_url, "config_timeout": 3, "concurrency": 16}
    classes = {
        "stock-agent": "trustgraph.agent.react.Processor",
        "stock-prompt": "trustgraph.prompt.template.Processor",
        "stock-model": "bench.stock_services.FixedModel",
        "librarian": "bench.stock_services.Librarian",
    }
    group = {"processors": [{"class": name, "params": {"id": key, **common}} for key, name in classes.items()]}
    file = folder / "stock-group.json"
    file.write_text(json.dumps(group), encoding="utf-8")
    with (folder / "stock.log").open("wb") as log:
        return await asyncio.create_subprocess_exec(
            str(PYTHON.with_name("processor-group")),
            "-c",
            str(file),
            "--no-metrics",
            "--no-loki-enabled",
            env={**os.environ, "PYTHONPATH": str(ROOT), "BENCH_ANSWER": answer},
            stdout=log,
            stderr=log,
        )


async def _ready(client: MemoryBus, process: asyncio.subprocess.Process, folder: Path) -> None:
    """Poll until the flow answers without an error.

    Its request topic drops messages that are sent before it subscribes, and until it has its configuration it answers an error.
    """
    deadline = asyncio.get_running_loop().time() + PATIENCE_S
    while process.returncode is None and asyncio.get_running_loop().time() < deadline:
        try:
            trace = TurnTrace(question="Are you there?")
            async for message in client.ask(AgentRequest(question=trace.question), timeout_s=2.0):
                trace.feed(message)
            if trace.answer and not trace.error:
                return
        except MemoryServiceError:
            continue
    log = folder / "stock.log"
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() or ["nothing"]
    ended = "did not answer" if process.returncode is None else f"ended with exit code {process.returncode}"
    raise ConfigurationError(f"the stock agent {ended}; the last line of {log}: {lines[-1].strip()[:300]}")
