"""Whose an attribute is: the speaker's, or of somebody whom the clause names."""

import re

from ..changes import forms
from ..text.relatives import first_relative
from ..tokenizer import is_function_word, name_spans
from .guards import FILLERS
from .phrases import Phrase
from .values import WORD, fold

SPEAKER = frozenset[str]()  # owner of what is said of the speaker


def owner_of_noun(match: re.Match[str]) -> frozenset[str] | None:
    named = match.groupdict()
    if named.get("theirs"):
        return None
    if named.get("who") is None or named.get("mine"):
        return SPEAKER
    who = [fold(word) for word in WORD.findall(named["who"].replace("'s", ""))]
    return frozenset(word for word in who if word not in forms.SUBJECT_NOISE and len(word) > 1)


def owner_of_verb(phrase: Phrase, match: re.Match[str], clause: str, person: frozenset[str]) -> frozenset[str] | None:
    named = match.groupdict()
    if phrase.wording.spaceless:
        others = forms.PEOPLE.search(clause[: match.start()]) or _OTHERS_WITHOUT_SPACES.search(clause[: match.start()])
        return None if others else SPEAKER
    third = forms.THIRD_PERSON - _OTHER_WORDS.get(phrase.wording.code, frozenset())
    said = [fold(word) for word in WORD.findall(clause[: match.start()])]
    end = match.start("value") if named.get("value") and not phrase.before else match.end()
    inside = {fold(word) for word in WORD.findall(clause[match.start() : end])}
    if inside & _OBJECTS:
        return SPEAKER
    if phrase.before or inside & _OWN:
        return None if third.intersection(said) else SPEAKER
    own = max((place for place, word in enumerate(said) if word in _OWN_PRONOUNS), default=-1)
    if own >= 0:
        joined = max(
            (place for place, word in enumerate(said) if word in _AND), default=own
        )  # "I changed jobs and work as ..."
        return SPEAKER if FILLERS.issuperset(said[max(own, joined) + 1 :]) else None
    if third & set(said):
        meant = bool(person) and set(said) <= PRONOUNS | FILLERS
        return person if meant and all(may_mean(each, " ".join(person)) for each in said) else None
    content = [word for word in said if word not in FILLERS and word not in forms.SUBJECT_NOISE and not is_function_word(word)]
    if forms.PEOPLE.search(clause[: match.start()]) is not None:
        return frozenset(word.removesuffix("'s") for word in content) or None
    if named.get("third") is None and (phrase.wording.inflected or not content or _OWN_PRONOUNS & inside):
        return SPEAKER
    names = [name for name, _, _ in name_spans(clause[: match.start()])]
    if named.get("third") is not None and content and len(names) == len(content):
        return frozenset(content)
    return None


_OTHER_WORDS = {"es": frozenset({"he"}), "en": frozenset({"son", "ton"})}  # pronouns of other languages
_AND = forms.words("and but und aber et mais y pero e ma mas en maar ale и но")
_OWN_PRONOUNS = forms.FIRST_PERSON - {"my", "user"}
_SHE, _HE = forms.words("she elle ella lei ela zij ze ona она"), forms.words("he il él lui ele hij он")
PRONOUNS = _SHE | _HE | forms.words("er sie on it es")  # "he" and "she"; German and Polish ones depend on the noun
_WOMEN = frozenset({"mother", "sister", "daughter", "wife", "girlfriend", "aunt", "grandmother", "niece"})
_MEN = frozenset({"father", "brother", "son", "husband", "boyfriend", "uncle", "grandfather", "nephew"})
HIS_OR_HER = forms.words("his her sein seine ihr ihre")
_OBJECTS = forms.words("me us mich mir uns mij mnie меня мне")
_OWN = forms.words("my our meine mein meinen unsere mon ma notre mi meu minha mijn onze мой моя")
_OTHERS_WITHOUT_SPACES = re.compile("[他她]|彼|그녀|그는")


def may_mean(pronoun: str, person: str) -> bool:
    """Whether the pronoun can stand for the person: "she" is no brother."""
    others = _MEN if pronoun in _SHE else _WOMEN if pronoun in _HE else frozenset[str]()
    meant = first_relative(person)
    return not (meant and meant <= others)
