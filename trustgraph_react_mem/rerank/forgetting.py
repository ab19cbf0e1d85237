"""Removes forgotten records and questions from the weights of a scope.

- Archived turns whose question is forgotten go, and with them their waiting gradients and their outer products, which contain
  the question's vector.  Turns that only had a forgotten record among their candidates lose that record, and their waiting
  gradients go.
- Turns stored by version 0.1.0 do not say where they were asked.  They go with the first question that is forgotten.
- What remains are sums over many turns: the vector u, the mean memory, and the weights of the features.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

import numpy as np

from .archive import decode, encode
from .ranking import Experience
from .reinforce import id_hash
from .weights import OuterProducts, Vector, Weights

SAME = 0.999  # cosine of a stored query and its copy in half precision


@dataclass(frozen=True, slots=True, kw_only=True)
class Forgotten:
    """What is erased: records, and the questions of invocations or of a whole conversation."""

    records: Collection[str] = ()
    invocations: Collection[str] = ()
    conversation: str = ""

    def asks(self, turn: Experience) -> bool:
        """Whether the question of the turn is, or may be, one of those forgotten."""
        if not turn.invocation_id:
            return bool(self.invocations or self.conversation)
        return turn.invocation_id in self.invocations or (bool(self.conversation) and turn.conversation_id == self.conversation)


def count_forgotten(weights: Weights, forgotten: Forgotten) -> int:
    """Number of stored turns that contain something forgotten."""
    touched = [turn for turn in map(decode, weights.archive) if _touches(turn, forgotten)]
    old = sum(1 for turn in weights.pending if not turn.origin) if forgotten.invocations or forgotten.conversation else 0
    return len(touched) + old


def forget_turns(weights: Weights, forgotten: Forgotten) -> Weights:
    """The weights without what is forgotten.  ``weights`` itself if they contain nothing of it."""
    if not count_forgotten(weights, forgotten):
        return weights
    archive: list[bytes] = []
    origins: set[int] = {0} if forgotten.invocations or forgotten.conversation else set()
    queries: list[Vector] = []
    for entry in weights.archive:
        turn = decode(entry)
        if not _touches(turn, forgotten):
            archive.append(entry)
            continue
        origins.add(id_hash(turn.job_id))
        left = None if forgotten.asks(turn) else turn.without(set(forgotten.records))
        if left is None:
            queries.append(turn.query)
        else:
            archive.append(encode(left))
    rows = _rows_without(weights.wq, queries)
    both = weights.wq.rank == weights.wm.rank  # the products of one turn have the same row in both
    digests = {id_hash(record) for record in forgotten.records}
    return replace(
        weights,
        archive=tuple(archive),
        pending=tuple(turn for turn in weights.pending if turn.origin not in origins),
        wq=weights.wq.keep(rows),
        wm=weights.wm.keep(rows) if both else weights.wm,
        repeats=tuple(digest for digest in weights.repeats if digest not in digests),
    )


def _touches(turn: Experience, forgotten: Forgotten) -> bool:
    return forgotten.asks(turn) or not set(forgotten.records).isdisjoint(turn.candidates.ids)


def _rows_without(products: OuterProducts, queries: Collection[Vector]) -> list[int]:
    """Rows of products whose right factor is none of the queries."""
    if not products.rank or not queries:
        return list(range(products.rank))
    asked = np.stack([query / max(float(np.linalg.norm(query)), 1e-12) for query in queries])
    rights = products.right / np.maximum(np.linalg.norm(products.right, axis=1, keepdims=True), 1e-12)
    same = (rights @ asked.T).max(axis=1) >= SAME
    return np.flatnonzero(~same).tolist()
