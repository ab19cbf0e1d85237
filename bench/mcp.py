"""Searches by an MCP tool over stdio, beside the same over the bus, on one running stack."""

import sys
from collections.abc import Set
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from trustgraph_react_mem.memory.requests import RetrieveFacts

from .filled import USER
from .http import MEMORIES, SEARCHES, WARM_UP, remembering, times
from .row import Row, percentile
from .sentences import sentences

(SEARCH,) = NAMES = ("mcp_search_p50",)
HOME = Path("build/bench/mcp")


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    texts, home = [each.text for each in sentences(MEMORIES, seed=5)], HOME.resolve()
    async with remembering(HOME, texts) as (_, bus):

        async def over_bus(number: int) -> object:
            return await bus.call(RetrieveFacts(query=texts[number % MEMORIES], top_k=5, rules=5, user=USER))

        command = str(Path(sys.executable).with_name("react-mem"))
        async with Client(StdioServerParameters(command=command, args=["mcp", "--data", str(home), "--user", USER])) as client:

            async def over_mcp(number: int) -> object:
                return await _search(client, texts[(number + MEMORIES // 2) % MEMORIES])

            middle = [percentile(took, 50) for took in await times(over_bus, over_mcp, count=SEARCHES, warm_up=WARM_UP)]
    note = f"search_memories over stdio, {MEMORIES} memories, 5 returned; baseline: the same over the bus"
    return [Row(SEARCH, middle[1], "ms", note, middle[0])]


async def _search(client: Any, query: str) -> object:
    result = await client.call_tool("search_memories", {"query": query})
    if result.is_error:
        raise RuntimeError(result.content[0].text[:200])
    return result
