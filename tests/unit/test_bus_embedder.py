"""Embeddings over the bus when the broker loses a request without a word."""

import asyncio
from typing import Any

import numpy as np
import pytest

from tests.simulation.virtual_time import run_in_virtual_time
from trustgraph_react_mem.bus.embedder import BusEmbedder
from trustgraph_react_mem.errors import EngineUnavailable, ModelUnavailable, RequestRefused
from trustgraph_react_mem.memory.embedding import EmbeddingProfile

PROFILE = EmbeddingProfile(name="test", dimension=2)


class Client:
    """``lost`` requests get no answer; ``refused`` ones fail at once."""

    def __init__(self, *, lost: int = 0, refused: bool = False) -> None:
        self.waits: list[float] = []
        self._lost, self._refused = lost, refused

    async def embed(self, texts: list[str], timeout: float) -> list[list[float]]:
        self.waits.append(timeout)
        if self._refused:
            raise EngineUnavailable("the broker is away")
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


def test_an_error_that_does_not_repeat_costs_the_only_text_of_a_request_no_vector() -> None:
    class Once(Client):
        failed = False

        async def embed(self, texts: list[str], timeout: float) -> list[list[float]]:
            if not self.failed:
                self.failed = True
                raise RuntimeError("it answered 500")
            return await super().embed(texts, timeout)

    assert np.allclose(asked(Once()), [[0.6, 0.8]])


def test_a_lost_request_is_asked_again_and_soon() -> None:
    client = Client(lost=2)
    assert np.allclose(asked(client), [[0.6, 0.8]])
    assert client.waits == [4.0, 8.0, 16.0]


def test_the_waits_end_with_the_timeout() -> None:
    client = Client(lost=99)
    with pytest.raises(ModelUnavailable, match="no reply"):
        asked(client)
    assert client.waits == [4.0, 8.0, 16.0, 2.0]


def test_a_request_that_could_not_be_sent_is_not_repeated() -> None:
    client = Client(refused=True)
    with pytest.raises(ModelUnavailable, match="away"):
        asked(client)
    assert len(client.waits) == 1


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


def test_a_failure_is_told_to_all_who_wait_and_the_next_one_asks_anew() -> None:
    client = Client(lost=99)
    embedder = BusEmbedder(PROFILE, timeout_s=4.0)
    embedder.attach("w", "f", client)

    async def several() -> list[Any]:
        asked = [embedder.embed([text], role="query") for text in ("tea", "tea", "milk")]
        failures = await asyncio.gather(*asked, return_exceptions=True)
        client._lost = 0
        return [*failures, await embedder.embed(["tea"], role="query")]

    *failures, after = run_in_virtual_time(several())
    assert [type(failure) for failure in failures] == [ModelUnavailable] * 3
    assert np.allclose(after, [[0.6, 0.8]])
