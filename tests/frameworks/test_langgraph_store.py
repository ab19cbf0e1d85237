"""What the store for LangGraph does beyond its reference: facts, documents, users, times to live, erasure."""

import asyncio
import json
from typing import Any

import pytest
from langgraph.store.base import GetOp, InvalidNamespaceError, ListNamespacesOp, PutOp, SearchOp
from langgraph.store.memory import InMemoryStore

from trustgraph_react_mem import MemoryManager
from trustgraph_react_mem.errors import BadRequest, TooLarge
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


async def test_a_value_may_become_a_document_and_a_fact_again(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    created = None
    for value in ({"content": "Miso eats fish."}, {"text": "Miso eats rice."}, {"content": "Miso eats fish."}):
        await store.aput(NOTES, "1", value)
        item = await store.aget(NOTES, "1")
        assert item is not None
        assert item.value == value
        assert (created := created or item.created_at) == item.created_at
        assert await contents(memory, "What does Miso eat?") == ([value["content"]] if "content" in value else [])
        assert len(await store.asearch(())) == 1


async def test_equal_contents_under_two_keys_are_two_values(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    for key in ("1", "2"):
        await store.aput(NOTES, key, {"content": "Miso eats fish."})
    await store.adelete(NOTES, "1")
    assert await store.aget(NOTES, "1") is None
    assert (await store.aget(NOTES, "2")).value == {"content": "Miso eats fish."}  # type: ignore[union-attr]


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


async def test_a_value_survives_a_new_store_and_keeps_its_order(memory: MemoryManager) -> None:
    await MemoryStore(memory).abatch([PutOp(NOTES, str(n), {"n": n}) for n in range(30)])
    found = await MemoryStore(memory).asearch(NOTES, limit=100)
    assert [item.value["n"] for item in found] == list(range(30))


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


@pytest.mark.parametrize("prefix", [(), ("memories",)])
async def test_a_search_over_all_users_is_refused(memory: MemoryManager, prefix: tuple[str, ...]) -> None:
    store = MemoryStore(memory, users=("memories", "{user}"))
    with pytest.raises(BadRequest, match="names no user"):
        await store.asearch(prefix)
    with pytest.raises(BadRequest, match="names no user"):
        await store.alist_namespaces(prefix=("memories", "*"))


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


async def test_reading_refreshes_unless_it_says_no(memory: MemoryManager, clock: SetClock) -> None:
    store = MemoryStore(memory, ttl={"default_ttl": 10})
    await store.aput(NOTES, "1", {"text": "one"})
    await store.aput(NOTES, "2", {"text": "two"})
    clock.advance(8)
    assert await store.aget(NOTES, "1") is not None
    assert await store.aget(NOTES, "2", refresh_ttl=False) is not None
    clock.advance(8)
    assert [item.key for item in await store.asearch(NOTES)] == ["1"]
    clock.advance(8)
    assert [item.key for item in await store.asearch(NOTES, refresh_ttl=False)] == ["1"]
    await store.aput(NOTES, "1", {"text": "without end"}, ttl=None)
    clock.advance(1000)
    assert [item.key for item in await store.asearch(NOTES)] == ["1"]


async def test_calls_sweep_at_the_interval(memory: MemoryManager, clock: SetClock) -> None:
    store = MemoryStore(memory, ttl={"sweep_interval_minutes": 5})
    await store.aput(NOTES, "1", {"content": "Miso eats fish."}, ttl=1)
    clock.advance(6)
    await store.aget(NOTES, "none")
    assert await contents(memory, "What does Miso eat?") == []


@pytest.mark.parametrize("ttl", [-1, float("nan"), 1e12])
async def test_a_ttl_that_is_no_time_is_refused(memory: MemoryManager, ttl: float) -> None:
    with pytest.raises(BadRequest, match="ttl"):
        await MemoryStore(memory).aput(NOTES, "1", {"a": 1}, ttl=ttl)


# -- search by meaning ---------------------------------------------------------------------------------------------


def test_another_embedding_model_is_refused(memory: MemoryManager) -> None:
    with pytest.raises(BadRequest, match="leave it out"):
        MemoryStore(memory, index={"dims": 8, "embed": lambda texts: [[0.0] * 8 for _ in texts]})


async def test_the_memory_ranks_by_meaning(memory: MemoryManager) -> None:
    store = MemoryStore(memory, index={"fields": ["text"]})
    await store.aput(NOTES, "1", {"text": "a red apple"})
    await store.aput(NOTES, "2", {"text": "the blue sea"})
    await store.aput(NOTES, "3", {"text": "the blue sea"}, index=False)
    await store.aput(NOTES, "4", {"content": "blue is the sea"})
    found = await store.asearch(NOTES, query="the blue sea")
    assert found[0].key == "2"
    assert [item.score is None for item in sorted(found, key=lambda each: each.key)][2]
    assert found[0].score == pytest.approx(1.0, abs=0.05)
    assert len(found) == 4


# -- bad input ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("namespace", [(), ("",), ("a.b",), (1,), ("langgraph", "x")])
def test_a_bad_namespace_is_refused_as_by_the_reference(memory: MemoryManager, namespace: Any) -> None:
    for store in (MemoryStore(memory), InMemoryStore()):
        with pytest.raises(InvalidNamespaceError):
            store.put(namespace, "1", {"a": 1})


def test_labels_are_checked_in_a_batch_and_nothing_of_it_is_stored(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    for bad in (PutOp(("a.b",), "2", {}), PutOp((), "2", {}), SearchOp(("a.b",)), PutOp(NOTES, "2", {"a": {1, 2}})):
        with pytest.raises((InvalidNamespaceError, BadRequest)):
            store.batch([PutOp(NOTES, "1", {"a": 1}), bad])
    assert store.search(()) == []


@pytest.mark.parametrize("value", ["text", 7, ["a"], {"a": object()}, {"a": float("nan")}])
def test_a_value_that_is_no_json_object_is_refused(memory: MemoryManager, value: Any) -> None:
    with pytest.raises(BadRequest, match=r"dictionary|JSON"):
        MemoryStore(memory).put(NOTES, "1", value)


def test_a_value_above_the_limit_is_refused(memory: MemoryManager) -> None:
    with pytest.raises(TooLarge):
        MemoryStore(memory).put(NOTES, "1", {"a": "x" * 1_100_000})
    with pytest.raises(BadRequest, match="100000 characters"):
        MemoryStore(memory).put(NOTES, "1", {"content": "x " * 60_000})


def test_a_secret_is_redacted_in_a_value_and_refused_in_a_name(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    store.put(NOTES, "1", {"login": {"password": "hunter2xyz", "user": "ana"}})
    assert store.get(NOTES, "1").value == {"login": {"password": "[secret]", "user": "ana"}}  # type: ignore[union-attr]
    with pytest.raises(BadRequest, match="secret"):
        store.put(NOTES, "password: hunter2xyz", {"a": 1})


def test_an_operator_that_there_is_not_is_refused(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    store.put(NOTES, "1", {"q": 1})
    with pytest.raises(ValueError, match=r"Unsupported operator: \$in"):
        store.search(NOTES, filter={"q": {"$in": [1]}})
    with pytest.raises(ValueError, match="Unknown operation"):
        store.batch([object()])  # type: ignore[list-item]


def test_injections_are_plain_text(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    nasty = ["' OR 1=1 --", '"}) DETACH DELETE n //', "a\nb", "%", "\\", "\u2028", "🦊" * 50]
    for word in nasty:
        store.put((word,), word, {word: word, "text": word})
    assert sorted(store.list_namespaces()) == sorted((word,) for word in nasty)
    for word in nasty:
        assert [item.key for item in store.search((word,), filter={word: word})] == [word]


# -- calls ----------------------------------------------------------------------------------------------------------


async def test_sync_and_async_calls_and_threads_share_one_store(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    await asyncio.gather(*(store.aput(NOTES, str(n), {"n": n}) for n in range(10)))
    await asyncio.to_thread(store.put, NOTES, "10", {"n": 10})
    store.put(NOTES, "11", {"n": 11})  # within a running loop
    assert {item.value["n"] for item in store.search(NOTES, limit=50)} == set(range(12))


async def test_a_cancelled_call_leaves_a_store_that_works(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    task = asyncio.create_task(store.abatch([PutOp(NOTES, str(n), {"n": n}) for n in range(50)]))
    await asyncio.sleep(0.02)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    await store.aput(NOTES, "last", {"n": -1})
    found = await store.asearch(NOTES, limit=100)
    assert found[-1].key == "last"
    assert [item.value["n"] for item in found[:-1]] == list(range(len(found) - 1))


def test_items_look_as_those_of_the_reference(memory: MemoryManager) -> None:
    stores = [MemoryStore(memory), InMemoryStore()]
    for store in stores:
        store.put(NOTES, "1", {"a": [1, {"b": None}]})
    for item, other in ([store.get(NOTES, "1") for store in stores], [store.search(NOTES)[0] for store in stores]):
        assert item is not None
        assert other is not None
        assert item.dict().keys() == other.dict().keys()
        assert json.loads(json.dumps(item.dict()))["namespace"] == list(NOTES)
        assert item.created_at.utcoffset() == other.created_at.utcoffset()
        assert type(item) is type(other)


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


@pytest.mark.parametrize("name", [(("notes", "half \ud83d"), "1"), (("notes",), "\udc00 key")])
async def test_half_a_character_in_a_name_is_refused_by_every_operation(
    memory: MemoryManager, name: tuple[tuple[str, ...], str]
) -> None:
    store, (namespace, key) = MemoryStore(memory), name
    for op in (PutOp(namespace, key, {"content": "x"}), PutOp(namespace, key, None), GetOp(namespace, key)):
        with pytest.raises(BadRequest, match="unpaired surrogate"):
            await store.abatch([PutOp(("notes",), "good", {"content": "a good one"}), op])
    assert await store.asearch(namespace[:1]) == []
    assert await store.asearch(("notes", "half \ud83d")) == []
    assert await store.alist_namespaces(prefix=("notes", "half \ud83d")) == []


async def test_half_a_character_in_a_value_or_a_question_is_replaced(memory: MemoryManager) -> None:
    store = MemoryStore(memory)
    await store.aput(NOTES, "1", {"content": "Miso \ud83d barks", "more": ["\udc00"]})
    await store.aput(NOTES, "2", {"text": "\ud83d"})
    [found, *_] = await store.asearch(NOTES, query="Who barks \ud83d?")
    assert found.value == {"content": "Miso \ufffd barks", "more": ["\ufffd"]}
    assert (await store.aget(NOTES, "2")).value == {"text": "\ufffd"}  # type: ignore[union-attr]
