"""Compact encoding of the newest turns.  They are stored with the weights, so a policy can be retrained without the dialogue.

An entry contains record ids, the query's vector and the features, but no text.  The records' vectors are read from the index
at training time.  Forgetting removes the records and questions that it erases (``forgetting``).
"""

import json
import struct

import numpy as np

from .ranking import Candidates, Experience


def encode(turn: Experience) -> bytes:
    """Header length, JSON header, then query (float16), base and features (float32)."""
    candidates = turn.candidates
    header = json.dumps(
        {
            "job": turn.job_id,
            "ids": candidates.ids,
            "shown": turn.shown,
            "cited": turn.cited,
            "state": turn.state,
            "seed": turn.seed,
            "muted": sorted(turn.muted),
            "names": candidates.feature_names,
            "d": turn.query.size,
            "in": [turn.conversation_id, turn.invocation_id],
        },
        separators=(",", ":"),
    ).encode()
    arrays = (turn.query.astype(np.float16), candidates.base.astype(np.float32), candidates.features.astype(np.float32))
    return b"".join([struct.pack("<I", len(header)), header, *(array.tobytes() for array in arrays)])


def decode(entry: bytes) -> Experience:
    """The turn.  Its candidates have no vectors yet (``Experience.with_vectors``)."""
    (length,) = struct.unpack("<I", entry[:4])
    header = json.loads(entry[4 : 4 + length])
    k, f = len(header["ids"]), len(header["names"])
    conversation_id, invocation_id = header.get("in") or ("", "")  # turns archived by version 0.1.0 have neither id
    offset = 4 + length
    numbers = np.frombuffer(entry, np.float32, k + k * f, offset + 2 * header["d"]).astype(np.float64)
    return Experience(
        job_id=header["job"],
        query=np.frombuffer(entry, np.float16, header["d"], offset).astype(np.float32),
        candidates=Candidates(
            ids=tuple(header["ids"]),
            vectors=np.zeros((k, 0), np.float32),
            base=numbers[:k],
            features=numbers[k:].reshape(k, f),
            feature_names=tuple(header["names"]),
        ),
        shown=tuple(header["shown"]),
        cited=tuple(header["cited"]),
        state=header["state"],
        seed=header["seed"],
        muted=frozenset(header["muted"]),
        conversation_id=conversation_id,
        invocation_id=invocation_id,
    )
