"""Job topics, and replicas of a service, on Apache Pulsar (`make test-servers` gives the address)."""

import asyncio
import itertools
import os
import uuid
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import replace
from typing import Any

import httpx
import pytest
from trustgraph.schema.core.topic import queue

from tests.integration.bus.bus_support import DEADLINE_S, job, make_keyring
from trustgraph_react_mem.bus.jobs import BusJobPublisher, JobConsumer
from trustgraph_react_mem.bus.leadership import Leadership
from trustgraph_react_mem.bus.pools import DirectReceivers, DirectSenders
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.bus.rpc import Requests
from trustgraph_react_mem.bus.trustgraph_adapter import topic_address
from trustgraph_react_mem.learning.handler_table import partition_key
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.requests import FactsRequest
from trustgraph_react_mem.schema import FactsResponse
from trustgraph_react_mem.schema.topics import FACTS, job_queue

URL = os.environ.get("TEST_PULSAR_URL", "")
ADMIN_URL = os.environ.get("TEST_PULSAR_ADMIN_URL", "")
PATIENCE_S = 180.0  # only a lost request is not answered by then, however busy the machine is

pytestmark = pytest.mark.servers


@pytest.fixture(autouse=True)
def _a_pulsar_is_named() -> None:
    if not URL or not ADMIN_URL:
        pytest.fail("TEST_PULSAR_URL and TEST_PULSAR_ADMIN_URL name no Pulsar: run make test-servers")


def in_workspace(workspace: str, number: int) -> Job:
    made = job(number)
    return replace(made, scope=replace(made.scope, workspace=workspace))


async def test_publishers_of_other_processes_open_the_subscription_without_disturbing_the_worker() -> None:
    workspace = f"test-{uuid.uuid4().hex}"
    backends = [DirectBackend(URL) for _ in range(3)]
    keys = make_keyring()
    publishers = [BusJobPublisher(backend, keys, partition_key=partition_key, source="test") for backend in backends[:2]]
    consumer = JobConsumer(backends[2], keys)
    await publishers[0].publish([in_workspace(workspace, 0)])  # nobody is subscribed yet
    await consumer.add_workspace(workspace)
    await publishers[1].publish([in_workspace(workspace, number) for number in range(1, 20)])
    received: list[str] = []
    async with asyncio.timeout(DEADLINE_S):
        while len(received) < 20:
            one = await consumer.receive()
            received.append(one.head.id)
            await one.ack()
    assert received == [f"ann-record-{number}" for number in range(20)]
    await consumer.close()
    for publisher in publishers:
        await publisher.close()
    for backend in backends:
        await backend.close()


async def test_one_process_leads_at_a_time_and_another_takes_over() -> None:
    backends = [DirectBackend(URL) for _ in range(2)]
    topic = queue(f"test-{uuid.uuid4().hex}", cls="notify")
    first, second = [Leadership(backend, topic) for backend in backends]
    assert await first.try_lead()
    assert not await second.try_lead()
    assert await first.try_lead()
    await first.close()
    assert await second.try_lead()
    await second.close()
    for backend in backends:
        await backend.close()


async def backlog(admin: httpx.AsyncClient, topic: str) -> int:
    """What a scaler reads: the lag of the subscription over all partitions."""
    stats = (await admin.get(f"/admin/v2/persistent/{topic}/partitioned-stats")).json()
    return int(stats["subscriptions"]["agent-memory-jobs"]["msgBacklog"])


async def test_a_job_topic_with_partitions_keeps_each_scope_in_order_and_loses_nothing() -> None:
    """As docs/sizing.md advises: partitions are made before the first job, and given to two workers."""
    workspace = f"test-{uuid.uuid4().hex}"
    topic = topic_address(job_queue(workspace)).removeprefix("persistent://")
    async with httpx.AsyncClient(base_url=ADMIN_URL, trust_env=False) as admin:
        made = await admin.put(f"/admin/v2/persistent/{topic}/partitions", json=4)
        assert made.status_code == 204, made.text
        backends = [DirectBackend(URL) for _ in range(3)]
        keys = make_keyring()
        publisher = BusJobPublisher(backends[0], keys, partition_key=partition_key, source="test")
        consumers = [JobConsumer(backend, keys) for backend in backends[1:]]
        for consumer in consumers:
            await consumer.add_workspace(workspace)
        sent = [of_user(workspace, f"user-{number % 40}", number) for number in range(400)]
        await publisher.publish(sent)
        received: list[tuple[int, str, str]] = []  # worker, user, job
        async with asyncio.timeout(DEADLINE_S), asyncio.TaskGroup() as workers:

            async def work(number: int, consumer: JobConsumer) -> None:
                while len(received) < len(sent):
                    try:
                        one = await asyncio.wait_for(consumer.receive(), 0.5)
                    except TimeoutError:
                        continue
                    received.append((number, one.head.scope.user, one.head.id))
                    await one.ack()

            for number, consumer in enumerate(consumers):
                workers.create_task(work(number, consumer))
        for _ in range(100):  # clients send acknowledgements in groups
            if not (left := await backlog(admin, topic)):
                break
            await asyncio.sleep(0.1)
    assert left == 0
    assert sorted(job_id for _, _, job_id in received) == sorted(one.id for one in sent)
    for user in {one.scope.user for one in sent}:
        order = [job_id for _, name, job_id in received if name == user]
        assert order == [one.id for one in sent if one.scope.user == user]
        assert len({worker for worker, name, _ in received if name == user}) == 1
    assert {worker for worker, _, _ in received} == {0, 1}
    part: Any
    for part in (*consumers, publisher, *backends):
        await part.close()


def of_user(workspace: str, user: str, number: int) -> Job:
    made = in_workspace(workspace, number)
    return replace(made, scope=replace(made.scope, user=user))


async def test_requests_of_a_scope_go_to_one_replica_of_the_facts_service() -> None:
    suffix = f"test-{uuid.uuid4().hex}:default"
    topic, replies = f"{queue(FACTS, cls='request')}:{suffix}", f"{queue(FACTS, cls='response')}:{suffix}"
    backends = [DirectBackend(URL) for _ in range(3)]
    taken: list[tuple[int, str]] = []
    pools = []
    for number, backend in enumerate(backends[1:]):
        pools.append(await replica(backend, topic, replies, number, taken))
    client = await facts_client(backends[0], topic, replies)
    users = [f"user-{number % 20}" for number in range(100)]
    answers = await asyncio.gather(*(client.request(FactsRequest(user=user), DEADLINE_S) for user in users))
    assert [answer.data for answer in answers] == users
    assert len(taken) == len(users)
    for user in set(users):
        assert len({number for number, name in taken if name == user}) == 1
    assert {number for number, _ in taken} == {0, 1}
    part: Any
    for part in (client, *backends):
        await part.close()
    for pool in pools:
        await pool.stop()


async def facts_client(backend: Bus, topic: str, replies: str) -> Requests:
    return await Requests.create(
        backend=backend,
        request_topic=topic,
        response_topic=replies,
        request_schema=FactsRequest,
        response_schema=FactsResponse,
    )


async def replica(
    backend: Bus,
    topic: str,
    replies: str,
    number: int,
    taken: list[tuple[int, str]],
    hold: Callable[[], Awaitable[Any]] | None = None,
) -> DirectReceivers:
    receivers, senders = DirectReceivers(backend, 8), DirectSenders(backend)
    await receivers.start()
    handle = await senders.add_producer(replies, FactsResponse)

    async def answer(message: Any) -> None:
        request = message.value()
        taken.append((number, request.user))
        if hold is not None:
            await hold()
        await handle.send(FactsResponse(data=request.user), {"id": message.properties()["id"]})

    await receivers.add_consumer(topic, "agent-facts", FactsRequest, answer)
    return receivers


async def hand_over(client: Requests, topic: str, replies: str, buses: Iterator[Bus]) -> tuple[list[tuple[int, str]], int]:
    """One replica takes over from another while clients ask.  Returns what each has taken, and how many were asked."""
    taken: list[tuple[int, str]] = []
    over, asked = asyncio.Event(), 0

    async def ask() -> None:
        nonlocal asked
        while not over.is_set():
            asked += 1
            await client.request(FactsRequest(user=f"user-{asked}"), PATIENCE_S)

    old = await replica(next(buses), topic, replies, 0, taken)
    async with asyncio.TaskGroup() as people:
        for _ in range(8):
            people.create_task(ask())
        for number in range(1, 5):
            new = await replica(next(buses), topic, replies, number, taken)
            async with asyncio.timeout(PATIENCE_S):
                while sum(taker == number for taker, _ in taken) < 20:  # noqa: ASYNC110 - it works beside the old one
                    await asyncio.sleep(0.01)
            assert await old.drain(PATIENCE_S) == 0
            await old.stop()
            old = new
        over.set()
    await old.stop()
    return taken, asked


@pytest.mark.parametrize("service", ["text-completion", FACTS], ids=["shared", "by scope"])
async def test_no_request_is_lost_while_one_replica_takes_over_from_another(service: str) -> None:
    """Clients ask without pause: some requests are on their way whenever a consumer joins or leaves."""
    suffix = f"test-{uuid.uuid4().hex}:default"
    topic, replies = f"{queue(service, cls='request')}:{suffix}", f"{queue(service, cls='response')}:{suffix}"
    backends = [DirectBackend(URL) for _ in range(3)]
    client = await facts_client(backends[0], topic, replies)
    taken, asked = await hand_over(client, topic, replies, itertools.cycle(backends[1:]))
    assert len({user for _, user in taken}) == asked
    if service != FACTS:  # there a slow replica may be working on a request that now belongs to another one
        assert len(taken) == asked
    part: Any
    for part in (client, *backends):
        await part.close()
