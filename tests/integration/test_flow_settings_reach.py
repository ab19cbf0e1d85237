"""The settings of a flow reach what the memory services ask."""

from types import SimpleNamespace
from typing import Any

from tests.integration.jobs_support import ANN
from trustgraph_react_mem.memory.requests import RetrieveFacts
from trustgraph_react_mem.processors.operations.fact_reading import FactReading
from trustgraph_react_mem.retrieval.query import RetrievalQuery, Retrieved
from trustgraph_react_mem.settings import AgentMemSettings


async def test_the_facts_service_samples_as_its_flow_says() -> None:
    asked: list[RetrievalQuery] = []

    async def retrieve(_: object, query: RetrievalQuery) -> Retrieved:
        asked.append(query)
        return Retrieved()

    memory: Any = SimpleNamespace(
        retriever=SimpleNamespace(retrieve=retrieve),
        clock=SimpleNamespace(now=lambda: None),
        graph=SimpleNamespace(switches=None, keyring=None),
        models=SimpleNamespace(current=SimpleNamespace(profile=SimpleNamespace(dimension=3))),
    )
    for settings in (AgentMemSettings(rerank_sampling=True), AgentMemSettings()):
        await FactReading(memory, settings, "default").retrieve(ANN, RetrieveFacts(query="maisons", seed=7))
    assert [(query.sampling, query.seed) for query in asked] == [(True, 7), (False, 7)]
