"""What an instruction is about, and whether it permits or forbids."""

import re

from ...indexing.tokenizer import guess_language, terms
from .sentences import MASK, SHORT_QUOTE, form, search
from .wordings import WORDINGS
from .wordings.common import AVOIDS, COMPLAINT
from .wordings.east_asian import is_east_asian, is_name
from .wordings.permitting import BRIEF, KINDS, LENGTHY
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
STEM = 4  # letters that forms of a word have in common
TAIL = 5  # letters of the last part of a compound
ALIKE = 0.6  # share of common words of two objects
_KANA = re.compile(r"[ぁ-ゖァ-ヺ]")
_KANJI = re.compile(r"[一-鿿々]{2,}|[ァ-ヺー]{2,}|[A-Za-z]{2,}")
_CYRILLIC = re.compile(r"[а-яё]")
_HAN_PAIR = re.compile(r"[一-鿿]{2}")
#: Characters of Chinese that no name of a subject has: pairs with them are parts of other words.
_HAN_FUNCTION = re.compile(r"[以后後不要别用请給给你我他她的了可能会再又都在是就也很和跟把让对挺其实说讲写回答复]")
_HANGUL = re.compile(r"[가-힣]")
_HANGUL_WORD = re.compile(r"[가-힣]{2,}|[a-z]{2,}")
#: Beginnings of Korean words that name no subject.
_KOREAN_FUNCTION = re.compile(
    r"앞으로|이제|다시|하지|해|말[고아]|말해|나[를는한]|저[를는]|내가|답|대답|더|이상|절대|항상|언제|좋"
    r"|돼|괜찮|사용|쓰|써|쓸|없|그|때|지금|주세|줘|부터"
)
_NEVER = re.compile(r"\b(?:never|nie|niemals|jamais|nunca|mai|nooit|никогда|nigdy)\b")
_CLAUSE = re.compile(r"[,;] |,? (?:but|aber|mais|pero|ma|mas|maar|но|ale) ")
_VALUE = re.compile(
    r"(?is)(.+)\b(?:in|as|to|with|als|mit|auf|en|au|comme|como|come|con|em|met|в|во|как|на|w|jako|na|po)\s+(.+)"
)
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
    clauses = [text, *_CLAUSE.split(text)]
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
    plain = form(r"(?i)(?<!\w)(?:{}|{})(?!\w)[\s,]*", wording.phrase, wording.early).sub("", clause.strip(" .!…,"))
    match = form(r"(?i)(?:{})\s+(.+)$", wording.name).match(plain)
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


def topics(text: str, language: str) -> set[str]:
    """The words of a text that can name something; of Japanese, those that are not written in hiragana."""
    return set(_KANJI.findall(text)) if _KANA.search(text) else set(terms(text, language))


def named_topics(text: str) -> set[str]:
    """The words of a text that can name what an instruction is about."""
    if _HANGUL.search(text):
        return {word for word in _HANGUL_WORD.findall(text) if not _KOREAN_FUNCTION.match(word)}
    found = topics(text, guess_language(text) or "auto")
    if _HAN_PAIR.fullmatch("".join(found)[:2]) and not _KANA.search(text):
        found = {word for word in found if not _HAN_FUNCTION.search(word)}
    return {word for word in found if not (is_generic(word) or is_permitting(word))}


def alike(word: str, other: str) -> bool:
    """Whether two words share their stem, or the last part of a compound."""
    if word == other:
        return True
    if _HANGUL.search(word):
        return word[:2] == other[:2]
    short, long = sorted((word, other), key=len)
    if _CYRILLIC.match(short) and len(short) == STEM:  # the last vowel of a stem may come and go
        return short[: STEM - 1] == long[: STEM - 1] and len(long) <= STEM + 1
    return (len(short) > STEM and short[:STEM] == long[:STEM]) or (len(short) >= TAIL and long.endswith(short))


def direction(text: str) -> str:
    """Whether a text speaks of ``long`` or of ``short`` answers; "" for neither."""
    edge = "" if is_east_asian(text) else r"(?<!\w)"
    for found, words in (("long", LENGTHY), ("short", BRIEF)):
        if form(edge + r"(?:{})", words).search(text):
            return found
    return ""


def kinds_of(text: str) -> set[str]:
    """The kinds of values that a text names: ``currency``, ``language``, ..."""
    return {kind for kind in (*KINDS, "language") if values_of(kind, text)}


def values_of(kind: str, text: str) -> set[str]:
    """The values of a kind that a text in lower case names, such as its currencies."""
    if kind == "language":
        return {code for code, names in LANGUAGE_NAMES.items() if form(r"\b(?:{})\b", names).search(text)}
    edges = ("", "") if is_east_asian(text) else (r"(?<!\w)", r"(?!\w)")
    return {value for value, words in KINDS[kind].items() if form(edges[0] + r"(?:{})" + edges[1], words).search(text)}


def same_slot(action: str, other: str) -> bool:
    """Whether two instructions ask for the same object with another value: "prices in pounds", "prices in euros".

    >>> same_slot("give me prices in pounds", "show prices in euros from now on")
    True
    >>> same_slot("give me prices in pounds", "give me distances in miles")
    False
    """
    kinds = kinds_of(action.casefold()), kinds_of(other.casefold())
    shared = kinds[0] & kinds[1]
    if kinds[0] and kinds[1] and not shared:
        return False
    (mine, value), (others, former) = _split_value(action), _split_value(other)
    if not (value and former) or value & former or not (mine and others):
        return False
    if any(kinds) and not shared:
        return mine == others
    common = sum(1 for word in others if any(alike(word, each) for each in mine))
    return common / min(len(mine), len(others)) >= ALIKE


def _split_value(text: str) -> tuple[set[str], set[str]]:
    """The words of what an instruction is about, and those of the value that it asks for."""
    if is_east_asian(text):
        values = {value for kind in KINDS for value in values_of(kind, text)}
        names = [words for kind in KINDS.values() for words in kind.values()]
        return named_topics(form("{}", "|".join(names)).sub(" ", text)) if values else set(), values
    for wording in WORDINGS:
        text = form(r"(?i)(?<!\w)(?:{}|{})(?!\w)", wording.phrase, wording.early).sub(" ", text)
    parts = _VALUE.fullmatch(text)
    return (named_topics(parts[1]), topics(parts[2], "auto")) if parts else (named_topics(text), set())
