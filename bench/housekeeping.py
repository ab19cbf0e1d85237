"""Cost of housekeeping with many users, and its effect on finishing a job.

``housekeeping_100k``: processor time for one minute of housekeeping (unfinished writes and erasures twice, inactive
conversations twice, deferred jobs once) over 100,000 records, 50,000 requests and 100,000 jobs in 1,000 scopes, embedded.
``job_saved_100k``: durable save of one finished job in that job store.  Baseline of both: a hundredth of the data.
"""

import resource
import shutil
import time
from collections.abc import Awaitable, Callable, Set
from datetime import UTC, datetime, timedelta
from pathlib import Path

from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import JobEntry
from trustgraph_react_mem.memory.records import Fact, Invocation
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.opening import GraphStores, open_graph

from .row import Row, percentile

NAMES = ("housekeeping_100k", "job_saved_100k")
FOLDER = Path("build/bench/housekeeping")
EACH = 100  # records and jobs of a scope; half as many requests
SCOPES, FEW = 1000, 10
BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
ROUNDS = 20


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    small, large = await measured(FEW), await measured(SCOPES)
    note = f"{SCOPES * EACH:,} records and jobs in {SCOPES:,} scopes; baseline: {FEW * EACH:,} in {FEW}"
    rows = [
        Row("housekeeping_100k", large[0], "ms", f"processor time per minute; {note}", small[0]),
        Row("job_saved_100k", large[1], "ms", f"p50, durable; {note}", small[1]),
    ]
    return [row for row in rows if row.name in names]


async def measured(scopes: int) -> tuple[float, float]:
    """Milliseconds for one minute of housekeeping, and for saving one job."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    try:
        filling = await opened()
        for number in range(scopes):
            await fill(filling, Scope(workspace="default", user=f"user{number}", collection="default"))
        await filling.close()
        stores = await opened()  # after a checkpoint of the log that filling has left
        figures = await minute_ms(stores), await saved_ms(stores)
        await stores.close()
        return figures
    finally:
        shutil.rmtree(FOLDER, ignore_errors=True)


async def opened() -> GraphStores:
    return GraphStores.over(await open_graph(FOLDER / "graph"), SystemClock(), bytes(32))


async def fill(stores: GraphStores, scope: Scope) -> None:
    facts = [
        Fact(
            id=f"f{n}", scope=scope, kind="turn", content=f"said number {n} of {EACH}", created_at=BEGAN, source=f"c{n // 20}",
            position=n % 20, indexed=True,
        )
        for n in range(EACH)
    ]  # fmt: skip
    said = [
        Invocation(id=f"i{n}", conversation_id=f"c{n // 10}", query="q", summary="s", result="r", at=BEGAN)
        for n in range(EACH // 2)
    ]
    await stores.facts.put(facts)
    await stores.conversations.append_many(scope, said)
    await stores.job_store.save([done(scope, f"{scope.user}-{n}") for n in range(EACH)])


def done(scope: Scope, job_id: str) -> JobEntry:
    return JobEntry(
        job_id=job_id,
        kind="record",
        scope=scope,
        state="done",
        attempt=1,
        trigger="invocation",
        created_at=BEGAN,
        updated_at=BEGAN,
    )


async def minute_ms(stores: GraphStores) -> float:
    sweep: tuple[tuple[int, Callable[[], Awaitable[object]]], ...] = (
        (2, lambda: stores.facts.list_tombstoned()),
        (2, lambda: stores.facts.not_indexed()),
        (2, lambda: stores.episodes.list_tombstoned()),
        (2, lambda: stores.episodes.not_indexed()),
        (2, lambda: stores.conversations.idle_since(BEGAN - timedelta(days=1))),
        (1, lambda: stores.job_store.due(BEGAN)),
    )
    for _, ask in sweep:
        await ask()
    began = processor_s()
    for _ in range(ROUNDS):
        for times, ask in sweep:
            for _ in range(times):
                await ask()
    return (processor_s() - began) * 1000 / ROUNDS


async def saved_ms(stores: GraphStores) -> float:
    scope, took = Scope(workspace="default", user="user0", collection="default"), []
    for n in range(10 * ROUNDS):
        began = time.perf_counter()
        await stores.job_store.save([done(scope, f"new-{n}")])
        took.append((time.perf_counter() - began) * 1000)
    return percentile(took, 50)


def processor_s() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime
