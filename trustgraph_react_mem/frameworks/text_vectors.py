"""Vectors of texts by another embedding model than the memory's, kept in this process."""

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from ..memory.ports import Vector
from .items import Name

MOST = 20_000
QUERY = "\0"  # before queries: a model may embed them unlike documents


class TextVectors:
    """Grows until ``trim``, so that what one batch of operations needs is there together."""

    def __init__(self) -> None:
        self._vectors: OrderedDict[str, Vector] = OrderedDict()

    def find_unknown(self, texts: Iterable[str]) -> list[str]:
        return [text for text in texts if text not in self._vectors]

    def find_unknown_queries(self, queries: Iterable[str]) -> list[str]:
        return [query for query in queries if QUERY + query not in self._vectors]

    def add(self, texts: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        """``vectors``: one (d,) vector for each text."""
        for text, vector in zip(texts, vectors, strict=True):
            self._vectors[text] = np.asarray(vector, dtype=np.float32)

    def trim(self) -> None:
        """Drop the oldest above ``MOST``."""
        while len(self._vectors) > MOST:
            self._vectors.popitem(last=False)

    def add_queries(self, queries: Sequence[str], vectors: Sequence[Sequence[float]]) -> None:
        self.add([QUERY + query for query in queries], vectors)

    def scores(self, query: str, texts: Mapping[Name, Sequence[str]]) -> dict[Name, float]:
        """The cosine of the query and the most similar of the texts, for each name that has one."""
        asked, scores = self._vectors[QUERY + query], dict[Name, float]()
        for name, own in texts.items():
            known = [self._vectors[text] for text in own if text in self._vectors]
            if known:
                scores[name] = max(_cosine(asked, vector) for vector in known)
        return scores


def _cosine(one: Vector, other: Vector) -> float:
    scale = float(np.linalg.norm(one) * np.linalg.norm(other))
    return float(np.dot(one, other)) / scale if scale else 0.0
