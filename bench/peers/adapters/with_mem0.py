"""mem0 with no model in the loop (``infer=False``): its hybrid search over Qdrant in this process.

Lemmas and entities need spaCy's ``en_core_web_sm``, which is no package: without it, mem0 ranks by vectors and BM25.
"""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fastembed import SparseTextEmbedding

from .driver import Embeddings, main, said
from .stop_word_file import stop_word_folder


class OverEndpoint:
    """mem0's interface of an embedding model."""

    def __init__(self, embeddings: Embeddings, config: Any) -> None:
        self.config = config
        self._embeddings = embeddings

    def embed(self, text: str, memory_action: str | None = None) -> list[float]:
        return self.embed_batch([text], memory_action or "add")[0]

    def embed_batch(self, texts: Sequence[str], memory_action: str = "add") -> list[list[float]]:
        return self._embeddings.vectors(texts, "query" if memory_action == "search" else "passage")


class Mem0:
    product = "mem0ai"

    def __init__(self, embeddings: Embeddings, home: Path) -> None:
        os.environ |= {"MEM0_TELEMETRY": "False", "MEM0_DIR": str(home / "mem0"), "OPENAI_API_KEY": "unused"}
        from mem0 import Memory  # reads the environment when it is imported

        size = len(embeddings.vectors(["size"], "query")[0])
        store = {"path": str(home / "qdrant"), "embedding_model_dims": size, "on_disk": True}
        self._memory = Memory.from_config(
            {"vector_store": {"provider": "qdrant", "config": store}, "history_db_path": str(home / "history.db")}
        )
        self._memory.embedding_model = OverEndpoint(embeddings, self._memory.embedding_model.config)
        self._memory.vector_store._bm25_encoder = SparseTextEmbedding("Qdrant/bm25", specific_model_path=stop_word_folder(home))

    def add(self, scope: str, session: str, turns: Sequence[dict[str, str]]) -> None:
        for turn in turns:
            metadata = {"turn": turn["id"], "session": session, "said_at": turn["said_at"]}
            message = {"role": "user", "content": said(turn), "name": turn["speaker"]}
            self._memory.add([message], user_id=scope, metadata=metadata, infer=False)

    def search(self, scope: str, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        found = self._memory.search(asked["text"], top_k=limit, filters={"user_id": scope}, threshold=0.0)["results"]
        return [(each["metadata"]["turn"], each["memory"]) for each in found]

    def close(self) -> None:
        self._memory.vector_store.client.close()


if __name__ == "__main__":
    main(Mem0)
