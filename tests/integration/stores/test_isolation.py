"""No tenant reads, changes or removes what is another's: canaries through every read path, and names made to break out."""

import asyncio
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.doubles.core import core_over
from tests.examples import examples
from tests.integration.stores.stores_support import CLOCK, PROFILE, START, Notices, WordEmbedder, fact, invocation, turn
from trustgraph_react_mem.errors import BadRequest, MissingScope
from trustgraph_react_mem.indexing.document import query_sparse
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.stores.graph.engine import uid
from trustgraph_react_mem.stores.graph.ladybug import LadybugGraph
from trustgraph_react_mem.stores.opening import GraphStores
from trustgraph_react_mem.stores.vectors.edge import EdgeIndex

SCOPES = [
    Scope(workspace="w", user=user, collection=collection)
    for user in ("", "ann", "ann/x", "o'neil", "*")
    for collection in ("default", "a|b")
] + [Scope(workspace="w/ann", user="", collection="default"), Scope(workspace="w2", user="ann", collection="default")]


async def test_canaries_stay_in_their_scope(stores: GraphStores, directory: Any) -> None:
    index = await EdgeIndex.open(directory, PROFILE)
    memory = core_over(stores, index, WordEmbedder(), notifier=Notices(), clock=CLOCK).facts
    for number, scope in enumerate(SCOPES):
        canary = f"canary{number}"
        await stores.conversations.append(scope, invocation("i", query=canary))
        await memory.store(
            scope,
            [
                fact("same", f"{canary} likes tea", scope=scope, entities=("Ann", canary), invocation_id="i"),
                turn("t0", 0, canary, scope=scope),
                turn("t1", 1, f"again {canary}", scope=scope),
            ],
        )
        await memory.update(scope, fact("same", f"{canary} likes milk", scope=scope, entities=("Ann", canary)))
    for number, scope in enumerate(SCOPES):
        facts, own = stores.facts, f"canary{number}"
        query = (await memory.embedder.embed(["canary likes tea"], role="query"))[0]
        seen: list[object] = [
            *await facts.get(scope, ["same", "t0", "t1"]),
            *await facts.listing(scope, statuses=(), limit=999),
            *await facts.turns_near(scope, "talk", -99, 99),
            *await facts.history(scope, "same"),
            *await facts.changes_since(scope, START - timedelta(days=1)),
            *await facts.by_digests(scope, [(f"canary{n} likes milk", "semantic") for n in range(len(SCOPES))]),
            *await stores.facts.export_page(scope, after=("", -1, "")),
            *await stores.facts.replacements(scope),
            *await index.search_dense(scope, "text", query, limit=999),
            *await index.search_sparse(scope, "words", query_sparse(" ".join(f"canary{n}" for n in range(20))), limit=999),
            *[point async for batch in index.scan(scope) for point in batch],
            await stores.conversations.get(scope, "c"),
        ]
        text = repr([each for each in seen if each is not None])
        assert own in text
        for other in range(len(SCOPES)):
            if other != number:
                assert f"canary{other} " not in text.replace("'", " ")
        for name in ("Ann", *(f"canary{n}" for n in range(20))):
            assert {fact.id for fact in await facts.listing(scope, about=name, limit=99)} <= {"same"}
        assert [fact.id for fact in await facts.listing(scope, about="Ann")] == ["same"]
        assert await facts.count(scope) == {"semantic": 1, "turn": 2}
    for scope in SCOPES[:3]:
        await memory.forget_scope(scope)
        assert await stores.facts.listing(scope) == []
    for scope in SCOPES[3:]:
        assert len(await stores.facts.listing(scope)) == 3
        assert await index.count(scope) == 3
    await index.close()


@pytest.mark.parametrize("missing", [{"workspace": ""}, {"collection": ""}])
def test_a_missing_tenant_fails_closed(missing: dict[str, str]) -> None:
    with pytest.raises(MissingScope):
        Scope(**({"workspace": "w", "user": "u", "collection": "c"} | missing))


names = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=20)
scopes = st.builds(Scope, workspace=names, user=names | st.just(""), collection=names)


@given(first=scopes, second=scopes, one=names, other=names)
def test_two_scopes_never_share_a_key(first: Scope, second: Scope, one: str, other: str) -> None:
    assert (uid(first, one) == uid(second, other)) == ((first, one) == (second, other))
    assert Scope.from_key(first.key) == first


@pytest.mark.slow
def test_any_name_and_any_text_is_only_data() -> None:
    """Fuzzed scopes, ids, contents, sources and filters against the engines themselves."""
    wild = st.text(max_size=40) | st.sampled_from(
        ["' OR 1=1 //", '"}) DETACH DELETE n //', "$scope", "${x}", "*", "%", "\\", "\x00", "a'||'b", "` SET x=1 `"]
    )

    with asyncio.Runner() as runner:
        engine = runner.run(LadybugGraph.open(":memory:"))
        stores = GraphStores.over(engine, CLOCK, bytes(32))

        @settings(max_examples=examples(40), deadline=None, suppress_health_check=list(HealthCheck), derandomize=True)
        @given(scope=scopes, record_id=wild, content=wild, source=wild, entity=wild)
        def check(scope: Scope, record_id: str, content: str, source: str, entity: str) -> None:
            async def go() -> None:
                other = Scope(workspace=scope.workspace, user=scope.user + "x", collection=scope.collection)
                record = fact(record_id, content or "x", scope=scope, source=source, speaker=entity, entities=(entity,))
                beside = fact(record_id, "other's", scope=other, source=source)
                await stores.facts.put([beside, record])
                assert await stores.facts.get(scope, [record_id]) == [record]
                assert await stores.facts.listing(scope, source=source) == [record]
                (found,) = await stores.facts.by_digests(scope, [(record.content, "semantic")])
                assert found is None or found.id == record_id
                await stores.facts.forget(scope, [record_id])
                assert await stores.facts.get(scope, [record_id]) == []
                assert await stores.facts.get(other, [record_id]) == [beside]
                await stores.facts.forget_scope(other)
                await stores.facts.forget_scope(scope)

            runner.run(go())

        check()
        runner.run(engine.close())


async def test_a_write_with_another_scopes_fact_is_refused(embedded_stores: GraphStores, embedded_index: EdgeIndex) -> None:
    memory = core_over(embedded_stores, embedded_index, WordEmbedder(), clock=CLOCK).facts
    with pytest.raises(BadRequest, match="own scope"):
        await memory.add_turns(SCOPES[0], "talk", [turn("t", 0, scope=SCOPES[1])])
