"""What an instruction is about, and whether it permits or forbids."""

import re

from ...indexing.tokenizer import terms
from .sentences import MASK, SHORT_QUOTE, form, search
from .wordings import WORDINGS
from .wordings.common import AVOIDS, COMPLAINT
from .wordings.east_asian import is_east_asian, is_name
from .wordings.subjects import (
    ABOUT_TOPICS,
    ANSWERING,
    EAST_ASIAN_SUBJECTS,
    FORM_WORDS,
    GENERIC,
    LANGUAGE_NAMES,
    PERMITTING,
    SUBJECTS,
)
from .wordings.wording import Wording

LANGUAGES = "|".join(LANGUAGE_NAMES.values())
_NEVER = re.compile(r"\b(?:never|nie|niemals|jamais|nunca|mai|nooit|никогда|nigdy)\b")
_CLAUSE = re.compile(r"[,;] |,? (?:but|aber|mais|pero|ma|mas|maar|но|ale) ")
_NOT_A_NAME = re.compile(
    r"(?i)^(?:a|an|the|at|on|in|by|when|if|before|after|back|later|maybe|tomorrow|today|tonight|now|again|once|asap"
    r"|soon|as|crazy|old|stupid"
    r"|cab|taxi|ambulance|doctor|police|every|never|always|any|anytime|this|next|monday|tuesday|wednesday|thursday"
    r"|friday|saturday|sunday|your|my|to|from|and|so|not|um|an|am|zurück|morgen|heute|später|bald|nicht|nie|wenn|vor"
    r"|nach|gleich|quand|demain|plus|avant|après|ce|un|une|cuando|mañana|luego|antes|si|cuánto|qué|que|un|una|el|la"
    r"|lo|il|domani|quando|dopo|prima|se|amanhã|depois|o|uma?|antes|als|morgen|later|straks|niet|een|de|het|terug"
    r"|unbedingt|bitte|ein|eine|den|die|das|jederzeit|gerne|was|wie|warum|erst|auch|mal|is|dove|come|perché|dónde"
    r"|cómo|por|para|como|onde|завтра|сегодня|когда|если|по|на|в|к|после|до|jutro|dzisiaj|kiedy|gdy|jak|po|na|w|do|o|prawdę"
    r"|co)\b|^\d"
)


def complains(plain: str) -> bool:
    """Whether a sentence says that something annoys the person whenever the assistant does it."""
    lower = plain.casefold()
    if not form(r"(?:{})\b.{{4,}}", COMPLAINT).match(lower) or plain.endswith("?"):
        return False
    quoted = MASK not in plain or plain.count(MASK) == len(SHORT_QUOTE.findall(plain))
    return quoted and not any(search(wording.once, lower) or search(wording.report, lower) for wording in WORDINGS)


def is_permission(text: str) -> bool:
    """Whether an instruction permits or asks for something, rather than forbids it."""
    lower = text.casefold()
    if complains(text) or re.match(AVOIDS, lower):
        return False
    return _NEVER.search(lower) is None and not any(
        form(r"(?:{}|{})(?!\w)", wording.never, wording.stop).match(lower) or search(wording.stop, lower)
        for wording in WORDINGS
    )


def subject_of(text: str) -> str:
    """The subject of an instruction: ``language``, ``name``, ``length``, ..., or "" if it has none of these."""
    lower = text.casefold()
    if is_east_asian(text):
        found = (subject for subject, words in EAST_ASIAN_SUBJECTS.items() if re.search(words, lower))
        return "name" if is_name(text) else next(found, "")
    about = next((subject for subject, words in SUBJECTS.items() if form(r"\b(?:{})\b", words).search(lower)), "")
    if about in ("opening", "closing"):
        return about
    if form(r"\b(?:{})\b", LANGUAGES).search(lower) and form(r"\b\w{{0,4}}(?:{})", ANSWERING).search(lower):
        return "language"
    clauses = [text, *_CLAUSE.split(text)[1:]]
    return "name" if any(is_name_to_use(wording, clause) for wording in WORDINGS for clause in clauses) else about


def is_about_answers(text: str) -> bool:
    """Whether an instruction is about how answers look, rather than about what they may be about."""
    lower = text.casefold()
    return bool(form(r"\b(?:{})|{}", ANSWERING, FORM_WORDS).search(lower)) and not form(r"\b(?:{})\b", ABOUT_TOPICS).search(
        lower
    )


def is_permitting(term: str) -> bool:
    """Whether a search term only says that something is forbidden, or allowed again."""
    return bool(re.match(PERMITTING, term))


def is_generic(term: str) -> bool:
    """Whether a search term says nothing about which instruction is meant: "use", "answer"."""
    return bool(re.match(GENERIC, term))


def is_name_to_use(wording: Wording, clause: str) -> bool:
    """Whether the clause is "call me" and a name of one or two words."""
    match = form(r"(?i)(?:{})\s+(.+)$", wording.name).match(clause.strip(" .!…,"))
    if not match:
        return False
    words = re.sub(
        rf"(?i)[, ]*\b(?:{wording.lead}|{wording.phrase}|instead|only|statt .*|instead of .*|not .*|nennen|nicht .*)$",
        "",
        match[1],
    ).split()
    return bool(words) and len(words) <= 3 and not _NOT_A_NAME.match(words[0]) and (len(words) == 1 or words[1][:1].isupper())


def applies_always(condition: str, speaker: str) -> bool:
    """Whether a condition only says that the assistant answers this person: "answering the user"."""
    names = {"user", "person", *terms(speaker)}
    return all(word in names or is_generic(word) for word in terms(condition))
