"""Searches by an MCP tool over stdio, beside the same over the bus, on one running stack."""

import shutil
import sys
from collections.abc import Set
from pathlib import Path
from typing import Any

from mcp import Client
from mcp.client.stdio import StdioServerParameters

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import ImportTurns, RetrieveFacts
from trustgraph_react_mem.schema import Turn

from .filled import USER
from .http import MEMORIES, SEARCHES, WARM_UP, times
from .patience import PATIENCE_S
from .process import running
from .row import Row, percentile
from .sentences import sentences

(SEARCH,) = NAMES = ("mcp_search_p50",)
HOME = Path("build/bench/mcp")


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    for folder in (HOME, Path(f"{HOME}-keys")):
        shutil.rmtree(folder, ignore_errors=True)
    HOME.parent.mkdir(parents=True, exist_ok=True)
    home = HOME.resolve()
    async with running(home, "none") as stack, await MemoryBus.connect(stack.address) as bus:
        texts = [each.text for each in sentences(MEMORIES, seed=5)]
        turns = [Turn(speaker=USER, text=text) for text in texts]
        for first in range(0, MEMORIES, 100):
            await bus.call(
                ImportTurns(source=f"bench-{first}", turns=turns[first : first + 100], user=USER), timeout_s=PATIENCE_S
            )

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
