"""Hindsight's Python client, with its sync and its async methods, as installed from its package."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import pytest
import pytest_asyncio
from hindsight_client import Hindsight
from hindsight_client_api.exceptions import ApiException

from .conftest import Served, User

DOG = "My dog Miso is allergic to chicken."


class Client:
    """The client with methods to be awaited: its own async ones, or its sync ones in the one thread that has their loop."""

    def __init__(self, inner: Hindsight, *, sync: bool) -> None:
        self.inner = inner
        self.sync = sync
        self._thread = ThreadPoolExecutor(max_workers=1)

    def __getattr__(self, name: str) -> Callable[..., Awaitable[Any]]:
        if not self.sync:
            method: Callable[..., Awaitable[Any]] = getattr(self.inner, f"a{name}")
            return method
        call = getattr(self.inner, name)
        return lambda *args, **options: asyncio.get_running_loop().run_in_executor(
            self._thread, partial(call, *args, **options)
        )


@pytest.fixture
def user(served: Served) -> User:
    return served.user()


@pytest_asyncio.fixture(params=["sync", "async"])
async def client(request: pytest.FixtureRequest, served: Served, user: User) -> AsyncIterator[Client]:
    inner = Hindsight(base_url=served.url, api_key=user.key)
    made = Client(inner, sync=request.param == "sync")
    yield made
    await made.close()


async def texts(client: Client, bank: str, **options: Any) -> list[str]:
    return [item.text for item in (await client.list_memories(bank, **options)).items]


async def test_the_version_is_one_that_the_client_knows(client: Client) -> None:
    assert (await client.get_version()).api_version == "1.1.0"


async def test_what_is_retained_is_recalled_with_its_labels(client: Client) -> None:
    bank = await client.create_bank("pets", name="Pets")
    assert (bank.bank_id, bank.name) == ("pets", "Pets")
    done = await client.retain("pets", DOG, tags=["dog"], metadata={"k": "v"}, context="at the vet", document_id="d1")
    assert (done.success, done.items_count) == (True, 1)
    await client.retain("pets", "I moved to Lisbon in May.", tags=["home"])
    best = (await client.recall("pets", "what is Miso allergic to")).results[0]
    assert (best.text, best.tags, best.metadata, best.context) == (DOG, ["dog"], {"k": "v"}, "at the vet")
    assert best.document_id == "d1"


async def test_tags_narrow_what_is_recalled(client: Client) -> None:
    await client.retain("pets", DOG, tags=["dog"])
    await client.retain("pets", "Miso eats rice.")
    for match, tags, expected in (
        ("any", ["dog"], {DOG, "Miso eats rice."}),
        ("any_strict", ["dog"], {DOG}),
        ("all_strict", ["dog", "vet"], set()),
        ("any_strict", ["cat"], set()),
    ):
        found = (await client.recall("pets", "what does Miso eat", tags=tags, tags_match=match)).results
        assert {result.text for result in found} == expected, (match, tags)


async def test_a_document_that_is_retained_again_is_replaced(client: Client) -> None:
    await client.retain("pets", DOG, document_id="d1")
    await client.retain("pets", DOG, document_id="d1")
    assert await texts(client, "pets") == [DOG]
    await client.retain("pets", "My dog Miso is allergic to beef.", document_id="d1")
    assert await texts(client, "pets") == ["My dog Miso is allergic to beef."]


async def test_what_is_learned_in_the_background_is_an_operation(client: Client) -> None:
    operation = str(uuid.uuid4())
    done = await client.retain("music", "Every evening I play the cello.", retain_async=True, operation_id=operation)
    assert done.operation_id == operation
    if client.sync:  # the client has no sync method for operations
        return
    while True:
        found = await client.inner.operations.get_operation_status("music", operation)
        if found.status not in ("pending", "processing"):
            break
        await asyncio.sleep(0.1)
    assert found.status == "completed"
    assert await texts(client, "music") == ["The user plays the cello"]


async def test_reflect_answers_from_the_bank_and_cites_it(client: Client) -> None:
    await client.retain("pets", DOG)
    answer = await client.reflect("pets", "What is Miso allergic to?")
    assert "chicken" in answer.text
    assert [fact.text for fact in answer.based_on.memories] == [DOG]
    assert await texts(client, "pets") == [DOG]  # the question is not remembered


async def test_banks_and_users_are_apart(client: Client, served: Served) -> None:
    await client.retain("pets", DOG)
    assert await texts(client, "work") == []
    assert (await client.recall("work", "what is Miso allergic to")).results == []
    stranger = Hindsight(base_url=served.url, api_key=served.user().key)
    assert (await stranger.alist_memories("pets")).items == []
    memory_id = (await client.list_memories("pets")).items[0].id
    with pytest.raises(ApiException) as refused:
        await stranger.memory.get_memory("pets", memory_id)
    assert refused.value.status == 404
    await stranger.aclose()


async def test_a_deleted_bank_is_empty(client: Client) -> None:
    await client.retain("pets", DOG)
    await client.retain("work", "I repair bicycles.")
    await client.delete_bank("pets")
    assert await texts(client, "pets") == []
    assert (await client.recall("pets", "what is Miso allergic to")).results == []
    assert await texts(client, "work") == ["I repair bicycles."]


async def test_what_would_change_an_answer_and_is_not_supported_is_refused(client: Client) -> None:
    with pytest.raises(ApiException) as refused:
        await client.reflect("pets", "What?", tags=["dog"])
    assert refused.value.status == 400
    assert "tags" in str(refused.value.body)
