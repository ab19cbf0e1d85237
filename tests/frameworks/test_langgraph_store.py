"""What the store for LangGraph does beyond its reference: facts, documents, users, times to live, erasure."""

import json
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.frameworks.langgraph import MemoryStore
from trustgraph_react_mem.manager.scoped import send
from trustgraph_react_mem.memory.requests import (
    ExportFacts,
    GetFactHistory,
    GetFactStats,
    ListFacts,
    SubmitJob,
    SwitchMemory,
    UpdateFact,
    WaitUntilIdle,
)

from .conftest import NewUser, SetClock

NOTES = ("notes", "ana")


async def contents(memory: MemoryManager, question: str) -> list[str]:
    return [entry.content for entry in await memory.retrieve(question, limit=20)]


# -- facts and documents ------------------------------------------------------------------------------------------


async def test_a_content_is_a_fact_that_agents_recall(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    await store.aput(NOTES, "1", {"content": "Miso the dog is allergic to chicken.", "source": "chat"})
    assert await contents(memory, "What is the dog Miso allergic to?") == ["Miso the dog is allergic to chicken."]
    item = await store.aget(NOTES, "1")
    assert item is not None
    assert item.value == {"content": "Miso the dog is allergic to chicken.", "source": "chat"}


async def test_an_edit_of_the_fact_is_an_edit_of_the_value(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    await store.aput(NOTES, "1", {"content": "Miso is allergic to chicken."})
    [entry] = await memory.retrieve("Miso")
    await memory.update(entry.id, "Miso is allergic to beef.")
    assert (await store.aget(NOTES, "1")).value == {"content": "Miso is allergic to beef."}  # type: ignore[union-attr]


@pytest.mark.parametrize("value", [{"text": "Miso eats fish."}, {"content": ""}, {"content": 7}, {"content": ["Miso"]}, {}])
async def test_any_other_value_is_a_document_that_no_agent_is_shown(memory: MemoryManager, value: dict[str, Any]) -> None:
    store = MemoryStore(memory)
    before = (await send(memory, GetFactStats())).stats
    await store.aput(NOTES, "1", value)
    assert (await store.aget(NOTES, "1")).value == value  # type: ignore[union-attr]
    assert await contents(memory, "What does Miso eat?") == []
    assert (await memory.stats()).semantic_entry_count == 0
    assert (await send(memory, GetFactStats())).stats == before
    assert (await send(memory, ExportFacts())).data.count("Miso") == 0
    assert (await send(memory, ListFacts())).facts == []


async def test_a_new_value_is_a_new_version_with_the_history_of_the_former(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    await store.aput(NOTES, "1", {"content": "Miso eats fish."})
    first = await store.aget(NOTES, "1")
    await store.aput(NOTES, "1", {"content": "Miso eats rice."})
    second = await store.aget(NOTES, "1")
    assert first is not None
    assert second is not None
    assert first.created_at == second.created_at < second.updated_at
    [fact] = (await send(memory, ListFacts())).facts
    history = (await send(memory, GetFactHistory(id=fact.id))).history
    assert [entry.content for entry in history] == ["Miso eats rice.", "Miso eats fish."]


# -- forgetting ---------------------------------------------------------------------------------------------------


async def test_what_memory_forgets_the_store_does_not_have(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    await store.aput(NOTES, "1", {"content": "Miso eats fish."})
    [entry] = await memory.retrieve("Miso")
    assert await memory.delete(entry.id)
    assert await store.aget(NOTES, "1") is None
    assert await store.asearch((), query="Miso") == []


async def test_what_the_store_deletes_memory_does_not_have_and_the_key_is_free(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    for content in ("Miso eats fish.", "Miso eats rice."):
        await store.aput(NOTES, "1", {"content": content})
    await store.adelete(NOTES, "1")
    assert await contents(memory, "What does Miso eat?") == []
    assert "Miso" not in (await send(memory, ExportFacts())).data
    await store.aput(NOTES, "1", {"content": "Miso sleeps."})
    await send(memory, WaitUntilIdle(timeout_s=60))
    assert (await store.aget(NOTES, "1")).value == {"content": "Miso sleeps."}  # type: ignore[union-attr]


@pytest.mark.parametrize("level", ["collection", "user"])
async def test_a_forgotten_scope_has_no_documents_left(memory: MemoryManager, level: str) -> None:
    store = MemoryStore(memory)
    await store.abatch([PutOp(NOTES, "1", {"content": "Miso eats fish."}), PutOp(NOTES, "2", {"text": "Miso eats rice."})])
    payload = json.dumps({"level": level})
    await send(memory, SubmitJob(kind="forget", payload=payload, timeout_s=120))  # waits for its end
    assert await store.asearch(()) == []


async def test_quarantined_and_switched_off_values_are_not_returned(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    await store.aput(NOTES, "1", {"content": "Miso eats fish."})
    await store.aput(NOTES, "2", {"text": "Miso eats rice."})
    [entry] = await memory.retrieve("Miso")
    await send(memory, UpdateFact(id=entry.id, status="quarantined"))
    assert await store.aget(NOTES, "1") is None
    assert [item.key for item in await store.asearch(())] == ["2"]
    for own in (memory, memory.shared(collection="default.store")):
        await send(own, SwitchMemory(read=False))
    assert await store.asearch((), query="Miso") == []
    assert await store.aget(NOTES, "2") is None


# -- users --------------------------------------------------------------------------------------------------------


async def test_users_of_a_template_have_memories_of_their_own(new_user: NewUser) -> None:
    memory = new_user()
    store = MemoryStore(memory, users=("memories", "{user}"))
    await store.abatch(
        [
            PutOp(("memories", "u-ana"), "1", {"content": "Miso eats fish."}),
            PutOp(("memories", "u-bob", "work"), "1", {"content": "Rex eats beef."}),
            PutOp(("settings",), "1", {"theme": "dark"}),
        ]
    )
    assert await contents(memory.shared(user="u-ana"), "What does Miso eat?") == ["Miso eats fish."]
    assert await contents(memory.shared(user="u-bob"), "What does Rex eat?") == ["Rex eats beef."]
    assert await contents(memory, "What does Miso eat?") == []
    results = await store.abatch(
        [
            GetOp(("memories", "u-bob"), "1"),
            SearchOp(("memories", "u-bob")),
            GetOp(("settings",), "1"),
            GetOp(("memories", "u-ana"), "1"),
        ]
    )
    assert [bool(result) for result in results] == [False, True, True, True]
    assert await store.alist_namespaces(prefix=("memories", "u-bob")) == [("memories", "u-bob", "work")]
    assert [item.value for item in await MemoryStore(memory).asearch(())] == [{"theme": "dark"}]


def test_a_template_without_a_user_and_a_memory_without_one_are_refused(memory: MemoryManager) -> None:
    with pytest.raises(BadRequest, match=r"\{user\}"):
        MemoryStore(memory, users=("memories",))
    with pytest.raises(BadRequest, match=r"user='\.\.\.'"):
        MemoryStore(memory.shared(user=""))


# -- times to live ------------------------------------------------------------------------------------------------


async def test_a_value_expires_and_a_sweep_erases_it(memory: MemoryManager, clock: SetClock) -> None:
    store = MemoryStore(memory, ttl={"refresh_on_read": False})
    await store.aput(NOTES, "1", {"content": "Miso eats fish."}, ttl=10)
    await store.aput(NOTES, "2", {"text": "kept"})
    clock.advance(9)
    assert await store.aget(NOTES, "1") is not None
    clock.advance(2)
    assert await store.aget(NOTES, "1") is None
    assert [item.key for item in await store.asearch(())] == ["2"]
    assert await store.asweep_ttl() == 1
    assert await contents(memory, "What does Miso eat?") == []


# -- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), (1,), ("langgraph", "x")])
def test_a_bad_namespace_is_refused_as_by_the_reference(memory: MemoryManager, namespace: Any) -> None:
    for store in (MemoryStore(memory), InMemoryStore()):
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "1", {"a": 1})


def test_a_secret_is_redacted_in_a_value_and_refused_in_a_name(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    store.put(NOTES, "1", {"login": {"password": "hunter2xyz", "user": "ana"}})
    assert store.get(NOTES, "1").value == {"login": {"password": "[secret]", "user": "ana"}}  # type: ignore[union-attr]
    with pytest.raises(BadRequest, match="secret"):
        store.put(NOTES, "password: hunter2xyz", {"a": 1})


# -- calls ----------------------------------------------------------------------------------------------------------


def test_namespaces_with_wildcards_and_pages(memory: MemoryManager) -> None:
    stores = [MemoryStore(memory), InMemoryStore()]
    for store in stores:
        for namespace in [("a", "b"), ("a", "bc"), ("a", "b", "c"), ("d", "b", "c"), ("*", "b")]:
            store.put(namespace, "1", {"x": 1})
    for arguments in (
        {"prefix": ("a", "b")},
        {"suffix": ("c",)},
        {"prefix": ("*", "b")},
        {"prefix": ("a",), "suffix": ("*", "c")},
        {"max_depth": 1},
        {"max_depth": 2, "limit": 2, "offset": 1},
    ):
        one, other = (store.list_namespaces(**arguments) for store in stores)  # type: ignore[arg-type]
        assert one == other, arguments
    bad = ListNamespacesOp(match_conditions=(type("C", (), {"match_type": "infix", "path": ("a",)})(),))
    with pytest.raises(ValueError, match="Unsupported match type"):
        stores[0].batch([bad])
