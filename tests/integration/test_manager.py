"""The memory manager: four layers, on real stores, without a bus."""

import asyncio
import inspect
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.integration.conftest import plain_stack
from tests.integration.stores.stores_support import SteppingClock
from trustgraph_react_mem.errors import BadRequest, ConfigurationError, NotFound, RefinementError
from trustgraph_react_mem.manager import LAYERS, Layer, MemoryManager, SyncMemoryManager
from trustgraph_react_mem.memory.requests import UndoChange
from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.testing import Rule, ScriptedModel
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = pytest.mark.usefixtures("keys_apart")


class SleepingClock(SteppingClock):
    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def opened(directory: Path, **more: object) -> MemoryManager:
    return MemoryManager.open(directory, embedder=HashedEmbedder(64), clock=SleepingClock(), **more)  # type: ignore[arg-type]


async def test_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    async with opened(tmp_path / "memory") as memory:
        await memory.append("working", "a thought")
        assert await memory.search("working", "thought")
        assert not (tmp_path / "memory").exists()


async def test_a_program_refines_a_text_step_by_step(tmp_path: Path) -> None:
    async with opened(tmp_path / "memory", user="ann") as memory:
        drafted = await memory.refine("draft", "It scatters", query="Why is the sky blue?", companion_type="strategy")
        await memory.refine("critique", "Say which light", session_id=drafted.id)
        with pytest.raises(RefinementError, match="validation_error: the question has a draft") as refused:
            await memory.refine("draft", "Again", session_id=drafted.id)
        assert refused.value.code == "validation_error"
        revised = await memory.refine("revise", "Blue light scatters most", session_id=drafted.id, similarity=0.5)
        assert revised.slot is not None
        assert (revised.slot.standing, revised.companion_type) == ("Blue light scatters most", "strategy")
        assert await memory.refinement(drafted.id) == revised
        assert [(each.id, each.events) for each in await memory.refinements()] == [(drafted.id, 3)]
        other = memory.shared(user="bob")
        assert await other.refinement(drafted.id) is None
        assert await other.refinements() == []
        assert not await other.forget_refinement(drafted.id)
    async with opened(tmp_path / "memory", user="ann") as memory:
        assert await memory.refinement(drafted.id) == revised
        assert await memory.forget_refinement(drafted.id)
        assert await memory.refinement(drafted.id) is None


async def test_working_memory_keeps_the_newest_fifty(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    for n in range(60):
        await memory.append("working", f"step {n}")
    entries = memory.working_memory()
    assert [entries[0].content, entries[-1].content, len(entries)] == ["step 10", "step 59", 50]


async def test_what_was_learned_is_recalled_exactly_and_survives_a_restart(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        await memory.learn("dataset-format", "CSV, semicolon-delimited")
        await memory.learn("dataset-size", "10,000 rows")
        await memory.learn("dataset-format", "Parquet")
        assert await memory.recall("dataset-format") == "Parquet"
    async with opened(tmp_path) as memory:
        assert await memory.recall("dataset-format") == "Parquet"
        assert await memory.recall("dataset-size") == "10,000 rows"
        assert await memory.recall("dataset") is None
        assert [entry.content for entry in await memory.history("dataset-format")] == [
            "dataset-format: Parquet",
            "dataset-format: CSV, semicolon-delimited",
        ]
        assert (await memory.stats()).semantic_entry_count == 2


async def test_learning_many_versions_keeps_them_all(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        for n in range(20):
            await memory.learn("count", f"value {n}")
        assert await memory.recall("count") == "value 19"
        assert len(await memory.history("count")) == 20


async def test_each_layer_is_searched_by_itself(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        await memory.append("episodic", "Analyzed security vulnerabilities in src", outcome="two findings", task="scan")
        await memory.append("episodic", "Baked bread", succeeded=False)
        await memory.append("semantic", "Ann lives in Bergen", key="home")
        await memory.learn_rule("deploying the payment service", "check for a free port first")
        [found, *_] = await memory.search("episodic", "security vulnerabilities")
        assert found.content == "Analyzed security vulnerabilities in src"
        assert (found.metadata["outcome"], found.metadata["task"]) == ("two findings", "scan")
        assert [entry.content for entry in await memory.search("semantic", "where does Ann live Bergen", 1)] == [
            "home: Ann lives in Bergen"
        ]
        [rule, *_] = await memory.search("procedural", "how to deploy the payment service")
        assert rule.metadata["condition"] == "deploying the payment service"
        assert rule.content == "check for a free port first"
        failed = [entry for entry in await memory.episodic_memory() if entry.metadata["succeeded"] == "False"]
        assert [entry.content for entry in failed] == ["Baked bread"]


async def test_compacting_condenses_older_entries_and_keeps_the_newest(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        for n in range(13):
            await memory.append("working", f"thought {n}")
            await memory.append("episodic", f"task {n}")
            await memory.append("procedural", f"do {n}", condition=f"when {n}")
        assert [await memory.compact(layer) for layer in LAYERS] == [3, 3, 0, 3]
        working, episodic = memory.working_memory(), await memory.episodic_memory()
        assert len(working) == len(episodic) == 11
        assert working[0].content.splitlines()[:2] == ["[Summary of 3 entries]", "- thought 0"]
        assert "- task 2" in episodic[0].content
        assert episodic[-1].content == "task 12"
        assert (await memory.stats()).procedural_rule_count == 10
        assert await memory.compact("episodic", keep_last=2, summarize_older=False) == 9
        assert len(await memory.episodic_memory()) == 2


async def test_the_five_numbers(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        await memory.append("working", "x" * 40)
        await memory.append("episodic", "one task")
        await memory.learn("a", "b")
        await memory.learn_rule("always", "be kind")
        stats = await memory.stats()
        assert (stats.working_memory_tokens, stats.episodic_entry_count) == (count_tokens("x" * 40), 1)
        assert (stats.semantic_entry_count, stats.procedural_rule_count) == (1, 1)
        assert stats.total_storage_bytes > 100


@pytest.mark.parametrize("layer", ["working", "episodic", None])
async def test_clearing_forgets_one_layer_or_all(tmp_path: Path, layer: Layer | None) -> None:
    async with opened(tmp_path) as memory:
        await memory.append("working", "thought")
        await memory.append("episodic", "task")
        await memory.learn("key", "old")
        await memory.learn("key", "new")
        await memory.learn_rule("always", "be kind")
        await memory.clear(layer)
        stats = await memory.stats()
        left = {
            "working": len(memory.working_memory()),
            "episodic": stats.episodic_entry_count,
            "semantic": len(await memory.history("key")) // 2,
            "procedural": stats.procedural_rule_count,
        }
        assert left == {name: 0 if layer in (None, name) else 1 for name in LAYERS}


async def test_agents_share_by_scope(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        partner, stranger = memory.shared(), memory.shared(user="bob")
        await memory.learn("code", "4711")
        await memory.append("working", "mine alone")
        assert await partner.recall("code") == "4711"
        assert partner.working_memory() == []
        assert await stranger.recall("code") is None
        assert await stranger.search("semantic", "code 4711") == []


@pytest.mark.parametrize(
    ("layer", "content", "told", "says"),
    [("episodic", " ", {}, "empty"), ("dreams", "x", {}, "dreams"), ("procedural", "x", {}, "condition")],
)
async def test_bad_input_is_named(tmp_path: Path, layer: Layer, content: str, told: dict[str, str], says: str) -> None:
    async with opened(tmp_path) as memory:
        with pytest.raises(BadRequest, match=says):
            await memory.append(layer, content, **told)


async def test_secrets_and_personal_data_are_screened_before_anything_is_stored(tmp_path: Path) -> None:
    secret, mail = "hunter2-Xy", "ann@example.org"
    async with opened(tmp_path / "one", personal_data="redact") as memory:
        await memory.learn("password", secret)
        await memory.learn("contact", f"write to {mail}")
        await memory.append("episodic", f"signed in, the password is {secret}", outcome=f"mail from {mail}")
        await memory.learn_rule("asked for the address", f"give {mail}")
        kept = [await memory.recall("password"), await memory.recall("contact")]
        kept += [str(entry) for entry in await memory.episodic_memory()]
        kept += [str(entry) for entry in await memory.search("procedural", "asked for the address")]
        assert kept[:2] == ["[secret]", "write to [email]"]
        assert not [text for text in kept if text and (secret in text or mail in text)]
    async with opened(tmp_path / "three", personal_data="hash") as memory:
        await memory.learn(mail, f"write to {mail}", note=mail, password=secret)
        stored, other = await memory.recall(mail), await memory.shared(user="someone").learn("contact", mail)
        [entry] = await memory.history(mail)
        assert stored is not None
        assert mail not in str(entry) + stored
        assert secret not in str(entry)
        assert stored.removeprefix("write to ") == entry.metadata["note"]
        assert entry.metadata["note"] not in other.content, "each scope has its own key"
    async with opened(tmp_path / "three", personal_data="hash") as memory:
        assert await memory.recall(mail) == stored, "another process hashes alike"
    async with opened(tmp_path / "two", personal_data="drop") as memory:
        with pytest.raises(BadRequest, match="must not be stored"):
            await memory.append("episodic", f"write to {mail}")
        assert await memory.episodic_memory() == []


# -- messages -----------------------------------------------------------------------------------------------------

CHAT: list[dict[str, Any]] = [
    {"role": "system", "content": "You are helpful"},
    {"role": "user", "content": "My dog Miso is allergic to chicken", "name": "Ann"},
    {"role": "assistant", "content": [{"type": "text", "text": "Noted: no chicken for Miso"}]},
]


async def test_messages_are_stored_verbatim_and_retrieved_with_a_score(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        added = await memory.add(CHAT)
        assert (added.stored, len(added.ids), added.extraction) == (2, 2, "off")
        first = await memory.get(added.ids[0])
        assert first is not None
        assert (first.content, first.kind, first.metadata["speaker"]) == (CHAT[1]["content"], "turn", "Ann")
        assert (await memory.add("yes")).stored == (await memory.add("yes")).stored == 1, "said twice is two messages"
        assert [(await memory.add({"role": "user", "content": "once", "id": "m1"})).stored for _ in "ab"] == [1, 0]
        edited = await memory.add({"role": "user", "content": "once more", "id": "m1"})
        held = await memory.get(edited.ids[0])
        assert held is not None
        assert held.content == "once more", "before, the id was that of the former text"
        assert await memory.delete(edited.ids[0])
        [best, *_] = await memory.retrieve("Is the dog Miso allergic to chicken?")
        assert best.id == added.ids[0]
        assert best.score is not None
        assert 0 < best.score <= 1
        assert await memory.retrieve("Is the dog Miso allergic to chicken?", threshold=1.0) == []
        assert len(await memory.retrieve("dog chicken yes once", limit=1)) == 1
        assert (await memory.stats()).turn_count == 5


NOTHING = '{"items": [], "episode": null}'


async def test_what_is_added_is_understood_in_the_background(tmp_path: Path) -> None:
    text, said = "Ann's dog Miso is allergic to chicken.", CHAT[1]["content"]
    answer = {"items": [{"op": "add", "kind": "state", "text": text, "line": 0, "quote": said}], "episode": None}
    model = ScriptedModel(rules=[Rule(when="Miso", answer=json.dumps(answer))], default=NOTHING)
    async with opened(tmp_path, model=model) as memory:
        assert (await memory.add(CHAT)).extraction == "queued"
        assert await memory.wait(30) == 0
        assert model.count("Miso") >= 1
        assert (await memory.stats()).turn_count == 2
        [entry] = await memory.entries("semantic")
        assert (entry.content, entry.metadata["speaker"]) == (text, "Ann")


@pytest.mark.parametrize(
    ("messages", "says"),
    [
        ([], "no messages"),
        ([{"role": "user"}], "message 1: each message needs 'role' and 'content'"),
        ([{"role": "robot", "content": "x"}], "message 1: role 'robot'"),
        (["a", 5], "message 2 is int"),
        ([{"role": "system", "content": "x"}], "nothing to store"),
        ([{"role": "assistant", "tool_calls": [{"id": "1", "type": "function"}]}], "nothing to store"),
        ([{"role": "user", "content": text, "id": "k"} for text in "ab"], "messages 1 and 2 have the same id 'k'"),
        ([{"role": "user", "content": "x", "timestamp": "soon"}], "timestamp 'soon'"),
    ],
)
async def test_a_malformed_message_is_named(tmp_path: Path, messages: list[dict[str, str]], says: str) -> None:
    async with opened(tmp_path) as memory:
        with pytest.raises(BadRequest, match=says):
            await memory.add(messages)
        assert not list(tmp_path.iterdir()), "nothing was opened"


async def test_what_is_stored_is_listed_page_by_page(tmp_path: Path) -> None:
    """Before, a program had no way to see the ids of its messages and facts but a search."""
    async with opened(tmp_path) as memory:
        added = await memory.add([f"The crate {number} is red" for number in range(7)], conversation="crates")
        await memory.add("The boat is blue", conversation="boats")
        fact = await memory.append("semantic", "Ann lives in Porto")
        rule = await memory.append("procedural", "knock", condition="entering")
        episode = await memory.append("episodic", "Booked a table")
        assert [entry.id for entry in await memory.entries(limit=2)] == [rule.id, fact.id]
        assert await memory.entries("episode") == [episode]
        assert await memory.entries("procedural") == [rule]
        pages = [await memory.entries("turn", conversation="crates", limit=3, offset=offset) for offset in (0, 3, 6, 9)]
        assert [len(page) for page in pages] == [3, 3, 1, 0]
        assert {entry.id for page in pages for entry in page} == set(added.ids)
        assert len(await memory.entries("turn")) == 8
        assert await memory.shared(user="bob").entries() == []
        assert len(await memory.search("semantic", "Ann", 5)) == 1
        for call, says in (
            (memory.entries("dream"), "unknown kind 'dream': use one of turn, semantic, .*, episode"),  # type: ignore[arg-type]
            (memory.entries(limit=0), "limit 0 must be between 1 and 10000"),
            (memory.entries(limit="5"), "limit '5' must be between"),  # type: ignore[arg-type]
            (memory.entries(offset=-1), "offset -1 must be between 0"),
            (memory.entries("episode", conversation="c"), "episodes are not listed by conversation"),
            (memory.entries(conversation=5), "the name of the conversation is 5"),  # type: ignore[arg-type]
        ):
            with pytest.raises(BadRequest, match=says):
                await call


@pytest.mark.parametrize(
    "timestamp",
    [
        datetime(2026, 3, 13, 12, 0, tzinfo=UTC),
        datetime(2026, 3, 13, 21, 0, tzinfo=ZoneInfo("Asia/Tokyo")),
        datetime(2026, 3, 13, 12, 0, tzinfo=UTC).astimezone().replace(tzinfo=None),  # local, as everywhere in Python
        "2026-03-13T12:00:00",
        "2026-03-13T21:00:00+09:00",
        1_773_403_200,
        1_773_403_200_000,
    ],
)
async def test_the_time_of_a_message_may_be_given_in_every_usual_form(tmp_path: Path, timestamp: object) -> None:
    async with opened(tmp_path) as memory:
        added = await memory.add([{"role": "user", "content": "The boat is blue", "id": "m1", "timestamp": timestamp}])
        held = await memory.get(added.ids[0])
        assert held is not None
        assert held.timestamp == datetime(2026, 3, 13, 12, 0, tzinfo=UTC)


# -- entries by id -------------------------------------------------------------------------------------------------


async def test_entries_are_read_updated_and_deleted_by_id(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        entries = [
            await memory.append("working", "a thought"),
            await memory.append("semantic", "Ann lives in Porto"),
            await memory.learn("city", "Porto"),
            await memory.append("procedural", "knock", condition="entering"),
            await memory.append("episodic", "Booked a table", outcome="confirmed", succeeded=False, shop="Rio"),
        ]
        assert [await memory.get(entry.id) for entry in entries] == entries
        changed = [await memory.update(entry.id, "Faro") for entry in entries]
        assert [entry.content for entry in changed] == ["Faro", "Faro", "city: Faro", "Faro", "Faro"]
        assert await memory.recall("city") == "Faro"
        assert changed[-1].metadata == entries[-1].metadata
        assert changed[-1].timestamp == entries[-1].timestamp
        assert [await memory.delete(entry.id) for entry in entries] == [True] * 5
        assert [await memory.get(entry.id) for entry in entries] == [None] * 5
        assert not await memory.delete(entries[0].id)
        with pytest.raises(NotFound, match=entries[1].id):
            await memory.update(entries[1].id, "x")


async def test_wrong_arguments_are_named(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        with pytest.raises(BadRequest, match=r"the value of 'k' is 5 \(int\): pass a text"):
            await memory.learn("k", 5)  # type: ignore[arg-type]
        for layer in LAYERS:
            with pytest.raises(BadRequest, match="the query is empty"):
                await memory.search(layer, " ")
        with pytest.raises(BadRequest, match="the question is empty"):
            await memory.retrieve("")
        with pytest.raises(BadRequest, match="limit is 0"):
            await memory.retrieve("x", limit=0)
        with pytest.raises(BadRequest, match="limit is '3': it must be a whole number"):
            await memory.search("semantic", "x", "3")  # type: ignore[arg-type]
        for layer in LAYERS:
            with pytest.raises(BadRequest, match=r"threshold.* 1\.5"):
                await memory.search(layer, "x", threshold=1.5)
        with pytest.raises(BadRequest, match="succeeded is 'no': it must be True or False"):
            await memory.append("episodic", "Booked a table", succeeded="no")
        assert (await memory.append("episodic", "Booked a table", succeeded="true")).metadata["succeeded"] == "True"
        assert (await memory.learn("city", "Porto", since=2020)).metadata["since"] == "2020"
        with pytest.raises(BadRequest, match="threshold"):
            await memory.search("semantic", "x", threshold=2.0)
        for call, says in (
            (memory.add(None), "the messages are NoneType: pass a text"),  # type: ignore[arg-type]
            (memory.add(b"tea"), "the messages are bytes: pass a text"),  # type: ignore[arg-type]
            (memory.add("tea", conversation=7), "the name of the conversation is 7"),  # type: ignore[arg-type]
            (memory.retrieve("x", threshold="high"), "threshold 'high' must be between 0 and 1"),  # type: ignore[arg-type]
            (memory.retrieve("x", asked_at="yesterday"), "asked_at is 'yesterday': pass a datetime"),  # type: ignore[arg-type]
            (memory.recall(None), "the key is None"),  # type: ignore[arg-type]
            (memory.retrieve("x", limit=501), "limit is 501: .* at most 500"),
            (memory.search("working", "x", True), "limit is True"),
            (memory.wait("long"), "timeout_s is 'long': it must be a number"),  # type: ignore[arg-type]
            (memory.wait(float("nan")), "timeout_s is nan: it must be a number"),
            (memory.wait(-1), "timeout_s is -1: .* at least 0"),
            (memory.compact("episodic", keep_last="3"), "keep_last is '3': it must be a whole number"),  # type: ignore[arg-type]
            (memory.compact("episodic", keep_last=True), "keep_last is True: it must be a whole number"),
            (memory.history(""), "the key is empty"),
        ):
            with pytest.raises(BadRequest, match=says):
                await call
        with pytest.raises(BadRequest, match="the directory is 5: pass its path"):
            MemoryManager.open(5)  # type: ignore[arg-type]
        with pytest.raises(BadRequest, match="max_working_entries is '5': it must be a whole number"):
            opened(tmp_path, max_working_entries="5")
        with pytest.raises(BadRequest, match=r"settings is \[1\]: pass a dictionary"):
            opened(tmp_path, settings=[1])
        with pytest.raises(BadRequest, match="embedder is 'e5': pass an object"):
            MemoryManager.open(tmp_path, embedder="e5")  # type: ignore[arg-type]
        with pytest.raises(BadRequest, match="None is not a broker address"):
            MemoryManager.connect(None)  # type: ignore[arg-type]
        with pytest.raises(ConfigurationError, match="rerank"):
            opened(tmp_path, settings={"rerank": "banana"})


# -- compaction ----------------------------------------------------------------------------------------------------


async def test_compaction_erases_nothing_and_continues_its_summary(tmp_path: Path) -> None:
    """Before, episodes beyond the newest 30 were erased without a trace, and a second compaction kept 120 characters."""
    async with opened(tmp_path) as memory:
        for number in range(60):
            await memory.append("episodic", f"task number {number}")
        assert await memory.compact("episodic") == 50
        for number in range(60, 75):
            await memory.append("episodic", f"task number {number}")
        assert await memory.compact("episodic") == 16
        assert await memory.compact("episodic") == 0, "a summary alone is not summarised"
        summary, *newest = await memory.episodic_memory()
        assert summary.content.splitlines()[0] == "[Summary of 65 entries]"
        assert summary.metadata["of"] == "65"
        assert [f"- task number {number}" for number in range(65)] == summary.content.splitlines()[1:]
        assert [entry.content for entry in newest] == [f"task number {number}" for number in range(65, 75)]
        everything = await memory.episodic_memory(superseded=True)
        assert {f"task number {number}" for number in range(75)} <= {entry.content for entry in everything}
        done = await memory._call(UndoChange(id=summary.metadata["operation"]))
        assert done.stats["episodes"] == "17"
        assert len(await memory.episodic_memory()) == 26


async def test_a_model_writes_the_summary_if_there_is_one(tmp_path: Path) -> None:
    model = ScriptedModel(default="Ann tested many things.")
    async with opened(tmp_path, model=model) as memory:
        for number in range(35):
            await memory.append("episodic", f"task number {number}", outcome="done")
        assert await memory.compact("episodic", keep_last=1) == 34
        assert [entry.content for entry in await memory.episodic_memory()] == ["Ann tested many things.", "task number 34"]
        assert model.count("task number") == 2, "in batches, the second continues the first"


# -- sharing and closing -------------------------------------------------------------------------------------------


async def test_after_close_every_call_is_refused(tmp_path: Path) -> None:
    memory = opened(tmp_path)
    await memory.learn("a", "1")
    partner = memory.shared()
    await memory.close()
    await memory.close()
    for each in (memory, partner):
        for call in (each.recall("a"), each.append("working", "x"), each.add("x"), each.search("working", "x"), each.stats()):
            with pytest.raises(BadRequest, match="is closed: open it again"):
                await call
    with pytest.raises(BadRequest, match="is closed"):
        memory.working_memory()
    with pytest.raises(BadRequest, match="is closed"):
        async with memory:
            pass


def test_the_blocking_twin(tmp_path: Path) -> None:
    with SyncMemoryManager.open(tmp_path, embedder=HashedEmbedder(64)) as memory:
        assert memory.add(CHAT).stored == 2
        assert memory.retrieve("dog Miso chicken")[0].content == CHAT[1]["content"]
        memory.learn("a", "1")

        async def inside_a_loop() -> str | None:
            return memory.shared().recall("a")

        assert asyncio.run(inside_a_loop()) == "1"
        with pytest.raises(BadRequest, match="the query is empty"):
            memory.search("semantic", "")
    with pytest.raises(BadRequest, match="closed"):
        memory.stats()


def test_the_blocking_twin_has_every_method() -> None:
    public = {name for name in dir(MemoryManager) if not name.startswith("_")}
    assert public == {name for name in dir(SyncMemoryManager) if not name.startswith("_")}
    for name in public - {"open", "connect", "shared", "working_memory"}:
        ours, theirs = (getattr(cls, name) for cls in (SyncMemoryManager, MemoryManager))
        assert inspect.signature(ours) == inspect.signature(theirs)
        assert ours.__doc__ == theirs.__doc__
        assert not inspect.iscoroutinefunction(ours)


async def test_beside_a_stack_the_calls_go_to_the_stack(tmp_path: Path) -> None:
    async with plain_stack(tmp_path) as stack:
        async with MemoryManager.open(tmp_path / "data", user="ann") as memory:
            added = await memory.add(CHAT)
            assert (added.stored, added.extraction) == (2, "off")
            assert (await memory.retrieve("Is the dog Miso allergic to chicken?"))[0].id == added.ids[0]
            await memory.learn("city", "Porto")
            await memory.learn("city", "Faro")
            assert await memory.recall("city") == "Faro"
            assert [entry.metadata["value"] for entry in await memory.history("city")] == ["Faro", "Porto"]
            entry = await memory.append("episodic", "Booked a table")
            assert (await memory.update(entry.id, "Booked a room")).content == "Booked a room"
            assert await memory.compact("episodic", keep_last=0) == 1, "without a model"
            assert await memory.delete(entry.id)
            assert (await memory.stats()).turn_count == 2
        async with MemoryManager.connect(stack.url, user="ann") as memory:
            assert await memory.recall("city") == "Faro"
