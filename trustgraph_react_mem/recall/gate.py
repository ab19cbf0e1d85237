"""Decides whether a question needs recall at all.  Source: semantic router memory, section 5.

A wrong skip loses an answer, while a wrong search costs milliseconds.  So only what cannot be searched for is skipped: the
greetings that the specification lists, and messages without a letter or a number.
"""

from dataclasses import dataclass
from typing import Literal

Reason = Literal["search", "off", "empty", "greeting"]
GREETINGS = (
    *("hi", "hello", "hey", "howdy", "thanks", "thank you", "thx", "bye", "goodbye", "see you"),
    *("ok", "okay", "sure", "yes", "no"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """``search`` False: the question needs no recall, for ``reason``."""

    search: bool
    reason: Reason


def gate(question: str) -> GateDecision:
    """Skip a question only if it is a greeting as a whole, or holds nothing to search for."""
    words = "".join(sign if sign.isalnum() or sign == "'" else " " for sign in question.replace("’", "'").casefold()).split()
    if not words:
        return GateDecision(search=False, reason="empty")
    if " ".join(words) in GREETINGS:
        return GateDecision(search=False, reason="greeting")
    return GateDecision(search=True, reason="search")
