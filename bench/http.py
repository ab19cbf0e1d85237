"""Searches and writes over HTTP, beside the same over the bus, on one running stack.

Both clients are in this process, so the difference is the listener: HTTP, the key, validation and JSON.
"""

import asyncio
import shutil
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence, Set
from contextlib import asynccontextmanager
from pathlib import Path

import aiohttp

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.memory.requests import ImportTurns, RetrieveFacts, StoreFact
from trustgraph_react_mem.schema import Turn

from .filled import USER
from .patience import PATIENCE_S, progress
from .process import Stack, running
from .row import Row, percentile
from .sentences import sentences

P50, P95, ADD, MANY = NAMES = ("http_search_p50", "http_search_p95", "http_add_p50", "http_search_16")
HOME = Path("build/bench/http")
MEMORIES, WARM_UP, SEARCHES, ADDS, CLIENTS, SECONDS = 1000, 20, 300, 100, 16, 8.0
Call = Callable[[int], Awaitable[object]]


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    texts = [each.text for each in sentences(MEMORIES + ADDS, seed=5)]
    async with remembering(HOME, texts[:MEMORIES]) as (stack, bus):
        key = KeyFile(HOME.resolve()).create("user", user=USER)[1]
        async with aiohttp.ClientSession(stack.http, headers={"Authorization": f"Bearer {key}"}) as session:
            return [row for row in await _measure(names, bus, session, texts) if row.name in names]


@asynccontextmanager
async def remembering(home: Path, texts: Sequence[str]) -> AsyncIterator[tuple[Stack, MemoryBus]]:
    """A new stack over ``home`` that remembers these turns."""
    for folder in (home, Path(f"{home}-keys")):
        shutil.rmtree(folder, ignore_errors=True)
    home.parent.mkdir(parents=True, exist_ok=True)
    turns = [Turn(speaker=USER, text=text) for text in texts]
    async with running(home.resolve(), "none") as stack, await MemoryBus.connect(stack.address) as bus:
        for first in range(0, len(turns), 100):
            progress.doing = f"{first} of {len(turns)} memories stored"
            part = ImportTurns(source=f"bench-{first}", turns=turns[first : first + 100], user=USER)
            await bus.call(part, timeout_s=PATIENCE_S)
        yield stack, bus


async def _measure(names: Set[str], bus: MemoryBus, session: aiohttp.ClientSession, texts: Sequence[str]) -> list[Row]:

    async def over_bus(number: int) -> object:
        return await bus.call(RetrieveFacts(query=texts[number % MEMORIES], top_k=5, user=USER))

    async def over_http(number: int) -> object:
        # Other questions than over the bus, whose embeddings are in the cache by then.
        return await _post(session, "/v1/memories/search", {"query": texts[(number + MEMORIES // 2) % MEMORIES], "limit": 5})

    async def add_over_bus(number: int) -> object:
        return await bus.call(StoreFact(content=f"{texts[MEMORIES + number]} (bus)", user=USER))

    async def add_over_http(number: int) -> object:
        return await _post(session, "/v1/memories", {"text": texts[MEMORIES + number], "infer": False})

    rows = list[Row]()
    if names & {P50, P95}:
        bus_ms, http_ms = await times(over_bus, over_http, count=SEARCHES, warm_up=WARM_UP)
        note = f"{MEMORIES} memories, 5 returned; baseline: the same over the bus"
        rows += [Row(name, percentile(http_ms, q), "ms", note, percentile(bus_ms, q)) for name, q in ((P50, 50), (P95, 95))]
    if ADD in names:
        bus_ms, http_ms = await times(add_over_bus, add_over_http, count=ADDS)
        note = "one memory, infer false; baseline: the same over the bus"
        rows.append(Row(ADD, percentile(http_ms, 50), "ms", note, percentile(bus_ms, 50)))
    if MANY in names:
        progress.doing = f"searches of {CLIENTS} clients"
        bus_rate, http_rate = [await _per_second(call) for call in (over_bus, over_http)]
        note = f"searches of {CLIENTS} clients at once; baseline: the same over the bus"
        rows.append(Row(MANY, http_rate, "/s", note, bus_rate))
    return rows


async def _post(session: aiohttp.ClientSession, path: str, body: dict[str, object]) -> object:
    async with session.post(path, json=body) as answer:
        if answer.status != 200:
            raise RuntimeError(f"{path} answered {answer.status}: {(await answer.text())[:200]}")
        return await answer.json()


async def times(*calls: Call, count: int, warm_up: int = 0) -> list[list[float]]:
    """Milliseconds of ``count`` calls of each kind, in turn, so that all see the same machine."""
    took: list[list[float]] = [[] for _ in calls]
    for number in range(warm_up + count):
        progress.doing = f"{number} of {warm_up + count} calls of each kind"
        for call, kept in zip(calls, took, strict=True):
            began = time.perf_counter()
            await call(number)
            kept.append(1000 * (time.perf_counter() - began))
    return [kept[warm_up:] for kept in took]


async def _per_second(call: Call) -> float:
    """Calls a second of ``CLIENTS`` callers."""
    until, done = time.perf_counter() + SECONDS, 0

    async def keep_calling(number: int) -> None:
        nonlocal done
        while time.perf_counter() < until:
            number += CLIENTS
            await call(number)
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(keep_calling(number) for number in range(CLIENTS)))
    return done / (time.perf_counter() - began)
