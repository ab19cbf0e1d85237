"""The simulation itself: calm on what is right, the same every time, and not blind: what is broken on purpose is found."""

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from random import Random

import pytest

from tests.doubles.fact_graph import MemoryFactGraph
from tests.doubles.small_stores import MemoryConversationGraph, MemoryKeyRing, MemoryStores
from tests.doubles.topic import Message, SimulatedDelivery, SimulatedTopic, TopicConsumer
from tests.doubles.vector_index import MemoryVectorIndex
from tests.simulation.faults import Died, Faults, Faulty, Life
from tests.simulation.simulation import START, Parts, Report, simulate
from tests.simulation.virtual_time import LoopClock, run_in_virtual_time
from trustgraph_react_mem.memory.ports import Hit, IndexPoint, Job, KeyRing, Reversal, Vector
from trustgraph_react_mem.memory.records import Invocation
from trustgraph_react_mem.memory.scope import Scope

pytestmark = pytest.mark.later

SEEDS_TO_FIND = 40  # a fault that is put in must show within so many lives


@pytest.fixture(autouse=True)
def _quiet() -> Iterator[None]:
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


@pytest.mark.parametrize("seed", range(4))  # ``make simulate`` lives hundreds
def test_nothing_breaks_a_rule(seed: int) -> None:
    report = simulate(seed)
    assert not report.broken, f"{report.broken}: replay with make simulate SEEDS=1 FROM={seed}"


@pytest.mark.slow
def test_lives_are_full_of_misfortune() -> None:
    """Not calm because nothing happens: people are answered, processes die, receipts are given."""
    reports = [simulate(seed) for seed in range(8)]
    total = {name: sum(report.counts[name] for report in reports) for name in reports[0].counts}
    assert total["lives"] > 2 * len(reports)
    assert total["receipts"] >= 4
    assert total["asked"] > 60
    assert total["jobs"] > 2 * total["asked"]


@pytest.mark.slow
def test_a_seed_gives_the_same_life_in_every_process() -> None:
    told = "from tests.simulation.simulation import simulate; r = simulate(5); print(r.counts, r.events)"
    environment = os.environ | {"PYTHONHASHSEED": "0"}
    outputs = {
        subprocess.run([sys.executable, "-c", told], env=environment, capture_output=True, text=True, check=True).stdout
        for _ in range(2)
    }
    assert len(outputs) == 1


# ---------------------------------------------------------------------------------------------------- faults put in on purpose


class AcknowledgedFirst(SimulatedTopic):
    """A worker that acknowledges what it receives before it has done it."""

    def consumer(self, keyring: KeyRing, life: Life) -> TopicConsumer:
        return _Hasty(self, keyring, life, self.join(life))


class _Hasty(TopicConsumer):
    async def receive(self) -> SimulatedDelivery:
        found = await super().receive()
        self.topic.acknowledge(found.message)
        return found


class Forgetful(SimulatedTopic):
    """A broker that confirms what it does not keep."""

    def store(self, job: Job, sealed: str) -> None:
        if self.faults.random.random() > 0.05:
            super().store(job, sealed)


class Unordered(SimulatedTopic):
    """A broker that hands out the messages of one key in any order."""

    def next_for(self, session: int) -> Message | float:
        for messages in self.partitions.values():
            if self.faults.random.random() < 0.3:
                messages.reverse()
        return super().next_for(session)


class Unfiltered(MemoryVectorIndex):
    """An index that forgets to filter by scope on one read path."""

    async def search_dense(
        self, scope: Scope, name: str, query: Vector, *, limit: int, match: Mapping[str, Sequence[str]] | None = None
    ) -> list[Hit]:
        found = []
        for each in list(self.points):
            found += await super().search_dense(each, name, query, limit=limit, match=match)
        return found

    async def scan(self, scope: Scope, *, with_vectors: bool = False, batch: int = 1000) -> AsyncIterator[list[IndexPoint]]:
        for each in list(self.points):
            async for found in super().scan(each, with_vectors=with_vectors, batch=batch):
                yield found


class Clinging(MemoryVectorIndex):
    """An index that says it deleted and did not: an erasure looks again, and gives no receipt."""

    async def delete(self, scope: Scope, ids: Sequence[str]) -> int:
        return len(ids)


class Doubling(MemoryConversationGraph):
    """A store that appends the same invocation again."""

    async def append(self, scope: Scope, invocation: Invocation) -> bool:
        held = self.conversations.get((scope, invocation.conversation_id))
        if held and any(item.id == invocation.id for item in held.invocations):
            again = replace(invocation, position=held.turns)
            items = (*held.invocations, again)
            self.conversations[scope, held.id] = replace(held, invocations=items, turns=held.turns + 1)
            return True
        return await super().append(scope, invocation)


class Undestroyed(MemoryKeyRing):
    """A key ring whose keys survive their destruction."""

    async def destroy(self, scope: Scope) -> bool:
        return scope in self.keys


class Stubborn(MemoryFactGraph):
    """A store that brings nothing back that was replaced."""

    async def revert(self, scope: Scope, reversals: Sequence[Reversal], *, at: datetime, by: str, trigger: str) -> None:
        replaced = {fact.id for fact in await self.get(scope, [each.record_id for each in reversals]) if fact.superseded_by}
        others = [each for each in reversals if each.record_id not in replaced]
        await super().revert(scope, others, at=at, by=by, trigger=trigger)


def stubborn_stores(clock: LoopClock) -> MemoryStores:
    stores = MemoryStores(clock)
    stores.facts = Stubborn(clock, stores.engine.check, stores.fence.hold)
    return stores


def doubling_stores(clock: LoopClock) -> MemoryStores:
    stores = MemoryStores(clock)
    stores.conversations = Doubling(stores.engine.check, stores.fence.hold)
    return stores


def undestroyed_stores(clock: LoopClock) -> MemoryStores:
    stores = MemoryStores(clock)
    stores.keyring = Undestroyed(stores.engine.check, stores.fence.hold)
    return stores


def unheld_stores(clock: LoopClock) -> MemoryStores:
    """Writes that do not look at the claim of whoever makes them."""
    stores = MemoryStores(clock)
    for port in (stores.facts, stores.episodes, stores.conversations, stores.weights, stores.keyring):
        port._hold = port._check
    return stores


@pytest.mark.parametrize(
    ("parts", "told"),
    [
        pytest.param(Parts(topic=AcknowledgedFirst), "lost", id="acknowledged first", marks=pytest.mark.slow),
        pytest.param(Parts(topic=Forgetful), "lost", id="broker loses"),
        pytest.param(Parts(topic=Unordered), "order", id="no order"),
        pytest.param(Parts(index=Unfiltered), "another's", id="no scope filter"),
        pytest.param(Parts(index=Clinging, limit_s=8 * 3600.0), "come to rest", id="vectors stay", marks=pytest.mark.slow),
        pytest.param(Parts(stores=doubling_stores), "doubled", id="appended twice"),
        pytest.param(Parts(stores=undestroyed_stores), "forgotten", id="key stays"),
        pytest.param(Parts(stores=unheld_stores), "forgotten", id="no claims"),
        pytest.param(Parts(stores=stubborn_stores), "replaced", id="replaced for ever"),
    ],
)
def test_a_fault_that_is_put_in_is_found(parts: Parts, told: str) -> None:
    reports: list[Report] = []
    for seed in range(SEEDS_TO_FIND):
        reports.append(simulate(seed, parts))
        if any(told in text for text in reports[-1].broken):
            return
    raise AssertionError(f"{SEEDS_TO_FIND} lives did not show it: {[report.broken for report in reports if report.broken]}")


# ---------------------------------------------------------------------------------------------------- what it is made of


def test_a_dead_process_has_no_effects() -> None:
    async def life_and_death() -> list[str]:
        stores = MemoryStores(LoopClock(START))
        life = Life(1)
        keyring = Faulty(stores.keyring, Faults(random=Random(0)), life, "graph")
        scope = Scope(workspace="w", user="u", collection="c")
        await keyring.seal(scope, b"alive")
        life.die()
        with pytest.raises(Died):
            await keyring.destroy(scope)
        return [each.user for each in stores.keyring.keys]

    assert run_in_virtual_time(life_and_death()) == ["u"]


@pytest.mark.slow
def test_a_year_passes_at_once() -> None:
    async def sleep() -> float:
        await asyncio.sleep(365 * 86_400)
        return asyncio.get_running_loop().time()

    assert run_in_virtual_time(sleep(), limit_s=1e9) == pytest.approx(365 * 86_400)
