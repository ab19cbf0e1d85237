"""mem0's Python clients, sync and async, as installed from their package."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import httpx
import pytest
from mem0 import AsyncMemoryClient, MemoryClient
from mem0.exceptions import AuthenticationError, MemoryNotFoundError, ValidationError

from .conftest import Served, User

HARPSICHORD = "On weekends I tune harpsichords for a living."


class Client:
    """Either of mem0's clients, with methods to be awaited."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        method: Callable[..., Any] = getattr(self.inner, name)
        if isinstance(self.inner, AsyncMemoryClient):
            return method
        return lambda *args, **options: asyncio.to_thread(method, *args, **options)


@pytest.fixture(params=[MemoryClient, AsyncMemoryClient], ids=["sync", "async"])
def connect(request: pytest.FixtureRequest, served: Served) -> Callable[[str], Client]:
    return lambda key: Client(request.param(api_key=key, host=served.url))


@pytest.fixture
def user(served: Served) -> User:
    return served.user()


@pytest.fixture
def client(connect: Callable[[str], Client], user: User) -> Client:
    return connect(user.key)


async def ended(served: Served, key: str, event_id: str) -> Any:
    """The event once it has ended."""
    async with httpx.AsyncClient(base_url=served.url, headers={"Authorization": f"Token {key}"}) as session:
        while True:
            event = (await session.get(f"/v1/event/{event_id}/")).raise_for_status().json()
            if event["status"] in ("SUCCEEDED", "FAILED"):
                return event
            await asyncio.sleep(0.1)


async def texts(client: Client, **filters: Any) -> list[str]:
    return [memory["memory"] for memory in (await client.get_all(filters=filters))["results"]]


async def store(client: Client, user: User, *said: str, **options: Any) -> list[str]:
    """The ids of the stored memories."""
    messages = [{"role": "user", "content": text} for text in said]
    added = await client.add(messages, user_id=user.name, infer=False, **options)
    assert added["status"] == "SUCCEEDED"
    return [result["id"] for result in added["results"]]


async def test_what_is_added_is_found_best_first(client: Client, user: User) -> None:
    await store(client, user, "I am allergic to peanuts", "My bicycle is red", "I live in Porto")
    found = (await client.search("what am I allergic to", filters={"user_id": user.name}))["results"]
    assert found[0]["memory"] == "I am allergic to peanuts"
    scores = [memory["score"] for memory in found]
    assert scores == sorted(scores, reverse=True)
    assert all(0.1 <= score <= 1 for score in scores)
    best = await client.search("what am I allergic to", filters={"user_id": user.name}, top_k=1, threshold=0.5, rerank=True)
    assert [memory["memory"] for memory in best["results"]] == ["I am allergic to peanuts"]


async def test_a_memory_holds_what_it_was_added_with(client: Client, user: User) -> None:
    metadata = {"topic": "food", "count": 3, "role": "guest", "nested": {"a": [1, None]}}
    (memory_id,) = await store(client, user, "I eat plums", agent_id="cook", app_id="diary", run_id="r1", metadata=metadata)
    memory = await client.get(memory_id)
    assert (memory["id"], memory["memory"], memory["user_id"]) == (memory_id, "I eat plums", user.name)
    assert (memory["agent_id"], memory["app_id"], memory["run_id"], memory["session_id"]) == ("cook", "diary", "r1", "r1")
    assert memory["metadata"] == metadata


async def test_an_event_succeeds_when_the_memory_can_be_read(client: Client, user: User, served: Served) -> None:
    metadata = {"work": True, "topic": "crafts"}
    added = await client.add(HARPSICHORD, user_id=user.name, agent_id="a1", metadata=metadata)
    assert added["status"] == "PENDING"
    event = await ended(served, user.key, added["event_id"])
    assert event["status"] == "SUCCEEDED"
    assert [result["memory"] for result in event["results"]] == ["The user tunes harpsichords"]
    memory = await client.get(event["results"][0]["id"])
    assert (memory["agent_id"], memory["metadata"]) == ("a1", metadata)
    await client.update(memory["id"], metadata={"topic": "jobs"})
    assert (await client.get(memory["id"]))["metadata"] == {"work": True, "topic": "jobs"}
    assert await texts(client, user_id=user.name) == ["The user tunes harpsichords"]


async def test_an_update_keeps_the_history(client: Client, user: User) -> None:
    (memory_id,) = await store(client, user, "I live in Porto", metadata={"a": 1})
    changed = await client.update(memory_id, text="I live in Braga", metadata={"b": 2})
    assert (changed["memory"], changed["metadata"]) == ("I live in Braga", {"a": 1, "b": 2})
    history = await client.history(memory_id)
    assert [(entry["event"], entry["old_memory"], entry["new_memory"]) for entry in history] == [
        ("ADD", None, "I live in Porto"),
        ("UPDATE", "I live in Porto", "I live in Braga"),
    ]
    found = await client.search("where do I live", filters={"user_id": user.name})
    assert [memory["memory"] for memory in found["results"]] == ["I live in Braga"]


async def test_delete_all_takes_everything_of_the_user_and_nothing_else(
    client: Client, user: User, connect: Callable[[str], Client], served: Served
) -> None:
    other = served.user()
    neighbour = connect(other.key)
    await store(neighbour, other, "I own a boat")
    before = await neighbour.get_all(filters={"user_id": other.name})
    await store(client, user, *(f"My book number {number} is good" for number in range(130)))
    first = await client.get_all(filters={"user_id": user.name}, page=1, page_size=100)
    second = await client.get_all(filters={"user_id": user.name}, page=2, page_size=100)
    assert (first["count"], len(first["results"]), len(second["results"])) == (130, 100, 30)
    assert "page=2" in first["next"]
    assert (first["previous"], second["next"]) == (None, None)
    await client.delete_all(user_id=user.name)
    assert (await client.get_all(filters={"user_id": user.name}))["count"] == 0
    assert (await client.search("book", filters={"user_id": user.name}))["results"] == []
    assert await neighbour.get_all(filters={"user_id": other.name}) == before


async def test_a_deletion_without_a_clear_scope_is_refused(client: Client, user: User) -> None:
    await store(client, user, "I own a boat")
    for scope in ({}, {"filters": {"user_id": user.name}}, {"usr_id": user.name}, {"user_id": ""}, {"user_id": "  "}):
        with pytest.raises(ValidationError):
            await client.delete_all(**scope)
    with pytest.raises(AuthenticationError):
        await client.delete_all(user_id="somebody else")
    assert await texts(client, user_id=user.name) == ["I own a boat"]


async def test_filters_narrow_what_is_found(client: Client, user: User) -> None:
    await store(client, user, "I eat plums", agent_id="cook", metadata={"kind": "fruit", "stars": 5})
    await store(client, user, "I eat bread", agent_id="baker", run_id="r1", metadata={"kind": "grain", "stars": 2})
    await store(client, user, "I eat soup")
    mine = {"user_id": user.name}
    plums, bread, soup = "I eat plums", "I eat bread", "I eat soup"
    cases: list[tuple[dict[str, Any], list[str]]] = [
        (mine, [bread, plums, soup]),
        ({"user_id": "*"}, [bread, plums, soup]),
        ({"AND": [mine, {"agent_id": "cook"}]}, [plums]),
        ({"agent_id": "*"}, [bread, plums]),
        ({"OR": [{"agent_id": "cook"}, {"run_id": "r1"}]}, [bread, plums]),
        ({"AND": [mine, {"NOT": [{"agent_id": "cook"}]}]}, [bread, soup]),
        ({"metadata": {"kind": "fruit"}}, [plums]),
        ({"metadata": {"stars": {"gte": 3}}}, [plums]),
        ({"agent_id": {"in": ["cook", "baker"]}}, [bread, plums]),
        ({"keywords": {"icontains": "SOUP"}}, [soup]),
        ({"created_at": {"gte": "2999-01-01"}}, []),
        ({"agent_id": "nobody"}, []),
    ]
    for filters, expected in cases:
        assert sorted(await texts(client, **filters)) == expected, filters
        found = await client.search("what do I eat", filters=filters, threshold=0)
        assert sorted(memory["memory"] for memory in found["results"]) == expected, filters
    refused: list[dict[str, Any]] = [
        {"usr_id": user.name},
        {"agent_id": {"like": "x"}},
        {"AND": {}},
        {"created_at": {"gte": "soon"}},
    ]
    for wrong in refused:
        with pytest.raises(ValidationError):
            await client.search("what do I eat", filters=wrong)
        with pytest.raises(ValidationError):
            await client.get_all(filters=wrong)


async def test_users_do_not_reach_one_another(
    client: Client, user: User, connect: Callable[[str], Client], served: Served
) -> None:
    (memory_id,) = await store(client, user, "My locker is number 7")
    other = served.user()
    stranger = connect(other.key)
    assert (await stranger.search("locker", filters={"user_id": other.name}))["results"] == []
    assert await texts(stranger, user_id=other.name) == []
    for call in (
        stranger.get(memory_id),
        stranger.update(memory_id, text="x"),
        stranger.delete(memory_id),
        stranger.history(memory_id),
    ):
        with pytest.raises(MemoryNotFoundError):
            await call
    for filters in ({"user_id": user.name}, {"OR": [{"user_id": user.name}, {"user_id": other.name}]}):
        with pytest.raises(AuthenticationError):
            await stranger.search("locker", filters=filters)
    with pytest.raises(AuthenticationError):
        await stranger.add("x", user_id=user.name, infer=False)
    assert (await client.get(memory_id))["memory"] == "My locker is number 7"


async def test_entities_are_listed_and_deleted(client: Client, user: User) -> None:
    await store(client, user, "I eat plums", agent_id="cook", run_id="r1")
    await store(client, user, "I eat soup")
    listed = (await client.users())["results"]
    assert {(entity["type"], entity["name"], entity["total_memories"]) for entity in listed} == {
        ("user", user.name, 2),
        ("agent", "cook", 1),
        ("run", "r1", 1),
    }
    await client.delete_users(agent_id="cook")
    assert await texts(client, user_id=user.name) == ["I eat soup"]
    await client.delete_users(user_id=user.name)
    assert await texts(client, user_id=user.name) == []


async def test_reset_erases_the_user_of_the_key_alone(
    client: Client, user: User, connect: Callable[[str], Client], served: Served
) -> None:
    other = served.user()
    neighbour = connect(other.key)
    await store(neighbour, other, "I own a boat", agent_id="cook")
    await store(client, user, "I eat plums", agent_id="cook", run_id="r/1 a")
    await client.reset()
    assert await texts(client, user_id=user.name) == []
    assert await texts(neighbour, user_id=other.name) == ["I own a boat"]


async def test_what_an_agent_said_is_listed_and_so_is_the_agent(client: Client, user: User) -> None:
    said = [{"role": "user", "content": "What do you cook?"}, {"role": "assistant", "content": "I cook soup on Mondays"}]
    await client.add(said, user_id=user.name, agent_id="cook")
    assert "I cook soup on Mondays" in await texts(client, user_id=user.name, agent_id="cook")
    assert ("agent", "cook") in {(each["type"], each["name"]) for each in (await client.users())["results"]}


async def test_what_is_not_supported_says_so(client: Client) -> None:
    summary, export = client.get_summary(filters={"user_id": "ana"}), client.get_memory_export(memory_export_id="x")
    for call in (client.get_profile("ana"), client.get_webhooks("p"), client.get("a/b c"), summary, export):
        with pytest.raises(MemoryNotFoundError):
            await call
