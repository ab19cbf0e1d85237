"""Embeddings cached on disk between runs, so that a text is embedded once per model."""

import hashlib
import sqlite3
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import numpy as np

from trustgraph_react_mem.memory.ports import Embedder, Matrix


class CachedEmbedder:
    """An ``Embedder`` that calls ``inner`` only for new texts.  ``label``: exact name and form of the model."""

    def __init__(self, inner: Embedder, folder: Path, label: str = "") -> None:
        self.profile = inner.profile
        self._inner = inner
        folder.mkdir(parents=True, exist_ok=True)
        name = "".join(c if c.isalnum() or c in "-." else "_" for c in f"{self.profile.name} {label}".strip())
        self._rows = sqlite3.connect(folder / f"{name}.sqlite")
        self._rows.execute("create table if not exists vectors (key blob primary key, vector blob)")

    async def embed(self, texts: Sequence[str], *, role: Literal["query", "passage"]) -> Matrix:
        keys = [hashlib.sha256(f"{role}\x1f{text}".encode()).digest() for text in texts]
        result = np.zeros((len(texts), self.profile.dimension), np.float32)
        missing = []
        for row, key in enumerate(keys):
            found = self._rows.execute("select vector from vectors where key = ?", (key,)).fetchone()
            if found:
                result[row] = np.frombuffer(found[0], np.float32)
            else:
                missing.append(row)
        if missing:
            result[missing] = await self._inner.embed([texts[row] for row in missing], role=role)
            self._rows.executemany(
                "insert or replace into vectors values (?, ?)", [(keys[row], result[row].tobytes()) for row in missing]
            )
            self._rows.commit()
        return result

    def close(self) -> None:
        self._rows.close()
