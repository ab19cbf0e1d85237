"""Faults of real servers and processes under load: nothing acknowledged is lost, nothing is there twice or out of order."""

import asyncio
import contextlib
import json
import uuid
from typing import Any

import pytest

from tests.crash.people import People
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import EngineUnavailable, NotFound
from trustgraph_react_mem.memory.requests import ForgetScope, GetJob, ListConversations, ListFacts, RetrieveFacts
from trustgraph_react_mem.stores.graph.engine import Statement
from trustgraph_react_mem.stores.graph.neo4j import Neo4jGraph

from .deployment import OURS, Addresses, Deployment

pytestmark = pytest.mark.servers

USERS = 4
TURNS = 12
"""Acknowledged turns before what happens, and after."""

SERVERS = ("pulsar", "neo4j", "qdrant")
WORKERS = "agent-memory-jobs"


def people_of(deployment: Deployment, named: str) -> People:
    return People(deployment.connect, USERS, named=named)


async def all_is_there(people: People) -> None:
    tally = await people.count()
    assert tally.lost == []
    assert tally.doubled == []
    assert tally.found == len(tally.acknowledged) > 0
    for words in people.told.values():  # each asked one after the other
        assert words == sorted(words)


async def kill_and_start(deployment: Deployment, addresses: Addresses, server: str) -> None:
    people = people_of(deployment, f"{server}-killed")
    async with people.asking():
        await people.acknowledged(TURNS)
        addresses.kill(server)
        addresses.start(server)
        await people.acknowledged(TURNS)
    await all_is_there(people)


async def kill_a_replica_of_each(deployment: Deployment) -> None:
    people = people_of(deployment, "replica-killed")
    async with people.asking():
        for processor in OURS:
            killed = deployment.of(processor)[0]
            deployment.kill(killed)
            await people.acknowledged(TURNS // 2)
            deployment.start(killed)
    deployment.wait_ready()
    await all_is_there(people)


@pytest.mark.parametrize("server", ["pulsar", pytest.param("neo4j", marks=pytest.mark.slow), "qdrant"])
async def test_a_server_killed_and_started_again_loses_and_doubles_nothing(
    deployment: Deployment, addresses: Addresses, server: str
) -> None:
    await kill_and_start(deployment, addresses, server)


async def test_a_transaction_that_the_graphs_end_cuts_short_leaves_nothing(addresses: Addresses) -> None:
    label = f"Cut{uuid.uuid4().hex}"
    graph = await Neo4jGraph.open(addresses.graph, attempts=1)
    made = f"UNWIND range(1, 5000000) AS number CREATE (:{label} {{number: number}})"
    writing = asyncio.create_task(graph.write([Statement(f"CREATE (:{label})"), Statement(made)]))
    running = "SHOW TRANSACTIONS YIELD currentQuery WHERE currentQuery STARTS WITH $text RETURN currentQuery"
    async with asyncio.timeout(30):
        while not await graph.read(running, {"text": made[:40]}):  # noqa: ASYNC110 - the server's doing
            await asyncio.sleep(0.02)
    addresses.kill("neo4j")
    with pytest.raises(EngineUnavailable):
        await writing
    addresses.start("neo4j")
    (row,) = await graph.read(f"MATCH (n:{label}) RETURN count(n) AS n", {})
    assert row["n"] == 0
    await graph.close()


@pytest.mark.slow
async def test_a_backlog_survives_a_restart_of_everything(deployment: Deployment, addresses: Addresses) -> None:
    people = people_of(deployment, "backlog")
    deployment.kill(*deployment.of(WORKERS))
    async with people.asking():
        await people.acknowledged(2 * TURNS)
    waiting = deployment.backlog()
    assert waiting >= 2 * TURNS
    deployment.kill()
    addresses.kill(*SERVERS)
    addresses.start(*SERVERS)
    assert deployment.backlog() >= waiting  # an acknowledgement that was not on disk yet makes a job come again
    deployment.start()
    deployment.wait_ready()
    await all_is_there(people)


@pytest.mark.slow
async def test_workers_that_come_and_go_keep_every_scopes_order(deployment: Deployment) -> None:
    people = people_of(deployment, "coming-and-going")
    first, second = deployment.of(WORKERS)
    async with people.asking():
        for end in (deployment.kill, deployment.stop):
            for worker in (first, second):
                await people.acknowledged(TURNS // 2)
                end(worker)
                await people.acknowledged(TURNS // 2)
                deployment.start(worker)
        await people.acknowledged(TURNS // 2)
    deployment.wait_ready(WORKERS)
    await all_is_there(people)


async def test_a_replica_of_every_processor_killed_under_load_loses_and_doubles_nothing(deployment: Deployment) -> None:
    await kill_a_replica_of_each(deployment)


async def test_nothing_comes_back_after_an_erasure_while_two_workers_write(deployment: Deployment) -> None:
    people = people_of(deployment, "erased")
    async with people.asking(), await deployment.connect() as bus:
        await people.acknowledged(2 * TURNS)
        people.silence()  # what was asked is still being recorded
        for user in people.users:
            begun = await bus.call(ForgetScope(level="user", user=user))
            receipt = await receipt_of(bus, user, begun.stats["job"])
            assert receipt["complete"], receipt
            assert await kept_of(bus, user) == 0
    deployment.until(lambda: deployment.backlog() == 0, "the jobs of whom was forgotten")
    async with await deployment.connect() as bus:
        for user in people.users:
            assert await kept_of(bus, user) == 0


async def receipt_of(bus: MemoryBus, user: str, job: str) -> dict[str, Any]:
    """The ledger tells it to whichever worker is asked."""
    async with asyncio.timeout(300):  # bounds a failure
        while True:
            with contextlib.suppress(NotFound):  # not begun yet
                told = await bus.call(GetJob(user=user, id=job))
                if told.data:
                    receipt: dict[str, Any] = json.loads(told.data)
                    return receipt
            await asyncio.sleep(0.1)


async def kept_of(bus: MemoryBus, user: str) -> int:
    """Records, vectors and exchanges of a person."""
    listed = await bus.call(ListFacts(user=user, limit=500))
    query = RetrieveFacts(user=user, query="What do I keep in the drawer?", top_k=5)
    retrieved = await bus.call(query)
    told = await bus.call(ListConversations(user=user))
    return len(listed.facts) + len(retrieved.facts) + len(told.conversations)
