"""Start-up time and memory of the stack, without a language model."""

import shutil
from collections.abc import Set
from pathlib import Path

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import RetrieveFacts

from .filled import USER
from .process import running
from .row import Row, percentile

NAMES = ("stack_start", "stack_memory")
HOME = Path("build/bench/stack")
STARTS = 5


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    for folder in (HOME, Path(f"{HOME}-keys")):
        shutil.rmtree(folder, ignore_errors=True)
    HOME.parent.mkdir(parents=True, exist_ok=True)
    starts: list[float] = []
    memory = 0.0
    for _ in range(STARTS if "stack_start" in names else 1):
        async with running(HOME.resolve(), "none") as stack, await MemoryBus.connect(stack.address) as bus:
            starts.append(stack.ready_s)
            await bus.call(RetrieveFacts(query="What did I say about tea?", user=USER))
            memory = stack.memory_mb()
    rows = []
    if "stack_start" in names:
        note = f"median of {STARTS} with Python's own start; the first, on an empty directory, took {starts[0]:.2f} s"
        rows.append(Row("stack_start", percentile(starts, 50), "s", note))
    if "stack_memory" in names:
        rows.append(Row("stack_memory", memory, "MB", "stack, engines, and embedding model, after a question"))
    return rows
