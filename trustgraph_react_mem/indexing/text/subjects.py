"""Whom a statement is about: the speaker, somebody near to them, or somebody whose words it repeats."""

import re
from collections.abc import Iterable, Iterator
from itertools import islice

from ..changes.forms import PEOPLE
from ..tokenizer import is_function_word, names
from .relatives import RELATIVE, first_relative, is_relative, relatives_in
from .speakers import begins_with_speaker, names_speaker

_POSSESSED = re.compile(r"\b(?P<owner>[^\W\d_]+)(?:['’]s|(?<=s)['’])\s+([^\W\d_]+)", re.IGNORECASE)
# "In Karl's shed", "in the cellar of Karl's house".
_AT_PLACE = re.compile(
    r"\b(?:in|into|at|on|to|behind|under|near|by|inside|outside|beside|next to)\s"
    r"(?:(?:the |an? )?(?:[^\W\d_]{1,15} ){1,3}of\s)?\Z",
    re.IGNORECASE,
)
_LONGEST_AT = 60
_SUBJECT = re.compile(r"\W*(?:(?:the|der|die|l['’]|el|la|lo|o|a|de)\s*\b)?([^\W\d_]+)(?!['’]\w)", re.IGNORECASE)
_OF_SPEAKER = re.compile(
    r"\W*(?:(?:and|but|so|well|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|ale|а|и|но)\s+)?(?:(?:il|la|l['’]|i|le|o|a)\s*)?"
    # "Der Hund meiner Nachbarin", "la voiture de mon frère": what belongs to a relative.
    r"(?:(?:the|der|die|das|le|la|les|l['’]|el|los|las|il|lo|o|a|os|as|de|het)\s*[^\W\d_]+\s(?:(?:of|von|de|di|do|da|van)\s)?)?"
    r"(?:my|our|mein\w{0,2}|unser\w{0,2}|mon|ma|notre|mis?|nuestr[oa]s?|mi[oae]i?|nostr[oaei]|meu|minha|noss[oa]|mijn|onze"
    r"|ons|mój|moja|nasz|nasza"
    r"|мой|моя|мои|моего|моей|наш|наша)\s|(?:我们?|私)的?の?|(?:제|내|우리)\s",
    re.IGNORECASE,
)
_IS_WHO = re.compile(r"\W*([^\W\d_]+)\s+(?:is|was|ist|war|est|es|era|è|é|jest|is)\s")
_NAME_AFTER = re.compile(
    r",?\s+(?:called |named |namens )?(?P<name>[^\W\d_]+)(?!\s?[’'])|[の、]?\s?(?P<short>[぀-ヿ㐀-鿿가-힣]{2})"
)
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
_NOT_ALONE = re.compile(r"[\s,-]+(?:tongue|and|und|et|y|e|en|i|и|with me)\b|[と和跟与]|하고|이?랑|[와과]\s", re.IGNORECASE)
# "I", "me", "my" by language: "mi" is "me" in Polish and "my" in Spanish, "ma" is "has" in Polish, "i" is "the" in Italian.
_PRONOUNS_OF_ME = {
    "en": "i|me|us|we|myself",
    "de": "ich|mich|mir|wir|uns",
    "fr": "je|j|me|m|moi|nous",
    "es": "yo|me|mí|nos|nosotr[oa]s|conmigo",
    "it": "io|me|mi|noi|ci",
    "pt": "eu|me|mim|nós|nos|comigo",
    "nl": "ik|me|mij|we|wij",
    "pl": "ja|mnie|mi|mną|my|nas|nam",
    "ru": "я|меня|мне|мной|мы|нас|нам",
}
_POSSESSIVES_OF_ME = {
    "en": "my|our|mine",
    "de": r"mein\w*|unser\w*",
    "fr": "mon|ma|mes|notre|nos",
    "es": "mis?|nuestr[oa]s?",
    "it": "mi[oae]|miei|nostr[oaei]",
    "pt": "meus?|minhas?|noss[oa]s?",
    "nl": "mijn|ons|onze",
    "pl": r"mój|moj\w{1,3}|nasz\w{0,3}",
    "ru": r"мо(?:й|я|и|е|ё|ю|ей|его|ему|их)|наш\w{0,3}",
}
_SPACELESS_ME = r"私|僕|俺|わたし|うち[はのも]|我|咱|저[는도희]|제[가 ]|나[는도]|내[가 ]|우리"


def _by_language(*words: dict[str, str]) -> dict[str, re.Pattern[str]]:
    """A pattern for the words of each language, and for those of all as that of ""."""
    found = {code: "|".join(each[code] for each in words) for code in words[0]}
    every = {**found, "": "|".join(found.values())}
    return {code: re.compile(rf"\b(?:{joined})\b|{_SPACELESS_ME}", re.IGNORECASE) for code, joined in every.items()}


_I = _by_language(_PRONOUNS_OF_ME)
_I_OR_MY = _by_language(_PRONOUNS_OF_ME, _POSSESSIVES_OF_ME)
# A clause whose verb alone says "I": "mieszkam", "trabajo", "живу"; and the short forms of chat: "bin", "hab".
_VERB_OF_ME = {
    code: re.compile(rf"\W*(?:{pattern})\b", re.IGNORECASE)
    for code, pattern in {
        "de": "(?:bin|hab|habe|muss|will|kann)",
        "nl": "(?:ben|heb|moet|wil|kan)",
        "es": r"(?:pero |y |e )?(?:no |ya |aún |todavía )*(?:[^\W\d_]{2,}o|soy|estoy|voy|doy|he|fui|[^\W\d_]{2,}é)",
        "it": r"(?:ma |e )?(?:non |già |ancora )*(?:[^\W\d_]{2,}o|ho)",
        "pt": r"(?:mas |e )?(?:não |já |ainda )*(?:[^\W\d_]{2,}o|sou|estou|vou|dou|[^\W\d_]{2,}ei)",
        "pl": r"(?:ale |i |a )?(?:nie |już |jeszcze |też )*[^\W\d_]+(?:am|em|ę|my|łem|łam)",
        "ru": r"(?:но |и |а )?(?:не |уже |ещё |еще |тоже )*[^\W\d_]+(?:ю|у|юсь|усь)",
    }.items()
}
# A clause that begins with "he", "she" or "they".
_OF_THIRD = {
    code: re.compile(rf"\W*(?:{pattern})", re.IGNORECASE)
    for code, pattern in {
        "en": r"(?:and |but |so )?(?:s?he|they)\b",
        "de": r"(?:und |aber )?(?:er|sie)\b",
        "fr": r"(?:et |mais )?(?:ils?|elles?)\b(?! (?:y a|y avait|faut|fallait|pleut|fait|reste|s['’]agit|est \d))",
        "es": r"(?:y |pero )?(?:él|ellas?|ellos)\b",
        "it": r"(?:e |ma )?(?:lui|lei|loro)\b",
        "pt": r"(?:e |mas )?(?:el[ea]s?)\b",
        "nl": r"(?:en |maar )?(?:hij|zij|ze)\b",
        "pl": r"(?:i |a |ale )?(?:on|ona|oni)\b",
        "ru": r"(?:и |а |но )?(?:он|она|они)\b",
        "ja": r"(?:彼女?|あの[人子])[はがも]",
        "zh": r"[他她]们?",
        "ko": r"(?:그|그녀|걔|그분)(?:는|은|가|도)",
    }.items()
}
# A relative without "my": "wife can't stand coriander".  Some of the words mean something else in English.
_BARE = re.compile(r"\W*(?:(?:and|but|und|aber|et|mais|y|pero|e|ma|mas|en|maar|i|a|ale|и|а|но)\s+)?", re.IGNORECASE)
_NOT_IN_ENGLISH = frozenset({"kind", "brat", "chef", "ex", "boss"})
_GOES_ON = re.compile(r"(?:['’](?:s|d|ll|ve|re))?\s+[^\W\d_]|[はがもの的]|(?<=[⺀-鿿])[⺀-鿿]|(?:은|는|이|가|도)\s")
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


def tells_of_speaker(claim: str, speakers: Iterable[str]) -> bool:
    """Whether the first word of a claim that is no article is the speaker: their name, "the user" or "I"."""
    subject = _SUBJECT.match(claim)
    named = [speaker.casefold() for speaker in speakers]
    return begins_with_speaker(claim) or (
        subject is not None and (names_speaker(subject[1]) or subject[1].casefold() in (*named, "i"))
    )


def speaks_of_self(clause: str, language: str = "") -> bool:
    """Whether a clause says "I", "me" or "my", also by its verb alone, and is not about somebody of the speaker's."""
    if _OF_SPEAKER.match(clause) is not None:
        return False
    verb = _VERB_OF_ME.get(language)
    return _says_me(clause, language) or (verb is not None and verb.match(clause) is not None)


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


def is_of_another(claim: str, sentence: str, speakers: Iterable[str], language: str = "") -> bool:
    """Whether a claim leaves out whose relative, friend or animal a sentence tells of, or who of the two it quotes is meant.

    >>> is_of_another("Ann's dog is called Rex", "My neighbour's dog is called Rex", ["Ann"])
    True
    """
    speakers = list(speakers)
    if _QUOTES_OTHER.search(sentence) and tells_of_speaker(claim, speakers) and not first_relative(claim):
        return True
    told = _relative_told_of(sentence, language)
    if told is not None and not _names_next(claim, sentence, told.end()) and not _speaks_of(claim, told.group()):
        return True
    third = _OF_THIRD.get(language)
    if third is not None and third.match(sentence) and tells_of_speaker(claim, speakers) and not _says_me(sentence, language):
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


def _relative_told_of(sentence: str, language: str) -> re.Match[str] | None:
    """The word for the relative, friend or animal of the speaker of whom a sentence tells, also if it tells of their things."""
    if (own := _OF_SPEAKER.match(sentence)) is None:
        begun = _BARE.match(sentence)
        head = RELATIVE.match(sentence, begun.end() if begun else 0)
        if head is None or (language in ("en", "") and head.group().casefold() in _NOT_IN_ENGLISH):
            return None
        return head if _GOES_ON.match(sentence, head.end()) and _is_alone(sentence, head, language) else None
    if head := RELATIVE.match(sentence, own.end()):  # also in scripts without spaces
        return head if _is_alone(sentence, head, language) else None
    words = list(islice(_WORD.finditer(sentence, own.end()), 3))
    head = next((word for word in words if any(each.fullmatch(word.group()) for each in (RELATIVE, PEOPLE, _SERVES))), None)
    return head if head is not None and _is_alone(sentence, head, language) else None


def _is_alone(sentence: str, head: re.Match[str], language: str) -> bool:
    """Whether neither "and" nor "I" or "me" follows a word for a relative."""
    pattern = _I.get(language, _I[""])
    return not _NOT_ALONE.match(sentence, head.end()) and not pattern.search(sentence, head.end())


def _says_me(text: str, language: str) -> bool:
    return _I_OR_MY.get(language, _I_OR_MY[""]).search(text) is not None


def _names_next(claim: str, sentence: str, end: int) -> bool:
    """Whether a claim has the name that follows a word for a relative, which ends at ``end``."""
    named = _NAME_AFTER.match(sentence, end)
    if named is None:
        return False
    return claim.startswith(named["short"]) if named["short"] else named["name"].casefold() in names(claim)


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
