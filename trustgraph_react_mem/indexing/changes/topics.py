"""What a sentence is about: its terms without values, and whether two sentences speak of different things of one kind."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from ..tokenizer import is_function_word, terms
from . import forms

# Days, amounts and ends of verbs, which are no topic where their parts are terms.
_NO_TOPIC = re.compile(
    r"(?i:\b(?:segunda|terça|quarta|quinta|sexta)s?[- ]feiras?\b)"
    r"|[月火水木金土日]曜日?|毎[週日朝晩]|(?:星期|周|礼拜)[一二三四五六日天]|每[周天]|[월화수목금토일]요일(?:마다|에)?"
    r"|\d+\s?(?:[万千百]?[円块元]|만?\s?원)|(?<=[가-힣])(?:은|는|이|가|을|를|에|도|의|에서|으로)(?=\s|$)|원?(?:이에요|예요|입니다|이야)(?=$|[\s.!,])"
    r"|(?:って|して|いて|んで)?い(?:ます|る|ました)|[し-りいきちみえけせてめ]?(?:ました|ます|ません)|でした|です|った"
)
# Words that many statements share: they are no topic.
GENERIC = forms.words("""
    quid buck grand see size day week month year hour minut second time today euro dollar pound cent percent km kilometr
    mile metr meter kilo kg gram mg
    ml liter litr dr mr mrs ms prof frau herr señora señor signora signor senhora senhor pan pani doctor good new old first
    last next start begin get go have take make live work want like
    love need use know think say tell call name thing bit lot back now just still also alreadi recent morn even night
    tag woch monat jahr stund uhr neu alt jetzt heut mal jour semain mois an ann heur nouveau vieux maintenant dia semana mes
    ano hora nuev viej ahora giorn settiman mes or nuov vecchi adess nov velh agora dag maand jaar uur nieuw oud nu tydzien
    miesiac rok godzin now star teraz ден недел месяц год час нов стар тепер сейчас
    user assistant thank happi great nice realli love feel hope look sound amaz awesom glad sure yeah yes way lot peopl life
    alway imm toujour siempr sempr altijd zawsz always
""")
_WORD = re.compile(r"[^\W_]+")
_OF = frozenset(["de", "d", "del", "della", "dello", "dell", "di", "do", "da", "du", "des", "dos", "das", "van", "von"])
_OF_FOLLOWS = frozenset({"fr", "es", "it", "pt"})  # "cours de danse"


def without_values(text: str) -> str:
    return forms.NUMBER.sub(" ", _NO_TOPIC.sub(" ", text))


def are_other_things(new: str, old: str, shared: Iterable[str], language: str) -> bool:
    """Whether the first shared term names another thing in each text: "the film club" and "the book club".

    >>> are_other_things("the film club moved", "the book club meets on Mondays", {"club"}, "en")
    True
    """
    places = sorted((place, term) for term in shared if (place := _place(_WORD.findall(new), term, language)) is not None)
    if not places:
        return False
    said, held = (_kind(text, places[0][1], language) for text in (new, old))
    return bool(said and held and said != held)


@lru_cache(maxsize=4096)
def _kind(text: str, term: str, language: str) -> str:
    """The term of the word that says which thing of a kind is meant: the one before its noun, or after "of"."""
    words = _WORD.findall(text)
    place = _place(words, term, language)
    if place is None:
        return ""
    if language in _OF_FOLLOWS:
        of = words[place + 1 : place + 3]
        found = of[1] if len(of) > 1 and of[0].casefold() in _OF else ""
    else:
        found = words[place - 1] if place else ""
    plain = found.casefold()
    if not found or is_function_word(found) or plain in forms.SUBJECT_NOISE | forms.FIRST_PERSON or found[0].isdigit():
        return ""
    return next(iter(terms(found, language)), "")


def _place(words: Sequence[str], term: str, language: str) -> int | None:
    return next((place for place, word in enumerate(words) if term in terms(word, language)), None)
