"""Embeddings cached on disk between runs, so that a text is embedded once per model."""

import hashlib
import sqlite3
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Literal

import numpy as np

from trustgraph_react_mem.memory.ports import Embedder, Matrix, Signs, TokenEmbedder
from trustgraph_react_mem.models.embedder import embedder_of, open_embedding_model

Role = Literal["query", "passage"]
CACHE = Path("build/embeddings")


class CachedEmbedder:
    """An ``Embedder`` that calls ``inner`` only for new texts.  ``label``: exact name and form of the model."""

    def __init__(self, inner: Embedder, folder: Path, label: str = "") -> None:
        self.profile = inner.profile
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        name = "".join(c if c.isalnum() or c in "-." else "_" for c in f"{self.profile.name} {label}".strip())
        self._rows = sqlite3.connect(folder / f"{name}.sqlite", timeout=60)  # several evaluations may run
        for table in ("vectors", "tokens"):
            self._rows.execute(f"create table if not exists {table} (key blob primary key, vector blob)")

    async def embed(self, texts: Sequence[str], *, role: Role) -> Matrix:
        rows = await self._cached("vectors", texts, role, self._vectors_of)
        found = [np.frombuffer(row, np.float32) for row in rows]
        return np.stack(found) if found else np.zeros((0, self.profile.dimension), np.float32)

    async def _vectors_of(self, texts: Sequence[str], role: Role) -> list[bytes]:
        return [row.tobytes() for row in await self._inner.embed(texts, role=role)]

    async def _cached(
        self, table: str, texts: Sequence[str], role: Role, embed: Callable[[Sequence[str], Role], Awaitable[list[bytes]]]
    ) -> list[bytes]:
        keys = [_key(text, role) for text in texts]
        found: dict[bytes, bytes] = {}
        for key in keys:
            row = self._rows.execute(f"select vector from {table} where key = ?", (key,)).fetchone()
            if row:
                found[key] = row[0]
        missing = {key: text for key, text in zip(keys, texts, strict=True) if key not in found}
        if missing:
            made = dict(zip(missing, await embed(list(missing.values()), role), strict=True))
            self._keep(table, made)
            found |= made
        return [found[key] for key in keys]

    def _keep(self, table: str, made: Mapping[bytes, bytes]) -> None:
        self._rows.executemany(f"insert or replace into {table} values (?, ?)", list(made.items()))
        self._rows.commit()

    def close(self) -> None:
        self._rows.close()


class CachedTokenEmbedder(CachedEmbedder):
    """``TokenEmbedder``."""

    def __init__(self, inner: TokenEmbedder, folder: Path, label: str = "") -> None:
        super().__init__(inner, folder, label)
        self._shown = inner

    async def embed_tokens(self, texts: Sequence[str], *, role: Role) -> tuple[Matrix, list[Signs]]:
        rows = await self._cached("tokens", texts, role, self._tokens_of)
        words = self.profile.dimension // 64
        return await self.embed(texts, role=role), [np.frombuffer(row, np.uint64).reshape(-1, words) for row in rows]

    async def _tokens_of(self, texts: Sequence[str], role: Role) -> list[bytes]:
        vectors, tokens = await self._shown.embed_tokens(texts, role=role)
        self._keep("vectors", {_key(text, role): row.tobytes() for text, row in zip(texts, vectors, strict=True)})
        return [row.tobytes() for row in tokens]


def _key(text: str, role: Role) -> bytes:
    return hashlib.sha256(f"{role}\x1f{text}".encode()).digest()


def cached(inner: Embedder, folder: Path, label: str = "") -> CachedEmbedder:
    """``inner`` with a cache; with tokens if it shows them."""
    return (
        CachedTokenEmbedder(inner, folder, label) if isinstance(inner, TokenEmbedder) else CachedEmbedder(inner, folder, label)
    )


@asynccontextmanager
async def open_embedder(model: str = "") -> AsyncIterator[CachedEmbedder]:
    """The model of this name in the catalogue, with the cache of all benches.  Default: the one that the stack would use."""
    embedding = await open_embedding_model(model or None)
    embedder = cached(embedder_of(embedding), CACHE, embedding.where)
    try:
        yield embedder
    finally:
        embedder.close()
        await embedding.close()
