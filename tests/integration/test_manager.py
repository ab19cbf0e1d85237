"""The memory manager: four layers, on real stores, without a bus."""

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.manager import LAYERS, Layer, MemoryManager
from trustgraph_react_mem.memory.ports import Switches
from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder


@pytest.fixture(autouse=True)
def keys_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("REACT_MEM_KEYS", str(tmp_path / "keys"))


class SteppingClock:
    """Each look at it is a second later, so that no two entries share a time."""

    def __init__(self) -> None:
        self._now = datetime(2026, 3, 1, 9, 0, tzinfo=UTC)

    def now(self) -> datetime:
        self._now += timedelta(seconds=1)
        return self._now

    async def sleep(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)


def opened(directory: Path, **more: object) -> MemoryManager:
    return MemoryManager.open(directory, embedder=HashedEmbedder(64), clock=SteppingClock(), **more)  # type: ignore[arg-type]


async def test_nothing_is_opened_before_it_is_needed(tmp_path: Path) -> None:
    async with opened(tmp_path / "memory") as memory:
        await memory.append("working", "a thought")
        assert await memory.search("working", "thought")
        assert not (tmp_path / "memory").exists()


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
        assert [entry.content for entry in await memory.history("dataset-format")] == ["Parquet", "CSV, semicolon-delimited"]
        assert (await memory.stats()).semantic_entry_count == 2


async def test_learning_many_versions_keeps_them_all(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        for n in range(20):
            await memory.learn("count", f"value {n}")
        assert await memory.recall("count") == "value 19"
        assert len(await memory.history("count")) == 20


async def test_learning_the_same_again_changes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        first = await memory.learn("colour", "green")
        assert await memory.learn("colour", "green") == first
        assert len(await memory.history("colour")) == 1


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
            "Ann lives in Bergen"
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
        assert (stats.working_memory_tokens, stats.episodic_entry_count) == (10, 1)
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


async def test_two_who_learn_a_key_at_once_lose_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        partner = memory.shared()
        await asyncio.gather(*(each.learn("colour", f"shade {n}") for n, each in enumerate([memory, partner, memory, partner])))
        said = {entry.content for entry in await memory.history("colour")}
        assert said == {f"shade {n}" for n in range(4)}
        assert await memory.recall("colour") in said


async def test_keys_that_read_alike_keep_their_own_values(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        await memory.learn("Colour", "green")
        await memory.learn("colour", "green")
        assert await memory.recall("Colour") == await memory.recall("colour") == "green"
        await memory.learn("a: b", "c")
        await memory.learn("a", "b: c")
        assert (await memory.recall("a: b"), await memory.recall("a")) == ("c", "b: c")


async def test_a_forgotten_version_leaves_a_gap_and_no_confusion(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        versions = [await memory.learn("count", f"value {n}") for n in range(18)]
        stores = await memory._stores.get()
        await stores.core.facts.forget(memory._scope, [versions[1].id, versions[4].id])
        await memory.learn("count", "value 18")
        assert await memory.recall("count") == "value 18"
        assert len(await memory.history("count")) == 17


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
    async with opened(tmp_path / "two", secrets="drop") as memory:
        with pytest.raises(BadRequest, match="must not be stored"):
            await memory.append("episodic", f"the password is {secret}")
        assert await memory.episodic_memory() == []


async def test_what_a_person_switched_off_is_off_here_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        await memory.learn("home", "Bergen")
        await memory.append("episodic", "Moved house")
        switches = (await memory._stores.get()).stores.graph.switches
        await switches.set(memory._scope, Switches(read=False, write=False))
        assert await memory.recall("home") is None
        assert await memory.history("home") == await memory.search("semantic", "home") == await memory.episodic_memory() == []
        with pytest.raises(BadRequest, match="switched off"):
            await memory.learn("home", "Oslo")
        await switches.set(memory._scope, Switches(read=True, write=True))
        assert await memory.recall("home") == "Bergen"


async def test_the_key_lies_apart_from_the_data(tmp_path: Path) -> None:
    async with opened(tmp_path / "memory") as memory:
        await memory.learn("home", "Bergen")
    assert (tmp_path / "memory").stat().st_mode & 0o077 == 0
    assert not list((tmp_path / "memory").rglob("*.key"))
    assert (tmp_path / "keys" / "master.key").stat().st_mode & 0o077 == 0


async def test_clearing_knowledge_takes_what_agents_drew_too(tmp_path: Path) -> None:
    async with opened(tmp_path) as memory:
        facts = (await memory._stores.get()).core.facts
        now = datetime(2026, 3, 1, tzinfo=UTC)
        for kind in ("reflective", "topic"):
            drawn = Fact(id=f"drawn-{kind}", scope=memory._scope, kind=kind, content=f"Ann rests, {kind}", created_at=now)
            await facts.store(memory._scope, [drawn])
        assert (await memory.stats()).semantic_entry_count == 2
        await memory.clear("semantic")
        assert await memory.search("semantic", "Ann rests") == []
