"""Texts for a terminal or a file that people read: no character controls the terminal or turns the direction of writing."""

import re

# Controls but tab and line feed, embeddings and isolates of bidirectional text, halves of surrogate pairs
_CONTROLS = "\\x00-\\x08\\x0b-\\x1f\\x7f-\\x9f\\u202a-\\u202e\\u2066-\\u2069\\ud800-\\udfff"
# Characters without a form of their own.  Joiners stay: emoji and words of several scripts need them.
_INVISIBLE = "\\xad\\u061c\\u180e\\u200b\\u200e\\u200f\\u2060-\\u2065\\u206a-\\u206f\\ufeff\\ufff9-\\ufffb"
_TAGS = "\\U000e0000-\\U000e007f"
_LINES = "\\u2028\\u2029"
# Joiners, variation selectors, and letters and a symbol without ink: fillers of Hangul, vowels of Khmer, the blank of Braille
_WITHOUT_INK = (
    "\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200c\\u200d\\u2800\\u3164\\ufe00-\\ufe0f\\uffa0"
    "\\U000e0100-\\U000e01ef"
)
UNSAFE = re.compile(f"[{_CONTROLS}{_INVISIBLE}{_TAGS}{_LINES}]")
SEEN = re.compile(f"[^\\s{_CONTROLS}{_INVISIBLE}{_TAGS}{_LINES}{_WITHOUT_INK}]")  # a character that a reader sees
_NAMED = re.compile(f"[{_CONTROLS}]")


def make_printable(text: str) -> str:
    """The text as a terminal may have it: controls are named, invisible characters left out.

    >>> make_printable("a\\x1b[2J b\\u200bc")
    'aU+001B[2J bc'
    """
    if not UNSAFE.search(text):
        return text

    def name(found: re.Match[str]) -> str:
        letter = found.group()
        if letter in "\u2028\u2029":
            return " "
        return f"U+{ord(letter):04X}" if _NAMED.match(letter) else ""

    return UNSAFE.sub(name, text.replace("\r\n", "\n"))


def is_blank(text: str) -> bool:
    """Whether a reader sees nothing.

    >>> is_blank(" \\u200b\\n"), is_blank("\\u2800\\u3164"), is_blank("\\x00a")
    (True, True, False)
    """
    return SEEN.search(text) is None
