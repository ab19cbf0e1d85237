"""Decides whether a question needs recall at all.  Source: semantic router memory, section 5.

A wrong skip loses an answer, while a wrong search costs milliseconds.  Therefore only messages that match a known form as a
whole are skipped: greetings and small talk, the time of day, and plain sums.  Questions about the world are searched: their
words ("the capital", "churn", "the area of Building 7") may have a meaning of their own in a person's memory.
"""

import re
from dataclasses import dataclass
from typing import Literal

from ..indexing.small_talk import GREETING

Reason = Literal["search", "off", "empty", "greeting", "tool"]
LONGEST = 160  # characters; greetings are short


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """``search`` False: the question needs no recall, for ``reason``."""

    search: bool
    reason: Reason


def _whole(pattern: str) -> re.Pattern[str]:
    return re.compile(rf"\W*(?:{pattern})\W*", re.IGNORECASE)


# Only operators that no date ("12/5", "2024-05-03") and no telephone number has, unless they stand between spaces.
_NUMBER = r"\(*[+-]?\d[\d.,]*\)*"
_OPERATOR = r"(?:\s*[+*x×÷^]\s*|\s+[-/]\s+)"
_SUM = rf"{_NUMBER}(?:{_OPERATOR}{_NUMBER})+\s*=?"
_TOOL = _whole(
    r"what(?:'s| is) the (?:time|date|current time|current date)(?: (?:now|today|right now))?"
    r"|what (?:time|day) is it(?: (?:now|today))?"
    rf"|(?:(?:what(?:'s| is)|was ist|combien font|cuánto es)\s+)?{_SUM}"
    rf"|(?:calculate|compute|rechne|berechne|calcule|calcula)\s+{_NUMBER}(?:\s*[+*x×÷^/-]\s*{_NUMBER})+\s*=?"
    r"|wie spät ist es(?: jetzt)?|wie viel uhr ist es|quelle heure est-il|qué hora es|今何時(?:ですか)?|现在几点(?:了)?"
)


def gate(question: str) -> GateDecision:
    """Skip a question only if it matches a known form as a whole."""
    text = " ".join(question.replace("’", "'").split())
    if not any(character.isalnum() for character in text):
        return GateDecision(search=False, reason="empty")
    if len(text) > LONGEST:
        return GateDecision(search=True, reason="search")
    if GREETING.fullmatch(text):
        return GateDecision(search=False, reason="greeting")
    if _TOOL.fullmatch(text):
        return GateDecision(search=False, reason="tool")
    return GateDecision(search=True, reason="search")
