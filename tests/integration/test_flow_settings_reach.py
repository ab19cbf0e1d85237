"""Settings of a flow that decide how memories are indexed and ranked reach the place where they are used."""

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.indexing.document import episode_document, term_id
from trustgraph_react_mem.indexing.tokenizer import LANGUAGES
from trustgraph_react_mem.memory.requests import RetrieveEpisodes, RetrieveFacts, StoreEpisode, StoreFact
from trustgraph_react_mem.processors.operations.episodes import EpisodeOperations
from trustgraph_react_mem.processors.operations.fact_reading import FactReading
from trustgraph_react_mem.processors.operations.fact_writing import FactWriting
from trustgraph_react_mem.retrieval.features import Question
from trustgraph_react_mem.retrieval.query import RetrievalQuery, Retrieved
from trustgraph_react_mem.retrieval.retriever import Retriever
from trustgraph_react_mem.settings import AgentMemSettings, parse_agent_mem

HOUSES = "Häuser!"  # no word tells its language, and only German stemming makes "haus" of it


async def stems(memory: Memory) -> tuple[object, bool]:
    """The language of the only question on record, and whether it is indexed by its German stem."""
    [said] = [fact for fact in await memory.turns() if fact.content == HOUSES]
    [point] = await memory.facts.index.fetch(ANN, [said.id], with_vectors=True)
    return point.payload["language"], term_id("haus") in point.sparse["words"].indices


async def test_the_language_of_the_jobs_settings_decides_how_a_turn_is_stemmed() -> None:
    async with open_memory(model=None) as memory:
        await memory.say(HOUSES, settings={"language": "de-AT"})
        await memory.settled()
        assert await stems(memory) == ("de", True)
        # what indexes it later knows no settings: the reconciler, a changed embedding model
        await memory.facts.finish_indexing(ANN, [turn.id for turn in await memory.turns()])
        assert await stems(memory) == ("de", True)
        for hot_records in (1000, 0):
            retriever = Retriever(memory.facts.index, memory.facts.embedder, hot_records=hot_records)
            found = await retriever.retrieve(
                ANN, RetrievalQuery(question="Haus", vector=np.zeros(128, np.float32), language="de", top_k=1)
            )
            assert [fact.content for fact in found.facts] == [HOUSES]


async def test_without_the_setting_the_language_is_guessed_for_each_text() -> None:
    async with open_memory(model=None) as memory:
        await memory.say(HOUSES)
        await memory.settled()
        assert await stems(memory) == ("de", True)


def test_a_question_is_read_in_the_language_that_is_set() -> None:
    assert Question.read("Häuser", language="de").terms == ("haus",)
    assert Question.read("Häuser", language="de-CH").terms == ("haus",)
    assert Question.read("Häuser").terms == ("haus",)
    assert Question.read("Pferde").terms == Question.read("Pferde", fallback_language="de").terms == ("pferd",)


@pytest.mark.parametrize("code", ["xx", "german", "", "eng", "de_AT"])
def test_an_unknown_language_is_refused_with_those_that_are_known(code: str) -> None:
    with pytest.raises(ConfigurationError, match=r"language = .*use auto, or a BCP 47 code.*de.*zh"):
        parse_agent_mem({"language": code})


@pytest.mark.parametrize("code", ["auto", "de", "DE-at", "zh-Hant", *LANGUAGES])
def test_known_languages_are_taken(code: str) -> None:
    assert parse_agent_mem({"language": code}).language == code


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
