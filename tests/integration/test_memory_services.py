"""The services as a client meets them: every operation over a real broker and the embedded engines, in one stack."""

import json
import os
import unicodedata
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from tests.integration.jobs_support import ANN
from tests.integration.stores.stores_support import fact
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import BadRequest, ConfigurationError, MissingScope, NotFound, TooLarge
from trustgraph_react_mem.memory.requests import (
    AppendInvocation,
    EndConversation,
    EpisodesRequest,
    ExportFacts,
    FactsRequest,
    ForgetEpisode,
    ForgetFacts,
    GetConversation,
    GetCurrentConversation,
    GetEpisode,
    GetEpisodeStats,
    GetFactHistory,
    GetFacts,
    GetFactStats,
    GetJob,
    GetLearningStatus,
    ImportLines,
    ImportTurns,
    ListConversations,
    ListEpisodes,
    ListFacts,
    RateFacts,
    RetrieveEpisodes,
    RetrieveFacts,
    StoreEpisode,
    StoreFact,
    SwitchMemory,
    UndoChange,
    UpdateFact,
    WaitUntilIdle,
)
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors.operations.fact_reading import FactReading
from trustgraph_react_mem.recall.pipeline import ContextBuilder
from trustgraph_react_mem.recall.request import RecallRequest
from trustgraph_react_mem.retrieval.query import RetrievalQuery, Retrieved
from trustgraph_react_mem.schema import ConversationMemory, InvocationSummary, Turn
from trustgraph_react_mem.settings import AgentMemSettings
from trustgraph_react_mem.stack_state import running_stack
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.asyncio(loop_scope="module")


async def store(bus: MemoryBus, user: str, content: str, **more: object) -> str:
    response = await bus.call(StoreFact(user=user, content=content, **more))  # type: ignore[arg-type]
    return response.fact_id


async def test_a_stored_fact_is_found_at_once_and_only_in_its_scope(bus: MemoryBus, user: str) -> None:
    fact_id = await store(bus, user, "Ann keeps a boat called Mimi", importance=0.9)
    found = await bus.call(RetrieveFacts(user=user, query="which boat has Ann?"))
    assert [fact.id for fact in found.facts] == [fact_id]
    assert found.candidate_ids == [fact_id]
    assert len(found.features) == len(found.feature_names)
    for other in ({"user": "somebody else"}, {"user": user, "collection": "another"}):
        empty = await bus.call(RetrieveFacts(query="which boat has Ann?", **other))  # type: ignore[arg-type]
        assert empty.facts == []


async def test_a_fact_has_a_history_that_can_be_taken_back(bus: MemoryBus, user: str) -> None:
    fact_id = await store(bus, user, "The boat is red")
    await bus.call(UpdateFact(user=user, id=fact_id, content="The boat is blue"))
    history = (await bus.call(GetFactHistory(user=user, id=fact_id))).history
    assert [entry.change for entry in history] == ["updated", "created"]
    undone = await bus.call(UndoChange(user=user, id=fact_id))
    assert undone.facts[0].content == "The boat is red"
    redone = await bus.call(UndoChange(user=user, id=undone.stats["operation"]))
    assert (redone.count, redone.stats["facts"]) == (1, "1")
    history = (await bus.call(GetFactHistory(user=user, id=fact_id))).history
    assert [entry.trigger for entry in history[:2]] == [redone.stats["operation"], undone.stats["operation"]]


async def test_forgetting_is_done_when_it_is_answered_and_what_rests_on_it_follows(bus: MemoryBus, user: str) -> None:
    fact_id = await store(bus, user, "Secretly afraid of geese")
    assert (await bus.call(ForgetFacts(user=user, ids=[fact_id]))).count == 1
    assert (await bus.call(GetFacts(user=user, ids=[fact_id]))).facts == []
    assert (await bus.call(RetrieveFacts(user=user, query="afraid of geese"))).facts == []
    assert (await bus.call(ForgetFacts(user=user, ids=[fact_id]))).count == 0
    await bus.call(WaitUntilIdle(user=user))


async def test_a_switch_holds_for_services_too(bus: MemoryBus, user: str) -> None:
    await store(bus, user, "Known before")
    off = await bus.call(SwitchMemory(user=user, read=False, write=False))
    assert off.stats == {"read": "off", "write": "off"}
    found = await bus.call(RetrieveFacts(user=user, query="known before"))
    assert (found.facts, found.stats) == ([], {"read": "off", "write": "off"})
    with pytest.raises(BadRequest, match="switch"):
        await store(bus, user, "Not to be kept")
    on = await bus.call(SwitchMemory(user=user, read=True))
    assert on.stats == {"read": "on", "write": "off"}
    found = await bus.call(RetrieveFacts(user=user, query="known before"))
    assert (found.stats["read"], found.stats["write"]) == ("on", "off")


WORD = "zanzibar"  # occurs in everything that is remembered below

READS: dict[str, Callable[[MemoryBus, str, Mapping[str, str]], Awaitable[object]]] = {
    "facts.retrieve": lambda b, u, i: b.call(RetrieveFacts(user=u, query=WORD, rules=3, conversation_id=i["conversation"])),
    "facts.get": lambda b, u, i: b.call(GetFacts(user=u, ids=[i["fact"]], conversation_id=i["conversation"])),
    "facts.list": lambda b, u, i: b.call(ListFacts(user=u, source=i["conversation"])),
    "facts.history": lambda b, u, i: b.call(GetFactHistory(user=u, id=i["fact"], conversation_id=i["conversation"])),
    "episodes.retrieve": lambda b, u, i: b.call(RetrieveEpisodes(user=u, query=WORD, conversation_id=i["conversation"])),
    "episodes.get": lambda b, u, i: b.call(GetEpisode(user=u, id=i["episode"], conversation_id=i["conversation"])),
    "episodes.list": lambda b, u, i: b.send(EpisodesRequest(operation="list", user=u, source=i["conversation"])),
    "conversations.get": lambda b, u, i: b.call(GetConversation(user=u, conversation_id=i["conversation"])),
    "conversations.list": lambda b, u, i: b.call(ListConversations(user=u)),
    "recall": lambda b, u, i: _recalled(b, u, i["conversation"]),
}


async def _recalled(bus: MemoryBus, user: str, conversation_id: str) -> object:
    """What an agent gathers when nobody could tell it that reading is off."""
    found = await ContextBuilder(
        embedder=HashedEmbedder(),
        facts=bus,
        episodes=bus,
        conversations=bus,
    ).gather(
        RecallRequest(
            scope=Scope(workspace="default", user=user, collection="default"),
            question=f"What do you know about the {WORD[::-1]}?",
            settings=AgentMemSettings(query_rewrite="off", recall_deadline_ms=10_000),
            conversation_id=conversation_id,
            asked_at=datetime.now(UTC),
        )
    )
    assert not [missing for missing in found.missing if missing.reason != "not-configured"], found.missing
    return found


@pytest.mark.parametrize("level", ["user", "conversation"])
async def test_no_read_path_tells_anything_where_reading_is_off(
    bus: MemoryBus, stack: EmbeddedStack, user: str, level: str
) -> None:
    """A table of every way to what is remembered, against both lasting switches; each tells it while reading is on."""
    conversation = "c1"
    fact_id = await store(bus, user, f"The {WORD} is blue", source=conversation)
    episode = StoreEpisode(user=user, goal=f"paint the {WORD}", outcome="painted", source=conversation)
    ids = {"fact": fact_id, "episode": (await bus.call(episode)).episode_id, "conversation": conversation}
    said = InvocationSummary(id="i1", query=f"Where is the {WORD}?", result="Here.")
    await bus.call(AppendInvocation(user=user, conversation_id=conversation, invocation=said))
    scope = Scope(workspace="default", user=user, collection="default")
    assert stack.memory is not None
    await stack.memory.stores.graph.conversations.set_metadata(scope, conversation, {"summary": f"about the {WORD}"})

    async def told() -> dict[str, bool]:
        return {name: WORD in repr(await read(bus, user, ids)) for name, read in READS.items()}

    assert await told() == dict.fromkeys(READS, True)
    of = conversation if level == "conversation" else ""
    await bus.call(SwitchMemory(user=user, read=False, conversation_id=of))
    assert await told() == dict.fromkeys(READS, False)
    await bus.call(SwitchMemory(user=user, read=True, conversation_id=of))
    assert await told() == dict.fromkeys(READS, True)


async def test_requests_without_a_conversation_continue_the_recent_one_of_their_flow(bus: MemoryBus, user: str) -> None:
    noon = datetime(2026, 5, 1, 12, 10, tzinfo=UTC)

    async def current(minutes: float, flow: str = "talk", of: str = user) -> ConversationMemory:
        at = (noon + timedelta(minutes=minutes)).isoformat()
        reply = await bus.call(GetCurrentConversation(user=of, flow=flow, at=at, within_s=1800))
        assert reply.conversation is not None
        return reply.conversation

    async def say(conversation_id: str, text: str, minutes: float) -> None:
        at = (noon + timedelta(minutes=minutes)).isoformat()
        said = InvocationSummary(query=text, result="Noted.", timestamp=at)
        await bus.call(AppendInvocation(user=user, conversation_id=conversation_id, invocation=said))

    begun = await current(0)
    assert begun.invocations == []
    assert (await current(1)).conversation_id == begun.conversation_id  # two replicas that begin it at once agree
    await say(begun.conversation_id, "My cat is called Udon.", 0)
    await say("named", "Something else", 2)
    for minutes in (5, 25, 29):  # also beyond the half hour in which it began
        found = await current(minutes)
        assert (found.conversation_id, [said.query for said in found.invocations]) == (
            begun.conversation_id,
            ["My cat is called Udon."],
        )
    assert (await current(5, flow="other")).conversation_id != begun.conversation_id
    assert (await current(5, of=f"not-{user}")).conversation_id != begun.conversation_id
    assert (await current(31)).conversation_id != begun.conversation_id
    await bus.call(SwitchMemory(user=user, read=False, conversation_id=begun.conversation_id))
    assert (await current(5)).invocations == []
    await bus.call(SwitchMemory(user=user, read=True, conversation_id=begun.conversation_id))
    await bus.call(EndConversation(user=user, conversation_id=begun.conversation_id))
    after = await current(5)
    assert (after.conversation_id != begun.conversation_id, after.invocations) == (True, [])
    assert (await current(6)).conversation_id == after.conversation_id


async def test_feedback_reaches_the_ranking(bus: MemoryBus, user: str) -> None:
    fact_id = await store(bus, user, "Useful")
    response = await bus.call(RateFacts(user=user, ids=[fact_id], rating=1))
    await bus.call(WaitUntilIdle(user=user))
    job = (await bus.call(GetJob(user=user, id=response.stats["job"]))).jobs[0]
    assert (job.kind, job.status) == ("reward", "done")
    assert "policy" in json.loads((await bus.call(GetLearningStatus(user=user))).data)
    with pytest.raises(NotFound, match="nobody"):
        await bus.call(RateFacts(user=user, ids=["nobody"], rating=1))


async def test_episodes_are_kept_found_and_forgotten(bus: MemoryBus, user: str) -> None:
    request = StoreEpisode(user=user, goal="repair the pump", steps=["open it", "clean it"], outcome="it runs", succeeded=True)
    episode_id = (await bus.call(request)).episode_id
    found = await bus.call(RetrieveEpisodes(user=user, query="the pump is broken, repair it"))
    assert [(episode.id, episode.steps) for episode in found.episodes] == [(episode_id, ["open it", "clean it"])]
    assert (await bus.call(GetEpisodeStats(user=user))).count == 1
    assert (await bus.call(ForgetEpisode(user=user, id=episode_id))).count == 1
    assert (await bus.call(ListEpisodes(user=user))).episodes == []


async def test_a_conversation_grows_ends_and_goes_on(bus: MemoryBus, user: str) -> None:
    def update(number: int) -> AppendInvocation:
        said = InvocationSummary(id=f"i{number}", query=f"question {number}", result=f"answer {number}")
        return AppendInvocation(user=user, conversation_id="c1", invocation=said)

    assert [(await bus.call(update(n))).success for n in (1, 2, 2)] == [True, True, False]
    got = (await bus.call(GetConversation(user=user, conversation_id="c1"))).conversation
    assert got is not None
    assert [said.query for said in got.invocations] == ["question 1", "question 2"]
    end = EndConversation(user=user, conversation_id="c1")
    assert [(await bus.call(end)).success for _ in range(2)] == [True, False]
    unknown = await bus.call(GetConversation(user=user, conversation_id="none"))
    assert (unknown.conversation, unknown.success) == (None, False)


@pytest.mark.parametrize(
    ("request_", "told"),
    [
        (FactsRequest(operation="dance"), "'dance'"),
        (FactsRequest(operation="retrieve"), "query"),
        (FactsRequest(operation="retrieve", query="x", embedding=[0.1, 0.2]), "2 dimensions"),
        (FactsRequest(operation="retrieve", query="x", threshold=7), "7"),
        (FactsRequest(operation="retrieve", query="x", rerank="magic"), "'magic'"),
        (FactsRequest(operation="retrieve", query="x", asked_at="yesterday"), "'yesterday'"),
        (FactsRequest(operation="retrieve", query="x", kinds=["rumour"]), "'rumour'"),
        (FactsRequest(operation="store", content="  "), "empty"),
        (FactsRequest(operation="store", content="\u200b\x00\u202e "), "invisible"),
        (FactsRequest(operation="store", content="x", kind="turn"), "'turn'"),
        (FactsRequest(operation="store", content="x", importance=3), "3"),
        (FactsRequest(operation="store", content="x" * 200_000), "200000"),
        (FactsRequest(operation="get"), "id"),
        (FactsRequest(operation="list", status="lost"), "'lost'"),
        (FactsRequest(operation="list", limit=-1), "-1"),
        (FactsRequest(operation="rollback", user="ann", at="soon"), "'soon'"),
        (FactsRequest(operation="forget-scope", user="ann", level="galaxy"), "'galaxy'"),
        (FactsRequest(operation="feedback", id="x", rating=5), "5"),
        (FactsRequest(operation="import", source="c"), "turns"),
        (FactsRequest(operation="import", turns=[Turn(text="x")]), "source"),
        (FactsRequest(operation="stats", user="a\nb"), "control"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.operation,
)
async def test_a_wrong_request_is_told_its_value(bus: MemoryBus, request_: FactsRequest, told: str) -> None:
    with pytest.raises(BadRequest, match=told):
        await bus.send(request_)


async def test_a_request_without_a_collection_is_refused(bus: MemoryBus) -> None:
    with pytest.raises(MissingScope, match="collection"):
        await bus.call(GetFactStats(collection=""))


async def test_a_second_stack_on_the_same_data_is_refused(stack: EmbeddedStack) -> None:
    with pytest.raises(ConfigurationError, match=f"in use by process {os.getpid()}"):
        async with EmbeddedStack(stack.home, model="none", embeddings=HashedEmbedder(), settings=stack.settings):
            pass
    info = running_stack(stack.home)
    assert info is not None
    assert (info.pid, info.url, info.description) == (os.getpid(), stack.url, stack.description)


PATIENCE_S = 300.0  # long texts are screened on a busy machine


@pytest.mark.slow
async def test_what_no_reply_takes_is_named_and_recall_shows_the_best_that_fit(bus: MemoryBus, user: str) -> None:
    turns = [Turn(speaker="Ann", text=f"boat {n} " + "word " * 180_000) for n in range(6)]
    for turn in turns:
        assert (await bus.call(ImportTurns(user=user, source="s", turns=[turn]), timeout_s=PATIENCE_S)).count == 1
    with pytest.raises(TooLarge, match=r"a FactsResponse of 5\.\d MB does not go over the bus.*limit, top_k"):
        await bus.call(ListFacts(user=user), timeout_s=PATIENCE_S)
    assert len((await bus.call(ListFacts(user=user, limit=2), timeout_s=PATIENCE_S)).facts) == 2
    found = await bus.call(RetrieveFacts(user=user, query="boat word", top_k=6), timeout_s=PATIENCE_S)
    assert (len(found.facts), found.stats["left_out"]) == (4, "2")
    cursor, lines = "", list[str]()
    while True:
        page = await bus.call(ExportFacts(user=user, limit=500, cursor=cursor), timeout_s=PATIENCE_S)
        lines += page.data.splitlines()
        cursor = page.stats["next"]
        if not cursor:
            break
    assert len(lines) == 6
    for line in lines:
        assert (await bus.call(ImportLines(user=f"{user}-heir", lines=line), timeout_s=PATIENCE_S)).count == 1
    assert (await bus.call(ListFacts(user=f"{user}-heir", limit=1), timeout_s=PATIENCE_S)).count == 6


async def test_the_facts_service_samples_as_its_flow_says() -> None:
    asked: list[RetrievalQuery] = []

    async def retrieve(_: object, query: RetrievalQuery) -> Retrieved:
        asked.append(query)
        return Retrieved()

    memory: Any = SimpleNamespace(
        retriever=SimpleNamespace(retrieve=retrieve),
        clock=SimpleNamespace(now=lambda: None),
        graph=SimpleNamespace(switches=None, keyring=None),
        models=SimpleNamespace(current=SimpleNamespace(profile=SimpleNamespace(dimension=3))),
    )
    for settings in (AgentMemSettings(rerank_sampling=True), AgentMemSettings()):
        await FactReading(memory, settings, "default").retrieve(ANN, RetrieveFacts(query="maisons", seed=7))
    assert [(query.sampling, query.seed) for query in asked] == [(True, 7), (False, 7)]


# -- a user who is stored in another spelling than the composed one ----------------------------------------------------


NAMES = ("한국어", *(pytest.param(name, marks=pytest.mark.later) for name in ("Zoë", "Renée", "Ångström")))


async def contents_of(bus: MemoryBus, user: str) -> set[str]:
    return {each.content for each in (await bus.call(ListFacts(user=user))).facts}


async def store_as_before(stack: EmbeddedStack, user: str, content: str) -> None:
    """What an older version stored under a name as it was typed."""
    assert stack.memory is not None
    scope = Scope(workspace="default", user=user, collection="default")
    await stack.memory.facts.store(scope, [fact(f"old {content}", content, scope=scope)])


@pytest.mark.parametrize("name", NAMES)
async def test_a_scope_of_an_older_spelling_is_found_until_there_is_a_composed_one(stack: EmbeddedStack, name: str) -> None:
    other = unicodedata.normalize("NFD", name)
    async with await MemoryBus.connect(stack.url) as bus:
        await store_as_before(stack, other, f"{name} keeps bees")
        for typed in (name, other):
            assert await contents_of(bus, typed) == {f"{name} keeps bees"}
        await store_as_before(stack, name, f"{name} sails")
    async with await MemoryBus.connect(stack.url) as bus:
        assert stack.memory is not None
        stack.memory.names._known.clear()  # as after a restart
        for typed in (name, other):
            assert await contents_of(bus, typed) == {f"{name} sails"}, "the composed form comes first"
        await bus.call(StoreFact(user=other, content=f"{name} bakes"))
        assert len(await contents_of(bus, name)) == 2
