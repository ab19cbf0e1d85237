"""Two replicas of every processor, on one Pulsar, Neo4j and Qdrant: each request answered once, each turn recorded once."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Iterable

import pytest
from trustgraph.schema import AgentResponse

from tests.crash.people import UNCONFIRMED
from trustgraph_react_mem.bus.pools import DirectReceivers
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.config.blueprint import SERVICES
from trustgraph_react_mem.memory.requests import (
    ListConversations,
    ListEpisodes,
    ListFacts,
    RateFacts,
    RetrieveFacts,
    StoreFact,
    WaitUntilIdle,
)
from trustgraph_react_mem.schema import AgentRequest
from trustgraph_react_mem.schema.topics import response_queue
from trustgraph_react_mem.turn_trace import TurnTrace

from .deployment import Deployment

pytestmark = pytest.mark.servers

TURNS = 32
RATINGS = 20
AT_ONCE = 6  # more would pass the time limits of the bus on a slow machine
TIMEOUT_S = 300.0  # bounds a failure


async def run_all(calls: Iterable[Awaitable[object]]) -> None:
    """Await all of the calls, a few at a time."""
    slots = asyncio.Semaphore(AT_ONCE)

    async def run(call: Awaitable[object]) -> None:
        async with slots:
            await call

    await asyncio.gather(*map(run, calls))


async def test_each_request_is_answered_once_and_recorded_once(deployment: Deployment) -> None:
    backend = DirectBackend(deployment.addresses.pulsar)
    listening = DirectReceivers(backend, 64)
    ends: Counter[str] = Counter()
    unconfirmed: set[str] = set()  # on a busy machine the bus may take too long: such a record may arrive, but not twice

    async def heard(message: object) -> None:
        ends[message.properties()["id"]] += message.value().end_of_dialog  # type: ignore[attr-defined]

    topic = response_queue("agent", deployment.workspace, deployment.flow)
    await listening.start()
    await listening.add_consumer(topic, "a-listener", AgentResponse, heard)
    async with await deployment.connect() as bus:

        async def asks(number: int) -> None:
            request = AgentRequest(question=f"I keep word{number:02} here.", user="replicas", conversation_id=f"talk{number}")
            trace = TurnTrace(question=request.question)
            async for message in bus.ask(request, timeout_s=TIMEOUT_S):
                trace.feed(message)
            if not trace.cited["recorded"]:
                assert UNCONFIRMED in trace.cited["notice"]
                unconfirmed.add(request.question)

        await run_all(asks(number) for number in range(TURNS))
        await bus.call(WaitUntilIdle(kind="record", user="replicas", timeout_s=TIMEOUT_S))
        listed = await bus.call(ListFacts(user="replicas", kinds=["turn"], limit=500))
        told = await bus.call(ListConversations(user="replicas", limit=500))
    assert list(ends.values()) == [1] * TURNS
    said = Counter(fact.content for fact in listed.facts if fact.content.startswith("I keep word"))
    questions = {f"I keep word{number:02} here." for number in range(TURNS)}
    assert len(unconfirmed) < TURNS
    assert questions - unconfirmed <= set(said) <= questions
    assert set(said.values()) == {1}
    assert len(told.conversations) == len(said)
    served = deployment.consumers(deployment.requests("agent"))
    assert len(served) == 2
    assert all(one["msgOutCounter"] > 0 for one in served)
    await listening.stop()
    await backend.close()


async def test_both_replicas_of_every_service_take_requests_and_both_workers_take_jobs(deployment: Deployment) -> None:
    async with await deployment.connect() as bus:
        requests = (
            lambda user: bus.call(ListFacts(user=user)),
            lambda user: bus.call(ListEpisodes(user=user)),
            lambda user: bus.call(ListConversations(user=user)),
            lambda user: bus.call(WaitUntilIdle(user=user, timeout_s=TIMEOUT_S)),
        )
        await run_all(request(f"person{number}") for request in requests for number in range(24))
    for service in SERVICES:
        assert all(one["msgOutCounter"] > 0 for one in deployment.consumers(deployment.requests(service))), service
    workers = deployment.consumers(deployment.jobs)
    assert len(workers) == 2
    assert all(one["msgOutCounter"] > 0 for one in workers)


async def test_ratings_through_both_replicas_change_the_weights_one_after_the_other(deployment: Deployment) -> None:
    """A lost update would leave a lower version than there are ratings."""
    async with await deployment.connect() as bus:
        stored = await bus.call(StoreFact(user="raters", content="Miso is allergic to chicken."))

        async def rates(number: int) -> None:
            rating = 1 if number % 2 else -1
            await bus.call(RateFacts(ids=[stored.fact_id], rating=rating, user="raters"))

        await asyncio.gather(*(rates(number) for number in range(RATINGS)))
        await bus.call(WaitUntilIdle(user="raters", timeout_s=TIMEOUT_S))
        query = RetrieveFacts(query="What must the dog not eat?", user="raters", rerank="calibrated")
        for _ in range(8):  # of either replica
            assert (await bus.call(query)).policy_version == RATINGS
