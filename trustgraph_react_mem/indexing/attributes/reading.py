"""Reads which attributes a text gives to whom, and whether a newer value of one replaces an older one.

A statement counts only if its clause says that something is so: questions, plans, wishes, reports of others, denials and what
is over give nothing.  In doubt nothing is read.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, lru_cache

from ..changes import forms
from ..tokenizer import is_function_word, name_spans
from .guards import ADJECTIVES, CHANGED, FILLERS, NEUTRAL, NO_EMPLOYEES, OTHER, REPORTED, STATES, TEMPORARY, UNREAL
from .kinds import KINDS, SOLE, Kind
from .owners import HIS_OR_HER, owner_of_noun, owner_of_verb
from .phrases import Phrase, Phrases, compile_phrases
from .values import WORD, cut_value, find_typed_value, fold, read_value
from .wordings import WORDINGS

_LONGEST_NAME = 4  # words
_CONTRACTED = re.compile(r"'|\b(?:i(?:m|ve)|(?:do|is|are|was|were|does|did|has|have)nt)\b", re.IGNORECASE)
_CONTRACTIONS = (
    (re.compile(r"\b(i)(?:'m|m)\b", re.IGNORECASE), r"\1 am"),
    (re.compile(r"\b(i|we|you|they)(?:'ve)\b|\b(i)ve\b", re.IGNORECASE), r"\1\2 have"),
    (re.compile(r"\b(we|you|they)'re\b", re.IGNORECASE), r"\1 are"),
    (re.compile(r"\b(he|she|it|that|there)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bj'(?=\w)", re.IGNORECASE), "je "),
    (re.compile(r"\bl'(?=\w)", re.IGNORECASE), "le "),
    (re.compile(r"\bdon'?t\b", re.IGNORECASE), "do not"),
    (re.compile(r"\b(is|are|was|were|does|did|has|have)n'?t\b", re.IGNORECASE), r"\1 not"),
)
_THAT = forms.words("that this it they he she das dies er sie ça ceci eso esto él ella questo quello isso isto dat dit to это")
_OPENS = re.compile(r"^(?:(?:well|oh|ok|okay|yes|yeah|so|and|but|by the way|btw|anyway)\W+)+(?=\w)", re.IGNORECASE)
_UNNAMED = "…"  # value of what is changed, without the new one
_CASES = 2  # letters in which two forms of a name may end differently
_LEAST_STEM = 4


@dataclass(frozen=True, slots=True)
class Stated:
    """``owner``: words of whose attribute it is, empty for the speaker.  ``topic``: which of the kind, such as "film"."""

    attribute: str
    owner: frozenset[str]
    value: frozenset[str]
    topic: frozenset[str] = frozenset()


@lru_cache(maxsize=forms.KEPT)
def find_stated(text: str) -> tuple[Stated, ...]:
    """The attributes that a text states, each with its owner and value."""
    if text.rstrip().endswith(("?", "？")):
        return ()
    found: dict[Stated, None] = {}
    clauses = [
        _expand(_OPENS.sub("", clause)) for clause in forms.clauses(text.replace("’", "'").replace(", c'est ", " c'est "))
    ]
    lower = text.islower()
    previous = ""
    person = frozenset[str]()  # the last one that was named, whom "she" means
    for place, clause in enumerate(clauses):
        following = clauses[place + 1] if place + 1 < len(clauses) else ""
        for stated in _read(clause, (previous, following), lower, person):
            found[stated] = None
        previous = clause
        people = {fold(each) for each in forms.PEOPLE.findall(clause)} if following else ()
        people = people or ({fold(name)} if following and (name := _find_first_name(clause)) else ())
        person = frozenset(people) if len(people) == 1 else person
    return tuple(found)


def is_replaced(new: str, old: str) -> bool:
    """Whether ``new``, said later by the same person, states another value of an attribute that ``old`` states.

    >>> is_replaced("I report to Jon now.", "My manager is Ann.")
    True
    >>> is_replaced("My wife reports to Jon now.", "My manager is Ann.")
    False
    """
    stated, former = find_stated(new), find_stated(old)
    return any(_replaces(one, other, new) for one in stated for other in former if one.attribute == other.attribute)


def _replaces(new: Stated, old: Stated, text: str) -> bool:
    if not _is_same_owner(new.owner, old.owner) or new.topic != old.topic or forms.adds(text):
        return False
    if KINDS.get(new.attribute) in (Kind.WORDS, Kind.DATE):
        if new.value <= old.value or old.value <= new.value:
            return False
    elif any(_is_same_word(one, other) for one in new.value for other in old.value):
        return False
    return new.attribute in SOLE or forms.NOW.search(text) is not None or CHANGED.search(text) is not None


def _is_same_owner(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether both are the same, also if only one says who it is: "my son Theo" and "Theo"."""
    shared = one & other
    return one == other or (bool(shared) and all(map(forms.PEOPLE.fullmatch, (one | other) - shared)))


def _is_same_word(one: str, other: str) -> bool:
    if one == other:
        return True
    least = min(len(one), len(other)) - _CASES
    return least >= _LEAST_STEM and one[:least] == other[:least] and not any(map(str.isdigit, one + other))


# ---------------------------------------------------------------------------------------------------- reading


@cache
def _phrases() -> Phrases:
    return compile_phrases(WORDINGS)


def _expand(clause: str) -> str:
    if _CONTRACTED.search(clause) is None:
        return clause
    for pattern, full in _CONTRACTIONS:
        clause = pattern.sub(full, clause)
    return clause


def _read(clause: str, around: tuple[str, str], lower: bool, person: frozenset[str]) -> Iterator[Stated]:
    words = {word.casefold() for word in WORD.findall(clause)}
    words |= {part for word in words for part in re.split(r"['-]", word)} | _scripts(clause)
    found = [(phrase, match) for phrase in _phrases().find(words) if (match := phrase.pattern.search(clause)) is not None]
    if not found or UNREAL.search(clause) or REPORTED.search(clause) or TEMPORARY.search(clause):
        return
    for phrase, match in found:
        # A fixed phrase may have such a word itself: "I do not smoke", "je vais au travail en train".
        beside = clause[: match.start()] + clause[match.end() :] if phrase.kind == "fixed" else clause
        if forms.FUTURE.search(beside) or forms.NEGATED.search(beside):
            continue
        if (stated := _state(phrase, match, clause, around, lower, person)) is not None:
            yield stated


def _find_first_name(clause: str) -> str:
    """The name with which a clause begins, whom "his" and "her" in the next one mean: "Theo changed classes"."""
    name, start, end = next(name_spans(clause), ("", 0, 0))
    before = WORD.findall(clause[:start].casefold())
    return name if name and clause[end : end + 1] == " " and set(before) <= FILLERS else ""


def _scripts(clause: str) -> set[str]:
    """The languages without spaces whose script a clause has."""
    for pattern, code in _SCRIPTS:
        if pattern.search(clause):
            return {code}
    return set()


_SCRIPTS = ((re.compile("[ぁ-ヿ]"), "ja"), (re.compile("[가-힣]"), "ko"), (re.compile("[一-鿿]"), "zh"))


def _state(
    phrase: Phrase, match: re.Match[str], clause: str, around: tuple[str, str], lower: bool, person: frozenset[str]
) -> Stated | None:
    attribute, named = phrase.attribute, match.groupdict()
    owner = owner_of_noun(match) if phrase.kind in ("noun", "new") else owner_of_verb(phrase, match, clause, person)
    if owner is None and person and named.get("theirs") in HIS_OR_HER:
        owner = person
    if owner is None:
        return None
    if phrase.kind == "says" and attribute == "teacher" and forms.TITLED.match(named.get("value") or "") is None:
        return None
    topic = frozenset[str]()
    if phrase.kind in ("noun", "new"):
        which = frozenset(fold(word) for word in WORD.findall(named.get("which") or "")) - NEUTRAL
        if which & (OTHER | forms.THIRD_PERSON):
            return None
        # Which animal it is, and which of several kinds; "lovely" and "red" distinguish nothing.
        topic = which - STATES - ADJECTIVES - FILLERS | (
            frozenset({fold(named["noun"])}) if attribute == "pet" else frozenset()
        )
    if named.get("topic"):
        topic = frozenset(fold(word).removesuffix("s") for word in WORD.findall(named["topic"])) - NEUTRAL
        if not topic or topic & OTHER or any(map(is_function_word, topic)):
            return None
    if _is_of_another(attribute, match.group().casefold(), named.get("value") or ""):
        return None
    if phrase.kind == "changed":
        return Stated(attribute, owner, frozenset({_UNNAMED}))
    if phrase.kind == "fixed":
        return Stated(attribute, owner, frozenset({phrase.value}), topic)
    value = named.get("value") or ""
    if value.casefold().strip() in _THAT:  # "I moved everything to Ally, that is my bank now"
        value = around[0]
    if phrase.kind == "new":
        value = _read_called(value, phrase, around[1])
    kind = KINDS.get(attribute, Kind.NAME)
    if phrase.kind == "typed" and not phrase.before:
        value = cut_value(value.strip(), phrase)
    read = find_typed_value(attribute, value, lower) if phrase.kind == "typed" else read_value(kind, value, phrase, lower)
    return Stated(attribute, owner, read, topic) if read else None


def _is_of_another(attribute: str, said: str, value: str) -> bool:
    """Whether a phrase that states an attribute states another one with this value: "a student at Leeds", "seeing Dr. Hall"."""
    if attribute == "employer":
        return not NO_EMPLOYEES.isdisjoint(WORD.findall(said))
    if attribute in ("partner", "relationship"):
        return forms.TITLED.match(value) is not None
    return attribute == "study" and bool(find_typed_value("language", value, True))


def _read_called(value: str, phrase: Phrase, following: str) -> str:
    """What is called so: the rest of the clause, or of the next one: "I have a new therapist, her name is Beth"."""
    called = re.compile(rf"^\W*(?:[\w'-]+ ){{0,4}}?(?:{phrase.wording.called}) ", re.IGNORECASE)
    if found := called.match(value):
        return value[found.end() :]
    if (value := cut_value(f" {value.strip()}", phrase).strip(" ,:")) or not following:
        return value
    if found := called.match(following):
        return following[found.end() :]
    words = WORD.findall(following)
    names = any(word[0].isupper() or word[0].isdigit() for word in words)
    return following if names and len(words) <= _LONGEST_NAME else ""
