"""A plain hybrid over Qdrant in this process: dense vectors and fastembed's BM25, joined by reciprocal rank fusion."""

import uuid
from collections.abc import Sequence
from pathlib import Path

from fastembed import SparseTextEmbedding
from qdrant_client import QdrantClient, models

from .driver import Embeddings, main, said
from .stop_word_file import stop_word_folder

NAME = "turns"
PREFETCHED = 60


class QdrantHybrid:
    product = "qdrant-client"

    def __init__(self, embeddings: Embeddings, home: Path) -> None:
        self._embeddings = embeddings
        self._words = SparseTextEmbedding("Qdrant/bm25", specific_model_path=stop_word_folder(home))
        self._client = QdrantClient(path=str(home / "qdrant"))
        size = len(embeddings.vectors(["size"], "query")[0])
        self._client.create_collection(
            NAME,
            vectors_config={"dense": models.VectorParams(size=size, distance=models.Distance.COSINE)},
            sparse_vectors_config={"words": models.SparseVectorParams(modifier=models.Modifier.IDF)},
        )

    def add(self, scope: str, session: str, turns: Sequence[dict[str, str]]) -> None:
        texts = [said(turn) for turn in turns]
        dense, sparse = self._embeddings.vectors(texts, "passage"), self._words.embed(texts)
        points = [
            models.PointStruct(
                id=str(uuid.uuid4()),
                vector={"dense": vector, "words": models.SparseVector(**words.as_object())},
                payload={"scope": scope, "turn": turn["id"], "text": text, "said_at": turn["said_at"]},
            )
            for turn, text, vector, words in zip(turns, texts, dense, sparse, strict=True)
        ]
        self._client.upsert(NAME, points)

    def search(self, scope: str, asked: dict[str, str], limit: int) -> list[tuple[str, str]]:
        mine = models.Filter(must=[models.FieldCondition(key="scope", match=models.MatchValue(value=scope))])
        vector = self._embeddings.vectors([asked["text"]], "query")[0]
        words = models.SparseVector(**next(iter(self._words.query_embed(asked["text"]))).as_object())
        found = self._client.query_points(
            NAME,
            prefetch=[
                models.Prefetch(query=vector, using="dense", filter=mine, limit=PREFETCHED),
                models.Prefetch(query=words, using="words", filter=mine, limit=PREFETCHED),
            ],
            query=models.FusionQuery(fusion=models.Fusion.RRF),
            limit=limit,
        )
        payloads = [point.payload or {} for point in found.points]
        return [(payload["turn"], payload["text"]) for payload in payloads]

    def close(self) -> None:
        self._client.close()


if __name__ == "__main__":
    main(QdrantHybrid)
