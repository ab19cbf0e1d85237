"""Retrieval of episodes: earlier tasks that resemble a question.

There is no learned ranking, because a scope has few episodes and their goals are short.
"""

import asyncio
from collections.abc import Mapping

import numpy as np

from ..indexing.document import query_sparse, wire_episode_from_payload
from ..indexing.embedding import embed_question
from ..memory.ports import Embedder, Hit, JsonValue, VectorIndex
from ..memory.scope import Scope
from ..memory.timefmt import parse_time
from ..schema import Episode
from .query import RetrievalQuery

CANDIDATES = 30
WORDS_WEIGHT = 0.3


class EpisodeRetriever:
    """Searches the goal and the whole text by vector, and the text by keywords.

    The score is the calibrated similarity plus 0.3 times the relative keyword score.
    """

    def __init__(self, index: VectorIndex, embedder: Embedder) -> None:
        self._index = index
        self._embedder = embedder

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> list[Episode]:
        """Episodes with score and similarity (0 to 1), best first.  Raises EngineUnavailable.

        Of the query, question, vector, ``top_k``, ``threshold``, ``created_after`` and ``patience_s`` count.
        """
        if query.top_k < 1:
            return []
        vector = query.vector
        if vector is None or not len(vector):
            vector = (await embed_question(self._embedder, query.question, query.patience_s)).vector
        searches = [self._index.search_sparse(scope, "words", query_sparse(query.question), limit=CANDIDATES)]
        if np.any(vector):
            vector = np.asarray(vector, np.float32)
            searches += [self._index.search_dense(scope, name, vector, limit=CANDIDATES) for name in ("text", "context")]
        words, *dense = await asyncio.gather(*searches)
        payloads: dict[str, Mapping[str, JsonValue]] = {hit.id: hit.payload for hits in (words, *dense) for hit in hits}
        cosines = {record_id: max(_score(hits, record_id) for hits in dense) if dense else 0.0 for record_id in payloads}
        best_words = max((hit.score for hit in words), default=0.0) or 1.0
        threshold = query.threshold or (self._index.profile.episode_floor if dense else 0.0)
        found = []
        for record_id, payload in payloads.items():
            created = parse_time(payload.get("created_at"))
            if query.created_after is not None and created is not None and created < query.created_after:
                continue
            similarity = self._index.profile.calibrate(cosines[record_id])
            if similarity < threshold:
                continue
            episode = wire_episode_from_payload(record_id, payload)
            episode.similarity = similarity
            episode.score = similarity + WORDS_WEIGHT * _score(words, record_id) / best_words
            found.append(episode)
        return sorted(found, key=lambda episode: (-episode.score, episode.id))[: query.top_k]


def _score(hits: list[Hit], record_id: str) -> float:
    return next((hit.score for hit in hits if hit.id == record_id), 0.0)
