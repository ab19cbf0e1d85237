"""Searches by MCP tools over stdio and HTTP, beside the same over the bus, on one running stack."""

import shutil
import sys
from collections.abc import Set
from pathlib import Path
from typing import Any

import httpx2
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.memory.requests import ImportTurns, RetrieveFacts
from trustgraph_react_mem.schema import Turn

from .filled import USER
from .http import MEMORIES, SEARCHES, times
from .process import running
from .row import Row, percentile
from .sentences import sentences

SEARCH, SEARCH_HTTP = NAMES = ("mcp_search_p50", "mcp_http_search_p50")
HOME = Path("build/bench/mcp")
MODE = "2026-07-28"


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    for folder in (HOME, Path(f"{HOME}-keys")):
        shutil.rmtree(folder, ignore_errors=True)
    HOME.parent.mkdir(parents=True, exist_ok=True)
    home = HOME.resolve()
    async with running(home, "none") as stack, await MemoryBus.connect(stack.address) as bus:
        texts = [each.text for each in sentences(MEMORIES, seed=5)]
        turns = [Turn(speaker=USER, text=text) for text in texts]
        for first in range(0, MEMORIES, 100):
            await bus.call(ImportTurns(source=f"bench-{first}", turns=turns[first : first + 100], user=USER), timeout_s=300.0)

        async def over_bus(number: int) -> object:
            return await bus.call(RetrieveFacts(query=texts[number % MEMORIES], top_k=5, rules=5, user=USER))

        baseline = percentile(await times(over_bus, SEARCHES), 50)
        command = str(Path(sys.executable).with_name("react-mem"))
        stdio = StdioServerParameters(command=command, args=["mcp", "--data", str(home), "--user", USER])
        key = KeyFile(home).create("user", user=USER)[1]
        rows = []
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=60) as web:
            ways = {
                SEARCH: ("stdio", stdio),
                SEARCH_HTTP: ("HTTP", streamable_http_client(f"{stack.http}/mcp", http_client=web)),
            }
            for name, (way, server) in ways.items():
                async with Client(server, mode=MODE) as client:
                    value = percentile(
                        await times(lambda number, of=client: _search(of, texts[number % MEMORIES]), SEARCHES), 50
                    )
                note = f"search_memories over {way}, {MEMORIES} memories, 5 returned; baseline: the same over the bus"
                rows.append(Row(name, value, "ms", note, baseline))
        return [row for row in rows if row.name in names]


async def _search(client: Any, query: str) -> object:
    result = await client.call_tool("search_memories", {"query": query})
    if result.is_error:
        raise RuntimeError(result.content[0].text[:200])
    return result
