"""An OpenAI-compatible endpoint for embeddings on this machine, which answers from the cache where it can."""

import base64
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import asdict
from typing import Any, Literal

from aiohttp import web

from trustgraph_react_mem.memory.ports import Embedder, Matrix, TokenEmbedder

LARGEST_REQUEST = 64 * 2**20  # bytes


@asynccontextmanager
async def serving_embeddings(embedder: Embedder) -> AsyncIterator[str]:
    """The base address.  The name of the model is the role: ``query`` or ``passage``."""

    async def embeddings(request: web.Request) -> web.Response:
        texts, role = await _asked(request)
        return web.json_response({"object": "list", "data": _rows(await embedder.embed(texts, role=role)), "model": role})

    async def tokens(request: web.Request) -> web.Response:
        """As ``/embeddings``, with the signs of the token vectors."""
        texts, role = await _asked(request)
        assert isinstance(embedder, TokenEmbedder)
        vectors, signs = await embedder.embed_tokens(texts, role=role)
        rows = [
            {**row, "tokens": base64.b64encode(each.tobytes()).decode()}
            for row, each in zip(_rows(vectors), signs, strict=True)
        ]
        return web.json_response({"data": rows})

    async def profile(_: web.Request) -> web.Response:
        return web.json_response({"profile": asdict(embedder.profile), "tokens": isinstance(embedder, TokenEmbedder)})

    app = web.Application(client_max_size=LARGEST_REQUEST)
    app.add_routes([web.post("/v1/embeddings", embeddings), web.post("/v1/tokens", tokens), web.post("/v1/profile", profile)])
    runner = web.AppRunner(app)
    await runner.setup()
    try:
        await web.TCPSite(runner, "127.0.0.1", 0).start()
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    finally:
        await runner.cleanup()


async def _asked(request: web.Request) -> tuple[list[str], Literal["query", "passage"]]:
    body: dict[str, Any] = await request.json()
    texts = [body["input"]] if isinstance(body["input"], str) else list(body["input"])
    return texts, "query" if body["model"] == "query" else "passage"


def _rows(vectors: Matrix) -> list[dict[str, Any]]:
    return [{"object": "embedding", "index": place, "embedding": row.tolist()} for place, row in enumerate(vectors)]
