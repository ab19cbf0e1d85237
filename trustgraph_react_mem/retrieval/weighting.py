"""The weights of the features, and the fused score.

The weights of ordinary talk were tuned on two conversations and checked on others (bench/recall.py).  A scope of long
messages, as people write them to an assistant, is ranked by the words and the vector of each record itself: a context of
several long messages is similar to everything.  Between the two, the mean length of the scope's records decides.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns.vectors import Column
from .date_evidence import keep_undated

SHORT_TERMS, LONG_TERMS = 30.0, 55.0  # mean number of terms of a record: up to the first, and from the second on
MOST_TERMS = 80.0  # a few pasted documents do not make a scope one of long messages


#: The factor of each feature's column in the fused score.
FEATURES: Mapping[str, float] = {
    # Vectors
    "text": 0.2,
    "context": 0.1,
    "nearest": 0.6,  # maximum of the two
    "late": 0.6,  # late interaction; of the candidates alone, see ``CandidatePool.match_tokens``
    # Words of the record, with one neighbour on each side, with two neighbours on each side
    "words": 0.05,
    "words_context": 0.0,
    "words_wide": 0.35,
    "covered": 0.1,  # squared share of the question's words in it or its neighbours, weighted by rarity
    # Neighbouring turns and the best record of its conversation
    "text_before": 0.05,
    "text_after": 0.05,
    "context_after": 0.25,
    "context_later": 0.1,
    "session_text": 0.0,
    "session_context": 0.5,
    "session_words": 0.05,
    # Scores of records derived from it, or of its sources.  Such records are candidates themselves
    "linked_text": 0.0,
    "linked_words": 0.0,
    # Who, what form, when
    "speaker": 1.15,
    "question": -0.2,
    "length": 0.1,
    "time_asked": 2.2,
    "time_unasked": 0.2,
    "number_asked": 0.0,
    "date": 4.5,
    "entities": 0.0,
    "recency": 0.0,
    "importance": 0.3,
    "uses": 0.0,
}
# What differs in a scope of long messages.
_LONG = {
    "text": 1.0,
    "context": 0.0,
    "nearest": 0.0,
    "late": 0.75,
    "words": 0.3,
    "words_wide": 0.25,
    "context_after": 0.0,
    "context_later": 0.0,
    "session_context": 0.1,
    "length": 0.0,
    "time_asked": 0.0,
    "time_unasked": 0.0,
}
FEATURE_NAMES: tuple[str, ...] = tuple(FEATURES)
ROWS: Mapping[str, int] = {name: row for row, name in enumerate(FEATURE_NAMES)}
WEIGHTS = np.array(list(FEATURES.values()), np.float32)
_LONG_WEIGHTS = np.array([_LONG.get(name, weight) for name, weight in FEATURES.items()], np.float32)
# Without vectors, the words get higher weights.
_WORDS_ALONE = np.array([{"words": 1.0, "words_context": 0.5}.get(name, 0.0) for name in FEATURES], np.float32)


def weights_for(lengths: NDArray[Any]) -> Column:
    """(F,) weights for a scope with records of these ``lengths`` (n,), in terms.  0s do not count."""
    capped = np.minimum(lengths, MOST_TERMS)
    mean = float(capped.sum()) / max(1, int(np.count_nonzero(capped)))
    long = min(max((mean - SHORT_TERMS) / (LONG_TERMS - SHORT_TERMS), 0.0), 1.0)
    result: Column = WEIGHTS + np.float32(long) * (_LONG_WEIGHTS - WEIGHTS)
    return result


def fuse(table: NDArray[np.float32], weights: Column = WEIGHTS) -> Column:
    """(n,) weighted sum of (F, n) columns: the retrieval score."""
    used = weights if table[ROWS["nearest"]].any() else weights + _WORDS_ALONE
    result: Column = np.einsum("f,fn->n", used, table)  # einsum does not use other threads, see dots()
    keep_undated(result, used[ROWS["date"]] * table[ROWS["date"]])
    return result
