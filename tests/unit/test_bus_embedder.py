"""Embeddings over the bus when the broker loses a request without a word."""

import asyncio
import json

import numpy as np
import pytest

from tests.simulation.virtual_time import run_in_virtual_time
from trustgraph_react_mem.bus.embedder import BusEmbedder
from trustgraph_react_mem.errors import EngineUnavailable, ModelUnavailable, RequestRefused
from trustgraph_react_mem.memory.embedding import (
    PROFILES,
    TRUSTGRAPH_MODELS,
    EmbeddingProfile,
    makes_vectors_of,
)

PROFILE = EmbeddingProfile(name="test", dimension=2)


class Client:
    """The first ``lost`` requests get no answer."""

    def __init__(self, *, lost: int = 0) -> None:
        self.waits: list[float] = []
        self._lost = lost

    async def embed(self, texts: list[str], timeout: float) -> list[list[float]]:
        self.waits.append(timeout)
        if len(self.waits) <= self._lost:
            await asyncio.sleep(timeout)
            raise EngineUnavailable("no reply")
        return [[3.0, 4.0] for _ in texts]


class PickyClient(Client):
    """Refuses every request that holds a word, as the embeddings service reports it: an error without a type."""

    def __init__(self, word: str, message: str = "it answered 400") -> None:
        super().__init__()
        self._word, self._message = word, message

    async def embed(self, texts: list[str], timeout: float) -> list[list[float]]:
        if any(self._word in text for text in texts):
            raise RuntimeError(self._message)
        return await super().embed(texts, timeout)


@pytest.mark.parametrize(
    ("client", "error"),
    [
        (PickyClient("tea"), RequestRefused),
        (PickyClient(""), ModelUnavailable),  # refuses everything: it does not work
        (PickyClient("tea", "answered 429: it limits the rate"), ModelUnavailable),
        (PickyClient("tea", "answered 503"), ModelUnavailable),
    ],
)
def test_a_refused_text_is_told_from_a_service_that_does_not_work(client: Client, error: type[Exception]) -> None:
    with pytest.raises(error):
        asked(client)


def asked(client: Client) -> np.ndarray:
    embedder = BusEmbedder(PROFILE, timeout_s=30.0)
    embedder.attach("w", "f", client)
    return run_in_virtual_time(embedder.embed(["tea"], role="passage"))


def test_who_asks_for_a_text_that_is_under_way_waits_for_it_and_no_one_takes_it_away() -> None:
    client = Client(lost=1)
    embedder = BusEmbedder(PROFILE, timeout_s=30.0)
    embedder.attach("w", "f", client)

    async def two() -> np.ndarray:
        first = asyncio.create_task(embedder.embed(["tea"], role="query"))
        await asyncio.sleep(1)
        second = asyncio.create_task(embedder.embed(["tea", "tea"], role="query"))
        await asyncio.sleep(1)
        first.cancel()
        return await second

    assert np.allclose(run_in_virtual_time(two()), [[0.6, 0.8], [0.6, 0.8]])
    assert client.waits == [4.0, 8.0]
    assert not embedder._pending


def record(model: str) -> str:
    return json.dumps({"blueprint-name": "everything-mem", "parameters": {"embeddings-model": model, "llm-model": "x"}})


class AxisClient:
    """Gives one vector for every text, and counts the requests."""

    def __init__(self, *vector: float) -> None:
        self.vector, self.requests = list(vector), 0

    async def embed(self, texts: list[str], timeout: float) -> list[list[float]]:
        self.requests += 1
        return [self.vector for _ in texts]


async def asked_in(embedder: BusEmbedder, flow: str) -> list[float]:
    with embedder.serving("w", flow):
        row: list[float] = (await embedder.embed(["tea"], role="query"))[0].tolist()
        return row


async def test_a_service_with_another_model_is_not_asked_even_if_its_vectors_have_the_same_length() -> None:
    embedder = BusEmbedder(PROFILES["all-MiniLM-L6-v2"])
    other = AxisClient(*[1.0] * 384)
    embedder.attach("w", "other", other)
    await embedder.on_flow_records("w", {"flow": {"other": record("BAAI/bge-small-en-v1.5")}}, 1)
    with pytest.raises(ModelUnavailable, match=r"flow other: .*BAAI/bge-small-en-v1\.5.*REACT_MEM_EMBEDDING_PROFILE"):
        await asked_in(embedder, "other")
    assert not other.requests
    # Another flow of the workspace has the model of the memories: it serves both.
    same = AxisClient(*[1.0] * 384)
    leave = embedder.attach("w", "same", same)
    await embedder.on_flow_records(
        "w",
        {"flow": {"other": record("BAAI/bge-small-en-v1.5"), "same": record("sentence-transformers/all-MiniLM-L6-v2")}},
        2,
    )
    assert await asked_in(embedder, "other") == await asked_in(embedder, "same")
    assert (other.requests, same.requests) == (0, 1)
    # The flow starts again with that model.
    await embedder.on_flow_records("w", {"flow": {"other": record("sentence-transformers/all-MiniLM-L6-v2")}}, 3)
    leave()
    await embedder.embed(["milk"], role="query")
    assert [client.requests for client in (other, same)] == [1, 1]


@pytest.mark.parametrize(
    ("model", "profile", "same"),
    [
        ("sentence-transformers/all-MiniLM-L6-v2", PROFILES["all-MiniLM-L6-v2"], True),
        ("sentence-transformers/all-MiniLM-L6-v2", PROFILES["all-MiniLM-L6-v2-int8"], True),
        ("all-MiniLM-L6-v2", PROFILES["all-MiniLM-L6-v2"], True),
        ("BAAI/bge-small-en-v1.5", TRUSTGRAPH_MODELS["BAAI/bge-small-en-v1.5"], True),
        ("BAAI/bge-small-en", TRUSTGRAPH_MODELS["BAAI/bge-small-en-v1.5"], False),
        ("snowflake/snowflake-arctic-embed-xs", PROFILES["e5-small-v2"], False),
        ("nomic-ai/nomic-embed-text-v1.5-Q", TRUSTGRAPH_MODELS["nomic-ai/nomic-embed-text-v1.5"], False),
        ("acme/Own-Model", EmbeddingProfile(name="own-model", dimension=9), True),
        ("acme/own-model", EmbeddingProfile(name="acme/own-model", dimension=9), True),
        ("acme/own-model", EmbeddingProfile(name="other", dimension=9), False),
        ("BAAI/bge-small-en-v1.5", EmbeddingProfile(name="bge-small-en-v1.5", dimension=9), False),
    ],
)
def test_the_model_of_a_flow_is_compared_with_that_of_the_memories(model: str, profile: EmbeddingProfile, same: bool) -> None:
    assert makes_vectors_of(model, profile) is same
