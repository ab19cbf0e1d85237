"""MemPalace: one drawer for each turn, a wing for each dialogue; its search as it is
set by default: vectors, reordered with BM25."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from .driver import Embeddings, main, said


class MemPalace:
    product = "mempalace"

    def __init__(self, embeddings: Embeddings, home: Path) -> None:
        os.environ |= {
            "HOME": str(home),  # its configuration, and locks
            "MEMPALACE_EMBEDDING_MODEL": "openai-compat",
            "MEMPALACE_EMBEDDING_API_URL": embeddings.url,
            "MEMPALACE_EMBEDDING_API_MODEL": "passage",
            "ANONYMIZED_TELEMETRY": "False",
        }
        from mempalace import embedding, palace, searcher  # read the environment

        class OverEndpoint(embedding.OpenAICompatEmbeddingFunction):  # type: ignore[misc]
            """The same endpoint, asked with the role, and with its time counted."""

            def __call__(self, input: Sequence[str]) -> Any:
                return embeddings.vectors(list(input), "passage")

            def embed_query(self, input: Sequence[str]) -> Any:
                return embeddings.vectors(list(input), "query")

        embedding.OpenAICompatEmbeddingFunction = OverEndpoint
        self._searcher, self._palace = searcher, str(home / "palace")
        self._drawers = palace.get_collection(self._palace, create=True)

    def add(self, scope: str, session: str, turns: Sequence[dict[str, str]]) -> None:
        self._drawers.upsert(
            ids=[f"{scope}/{turn['id']}" for turn in turns],
            documents=[said(turn) for turn in turns],
            metadatas=[
                {"wing": scope, "room": session, "source_file": turn["id"], "chunk_index": 0, "authored_at": turn["said_at"]}
                for turn in turns
            ],
        )

    def search(self, scope: str, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        found = self._searcher.search_memories(asked["text"], self._palace, wing=scope, n_results=limit)
        if "results" not in found:
            raise RuntimeError(f"the search failed: {found.get('error')}")
        return [(hit["source_file"], hit["text"]) for hit in found["results"]]

    def close(self) -> None:
        pass


if __name__ == "__main__":
    main(MemPalace)
