"""Complete turns over the bus with a scripted model: our agent with memory, and the stock agent without."""

import asyncio
import time
from collections.abc import Callable, Set
from dataclasses import dataclass, field
from pathlib import Path
from uuid import uuid4

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.memory.requests import RateFacts, RetrieveFacts, WaitUntilIdle
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.turn_trace import TurnTrace

from .filled import FOLDER, USER, shared
from .patience import PATIENCE_S, patiently
from .process import ANSWER, serving
from .row import Row, percentile
from .sentences import questions
from .stock import stock_agent_alone

TURNS = ("turn_with_memory_p50", "turn_with_memory_p95")
RECALL = ("recall_overhead_p50", "recall_overhead_p95")
RECALL_100K = ("recall_overhead_100k_p50", "recall_overhead_100k_p95")
TOKENS = ("context_tokens_p50",)
PARALLEL = (1, 4, 16, 50)
RMM = ("recall_rmm_overhead_p50",)
RATES = (*(f"turns_per_second_{count}" for count in PARALLEL), "turns_per_second_stock_16")
NAMES = (*TURNS, *RECALL, *RECALL_100K, *TOKENS, *RMM, *RATES)

WINDOW_TOKENS = 8192  # the default context-window
WARM_TURNS = 10
ROUNDS = 5
OURS_A_ROUND = 40
STOCK_A_ROUND = 12
RECALL_TURNS = 100
LARGE_BANK_TURNS = 100
QUIET_MS, QUIET_ROUNDS = 20.0, 3  # processor time in a second without questions
WITHOUT_MEMORY = 0.03  # largest share of turns without memory
RATE_S = 5.0
RMM_QUESTIONS = 200
STOCK_PARALLEL = 16


@dataclass(slots=True)
class Turns:
    """Milliseconds of complete turns, and their traces."""

    ms: list[float] = field(default_factory=list)
    traces: list[TurnTrace] = field(default_factory=list)

    def split(self) -> str:
        """Median milliseconds of each stage of recall, in one line."""
        spent: dict[str, list[float]] = {}
        for trace in self.traces:
            for name, value in (trace.recalled.get("timings_ms") or {}).items():
                spent.setdefault(name, []).append(float(value))
        return ", ".join(f"{name} {percentile(values, 50):.2f}" for name, values in spent.items() if name != "total")


async def collect(names: Set[str], data: Path | None) -> list[Row]:
    rows: list[Row] = []
    if names & {*TURNS, *RECALL, *TOKENS, *RMM, *RATES}:
        rows += await ten_thousand(names)
    if names & set(RECALL_100K):
        rows += await hundred_thousand()
    return [row for row in rows if row.name in names]


async def ten_thousand(names: Set[str]) -> list[Row]:
    home, _ = await shared(10_000)
    stock_turns = names & {*TURNS, "turns_per_second_stock_16", "turns_per_second_16"}
    ours, stock, alone = Turns(), Turns(), Turns()
    rates: dict[str, float] = {}
    learned: list[Row] = []
    async with serving(home) as (stack, bus):
        await until_loaded(bus, stack.processor_ms)
        await ask(bus, questions(WARM_TURNS, seed=5), Turns())
        if stock_turns:
            async with stock_agent_alone(FOLDER, ANSWER) as stock_bus:
                await ask(stock_bus, questions(WARM_TURNS, seed=5), Turns())
                for number in range(ROUNDS):  # alternately, so that load on the machine affects both equally
                    await ask(bus, questions(OURS_A_ROUND, seed=10 + number), ours)
                    await ask(stock_bus, questions(STOCK_A_ROUND, seed=10 + number), stock)
                if names & {"turns_per_second_stock_16", "turns_per_second_16"}:
                    rates["turns_per_second_stock_16"] = await rate(stock_bus, STOCK_PARALLEL)
        if names & {*RECALL, *TOKENS}:
            await ask(bus, questions(RECALL_TURNS, seed=40), alone, settled=True)
        if names & set(RMM):
            learned.append(await rmm_row(bus))
        for count in PARALLEL:
            if f"turns_per_second_{count}" in names:
                rates[f"turns_per_second_{count}"] = await rate(bus, count)
    check(ours)
    check(alone)
    note = f"{len(ours.ms)} turns, 10,000 memories in scope; baseline: stock ReAct agent without memory, {len(stock.ms)} turns"
    measured = rows_of(TURNS, ours.ms, note, stock.ms) if ours.ms else []
    if alone.ms:
        measured += [*recall_rows(RECALL, alone, "10,000"), token_row(alone)]
    return [*measured, *learned, *rate_rows(rates)]


async def hundred_thousand() -> list[Row]:
    home, _ = await shared(100_000)
    turns = Turns()
    async with serving(home) as (stack, bus):
        await until_loaded(bus, stack.processor_ms)
        await ask(bus, questions(LARGE_BANK_TURNS, seed=6), turns, settled=True)
    check(turns)
    return recall_rows(RECALL_100K, turns, "100,000")


async def until_loaded(bus: MemoryBus, processor_ms: Callable[[], float]) -> None:
    """Wait until the scope is in the cache: a large scope is loaded in the background after its first question.

    It is loaded when the process computes nothing more without questions, however fast the machine is.  ``processor_ms``: what
    it has used.
    """
    await bus.call(retrieval(questions(1, seed=50)[0], "off"), timeout_s=PATIENCE_S)
    quiet, deadline = 0, time.monotonic() + PATIENCE_S
    while quiet < QUIET_ROUNDS and time.monotonic() < deadline:
        before = processor_ms()
        await asyncio.sleep(1.0)
        quiet = quiet + 1 if processor_ms() - before < QUIET_MS else 0


async def ask(bus: MemoryBus, asked: list[str], turns: Turns, *, settled: bool = False, memory: bool | None = None) -> None:
    """Ask sequentially, each question in a new conversation.  ``settled``: wait until the previous turn is recorded."""
    for question in asked:
        trace = TurnTrace(question=question)
        began = time.perf_counter()
        request = AgentRequest(question=question, user=USER, conversation_id=str(uuid4()), enable_memory=memory)
        async for message in bus.ask(request, timeout_s=PATIENCE_S):
            trace.feed(message)
        turns.ms.append((time.perf_counter() - began) * 1000)
        turns.traces.append(trace)
        if trace.error or not trace.answer:
            raise RuntimeError(f"a turn failed: {trace.error or 'no answer'}")
        if settled:
            await until_idle(bus, "record")


async def until_idle(bus: MemoryBus, kind: str = "") -> None:
    async def still_open(timeout_s: float) -> int:
        return (await bus.call(WaitUntilIdle(kind=kind, user=USER, timeout_s=timeout_s), timeout_s=PATIENCE_S)).count

    await patiently(still_open, "jobs")


async def rate(bus: MemoryBus, parallel: int) -> float:
    """Turns per second with ``parallel`` concurrent conversations."""
    done = 0
    until = time.perf_counter() + RATE_S

    async def converse(number: int) -> None:
        nonlocal done
        for question in questions(10_000, seed=100 + number):
            if time.perf_counter() >= until:
                return
            await ask(bus, [question], Turns())
            done += 1

    began = time.perf_counter()
    await asyncio.gather(*(converse(number) for number in range(parallel)))
    return done / (time.perf_counter() - began)


async def rmm_row(bus: MemoryBus) -> Row:
    """Time that ranking with learned weights adds to a retrieval.  Measured alternately with and without."""
    first = await bus.call(retrieval(questions(1, seed=30)[0], "calibrated"))
    for fact in first.facts:
        await bus.call(RateFacts(ids=[fact.id], rating=1, user=USER))
    await until_idle(bus)
    taken: dict[str, list[float]] = {"calibrated": [], "off": []}
    version = 0
    for question in questions(RMM_QUESTIONS, seed=31):
        await bus.call(retrieval(question, "off"))  # puts its embedding into the cache
        for mode, spent in taken.items():
            began = time.perf_counter()
            response = await bus.call(retrieval(question, mode))
            spent.append((time.perf_counter() - began) * 1000)
            version = max(version, response.policy_version)
    added = percentile(taken["calibrated"], 50) - percentile(taken["off"], 50)
    note = f"weights of version {version}; retrieval with {percentile(taken['calibrated'], 50):.2f} ms, without ranking "
    return Row(RMM[0], max(0.0, added), "ms", note + f"{percentile(taken['off'], 50):.2f} ms")


def retrieval(question: str, mode: str) -> RetrieveFacts:
    return RetrieveFacts(query=question, top_k=5, candidates=20, rerank=mode, user=USER)


def check(turns: Turns) -> None:
    """Raise an error if turns recalled nothing: they would be faster than real turns with memory.

    On a busy machine a single recall may end at its time limit.
    """
    without = sum(not trace.memories for trace in turns.traces)
    if without > WITHOUT_MEMORY * len(turns.traces):
        raise RuntimeError(f"{without} of {len(turns.traces)} turns recalled nothing: these are not turns with memory")


def rows_of(names: tuple[str, ...], ms: list[float], note: str, baseline: list[float] | None = None) -> list[Row]:
    """The median and the 95th percentile."""
    return [
        Row(name, percentile(ms, percent), "ms", note, percentile(baseline, percent) if baseline else None)
        for name, percent in zip(names, (50, 95), strict=True)
    ]


def recall_rows(names: tuple[str, ...], turns: Turns, bank: str) -> list[Row]:
    """Time that memory adds between the request and the model call."""
    ms = [float(trace.recalled["timings_ms"]["total"]) for trace in turns.traces]
    return rows_of(names, ms, f"{bank} memories in scope, no other load; medians in ms: {turns.split()}")


def token_row(turns: Turns) -> Row:
    tokens = [float(trace.recalled.get("tokens", 0)) for trace in turns.traces]
    median = percentile(tokens, 50)
    return Row(TOKENS[0], median, "tokens", f"{median / WINDOW_TOKENS:.1%} of a window of {WINDOW_TOKENS}")


def rate_rows(rates: dict[str, float]) -> list[Row]:
    stock = rates.get("turns_per_second_stock_16")
    notes = {"turns_per_second_stock_16": "stock ReAct agent without memory", "turns_per_second_16": "baseline: stock"}
    return [
        Row(name, rates[name], "/s", notes.get(name, ""), stock if name == "turns_per_second_16" else None)
        for name in RATES
        if name in rates
    ]
