"""Learned facts in TrustGraph's own knowledge store, where a setting names a graph for them."""

import pytest

from .conftest import Pair
from .trustgraph import PATIENCE_S

pytestmark = [pytest.mark.stock, pytest.mark.asyncio(loop_scope="session")]

LABEL = "http://www.w3.org/2000/01/rdf-schema#label"


async def test_facts_that_are_learned_reach_the_named_graph(pair: Pair) -> None:
    """The whole way: stock gateway, record, extraction through the stock prompt service, triples of the flow's store."""
    graph = "urn:example:memory"
    await pair.settings(enable_memory=True, extract_every_turns=1, export_facts_graph=graph)
    said = "My brother Anselm mends violins in Mittenwald."
    await pair.trustgraph.ask("mem", {"question": said, "conversation_id": "violins", "collection": "default"})

    async def exported() -> bool:
        return any(triple["p"] == LABEL and triple["o"] == said for triple in (await pair.trustgraph.seen())["triples"])

    await pair.trustgraph.until(exported, "the triples of the fact", 2 * PATIENCE_S)
    triples = (await pair.trustgraph.seen())["triples"]
    [label] = [triple for triple in triples if triple["p"] == LABEL and triple["o"] == said]
    assert label["s"].startswith("urn:trustgraph:memory:fact:")
    assert (label["graph"], label["workspace"], label["collection"]) == (graph, "default", "default")
    told = {triple["p"]: triple["o"] for triple in triples if triple["s"] == label["s"]}
    assert told["urn:trustgraph:memory:source"] == "violins"
    # nothing else of the conversation goes there
    assert {triple["p"] for triple in triples if triple["graph"] == graph} == set(told)
