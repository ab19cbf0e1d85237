"""Whom a statement is about: the speaker, somebody near to them, or somebody whose words it repeats."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ..changes.forms import PEOPLE
from ..tokenizer import is_function_word, names
from .relatives import RELATIVE, first_relative, is_relative, relatives_in
from .speakers import names_speaker

_POSSESSED = re.compile(r"\b(?P<owner>[^\W\d_]+)(?:['’]s|(?<=s)['’])\s+([^\W\d_]+)", re.IGNORECASE)
_AT_PLACE = re.compile(r"\b(?:in|at|on|behind|under|near|by|inside|outside|beside|next to)\s\Z", re.IGNORECASE)
_LONGEST_AT = 10
_SUBJECT = re.compile(r"\W*(?:(?:the|der|die|l['’]|el|la|lo|o|a|de)\s*\b)?([^\W\d_]+)(?!['’]\w)", re.IGNORECASE)
_OF_SPEAKER = re.compile(
    r"\W*(?:(?:and|but|so|well|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|ale|а|и|но)\s+)?(?:(?:il|la|l['’]|i|le|o|a)\s*)?"
    # "Der Hund meiner Nachbarin", "la voiture de mon frère": what belongs to a relative.
    r"(?:(?:the|der|die|das|le|la|les|l['’]|el|los|las|il|lo|o|a|os|as|de|het)\s*[^\W\d_]+\s(?:(?:of|von|de|di|do|da|van)\s)?)?"
    r"(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|notre|mis?|nuestr[oa]s?|mi[oae]i?|nostr[oaei]|meu|minha|noss[oa]|mijn|onze|ons|mój|moja|nasz|nasza"
    r"|мой|моя|мои|моего|моей|наш|наша)\s|(?:我们?|私)的?の?|(?:제|내|우리)\s",
    re.IGNORECASE,
)
_IS_WHO = re.compile(r"\W*([^\W\d_]+)\s+(?:is|was|ist|war|est|es|era|è|é|jest|is)\s")
_NAME_AFTER = re.compile(r",?\s+(?:called |named |namens )?([A-ZÀ-ÞА-ЯŁŚŻ][^\W\d_]+)(?!\s?[’'])")
# "Karl's cousin": the name, and the word that may be a relative.
_OWNED = re.compile(
    r"\b(?P<name>[A-ZÀ-ÞА-ЯŁŚŻ][^\W\d_]+)(?:['’]s|(?<=s)['’])\s+(?P<word>[^\W\d_]+)"
    r"|\b(?P<head>[^\W\d_]+)\s(?:of|von|de|di|do|da|van)\s(?P<of>[A-ZÀ-ÞА-ЯŁŚŻ][^\W\d_]+)(?!['’\w])"
)
_QUOTES_OTHER = re.compile(
    r"(?i)\b(?:sa(?:y|ys|id)|t(?:old|ells?)(?: me| us)?|mention(?:s|ed)|th(?:inks?|ought)|believes?|claim(?:s|ed)|wrote|writes"
    r"|heard)\s+(?:that\s+)?(?:s?he|they)\b"
    r"|\b(?:sagt\w*|erzähl\w*|meint\w*|schreib\w*|schrieb)\b[^.]{0,12},\s*(?:dass\s+)?(?:er|sie)\b"
    r"|\b(?:dit|disait|raconte)\s+qu['’](?:ils?|elles?)\b"
)
_MINE = re.compile(r"(?i)\b(?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|mis?|nuestr\w+|mi[ao]|mijn|ons|onze)\b")
_OF_ME = re.compile(r"(?i)\W*(?:i|ich|je|j['’]|yo|io|eu|ik|ja|я|jag|jeg)\b|我|私は|저는|나는")
_REPORTS = re.compile(r"(?i)\b(?:say|says|said|think|thinks|told|believes|that|dass|que|che|dat|że|что)\b")
_NOT_ALONE = re.compile(r"[\s,-]+(?:tongue|and|und|et|y|e|en|i|и|with me)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(
    r"\b(?:i|me|us|we|mich|mir|ich|uns|wir|je|j|m|moi|nous|me|yo|nos|nosotros|io|mi|ci|noi|eu|mim|nós|ik|mij|wij|ja|mnie|mi|nas"
    r"|я|меня|мне|мы|нас|нам)\b",
    re.IGNORECASE,
)
# People of whom one speaks as of a relative, but whose word is also what somebody is: "works as a teacher".
_SERVES = re.compile(
    r"(?i)landlord|landlady|tenant|teacher|doctor|dentist|therapist|coach|lawyer|nurse|vermieter(?:in)?|mieter(?:in)?"
    r"|lehrer(?:in)?|arzt|ärztin|hausarzt|zahnarzt|propriétaire|locataire|professeure?|médecin|dentiste|caser[oa]|inquilin[oa]"
    r"|profesora?|médic[oa]|dentista|insegnante|medico|professora?|leraar|lerares|huisarts|tandarts|lekarz|nauczyciel(?:ka)?"
    r"|врач|учитель(?:ница)?"
)
_WORD = re.compile(r"[^\W\d_]+")


def same_subject(one: str, other: str) -> bool:
    """Whether both statements can be about the same person or thing.

    >>> same_subject("Ann's brother lives in Oslo", "Ann lives in Oslo")
    False
    """
    folded = one.casefold(), other.casefold()
    owned = [{match[2].casefold() for match in _possessions(text)} for text in (one, other)]
    if any(not _has(folded[1], word) for word in owned[0]) or any(not _has(folded[0], word) for word in owned[1]):
        return False
    owners = _owners(one), _owners(other)
    if owners[0] and owners[1] and owners[0].isdisjoint(owners[1]):
        return False
    relatives = first_relative(one), first_relative(other)
    if bool(relatives[0]) != bool(relatives[1]):
        return False
    if (
        relatives[0].isdisjoint(relatives[1])
        and relatives[0]
        and not (_is_introduced(one, other) or _is_introduced(other, one))
    ):
        return False
    first, second = _first_name(one), _first_name(other)
    return not first or not second or first == second or first in folded[1] or second in folded[0]


def _has_subject(claim: str, speakers: Iterable[str]) -> bool:
    """Whether the first word of a claim that is no article is the speaker: their name, "the user" or "I"."""
    subject = _SUBJECT.match(claim)
    named = [speaker.casefold() for speaker in speakers]
    return subject is not None and (names_speaker(subject[1]) or subject[1].casefold() in (*named, "i"))


def speaks_of_self(clause: str) -> bool:
    """Whether a clause has "I", "me" or "my", and is not about somebody of the speaker's."""
    return _OF_SPEAKER.match(clause) is None and bool(_FIRST_PERSON.search(clause) or _MINE.search(clause))


def is_said_by_another(claim: str, sentence: str, speaker: str, speakers: Iterable[str]) -> bool:
    """Whether a sentence of ``speaker`` is about themselves, and the claim about another speaker or a relative."""
    if _OF_ME.match(sentence) is None:
        return False
    others = {each.casefold().split()[0] for each in speakers if each.split()} - {
        speaker.casefold().split()[0] if speaker else ""
    }
    subject = _SUBJECT.match(claim)
    if subject is not None and subject[1].casefold() in others:
        return True
    owned = _POSSESSED.match(claim)
    return (
        owned is not None
        and (is_relative(owned[2]) or _SERVES.fullmatch(owned[2]) is not None)
        and not relatives_in(sentence)
        and not _SERVES.search(sentence)
        and not _REPORTS.search(claim)
    )


def is_of_another(claim: str, sentence: str, speakers: Iterable[str]) -> bool:
    """Whether a claim leaves out whose relative, friend or animal a sentence tells of, or who of the two it quotes is meant.

    >>> is_of_another("Ann's dog is called Rex", "My neighbour's dog is called Rex", ["Ann"])
    True
    """
    speakers = list(speakers)
    if _QUOTES_OTHER.search(sentence) and _has_subject(claim, speakers) and not first_relative(claim):
        return True
    if (told := _relative_told_of(sentence)) is not None:
        named = _NAME_AFTER.match(sentence, told.end())
        if not (named and named[1].casefold() in names(claim)) and not _speaks_of(claim, told.group()):
            return True
    owned, claimed = _owned_words(sentence), _owned_words(claim)
    if not _MINE.search(sentence) and any(
        word in claimed and owners.isdisjoint(claimed[word]) for word, owners in owned.items()
    ):
        return True
    stated = names(claim)
    return any(
        name in stated and not _speaks_of(claim, word) and sentence.casefold().count(name) == 1
        for word, owners in owned.items()
        if is_relative(word)
        for name in owners
    )


def _relative_told_of(sentence: str) -> re.Match[str] | None:
    """The word for the relative, friend or animal of the speaker of whom a sentence tells, also if it tells of their things."""
    if (own := _OF_SPEAKER.match(sentence)) is None:
        return None
    if head := RELATIVE.match(sentence, own.end()):  # also in scripts without spaces
        return None if _NOT_ALONE.match(sentence, head.end()) or _FIRST_PERSON.search(sentence, head.end()) else head
    begun = list(islice(_WORD.finditer(sentence, own.end()), 3))
    head = next((word for word in begun if any(each.fullmatch(word.group()) for each in (RELATIVE, PEOPLE, _SERVES))), None)
    if head is None or _NOT_ALONE.match(sentence, head.end()) or _FIRST_PERSON.search(sentence, head.end()):
        return None
    return head


def _speaks_of(claim: str, relative: str) -> bool:
    """Whether a claim has a word for a relative, or another that can mean the same."""
    return relative.casefold() in claim.casefold() or bool(relatives_in(claim) & first_relative(relative))


def _owners(text: str) -> set[str]:
    """The names that something belongs to, without "the user's"."""
    found = {match["owner"].casefold() for match in _possessions(text) if match["owner"][0].isupper()}
    return {name for name in found if not names_speaker(name) and not is_function_word(name)}


def _possessions(text: str) -> Iterator[re.Match[str]]:
    """What belongs to somebody, without the places where something is: "in Karl's shed", but also "for Karl's sister"."""
    for match in _POSSESSED.finditer(text):
        if is_relative(match[2]) or _AT_PLACE.search(text, max(0, match.start() - _LONGEST_AT), match.start()) is None:
            yield match


def _owned_words(text: str) -> dict[str, set[str]]:
    """What or who belongs to somebody, with the names of the owners: "Karl's cousin", "la sœur de Luc"."""
    found: dict[str, set[str]] = {}
    for match in _OWNED.finditer(text):
        name, word = (match["name"], match["word"]) if match["name"] else (match["of"], match["head"])
        if match["name"] or is_relative(word):
            found.setdefault(word.casefold(), set()).add(name.casefold())
    return found


def _is_introduced(text: str, other: str) -> bool:
    """Whether a text says who somebody is whom the other names: "Iker is your husband"."""
    match = _IS_WHO.match(text)
    return match is not None and match[1].casefold() in other.casefold() and not is_function_word(match[1])


def _has(text: str, word: str) -> bool:
    """Whether a text in lower case has a word, or another for the same relative: "mum" for "mother"."""
    return word in text or bool(first_relative(word) & first_relative(text))


def _first_name(text: str) -> str:
    """The first word if it is a name, without a possessive ending."""
    word = re.match(r"\W*([^\W\d_]+)", text)
    found = word[1].casefold() if word and word[1][0].isupper() else ""
    return "" if names_speaker(found) or is_function_word(found) else found
