"""Embeddings of an endpoint: a refused text is not mistaken for an endpoint that does not work."""

import json
from collections.abc import Callable

import httpx
import numpy as np
import pytest

from tests.simulation.virtual_time import run_in_virtual_time
from trustgraph_react_mem.errors import ModelUnavailable
from trustgraph_react_mem.indexing.embedding import embed_texts
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.models.openai_embedder import OpenAIEmbedder

WORD = "unspeakable"


def embedder(status: Callable[[list[str]], int]) -> OpenAIEmbedder:
    def answer(request: httpx.Request) -> httpx.Response:
        texts = json.loads(request.content)["input"]
        if (code := status(texts)) != 200:
            return httpx.Response(code, json={"error": "the server's words, with a text in them"})
        return httpx.Response(200, json={"data": [{"index": n, "embedding": [1.0, 2.0]} for n in range(len(texts))]})

    client = httpx.AsyncClient(base_url="http://endpoint/v1/", transport=httpx.MockTransport(answer))
    return OpenAIEmbedder(EmbeddingProfile(name="m", dimension=2), "m", client)


@pytest.mark.parametrize("code", [400, 413, 500, 502])
def test_one_text_that_the_server_always_fails_on_is_left_without_a_vector(code: int) -> None:
    texts = [f"text {n}" for n in range(10)] + [f"{WORD} " * 100]
    picky = embedder(lambda asked: code if WORD in "".join(asked) else 200)
    found = run_in_virtual_time(embed_texts(picky, texts, role="passage"))
    assert [text for text, vector in found.items() if vector is None] == texts[-1:]
    assert all(np.isclose(np.linalg.norm(each.vector), 1.0) for each in found.values() if each is not None)


@pytest.mark.parametrize("code", [408, 429, 500, 502, 503])
def test_an_endpoint_that_fails_on_every_text_is_unavailable(code: int) -> None:
    with pytest.raises(ModelUnavailable):
        run_in_virtual_time(embed_texts(embedder(lambda asked: code), ["one", "two"], role="passage"))
