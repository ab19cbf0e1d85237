"""Gathering: parts run at once, a late or broken one is named, and what is shown is what can be cited."""

import asyncio
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from prometheus_client import REGISTRY

from trustgraph_react_mem.errors import EngineUnavailable, MissingScope, ModelUnavailable
from trustgraph_react_mem.memory.records import turn_id
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.recall.pipeline import ContextBuilder
from trustgraph_react_mem.recall.request import RecallRequest
from trustgraph_react_mem.schema import (
    ConversationMemory,
    ConversationsResponse,
    Episode,
    EpisodesResponse,
    Fact,
    FactsResponse,
    InvocationSummary,
    MemoryOptions,
)
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

SCOPE = Scope(workspace="w", user="u", collection="c")


class Client:
    """Answers with ``response``, after ``gate`` is set when there is one; an exception is raised."""

    def __init__(self, response: Any, gate: asyncio.Event | None = None) -> None:
        self.response, self.gate, self.arrived = response, gate, asyncio.Event()
        self.requests: list[Any] = []

    async def call(self, request: Any, *, timeout_s: float) -> Any:
        self.requests.append(request)
        self.arrived.set()
        if self.gate is not None:
            await self.gate.wait()
        if isinstance(self.response, BaseException):
            raise self.response
        return self.response


def facts(number: int = 3) -> FactsResponse:
    return FactsResponse(
        facts=[
            Fact(id=f"f{i}", content=f"fact {i}", speaker="Ann", timestamp="2023-05-08T10:00:00+00:00") for i in range(number)
        ],
        rules=[Fact(id="r", kind="procedural", condition="always", action="be brief")],
        candidate_ids=[f"f{i}" for i in range(number + 1)],
        feature_names=["base", "text"],
        features=[float(i) for i in range(2 * (number + 1))],
        policy_version=7,
    )


def episodes() -> EpisodesResponse:
    return EpisodesResponse(episodes=[Episode(id="e", goal="book a flight", steps=["search"], outcome="done", lessons="early")])


def conversation() -> ConversationsResponse:
    told = [InvocationSummary(id="i0", query="I plan a holiday in Hawaii", result="Which island?")]
    return ConversationsResponse(conversation=ConversationMemory(conversation_id="conv", invocations=told), success=True)


def gatherer(**clients: Any) -> ContextBuilder:
    given: dict[str, Any] = {
        "embedder": HashedEmbedder(),
        "facts": Client(facts()),
        "episodes": Client(episodes()),
        "conversations": Client(conversation()),
    }
    return ContextBuilder(**{**given, **clients})


def request(question: str = "Where did Ann go in May?", options: MemoryOptions | None = None, **settings: Any) -> RecallRequest:
    return RecallRequest(
        scope=SCOPE,
        question=question,
        conversation_id="conv",
        asked_at=datetime(2023, 6, 14, tzinfo=UTC),
        settings=AgentMemSettings(**settings),
        options=options,
    )


async def test_everything_comes_numbered_and_replayable() -> None:
    recalled = await gatherer().gather(request())
    assert recalled.missing == ()
    variables = recalled.variables()
    assert [memory["number"] for memory in variables["memories"]] == [0, 1, 2]  # type: ignore[union-attr,index,call-overload]
    assert variables["memories"][0]["when"] == "2023-05-08"  # type: ignore[index,call-overload]
    assert variables["exchanges"] == [{"query": "I plan a holiday in Hawaii", "result": "Which island?"}]
    assert recalled.retrieval is not None
    payload = recalled.retrieval.payload()
    assert payload["shown_ids"] == ["f0", "f1", "f2"]
    assert payload["features"] == [[0.0, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]
    assert payload["policy_version"] == 7
    assert {"embedding", "facts", "episodes", "conversation", "total"} <= recalled.timings_ms.keys()


async def test_facts_and_episodes_wait_for_nobody_but_the_embedding() -> None:
    gate = asyncio.Event()
    found, tasks = Client(facts(), gate), Client(episodes(), gate)
    running = asyncio.create_task(
        gatherer(facts=found, episodes=tasks, conversations=Client(conversation(), gate)).gather(request())
    )
    async with asyncio.timeout(60):
        await found.arrived.wait()
        await tasks.arrived.wait()
    gate.set()
    assert (await running).missing == ()


async def test_a_part_past_its_deadline_is_named_and_the_rest_is_there() -> None:
    never = asyncio.Event()
    recalled = await gatherer(episodes=Client(episodes(), never)).gather(request(recall_deadline_ms=20))
    assert [(part.part, part.reason) for part in recalled.missing] == [("episodes", "deadline")]
    assert len(recalled.facts) == 3


@pytest.mark.parametrize(
    ("client", "reason"),
    [
        (Client(EngineUnavailable("away")), "engine-unavailable"),
        (Client(RuntimeError("a driver's own")), "RuntimeError"),
        (Client(MissingScope("...")), "missing-scope"),
        (None, "not-configured"),
    ],
)
async def test_a_broken_service_costs_only_its_part(client: Client | None, reason: str) -> None:
    recalled = await gatherer(facts=client).gather(request())
    assert [(part.part, part.reason) for part in recalled.missing] == [("facts", reason)]
    assert recalled.facts == ()
    assert recalled.retrieval is None
    assert recalled.episodes


class NoEmbedder(HashedEmbedder):
    async def embed(self, texts: Any, *, role: Any) -> Any:
        raise ModelUnavailable("away")


async def test_without_embeddings_the_text_is_searched() -> None:
    client = Client(facts())
    recalled = await gatherer(embedder=NoEmbedder(), facts=client).gather(request())
    assert [(part.part, part.reason) for part in recalled.missing] == [("embedding", "model-unavailable")]
    assert client.requests[0].embedding == []
    assert client.requests[0].query
    assert recalled.facts


async def test_a_greeting_searches_nothing_but_knows_the_conversation() -> None:
    client = Client(facts())
    recalled = await gatherer(facts=client).gather(request("Hello!"))
    [only_rules] = client.requests  # they apply to every answer
    assert (only_rules.query, only_rules.top_k, only_rules.rules) == ("", 0, 3)
    assert recalled.retrieval is None
    assert recalled.gate == "greeting"
    assert recalled.thread.exchanges


async def test_a_vague_question_borrows_from_the_conversation() -> None:
    client = Client(facts())
    recalled = await gatherer(facts=client).gather(request("How much?"))
    assert recalled.query.mode == "context"
    assert "Hawaii" in client.requests[0].query


async def test_a_vague_question_with_a_word_of_its_own_keeps_its_meaning() -> None:
    client = Client(facts())
    builder = gatherer(facts=client, shared=True)
    recalled = await builder.gather(request("Where do I live?"))
    [sent] = client.requests
    assert (sent.query, "Hawaii" in sent.query) == (recalled.query.question, True)
    alone = await HashedEmbedder().embed(["Where do I live?"], role="query")
    assert sent.embedding == alone[0].tolist()
    assert recalled.retrieval is not None
    assert recalled.retrieval.question == "Where do I live?", "the ranking learns from what was embedded"


async def test_the_request_carries_settings_and_options() -> None:
    client = Client(facts())
    options = MemoryOptions(memory_types=["semantic"], retrieval_limit=2, similarity_threshold=0.4)
    await gatherer(facts=client).gather(request(options=options, rerank="paper", rmm_top_k=30))
    sent = client.requests[0]
    assert (sent.operation, sent.user, sent.collection) == ("retrieve", "u", "c")
    assert (sent.top_k, sent.candidates, sent.kinds, sent.threshold, sent.rerank) == (2, 30, ["semantic"], 0.4, "paper")
    assert sent.asked_at.startswith("2023-06-14")
    await gatherer(facts=client).gather(request(rerank="off"))
    assert client.requests[1].rerank == "off"


async def test_a_ranking_that_could_not_be_had_is_named_and_counted() -> None:
    labels = {"part": "ranking", "reason": "not-finite"}
    before = REGISTRY.get_sample_value("tg_memory_recall_missing_total", labels) or 0.0
    found = facts()
    found.stats = {"unranked": "not-finite"}
    recalled = await gatherer(facts=Client(found)).gather(request())
    assert [(part.part, part.reason) for part in recalled.missing] == [("ranking", "not-finite")]
    assert [fact.id for fact in recalled.facts] == ["f0", "f1", "f2"]  # retrieval's own order goes on
    assert REGISTRY.get_sample_value("tg_memory_recall_missing_total", labels) == before + 1


SHOWN = sorted(turn_id(SCOPE, "conv", "i0", part) for part in ("question", "answer"))


async def test_the_records_that_the_conversation_shows_travel_with_the_request() -> None:
    client = Client(facts())
    recalled = await gatherer(facts=client).gather(request())
    assert client.requests[0].exclude == SHOWN
    assert recalled.thread.turn_ids == set(SHOWN)


async def test_what_a_late_conversation_shows_is_removed_afterwards_and_leaves_no_place_empty() -> None:
    gate, found = asyncio.Event(), facts(12)
    found.facts[1].id = SHOWN[0]
    client = Client(found)
    running = asyncio.create_task(gatherer(facts=client, conversations=Client(conversation(), gate)).gather(request()))
    async with asyncio.timeout(60):
        await client.arrived.wait()
    gate.set()
    recalled = await running
    sent = client.requests[0]
    assert (sent.exclude, sent.top_k, sent.candidates) == ([], 17, 32)
    assert [fact.id for fact in recalled.facts] == ["f0", "f2", "f3", "f4", "f5"]


@pytest.mark.parametrize(
    ("types", "kinds", "top_k", "rules", "episodes"),
    [
        ([], [], 5, 3, True),
        (["semantic"], ["semantic"], 5, 0, False),
        (["procedural"], [], 0, 3, None),
        (["episodic"], None, 0, 0, True),
        (["semantic", "procedural", "episodic"], ["semantic"], 5, 3, True),
    ],
)
async def test_memory_types_choose_facts_rules_and_episodes(
    types: list[str], kinds: list[str] | None, top_k: int, rules: int, episodes: bool | None
) -> None:
    found, tasks = Client(facts()), Client(EpisodesResponse())
    await gatherer(facts=found, episodes=tasks).gather(request(options=MemoryOptions(memory_types=types)))
    assert bool(tasks.requests) == bool(episodes)
    if kinds is None:
        assert found.requests == []
    else:
        sent = found.requests[0]
        assert (sent.kinds, sent.top_k, sent.rules) == (kinds, top_k, rules)


async def test_an_episode_is_shown_only_with_its_steps_and_a_lesson() -> None:
    def episode(name: str, *steps: str, lessons: str = "early") -> Episode:
        return Episode(id=name, goal="book a flight", steps=list(steps), outcome="done", lessons=lessons)

    found = [episode("no-lesson", "search", lessons=""), episode("no-steps"), episode("e1", "search"), episode("e2", "pay")]
    tasks = Client(EpisodesResponse(episodes=found))
    recalled = await gatherer(episodes=tasks).gather(request(episode_retrieval_top_k=1))
    assert [each.id for each in recalled.episodes] == ["e1"]
    assert recalled.variables()["episodes"][0]["steps"] == "search"  # type: ignore[index,call-overload]
    assert tasks.requests[0].top_k > 1


async def test_a_former_memory_names_what_took_its_place() -> None:
    found = facts(2)
    found.facts[0].former_since, found.facts[0].superseded_by = "2023-06-13T23:00:00+00:00", found.facts[1].id
    recalled = await gatherer(facts=Client(found)).gather(replace(request(), timezone="Europe/Berlin"))
    former, newer = recalled.variables()["memories"]  # type: ignore[misc,str-unpack]
    assert (former["ended"], former["newer"], newer["ended"]) == ("2023-06-14", 1, "")  # type: ignore[index,call-overload]
    shown = recalled.note(with_content=True)["memories"]
    assert [memory.get("until") for memory in shown] == ["until 2023-06-14, then [1]", None]  # type: ignore[union-attr]
