"""This package: verbatim records in the embedded engines, retrieved as by the row ``default`` of ``make eval``."""

import asyncio
import base64
from collections.abc import Awaitable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any, Literal, TypeVar

import numpy as np

from bench.bank import open_bank
from bench.transcripts import AskedTranscript
from trustgraph_react_mem.memory.embedding import EmbeddingProfile
from trustgraph_react_mem.memory.ports import Embedder, Matrix, Signs
from trustgraph_react_mem.memory.timefmt import parse_time
from trustgraph_react_mem.retrieval.query import RetrievalQuery
from trustgraph_react_mem.schema import Turn

from .driver import Embeddings, main

T = TypeVar("T")


class OverEndpoint:
    """``Embedder``."""

    def __init__(self, embeddings: Embeddings, profile: EmbeddingProfile) -> None:
        self.profile = profile
        self._embeddings = embeddings

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        return np.array(self._embeddings.vectors(texts, role), np.float32).reshape(len(texts), self.profile.dimension)


class OverEndpointWithTokens(OverEndpoint):
    """``TokenEmbedder``."""

    async def embed_tokens(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> tuple[Matrix, list[Signs]]:
        rows = self._embeddings.post("/tokens", {"model": role, "input": list(texts)})["data"]
        vectors = np.array([row["embedding"] for row in rows], np.float32).reshape(len(texts), self.profile.dimension)
        words = self.profile.dimension // 64
        return vectors, [np.frombuffer(base64.b64decode(row["tokens"]), np.uint64).reshape(-1, words) for row in rows]


def over_endpoint(embeddings: Embeddings) -> Embedder:
    served: dict[str, Any] = embeddings.post("/profile", {"model": ""})
    kind = OverEndpointWithTokens if served["tokens"] else OverEndpoint
    return kind(embeddings, EmbeddingProfile(**served["profile"]))


class Ours:
    product = "trustgraph-react-mem"

    def __init__(self, embeddings: Embeddings, home: Path) -> None:
        self._loop = asyncio.new_event_loop()
        self._stack = AsyncExitStack()
        self._bank = self._run(self._stack.enter_async_context(open_bank(over_endpoint(embeddings), folder=home)))
        self._embedder = over_endpoint(embeddings)

    def add(self, scope: str, session: str, turns: Sequence[dict[str, str]]) -> None:
        said = AskedTranscript(id=scope, turns=tuple(_turn(session, turn) for turn in turns))
        self._run(self._bank.add(said))

    def search(self, scope: str, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        return self._run(self._search(AskedTranscript(id=scope, turns=()), asked, limit))

    async def _search(self, transcript: AskedTranscript, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        query = RetrievalQuery(
            question=asked["text"],
            vector=(await self._embedder.embed([asked["text"]], role="query"))[0],
            top_k=limit,
            candidates=limit,
            rerank="off",
            asked_at=parse_time(asked["asked_at"]),
        )
        found = await self._bank.retriever.retrieve(self._bank.scope(transcript), query)
        return [(self._bank.turns[fact.id], f"{fact.speaker}: {fact.content}") for fact in found.facts]

    def close(self) -> None:
        self._run(self._stack.aclose())

    def _run(self, work: Awaitable[T]) -> T:
        return self._loop.run_until_complete(work)


def _turn(session: str, turn: dict[str, str]) -> Turn:
    return Turn(
        id=turn["id"],
        speaker=turn["speaker"],
        role=turn["role"],
        text=turn["text"],
        said_at=turn["said_at"],
        session=session,
    )


if __name__ == "__main__":
    main(Ours)
