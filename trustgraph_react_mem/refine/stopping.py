"""When a loop of critiques and revisions has nothing left to do: a critique asks for nothing, or a text stops changing.

The prompts of a critique give the model one sentence for that.  It is a signal, whatever the language of the critique.
"""

import math
import re
from collections import Counter

from ..indexing.tokenizer import is_spaceless

SATISFIED = "No further improvements."
_MARKS = " \t\r\n.!*_`\"'"
_WORD = re.compile(r"[^\W_]+")


def asks_nothing(critique: str) -> bool:
    """Whether a critique says that nothing is left to improve, and nothing else.

    >>> asks_nothing("No further improvements."), asks_nothing("No further improvements, but name the year.")
    (True, False)
    """
    return critique.strip(_MARKS).casefold() == SATISFIED.strip(_MARKS).casefold()


def similarity(before: str, after: str) -> float:
    """Cosine similarity of the counts of words, 0 to 1.  It shows that a text stopped changing, not that it became right.

    >>> similarity("a b", "a b"), similarity("a", "b")
    (1.0, 0.0)
    """
    one, other = _counts(before), _counts(after)
    if one == other:
        return 1.0
    shared = sum(count * other[word] for word, count in one.items())
    lengths = math.sqrt(sum(count**2 for count in one.values()) * sum(count**2 for count in other.values()))
    return round(shared / lengths, 4) if lengths else 0.0


def _counts(text: str) -> Counter[str]:
    """Words; characters of scripts without spaces."""
    counts: Counter[str] = Counter()
    for word in _WORD.findall(text.casefold()):
        counts.update(word if is_spaceless(word) else [word])
    return counts
