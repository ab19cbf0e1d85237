"""Settings of a flow that decide how memories are indexed and ranked reach the place where they are used."""

from types import SimpleNamespace
from typing import Any

import pytest

from tests.integration.jobs_support import ANN
from trustgraph_react_mem.indexing.document import episode_document, term_id
from trustgraph_react_mem.memory.requests import RetrieveEpisodes, RetrieveFacts, StoreEpisode, StoreFact
from trustgraph_react_mem.processors.operations.episodes import EpisodeOperations
from trustgraph_react_mem.processors.operations.fact_reading import FactReading
from trustgraph_react_mem.processors.operations.fact_writing import FactWriting
from trustgraph_react_mem.retrieval.query import RetrievalQuery, Retrieved
from trustgraph_react_mem.settings import AgentMemSettings


class Enough(Exception):
    pass


class Captured:
    """A memory of which only what is asked and stored is looked at."""

    def __init__(self) -> None:
        self.query: Any = None
        self.stored: list[Any] = []
        self.retriever = self.episode_retriever = self
        self.facts = self.episodes = SimpleNamespace(store=self._store)
        self.clock = SimpleNamespace(now=lambda: None)
        self.graph = SimpleNamespace(switches=SimpleNamespace(get=self._allowed), keyring=None)
        self.models = SimpleNamespace(current=SimpleNamespace(profile=SimpleNamespace(dimension=3)))

    async def retrieve(self, scope: object, query: Any) -> Any:
        self.query = query
        return Retrieved() if isinstance(query, RetrievalQuery) else []

    async def _allowed(self, *_: object) -> Any:
        return SimpleNamespace(write=True)

    async def _store(self, scope: object, records: list[Any], **_: object) -> list[Any]:
        self.stored += records
        raise Enough


async def test_the_services_ask_and_store_as_their_flow_says() -> None:
    memory: Any = Captured()
    settings = AgentMemSettings(language="fr", rerank_sampling=True)
    reading, writing, episodes = (
        FactReading(memory, settings),
        FactWriting(memory, settings),
        EpisodeOperations(memory, settings),
    )
    await reading.retrieve(ANN, RetrieveFacts(query="maisons", seed=7))
    assert (memory.query.language, memory.query.sampling, memory.query.seed) == ("fr", True, 7)
    await episodes.retrieve(ANN, RetrieveEpisodes(query="maisons"))
    assert memory.query.language == "fr"
    with pytest.raises(Enough):
        await writing.store(ANN, StoreFact(content="maisons"))
    with pytest.raises(Enough):
        await episodes.store(ANN, StoreEpisode(goal="maisons"))
    assert [record.metadata for record in memory.stored] == [{"language": "fr"}, {"language": "fr"}]
    assert episode_document(memory.stored[1]).sparse["words"].indices == (term_id("maison"),)
    await FactReading(memory, AgentMemSettings()).retrieve(ANN, RetrieveFacts(query="maisons"))
    assert (memory.query.language, memory.query.sampling) == ("auto", False)
