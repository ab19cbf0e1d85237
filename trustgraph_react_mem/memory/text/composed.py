"""Composed letters (Unicode NFC): "é" as one character instead of a letter and its accent.

A prompt is sent so, and its tokens are counted so (``memory/tokens.py``).  What is stored keeps the letters that were typed.
"""

import re
import unicodedata
from typing import Final

_ESCAPE: Final = re.compile(r"(\\(?:u[0-9a-fA-F]{4}|.))")


def compose_json(text: str) -> str:
    """JSON with the letters of its texts composed.  The letter of an escape is not one of the text.

    >>> compose_json('"\\\\nCafe\u0301"')
    '"\\\\nCafé"'
    """
    return "".join(part if place % 2 else unicodedata.normalize("NFC", part) for place, part in enumerate(_ESCAPE.split(text)))
