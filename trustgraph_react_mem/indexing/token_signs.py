"""Late interaction over one bit a dimension: how well the words of a question match those of a record, one by one.

Of each token of a text, the signs of its vector in the model's last layer are kept (48 bytes for 384 dimensions), after the
model's mean token is subtracted, which all tokens share.  A record's score is the mean, over the tokens of the question, of the
share of equal signs with its most similar token.  A token of the question counts by how much better the best record matches it
than the others do: function words are everywhere.

Sources: Khattab and Zaharia, "ColBERT" (SIGIR 2020), for the sum of maxima; Charikar, "Similarity estimation techniques from
rounding algorithms" (STOC 2002), for the angle between two vectors from their signs.
"""

import base64
import binascii
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..memory.ports import Signs

TOKENS = "tokens"  # key of the payload: the signs in Base64
MOST_TOKENS = 256  # of a record; those of a longer text are thinned out evenly
MOST_ASKED = 64  # of a question
WORD_BITS = 64


def thin_out(signs: Signs, most: int) -> Signs:
    if len(signs) <= most:
        return signs
    return signs[np.linspace(0, len(signs) - 1, most).astype(np.intp)]


def write_signs(signs: Signs) -> str:
    """The payload's form of a record's tokens."""
    return base64.b64encode(thin_out(signs, MOST_TOKENS).tobytes()).decode("ascii")


def read_signs(text: object, dimension: int) -> Signs | None:
    """The signs in a payload; None if there are none, or of another dimension."""
    if not isinstance(text, str) or not text:
        return None
    try:
        raw = base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
    width = dimension // 8
    if not raw or len(raw) % width:
        return None
    return np.frombuffer(raw, np.uint64).reshape(-1, dimension // WORD_BITS)


def late_scores(asked: Signs, records: Sequence[Signs | None]) -> NDArray[np.float32]:
    """(K,) scores from 0 to 1; nan for a record without tokens.  ``asked``: the tokens of the question."""
    result = np.full(len(records), np.nan, np.float32)
    present = [row for row, signs in enumerate(records) if signs is not None]
    if not present or not len(asked):
        return result
    each = [records[row] for row in present]
    # Words first, so that each operation runs over all tokens of the records.
    together: Signs = np.ascontiguousarray(np.concatenate(each).T)  # type: ignore[arg-type]
    starts = np.cumsum([0, *(len(signs) for signs in each[:-1])])  # type: ignore[arg-type]
    best = np.empty((len(asked), len(present)), np.float32)
    for row, token in enumerate(asked):
        different = np.bitwise_count(together ^ token[:, None]).sum(axis=0, dtype=np.uint16)
        best[row] = np.minimum.reduceat(different, starts)
    equal = 1 - best / (asked.shape[1] * WORD_BITS)
    telling = equal.max(axis=1) - equal.mean(axis=1)
    result[present] = telling @ equal / max(float(telling.sum()), 1e-6)
    return result
