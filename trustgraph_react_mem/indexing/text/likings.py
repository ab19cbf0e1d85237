"""Tells statements of liking from those of dislike: "Ann loves opera", "Ann can't stand opera"."""

import re
from typing import Literal

from .statement_patterns import NEGATION

Liking = Literal["likes", "dislikes", ""]

_NOT = r"(?:not|\w+n['’]t|never|nicht|kein\w*|ne|n['’]|pas|no|non|não|niet|geen|nie|не)"
_DISLIKES = re.compile(
    r"(?i)\b(?:hat(?:e|es|ed|ing)|dislik\w+|detest\w*|loath\w+|despis\w+|(?:can['’]?t|cannot|couldn['’]?t) stand"
    r"|hass(?:e|t|en|te)|verabscheu\w+|détest\w+|odi(?:o|a|ano|amo|as|an)|odei(?:o|a|am)|haat|haten|verafschuw\w*"
    r"|nienawidz\w+|nie cierpi\w*|nie znosz\w*|ненави[дж]\w+|терпеть не мо\w+)\b|讨厌|厌恶|嫌い|苦手|싫어|싫다|미워"
)
_LIKES = re.compile(
    r"(?i)\b(?:lov(?:e|es|ed|ing)|(?<!would )(?<!['’]d )(?<!looks )(?<!look )likes?|liked|enjoy\w*"
    r"|ador(?:e|es|ed|ing|o|a|ano|am|an)|(?:is|am|['’]m) (?:\w+ )?fond of|(?:big |huge )?fan of|mag|mögen|liebt?|lieben"
    r"|aim(?:e|es|ent)|gustan?|encantan?|piac(?:e|ciono)|am(?:o|a|ano)|gost(?:o|a|am|amos)|hou(?:d|dt)? van|lubi\w*"
    r"|kocha\w*|uwielbia\w*|люб(?:лю|ит|ят|им)|обожа\w+|нравится|нравятся)\b|喜欢|喜爱|好き|大好き|좋아"
)
_REVERSED = re.compile(rf"(?i)\b{_NOT}\s+(?:\w+\s+)?$")


def liking_of(clause: str) -> Liking:
    """What a clause says about something that it names; "" if it says nothing of the kind, or both.

    >>> liking_of("I can't stand opera"), liking_of("Ann doesn't like opera"), liking_of("Ann sings opera")
    ('dislikes', 'dislikes', '')
    """
    dislikes = _DISLIKES.search(clause)
    likes = _LIKES.search(_DISLIKES.sub(" ", clause))
    if dislikes is not None:
        return "" if likes is not None or _REVERSED.search(clause[: dislikes.start()]) else "dislikes"
    if likes is None:
        return ""
    return "dislikes" if NEGATION.search(clause) is not None else "likes"


def without_liking(text: str) -> str:
    """The text without its words for likes and dislikes: what is liked, and by whom."""
    return _LIKES.sub(" ", _DISLIKES.sub(" ", text))
