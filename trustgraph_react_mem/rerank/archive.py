"""Compact encoding of the newest turns.  They are stored with the weights, so a policy can be retrained without the dialogue.

An entry contains record ids, the query's vector and the features, but no text.  The records' vectors are read from the index
at training time.  Forgetting removes the records and questions that it erases (``forgetting``).
"""

import json
import struct
from collections.abc import Collection
from dataclasses import dataclass, fields, replace

import numpy as np

from .citations import CitationState
from .ranking import Candidates, Experience, Floats, Vectors


@dataclass(frozen=True, slots=True, kw_only=True)
class ArchivedTurn:
    """An experience whose candidates have no vectors yet.

    ``query`` (d,) float32, ``base`` (K,), ``features`` (K, F); the other fields are as in ``Experience``.
    """

    job_id: str
    ids: tuple[str, ...]
    shown: tuple[int, ...]
    cited: tuple[int, ...]
    state: CitationState
    seed: int
    muted: frozenset[int]
    query: Vectors
    base: Floats
    features: Floats
    feature_names: tuple[str, ...]
    conversation_id: str = ""  # turns archived by version 0.1.0 have neither id
    invocation_id: str = ""

    def with_vectors(self, vectors: dict[str, Vectors]) -> Experience | None:
        """The experience with the given vectors, by record id.

        Records without a vector are left out.  None: no record that was shown is left.
        """
        turn = self._keep(vectors)
        if turn is None:
            return None
        candidates = Candidates(
            ids=turn.ids,
            vectors=np.stack([vectors[record] for record in turn.ids]),
            base=turn.base,
            features=turn.features,
            feature_names=turn.feature_names,
        )
        return Experience(candidates=candidates, **{name: getattr(turn, name) for name in _OF_BOTH})

    def without(self, records: Collection[str]) -> "ArchivedTurn | None":
        """The turn without these records.  None: no record that was shown is left."""
        return self._keep([record for record in self.ids if record not in records])

    def _keep(self, records: Collection[str]) -> "ArchivedTurn | None":
        kept = [index for index, record in enumerate(self.ids) if record in records]
        place = {index: new for new, index in enumerate(kept)}
        positions = [position for position, index in enumerate(self.shown) if index in place]
        if not positions:
            return None
        return replace(
            self,
            ids=tuple(self.ids[index] for index in kept),
            shown=tuple(place[self.shown[position]] for position in positions),
            cited=tuple(new for new, position in enumerate(positions) if position in self.cited),
            muted=frozenset(place[index] for index in self.muted if index in place),
            base=self.base[kept],
            features=self.features[kept],
        )


_OF_BOTH = {each.name for each in fields(ArchivedTurn)} & {each.name for each in fields(Experience)}


def make_archived(experience: Experience) -> ArchivedTurn:
    """The experience without its records' vectors."""
    candidates = experience.candidates
    return ArchivedTurn(
        ids=candidates.ids,
        base=candidates.base,
        features=candidates.features,
        feature_names=candidates.feature_names,
        **{name: getattr(experience, name) for name in _OF_BOTH},
    )


def encode(turn: ArchivedTurn) -> bytes:
    """Header length, JSON header, then query (float16), base and features (float32)."""
    header = json.dumps(
        {
            "job": turn.job_id,
            "ids": turn.ids,
            "shown": turn.shown,
            "cited": turn.cited,
            "state": turn.state,
            "seed": turn.seed,
            "muted": sorted(turn.muted),
            "names": turn.feature_names,
            "d": turn.query.size,
            "in": [turn.conversation_id, turn.invocation_id],
        },
        separators=(",", ":"),
    ).encode()
    arrays = (turn.query.astype(np.float16), turn.base.astype(np.float32), turn.features.astype(np.float32))
    return b"".join([struct.pack("<I", len(header)), header, *(array.tobytes() for array in arrays)])


def decode(entry: bytes) -> ArchivedTurn:
    (length,) = struct.unpack("<I", entry[:4])
    header = json.loads(entry[4 : 4 + length])
    k, f = len(header["ids"]), len(header["names"])
    conversation_id, invocation_id = header.get("in") or ("", "")
    offset = 4 + length
    numbers = np.frombuffer(entry, np.float32, k + k * f, offset + 2 * header["d"]).astype(np.float64)
    return ArchivedTurn(
        job_id=header["job"],
        ids=tuple(header["ids"]),
        shown=tuple(header["shown"]),
        cited=tuple(header["cited"]),
        state=header["state"],
        seed=header["seed"],
        muted=frozenset(header["muted"]),
        query=np.frombuffer(entry, np.float16, header["d"], offset).astype(np.float32),
        base=numbers[:k],
        features=numbers[k:].reshape(k, f),
        feature_names=tuple(header["names"]),
        conversation_id=conversation_id,
        invocation_id=invocation_id,
    )
