"""Recognises that a person withdraws an instruction: "you don't have to use metric units any more", "back to normal answers".

A withdrawal only ends rules that are known, so it may be read more freely than an instruction.  What holds once ("no need to
answer in German this time"), questions, reports and quotes withdraw nothing.
"""

import re
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Literal

from .sentences import MASK, NOW, form, read_sentences, search, without_lead
from .wordings import WORDINGS
from .wordings import revoking as patterns
from .wordings.east_asian import is_about_once, is_east_asian
from .wordings.subjects import LANGUAGE_NAMES

LONGEST = 300  # characters of a sentence
MOST_CLAUSES = 4
_BREAK = re.compile(r"[,;–—] (?:and |but |so |und |aber |et |mais |y |pero |e |en |и |но |i |ale )?")
_EAST_ASIAN_BREAK = re.compile(r"[，,；;]")
_COURTESY = re.compile(
    r",? (?:thanks|thank you|please|danke|bitte|merci|s'il te plaît|gracias|por favor|grazie|per favore"
    r"|obrigad[oa]|bedankt|dank je|alsjeblieft|спасибо|пожалуйста|dzięki|dziękuję|proszę)$"
)
Reach = Literal["named", "mentioned", "unwanted", "allowed", "again", "that", "usual", "all"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Revocation:
    """``reach``: which instructions end.  ``what``: what they are about, if ``named``, ``unwanted`` (no prohibitions) or
    ``allowed`` (prohibitions only); if ``mentioned``, words before "you can drop them".

    For ``again``, the language in which answers are given again.
    """

    reach: Reach
    what: str = ""


def find_revocations(message: str) -> list[Revocation]:
    """What one message of a person withdraws, in order.

    >>> find_revocations("You don't have to use metric units any more.")
    [Revocation(reach='named', what='use metric units')]
    >>> find_revocations("Do I have to use metric units any more?")
    []
    """
    return [found for sentence, _ in read_sentences(message)[0] if (found := _in_sentence(sentence))]


def language_named(text: str) -> str:
    """ISO 639-1 code of the first language that a text names; "" if it names none."""
    lower = text.casefold()
    return next((code for code, words in LANGUAGE_NAMES.items() if form(r"\b(?:{})\b", words).search(lower)), "")


def is_revocation(sentence: str) -> bool:
    """Whether the sentence withdraws an instruction."""
    return _in_sentence(sentence) is not None


@lru_cache(maxsize=256)
def _in_sentence(sentence: str) -> Revocation | None:
    plain = " ".join(sentence.split())
    if not plain or len(plain) > LONGEST or MASK in plain:
        return None
    asks = plain.endswith(("?", "？"))
    if is_east_asian(plain):
        if asks or is_about_once(plain):
            return None
        parts = [*_EAST_ASIAN_BREAK.split(plain)[:MOST_CLAUSES], plain]  # a clause may say what holds instead
        return next((found for part in parts if (found := _match(part.strip(" .!…。！、，,～~"), _EAST_ASIAN))), None)
    lower = _COURTESY.sub("", plain.casefold().strip(" .!?…"))
    if any(search(wording.once, NOW.sub(" ", lower)) for wording in WORDINGS):
        return None
    breaks = list(_BREAK.finditer(lower))[:MOST_CLAUSES]
    if breaks and not asks and (found := _match(_without_openings(lower[: breaks[0].start()])[0].strip(" ,;"), _SPACED)):
        return found
    for start in [0, *(found.end() for found in breaks)][:MOST_CLAUSES]:
        if start and any(search(wording.report, lower[:start]) for wording in WORDINGS):
            return None
        clause, polite = _without_openings(lower[start:])
        if start and not asks and form(r"(?:{})$", patterns.THEM).match(clause.strip(" ,;")):
            return Revocation(reach="mentioned", what=lower[:start].strip(" ,;"))
        for candidate in ([] if asks else [lower[start:], clause.removeprefix("just ")]) + ([polite] if polite else []):
            if found := _match(candidate.strip(" ,;"), _SPACED):
                return found
    return None


def _without_openings(clause: str) -> tuple[str, str]:
    """The clause without "please" and "from now on" before it; and what follows "can you", if it is a polite question."""
    for wording in WORDINGS:
        clause, _ = without_lead(wording, clause)
    for wording in WORDINGS:
        if match := form(r"(?:{})\b[ ,]*", wording.ask).match(clause):
            return clause, clause[match.end() :]
    return clause, ""


_SPACED: tuple[tuple[Reach, tuple[str, ...]], ...] = (
    ("that", patterns.THAT),
    ("all", patterns.ALL),
    ("usual", patterns.USUAL),
    ("again", patterns.AGAIN),
    ("allowed", patterns.ALLOWED),
    ("unwanted", patterns.UNWANTED),
    ("named", patterns.NAMED),
)
_EAST_ASIAN: tuple[tuple[Reach, tuple[str, ...]], ...] = (
    ("that", patterns.EAST_ASIAN_THAT),
    ("all", patterns.EAST_ASIAN_ALL),
    ("usual", patterns.EAST_ASIAN_USUAL),
    ("allowed", patterns.EAST_ASIAN_ALLOWED),
    ("named", patterns.EAST_ASIAN_NAMED),
)


@cache
def _compile(table: tuple[tuple[Reach, tuple[str, ...]], ...]) -> tuple[tuple[Reach, tuple[re.Pattern[str], ...]], ...]:
    return tuple((reach, tuple(map(re.compile, alternatives))) for reach, alternatives in table)


def _match(clause: str, table: tuple[tuple[Reach, tuple[str, ...]], ...]) -> Revocation | None:
    for reach, alternatives in _compile(table):
        for alternative in alternatives:
            if match := alternative.fullmatch(clause):
                groups = match.groupdict()
                what = " ".join(filter(None, (groups.get("what"), groups.get("verb")))).strip(" ,")
                if reach == "again" and not language_named(what):
                    continue
                if what or reach not in ("named", "allowed"):
                    return Revocation(reach=reach, what=what)
    return None
