"""What was read before a forgetting is never written after it, whatever store it goes to and whoever writes it."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace

import pytest

from tests.integration.stores.stores_support import ANN, START, episode, fact, invocation
from trustgraph_react_mem.errors import ScopeChanged, ScopeErased
from trustgraph_react_mem.memory.fencing import close_scope, run_fenced, with_token
from trustgraph_react_mem.memory.ports import StoredWeights, Switches
from trustgraph_react_mem.stores.opening import GraphStores

Write = Callable[[GraphStores], Awaitable[object]]

WEIGHTS = StoredWeights(version=1, profile="p", dimension=2, blob=b"w", updated_at=START)

#: Whatever writes to the graph on the way of a job or a service.
WRITES: dict[str, Write] = {
    "facts": lambda s: s.facts.put([fact("new", "said anew")]),
    "supersession": lambda s: s.facts.supersede(ANN, ["f"], fact("new"), at=START, by="b", trigger="t"),
    "status": lambda s: s.facts.set_status(ANN, ["f"], "quarantined", at=START, by="b"),
    "index mark": lambda s: s.facts.mark_indexed(ANN, ["f"], True),
    "use": lambda s: s.facts.touch(ANN, ["f"], at=START),
    "episode": lambda s: s.episodes.put([episode("new")]),
    "episode mark": lambda s: s.episodes.mark_indexed(ANN, ["e"], True),
    "exchange": lambda s: s.conversations.append(ANN, invocation("new")),
    "exchange text": lambda s: s.conversations.rewrite(ANN, [replace(invocation("i"), query="other")]),
    "conversation's end": lambda s: s.conversations.end(ANN, "c", at=START),
    "metadata": lambda s: s.conversations.set_metadata(ANN, "c", {"k": "v"}),
    "weights": lambda s: s.weights.save(ANN, WEIGHTS, expected_version=0),
    "reward": lambda s: s.weights.log_reward(ANN, START, {"reward": 1.0}, "job"),
    "switch": lambda s: s.switches.set(ANN, Switches(read=False)),
    "tokens": lambda s: s.job_store.spend(ANN, "2026-03-01", 7),
    "sealed text": lambda s: s.keyring.seal(ANN, b"what follows from a job"),
}


async def state(stores: GraphStores) -> tuple[object, ...]:
    """All that the writes could have changed."""
    return (
        await stores.facts.listing(ANN, statuses=()),
        await stores.episodes.listing(ANN),
        await stores.conversations.get(ANN, "c"),
        await stores.weights.load(ANN),
        await stores.weights.reward_log(ANN),
        await stores.switches.get(ANN),
        await stores.job_store.spend(ANN, "2026-03-01", 0),
    )


async def filled(stores: GraphStores) -> None:
    await stores.facts.put([fact("f")])
    await stores.episodes.put([episode("e")])
    await stores.conversations.append(ANN, invocation("i"))


@pytest.mark.parametrize("erasing", [False, True], ids=["a part was forgotten", "all was erased"])
async def test_no_write_comes_after_a_forgetting_that_began_after_it(stores: GraphStores, erasing: bool) -> None:
    await filled(stores)
    claim = await stores.fence.claim(ANN)
    async with close_scope(stores.fence, ANN, erasing=erasing):
        pass
    before = await state(stores)
    for name, write in WRITES.items():
        with with_token(claim), pytest.raises(ScopeChanged):
            await write(stores)
        assert await state(stores) == before, name


async def test_an_operation_begins_anew_after_a_part_was_forgotten_and_not_after_an_erasure(stores: GraphStores) -> None:
    tries: list[int] = []

    async def interrupted(erasing: bool) -> str:
        tries.append(1)
        if len(tries) == 1:
            await stores.fence.reopen(ANN, await stores.fence.close(ANN, erasing=erasing))
        await stores.facts.put([fact("f")])
        return "done"

    assert await run_fenced(stores.fence, ANN, lambda: interrupted(False)) == "done"
    assert len(tries) == 2
    tries.clear()
    await stores.facts.forget_scope(ANN)
    with pytest.raises(ScopeChanged, match="erased"):
        await run_fenced(stores.fence, ANN, lambda: interrupted(True))
    assert (len(tries), await stores.facts.listing(ANN)) == (1, [])


async def test_writers_and_an_erasure_at_once(stores: GraphStores) -> None:
    """Any number of writers, each told at its next write; what is there when the scope is closed is all there ever is."""

    busy = asyncio.Event()

    async def write(number: int) -> int:
        with with_token(await stores.fence.claim(ANN)):
            for place in range(1000):
                said = replace(invocation(f"i{number}-{place}"), conversation_id=f"c{number}")
                try:
                    await stores.conversations.append(ANN, said)
                except ScopeChanged:
                    return place
                await asyncio.sleep(0)
                if place == 3:
                    busy.set()
        return -1

    writers = [asyncio.create_task(write(number)) for number in range(6)]
    await busy.wait()
    await stores.fence.close(ANN, erasing=True)
    there = (await stores.conversations.count(ANN))["invocations"]
    written = await asyncio.gather(*writers)
    assert -1 not in written
    assert sum(written) == there == (await stores.conversations.count(ANN))["invocations"]


async def test_what_is_sealed_before_an_erasure_stays_unreadable(stores: GraphStores) -> None:
    claim = await stores.fence.claim(ANN)
    with with_token(claim):
        sealed = await stores.keyring.seal(ANN, b"before")
    async with close_scope(stores.fence, ANN, erasing=True):
        await stores.keyring.destroy(ANN)
    with with_token(claim), pytest.raises(ScopeChanged):
        await stores.keyring.seal(ANN, b"before, too")
    new = await stores.keyring.seal(ANN, b"said after it")
    assert await stores.keyring.open(ANN, new) == b"said after it"
    with pytest.raises(ScopeErased):
        await stores.keyring.open(ANN, sealed)
