"""Memories that ask to be cited.  They are shown like any other, but get no reward for citations.

A text asks for it in any language if it holds a citation itself (``[0]`` at the end of a clause, ``[NO_CITE]``).  In
the languages of the parser and some more, it also does if it speaks of citing close to "always" or to "memory".  A text that is
not recognised gains little: the n-th citation of a record counts 1/n.
"""

import re
from typing import Final

from ..memory.text.visible import visible
from .citation_grammar import LABELS
from .citations import CitationStripper

MOST_READ: Final = 20_000  # characters
MOST_NUMBERED: Final = 100  # citations are numbers of one or two digits

_ENGLISH = re.compile(
    r"\b(?:always|must|please|never\s+fail\s+to|remember\s+to|be\s+sure\s+to|make\s+sure\s+(?:to|you))\b[^.\n]{0,40}"
    r"\b(?:cit(?:e|es|ing|ation)|referenc(?:e|ing)\s+(?:this|me|it|memory))\b"
    r"|\bcite\s+(?:this|me|memory|the\s+following|index|number)\b"
    r"|\b(?:reference|use)\s+this\s+memory\b"
    r"|\bcitations?\s+(?:required|must)\b",
    re.IGNORECASE,
)
_CITE = (
    r"(?<![^\W_])(?:zitier|zitat|cite[rsz]?(?![^\W_])|citar|citad|cita(?![^\W_])|citate|citeer|citer|cytuj|zacytuj|cituj|"
    r"цитир|процитир|цитуй|ссылай|alıntıla|henvis|verwijs)|引用|인용|استشهد|اقتبس|उद्धृत"
)
_ALWAYS = (
    r"(?<![^\W_])(?:immer|stets|unbedingt|toujours|siempre|sempre|altijd|zawsze|всегда|обязательно|завжди|alltid|altid|vždy|"
    r"mutlaka|her zaman)(?![^\W_])|总是|始终|必须|务必|總是|必須|必ず|常に|항상|반드시|دائما|हमेशा"
)
_MEMORY = rf"(?<![^\W_])(?:{'|'.join(label for label in LABELS if label.isascii() or label.islower())})|记忆|記憶|기억|メモリ"
_OTHERS = re.compile(
    rf"(?:{_CITE})[^.。\n]{{0,50}}?(?:{_ALWAYS}|{_MEMORY})|(?:{_ALWAYS}|{_MEMORY})[^.。\n]{{0,50}}?(?:{_CITE})", re.IGNORECASE
)


def asks_for_citation(text: str) -> bool:
    """Whether a memory's text asks to be cited."""
    seen = visible(text[:MOST_READ]).text
    return _holds_citation(seen) or bool(_ENGLISH.search(seen) or _OTHERS.search(seen))


def _holds_citation(text: str) -> bool:
    found = CitationStripper(MOST_NUMBERED)
    found.feed(text)
    found.end()
    return found.citations.state != "absent"
