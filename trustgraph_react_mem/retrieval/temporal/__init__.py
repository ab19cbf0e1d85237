"""Which times a text means: "last Tuesday", "zwischen März und Mai", 先週の火曜日.

``resolve`` finds the expressions of a text with their ranges; ``time_ranges`` gives the ranges of a question, as evidence for
its ranking.  A word that may mean something else is no time unless its context makes it one, because a wrong range costs more
than a missing one.

Cost: linear in the text, of which ``MOST_CHARACTERS`` are read.
"""

from .ranges import TimeRange
from .resolving import Span, resolve, time_ranges

__all__ = ["Span", "TimeRange", "resolve", "time_ranges"]
