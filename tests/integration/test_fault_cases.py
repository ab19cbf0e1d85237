"""Engines that go away in the middle of an erasure, and jobs that older programs published."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast

import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from tests.integration.understanding_support import PROMPT, item, items
from trustgraph_react_mem.bus.envelope import open_job, parse_head
from trustgraph_react_mem.bus.wire import decode
from trustgraph_react_mem.erasure.forget import LOOKS
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.ports import JsonValue
from trustgraph_react_mem.memory.records import FactStatus, derived_id
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.settings import AgentMemSettings

RECORDED = Path(__file__).with_name("recorded_jobs.jsonl")
PAGE: tuple[FactStatus, ...] = ("active", "quarantined", "superseded")


class Failing:
    """An engine whose calls of one name fail the first ``times`` times, before or after they took effect."""

    def __init__(self, port: Any, name: str, times: int, *, after: bool) -> None:
        self._port, self._name, self._left, self._after = port, name, times, after

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._port, attribute)
        if attribute != self._name:
            return found

        async def call(*args: Any, **kwargs: Any) -> Any:
            failing, self._left = self._left > 0, self._left - 1
            if failing and not self._after:
                raise EngineUnavailable("away")
            result = await found(*args, **kwargs)
            if failing:
                raise EngineUnavailable("away")
            return result

        return call


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize(
    ("part", "name"),
    [("index", "delete_scope"), ("graph", "tombstone"), ("graph", "forget_scope")],
    ids=["vectors down", "graph down at the tombstone", "graph down at the end"],
)
async def test_an_engine_away_in_an_erasure_leaves_no_half_of_it(part: str, name: str, after: bool) -> None:
    """Fault 6: the receipt waits for the engine, tells what was found at first, and nothing is left in either."""
    async with open_memory() as memory:
        for number in range(3):
            await memory.say(f"CANARY number {number}")
        await memory.settled()
        setattr(memory.facts, part, Failing(getattr(memory.facts, part), name, 3, after=after))
        receipt = await memory.forget("collection")
        assert receipt["places"]["graph.facts"] == {"found": 6, "removed": 6, "left": 0}
        assert receipt["places"]["vectors.facts"]["found"] == 6
        assert await memory.facts.graph.listing(ANN, statuses=PAGE, limit=100) == []
        assert await memory.facts.index.count(ANN) == 0
        assert await memory.stores.conversations.get(ANN, "c1") is None


class Idle(Failing):
    """A port one of whose methods does nothing the first times, and says nothing of it."""

    def __getattr__(self, attribute: str) -> Any:
        found = getattr(self._port, attribute)
        if attribute != self._name:
            return found

        async def call(*args: Any, **kwargs: Any) -> Any:
            idle, self._left = self._left > 0, self._left - 1
            return {} if idle else await found(*args, **kwargs)

        return call


async def test_there_is_no_receipt_while_something_is_left() -> None:
    async with open_memory() as memory:
        await memory.record("CANARY likes tea")
        conversations = memory.stores.conversations
        idle = Idle(conversations, "forget_scope", LOOKS + 1, after=False)
        conversations.forget_scope = idle.forget_scope  # type: ignore[method-assign]
        receipt = await memory.forget("collection")
        assert [place for place, counts in receipt["places"].items() if counts["left"]] == []
        assert await memory.stores.conversations.get(ANN, "c1") is None


async def test_a_graph_away_while_a_turn_is_recorded_loses_and_doubles_nothing() -> None:
    """Fault 6, the other way round: the vectors were written and the graph could not be told."""
    async with open_memory() as memory:
        memory.facts.graph = Failing(memory.facts.graph, "mark_indexed", 3, after=False)  # type: ignore[assignment]
        await memory.record("CANARY likes tea")
        turns = await memory.turns()
        assert [turn.content for turn in turns] == ["CANARY likes tea", "Noted."]
        assert all(turn.indexed for turn in turns)
        assert await memory.facts.index.count(ANN) == 2


# ---------------------------------------------------------------------------------------------------- upgrades


def recorded() -> list[dict[str, Any]]:
    return [json.loads(line) for line in RECORDED.read_text("utf-8").splitlines()]


async def sealed_envelope(memory: Memory, fields: dict[str, Any], payload: dict[str, Any]) -> JobEnvelope:
    head = parse_head(decode(json.dumps({**fields, "data": ""}).encode(), JobEnvelope))
    sealed = await memory.stores.keyring.seal(ANN, json.dumps(payload).encode(), binding=head.binding)
    return decode(json.dumps({**fields, "data": sealed}).encode(), JobEnvelope)


async def replayed(memory: Memory) -> None:
    """Each recorded message through the bytes of the bus, its payload sealed with this memory's key."""
    for message in recorded():
        envelope = await sealed_envelope(memory, message["envelope"], message["payload"])
        job = await open_job(memory.stores.keyring, parse_head(envelope), envelope.data)
        await memory.worker.pending.publish([job])
        await memory.settled()  # what follows from a job is published after it has run


def found_again(shown: Mapping[str, JsonValue]) -> JsonValue:
    """What the model answers, wherever it is shown the line."""
    numbers = [line["number"] for line in cast(list[Any], shown["lines"]) if line["text"] == "I live in Bergen"]
    return items(*(item("Ann lives in Bergen", "I live in Bergen", line=number) for number in numbers))


async def test_a_recorded_topic_replays_on_this_code() -> None:
    """Fault 9: the messages of the first release, twice over, come to what they meant."""
    answers = {
        PROMPT: found_again,
        "memory-record-episode": {"goal": "find Bergen", "outcome": "found", "lessons": ""},
    }
    async with open_memory(answers=answers, settings=AgentMemSettings()) as memory:
        for _ in range(2):
            await replayed(memory)
        assert [turn.content for turn in await memory.turns()] == [
            "I live in Bergen", "Noted, Ann.", "What do you know of me?", "You live in Bergen.",
        ]  # fmt: skip
        assert [fact.content for fact in await memory.learned() if fact.kind == "semantic"] == ["Ann lives in Bergen"]
        told = [episode for episode in await memory.episodes.graph.listing(ANN) if "of" not in episode.metadata]
        assert [episode.goal for episode in told] == ["find Bergen"]
        states = {entry.kind: entry.state for entry in await memory.worker.admin.listing(ANN)}
        assert states["record"] == states["extract"] == states["reflect"] == states["promote"] == states["episode"] == "done"
        # What follows from a job has its time, however late it runs: a repeated job creates the same again.
        times = {
            parse_head(decode(json.dumps({**message["envelope"], "data": ""}).encode(), JobEnvelope)).created_at
            for message in recorded()
        }
        assert {entry.created_at for entry in await memory.worker.admin.listing(ANN)} <= times


async def test_messages_of_an_older_schema_are_understood() -> None:
    """Fault 10: an envelope and a payload without the fields that came later, and with one that is unknown here."""
    old = {
        "id": derived_id("old"),
        "kind": "record",
        "workspace": ANN.workspace,
        "user": ANN.user,
        "collection": ANN.collection,
        "time": "2026-03-01T09:00:00+00:00",
        "unknown_field": {"from": "a newer program"},
    }
    payload = {"conversation_id": "c1", "invocation_id": "i1", "question": "CANARY likes tea", "answer": "Noted."}
    async with open_memory() as memory:
        envelope = await sealed_envelope(memory, old, payload)
        job = await open_job(memory.stores.keyring, parse_head(envelope), envelope.data)
        await memory.worker.pending.publish([job])
        await memory.settled()
        assert await memory.state(job) == "done"
        assert [turn.content for turn in await memory.turns()] == ["CANARY likes tea", "Noted."]
        assert (await memory.turns())[0].said_at == job.created_at


async def test_two_equal_adds_at_once_through_jobs_are_one_fact() -> None:
    """Fault 3: two conversations end at the same moment, and both teach the same."""
    told = "Ann lives in Bergen"
    async with open_memory(answers={PROMPT: items(item(told, told))}, settings=AgentMemSettings()) as memory:
        await asyncio.gather(*(memory.say(told, conversation=f"c{number}", end=True) for number in range(4)))
        await memory.settled()
        assert [fact.content for fact in await memory.learned() if fact.kind == "semantic"] == [told]
