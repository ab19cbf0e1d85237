"""Compares turns on a real Pulsar with turns on the embedded broker, the graph engines, and the memory of each processor.

``python -m tests.servers.servers run python -m bench servers`` starts the servers.  On Pulsar, every
processor is a separate process with Neo4j and the Qdrant test server.  The embedded side is ``react-mem up``.  The stock ReAct
agent without memory runs on each broker with the same scripted model.  All sides run alternately, never at the same time.
"""

import argparse
import asyncio
import os
import shutil
import sys
import time
import traceback
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from tests.servers.deployment import OURS, Addresses, Deployment
from trustgraph_react_mem.bootstrap import open_graph_stores
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.records import derived_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.store_settings import StoreSettings

from .bank import open_embedder
from .filled import CONVERSATION_TURNS, FOLDER, USER, filled_apart, shared
from .process import ANSWER, SETTINGS, processor_ms, script, serving
from .row import Row, keep, percentile, show
from .sentences import questions
from .stock import stock_agent, stock_agent_alone
from .turn import Turns, ask, check, rate, until_idle, until_loaded

BANK = 10_000
STOCK, KINDS = "turn_stock", ("turn_ours_memory_off", "turn_ours_10k")
SIDES = ("pulsar", "embedded")
PARALLEL = (1, 8, 32)
PERCENT = {"p50": 50, "p95": 95}
TURN_NAMES = tuple(f"{kind}_{name}_{side}" for side in SIDES for kind in KINDS for name in PERCENT)
RATE_NAMES = tuple(f"turns_per_second_{count}_{side}" for count in PARALLEL for side in SIDES)
MEMORY_NAMES = tuple(f"memory_{name}" for name in OURS)
GRAPH_NAMES = ("graph_query_neo4j", "graph_query_ladybug")
NAMES = (*TURN_NAMES, *RATE_NAMES, *MEMORY_NAMES, *GRAPH_NAMES)

LIMIT_S, ENDING_S = 540.0, 60.0
WARM_TURNS = 10
ROUNDS = 6
TURNS_A_ROUND = 10
GRAPH_QUERIES, RECORDS = 200, 20
SERVERS_BANK = FOLDER / "servers"


@dataclass
class Side:
    """One broker with both agents.  ``processor_ms``: time that the process with the memories has used."""

    name: str
    ours: MemoryBus
    stock: MemoryBus
    processor_ms: Callable[[], float]
    turns: dict[str, Turns] = field(default_factory=lambda: {kind: Turns() for kind in (STOCK, *KINDS)})
    rates: dict[str, dict[int, float]] = field(default_factory=lambda: {"ours": {}, "stock": {}})

    async def round(self, number: int) -> None:
        asked = questions(TURNS_A_ROUND, seed=60 + number)
        await ask(self.stock, asked, self.turns[STOCK])
        await ask(self.ours, asked, self.turns["turn_ours_memory_off"], memory=False)
        await ask(self.ours, asked, self.turns["turn_ours_10k"])
        await self.settle()

    async def settle(self) -> None:
        """Wait until all turns are recorded, so that background jobs do not disturb the next measurement."""
        await until_idle(self.ours, "record")

    async def rate(self, parallel: int) -> None:
        self.rates["stock"][parallel] = await rate(self.stock, parallel)
        self.rates["ours"][parallel] = await rate(self.ours, parallel)
        await self.settle()

    def rows(self) -> list[Row]:
        ours, stock = self.turns["turn_ours_10k"], self.turns[STOCK].ms
        check(ours)
        baseline = f"baseline: stock ReAct agent without memory, {len(stock)} turns"
        notes = {
            "turn_ours_memory_off": baseline,
            "turn_ours_10k": f"10,000 memories in scope; {baseline}; medians in ms: {ours.split()}",
        }
        return [
            Row(
                f"{kind}_{name}_{self.name}",
                percentile(self.turns[kind].ms, percent),
                "ms",
                notes[kind],
                percentile(stock, percent),
            )
            for kind in KINDS
            for name, percent in PERCENT.items()
        ]

    def rate_row(self, parallel: int) -> Row:
        note = f"ours with 10,000 memories on {self.name}; baseline: stock without memory there"
        return Row(
            f"turns_per_second_{parallel}_{self.name}", self.rates["ours"][parallel], "/s", note, self.rates["stock"][parallel]
        )


async def collect(say: Callable[[str], None]) -> list[Row]:
    """Run all rows.  Raises: any failure (printed before the servers stop); TimeoutError (after ``LIMIT_S`` seconds)."""
    addresses = Addresses.named()
    async with AsyncExitStack() as started:
        try:
            async with asyncio.timeout(LIMIT_S):
                home, deployment, rows = await turn_rows(started, addresses, say)
        except Exception:
            traceback.print_exc()
            asyncio.get_running_loop().call_later(ENDING_S, os._exit, 1)
            raise
    say("graph queries")
    return [*rows, *await graph_rows(deployment, home)]


async def turn_rows(
    started: AsyncExitStack, addresses: Addresses, say: Callable[[str], None]
) -> tuple[Path, Deployment, list[Row]]:
    """Rows of turns, the directory of the embedded stores, and the separate processors."""
    say("filling the embedded stores")
    home, _ = await shared(BANK)
    deployment = await prepared(addresses, say)
    say("starting the processors and the stock agent on both brokers")
    pulsar = await started.enter_async_context(on_pulsar(deployment))
    embedded = await started.enter_async_context(on_embedded(home))
    for side in (sides := (pulsar, embedded)):
        await until_loaded(side.ours, side.processor_ms)
        await ask(side.ours, questions(WARM_TURNS, seed=5), Turns())
        await ask(side.stock, questions(WARM_TURNS, seed=5), Turns())
        await side.settle()
    say(f"{ROUNDS} rounds of {TURNS_A_ROUND} turns each")
    for number in range(ROUNDS):
        for side in sides:
            await side.round(number)
    for parallel in PARALLEL:
        say(f"turns per second, {parallel} at once")
        for side in sides:
            await side.rate(parallel)
    rows = [row for side in sides for row in side.rows()]
    rows += [side.rate_row(count) for count in PARALLEL for side in sides]
    return home, deployment, [*rows, *memory_rows(deployment)]


def memory_rows(deployment: Deployment) -> list[Row]:
    note = "resident memory of this process alone, after the load"
    return [Row(f"memory_{name}", deployment.rss_mb(deployment.of(name)[0]), "MB", note) for name in OURS]


async def prepared(addresses: Addresses, say: Callable[[str], None]) -> Deployment:
    """A deployment whose stores are filled like the embedded ones."""
    async with open_embedder() as model:
        name = model.profile.name
    shutil.rmtree(SERVERS_BANK, ignore_errors=True)
    folder = SERVERS_BANK.resolve()
    folder.mkdir(parents=True)
    deployment = Deployment(folder, addresses, script=script(folder / "script.json"), settings=SETTINGS, embeddings=name)
    say("filling Neo4j and the vectors of the separate processors")
    figures = await filled_apart(deployment.store_settings.home, BANK, deployment.environment)
    say(f"{BANK} memories in {figures.seconds:.0f} s")
    return deployment


@asynccontextmanager
async def on_pulsar(deployment: Deployment) -> AsyncIterator[Side]:
    with deployment.running():
        url, facts = deployment.addresses.pulsar, deployment.processes[deployment.of("agent-facts")[0]]
        async with await deployment.connect() as ours, stock_agent(ours, url, deployment.folder, ANSWER) as stock:
            yield Side("pulsar", ours, stock, lambda: processor_ms(facts.pid))


@asynccontextmanager
async def on_embedded(home: Path) -> AsyncIterator[Side]:
    async with (
        serving(home) as (stack, ours),
        stock_agent_alone(FOLDER, ANSWER) as stock,
    ):
        yield Side("embedded", ours, stock, stack.processor_ms)


# ---------------------------------------------------------------------------------------------------- graph engines


async def graph_rows(deployment: Deployment, home: Path) -> list[Row]:
    """The same reads on both engines, alternately.  Both stacks must have ended: the embedded engine allows one process."""
    embedded = StoreSettings(home=home, keys=Path(f"{home}-keys"), graph_url="", vector_url="")
    opened = [await open_graph_stores(settings) for settings in (deployment.store_settings, embedded)]
    taken: list[list[float]] = [[], []]
    random = Random(7)
    scope = Scope(workspace="default", user=USER, collection="default")
    for _ in range(GRAPH_QUERIES):
        places = [divmod(random.randrange(BANK), CONVERSATION_TURNS) for _ in range(RECORDS)]
        ids = [derived_id("bank", number, place) for number, place in places]
        for stores, spent in zip(opened, taken, strict=True):
            began = time.perf_counter()
            found = await stores.facts.get(scope, ids)
            spent.append((time.perf_counter() - began) * 1000)
            if len(found) != len(set(ids)):
                raise RuntimeError(f"a graph gave {len(found)} of {len(set(ids))} records")
    for stores in opened:
        await stores.close()
    return [
        Row(name, percentile(spent, 50), "ms", f"{RECORDS} of {BANK} records by id; p95 {percentile(spent, 95):.2f} ms")
        for name, spent in zip(GRAPH_NAMES, taken, strict=True)
    ]


def slower(rows: Sequence[Row]) -> list[str]:
    """The rows in which the median turn with memory is slower than the stock one without."""
    return [
        f"{row.name}: {row.value:.1f} ms, stock {row.baseline:.1f} ms"
        for row in rows
        if row.name.startswith("turn_ours_10k_p50") and row.baseline is not None and row.value > row.baseline
    ]


def main(parser: argparse.ArgumentParser) -> int:
    parser.add_argument("--out", type=Path, default=Path("build/bench-servers.json"))
    arguments = parser.parse_args()
    began = time.monotonic()

    def say(text: str) -> None:
        print(f"{time.monotonic() - began:5.0f} s  {text}", file=sys.stderr, flush=True)

    rows = asyncio.run(collect(say))
    say("done")
    show(rows)
    keep(rows, arguments.out)
    for text in slower(rows):
        print(f"failed: slower with memory than the stock agent without: {text}", file=sys.stderr)
    return 1 if slower(rows) else 0
