"""Decides whether a question needs recall at all.  Source: semantic router memory, section 5.

A wrong skip loses an answer, while a wrong search costs milliseconds.  So only what cannot be searched for is skipped: the
greetings that the specification lists, and messages without a letter or a number.
"""

from typing import Literal

Decision = Literal["search", "empty", "greeting"]  # to search, or why not
GREETINGS = (
    *("hi", "hello", "hey", "howdy", "thanks", "thank you", "thx", "bye", "goodbye", "see you"),
    *("ok", "okay", "sure", "yes", "no"),
)


def gate(question: str) -> Decision:
    """Skip a question only if it is a greeting as a whole, or holds nothing to search for."""
    words = "".join(sign if sign.isalnum() or sign == "'" else " " for sign in question.replace("’", "'").casefold()).split()
    if not words:
        return "empty"
    return "greeting" if " ".join(words) in GREETINGS else "search"
