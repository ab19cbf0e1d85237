"""Which facts become triples, of what, and that nothing waits for it."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any, cast

import pytest

from trustgraph_react_mem.memory.records import Fact
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors.operations.fact_export import FactExport, fact_iri, to_triples
from trustgraph_react_mem.repositories.facts import FactMemory
from trustgraph_react_mem.schema import MemoryChanged
from trustgraph_react_mem.settings import AgentMemSettings

GRAPH = "urn:example:memory"
SCOPE = Scope(workspace="w", user="", collection="c")
AT = datetime(2026, 5, 7, 9, 30, tzinfo=UTC)
FACT = Fact(
    id="f1",
    scope=SCOPE,
    kind="semantic",
    content="Ann lives in Bergen",
    created_at=AT,
    speaker="Ann",
    source="talk",
    valid_from=AT,
    entities=("Ann", "Bergen"),
)


class Facts:
    """A memory of one fact; one called ``broken`` cannot be read."""

    def __init__(self) -> None:
        self.graph = self

    async def get(self, scope: Scope, ids: Sequence[str]) -> list[Fact]:
        if "broken" in ids:
            raise RuntimeError("broken")
        return [FACT] if (scope, [*ids]) == (SCOPE, [FACT.id]) else []


class Store:
    """A producer that notes what it is given."""

    def __init__(self) -> None:
        self.sent: asyncio.Queue[Any] = asyncio.Queue()

    async def send(self, message: Any) -> None:
        self.sent.put_nowait(message)


def said(fact: Fact) -> list[tuple[str, str]]:
    return [
        (triple.p.iri.rpartition("#")[2].rpartition(":")[2], triple.o.value or triple.o.iri)
        for triple in to_triples(fact, GRAPH)
    ]


def test_an_active_fact_says_what_it_is_whose_and_since_when() -> None:
    assert said(FACT) == [
        ("type", "urn:trustgraph:memory:Fact"),
        ("label", "Ann lives in Bergen"),
        ("speaker", "Ann"),
        ("source", "talk"),
        ("about", "Ann"),
        ("about", "Bergen"),
        ("valid-from", "2026-05-07T09:30:00+00:00"),
    ]
    assert {(triple.s.iri, triple.g) for triple in to_triples(FACT, GRAPH)} == {(fact_iri("f1"), GRAPH)}


@pytest.mark.parametrize(
    "fact",
    [replace(FACT, kind="turn"), replace(FACT, kind="procedural"), replace(FACT, status="quarantined")],
    ids=["a turn", "a rule", "in quarantine"],
)
def test_nothing_else_leaves(fact: Fact) -> None:
    assert to_triples(fact, GRAPH) == []


async def test_a_failure_costs_only_its_own_change() -> None:
    export, store = FactExport(lambda workspace, flow: AgentMemSettings(export_facts_graph=GRAPH)), Store()
    export.join("w", "a", store)
    running = asyncio.create_task(export.run(cast(FactMemory, Facts())))
    for name in ("broken", FACT.id):
        export.changed(MemoryChanged(workspace="w", user="", collection="c", store="facts", ids=[name]))
    assert (await store.sent.get()).triples
    running.cancel()
