"""LangGraph's ``InMemoryStore`` with an index: one item for each turn, semantic search."""

from collections.abc import Sequence
from pathlib import Path

from langchain_core.embeddings import Embeddings as LangChainEmbeddings
from langgraph.store.memory import InMemoryStore

from .driver import Embeddings, main, said


class OverEndpoint(LangChainEmbeddings):
    def __init__(self, embeddings: Embeddings) -> None:
        self._embeddings = embeddings

    def embed_documents(self, texts: list[str]) -> list[list[float]]:
        return self._embeddings.vectors(texts, "passage")

    def embed_query(self, text: str) -> list[float]:
        return self._embeddings.vectors([text], "query")[0]


class LangGraph:
    product = "langgraph"

    def __init__(self, embeddings: Embeddings, home: Path) -> None:
        size = len(embeddings.vectors(["size"], "query")[0])
        self._store = InMemoryStore(index={"dims": size, "embed": OverEndpoint(embeddings), "fields": ["text"]})

    def add(self, scope: str, session: str, turns: Sequence[dict[str, str]]) -> None:
        for turn in turns:
            self._store.put((scope,), turn["id"], {"text": said(turn), "said_at": turn["said_at"]})

    def search(self, scope: str, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        return [(item.key, item.value["text"]) for item in self._store.search((scope,), query=asked["text"], limit=limit)]

    def close(self) -> None:
        pass


if __name__ == "__main__":
    main(LangGraph)
