"""Recognises messages that correct the one before: "no, I meant Thursday"."""

import re
from collections.abc import Iterable, Set
from difflib import get_close_matches
from functools import lru_cache

from ..small_talk import ACKNOWLEDGEMENT
from ..text.number_words import replace_number_words
from ..text.slots import exclusive_words
from ..tokenizer import is_function_word, is_spaceless, name_spans, terms
from . import correction_forms, forms
from .amounts import amounts_differ, one_number_differs
from .values import find_new_values, is_same_value, read_values, replaces_one

SHORT_CORRECTION = 60  # characters of one that does not say that something was wrong
LONGEST_CORRECTION = 160
LONGEST_SPACELESS = 12  # characters of a clause that has nothing but a value, in scripts without spaces
ASKING = ("?", "？", "ですか", "ますか", "吗", "呢", "까", "까요", "나요")  # at the end of a question
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_DRAWN_OUT = re.compile(r"(\w)\1{2,}")  # "nooo"
_RETYPED = re.compile(r"\s*\*\s?\w[^\n*]{0,40}$")  # "*Friday": only what was mistyped
_ENDING = re.compile(rf"{forms.ORDINAL.pattern}|(?<=\d)['’][^\W\d_]{{1,5}}", re.IGNORECASE)  # of a number: "14th", "18'inde"
_DIGITS = re.compile(r"[\d-]")
# A value that something else is said of: "8日は仕事です".
_TOPIC = re.compile(r"\d\s?(?:日|時|分|月|年|人|号|일|시|분|월)(?:は|が|も|에는|은|는)\s?\w")
_EXCLAIMS = re.compile(r"\W*[^\W\d_]+(?:\s[^\W\d_]+){0,2}\s?[,.!:;…–—-]+\s(?=\S)")  # "scratch that, ...", "Quatsch! ..."
_ABOUT = re.compile(
    r"\b(?:about|with|regarding|über|wegen|zu|zum|zur|mit|sur|pour|concernant|de|des|du|sobre|con|lo de|sugli?|sulle?|sui"
    r"|su|dei|delle"
    r"|sobre|das|dos|com|over|met|o|z|про|о|об|насч[её]т)\s(?:the |my |our |den |die |das |dem |der |les? |la |l'|los "
    r"|las |el |il |gli "
    r"|i |os? |as? |de |het )?(?P<what>[^\W\d_]+)",
    re.IGNORECASE,
)
_COUNTED = re.compile(r"\b(?P<number>\d+(?:[.,]\d+)*)\s(?:\w+er |new |big |small )?(?P<noun>[^\W\d_]+)")
_LONGEST_OPENING = 1  # words
_LONGEST_UNIT = 2  # letters, as in "mg"
_UNITS = forms.words("""
    euro euros pounds pound dollars dollar quid cents pence francs uhr o'clock minutes minute hours hour days day weeks
    week months month years year minuten stunden tage wochen monate jahre heures jours semaines mois ans horas días
    semanas meses años ore giorni settimane mesi anni dias anos uur dagen weken maanden jaar kilometres kilometers
    metres meters percent prozent рублей часов дней недель месяцев лет godzin dni tygodni miesięcy lat złotych
""")
_REFUSES = re.compile(  # without a comma, as in chats: "no wait saturday"
    r"\W*(?:no|nope|nah|wait|sorry|oops|nein|non|não|nee|nie|нет|perdón|scusa|pardon|desculpa)\b(?!\W*$)", re.IGNORECASE
)


@lru_cache(maxsize=forms.KEPT)
def is_correction(text: str) -> bool:
    return correction_forms.CORRECTS.search(text) is not None or correction_forms.RETRACTS.search(text) is not None


@lru_cache(maxsize=forms.KEPT)
def may_correct_last(text: str) -> bool:
    """Whether a text may correct the one before it, whose value it then has in another form: see ``corrects_value``."""
    most = LONGEST_CORRECTION if is_correction(text) else SHORT_CORRECTION
    if len(text) > most or text.rstrip().endswith(ASKING) or forms.adds(text):
        return False
    plain = _DRAWN_OUT.sub(r"\1", text)
    return is_correction(plain) or _RETYPED.match(plain) is not None or _exclamation(plain) is not None


def _exclamation(text: str) -> re.Match[str] | None:
    """The opening that announces nothing but another value: "Quatsch, ...", "no ..."."""
    opening = _EXCLAIMS.match(text)
    if opening is None or ACKNOWLEDGEMENT.fullmatch(opening.group()) is not None:
        return _REFUSES.match(text)
    return None if any(exclusive_words(opening.group(), "en").values()) else opening


def corrects_value(new: str, old: str, language: str) -> bool:
    """ "Sorry, I meant 41" after "the house is number 14": a number, a word or a name in the place of another of its kind.

    What has the value says nothing else: "no, I cannot come on Thursday" corrects no other Wednesday.
    """
    if not may_correct_last(new):
        return False
    retyped = _RETYPED.match(new) is not None
    new, old = (replace_number_words(_DRAWN_OUT.sub(r"\1", text), language) for text in (new, old))
    if retyped:
        return _retypes(new, old)
    kept = old
    if not is_correction(new) and (opening := _exclamation(new)) is not None:
        new = new[opening.end() :]
        if opening.re is _REFUSES:  # "no milk on Saturday" names what there is none of
            kept = ""
        words = {word for word in _WORD.findall(new.casefold()) if word not in correction_forms.CORRECTION_NOISE}
        values = {*forms.NUMBER.findall(new), *(name for name, _, _ in name_spans(new))}
        values |= {word for group in exclusive_words(new, language).values() for word in group}
        if not _terms(values, language).union(terms(kept, language)).issuperset(_terms(words, language)):
            return False
    if found := find_new_values(new, old):  # a number that both have is not what is corrected
        if not all(replaces_one(value, new, old) for value in found) or _says_more(new, kept, language):
            return False
        return _says_only(set(forms.NUMBER.findall(new)), _ENDING.sub("", new), kept, language)
    said, held = exclusive_words(new, language), exclusive_words(old, language)
    if shared := said.keys() & held.keys():
        return any(
            _stands_for(said[group], held[group], new) and _says_only(said[group], new, kept, language) for group in shared
        )
    names, former = ({name for name, start, _ in name_spans(text) if start} for text in (new, old))
    former |= _denied_names(new, old)
    if _stands_for(names, former, new) and _says_only(names, new, old, language):
        return True
    words, held_words = ({word for name in each for word in name.split()} for each in (names, former))
    return _stands_for(words, held_words, new) and _says_only(words, new, old, language)


def _denied_names(new: str, old: str) -> set[str]:
    """The names of "not Maria" that ``old`` has, also as its first word."""
    denied = (found["value"] for found in correction_forms.NEGATES.finditer(new))
    return {name.casefold() for name in denied if name[0].isupper() and name in _WORD.findall(old)}


def corrects_named(new: str, old: str, language: str) -> bool:
    """ "Scratch that about the chairs, 9 will do" after "we need 14 chairs", also with messages between them.

    Both count or date the same thing: it follows the number, or "about" in the words that retract.
    """
    if len(new) > LONGEST_CORRECTION or new.rstrip().endswith(ASKING) or not is_correction(new):
        return False
    if correction_forms.RETRACTS.search(new) is None:  # "actually, Ruth has 3 kids" may be about somebody else
        known = all(name in old.casefold() for name, start, _ in name_spans(new) if start)
        if not known or any(pattern.search(new) for pattern in (forms.EVENT, forms.PAST, forms.NEGATED)):
            return False
    new, old = (replace_number_words(forms.ORDINAL.sub("", text), language) for text in (new, old))
    held = set(terms(old, language))
    if any(held & set(terms(found["what"], language)) for found in _ABOUT.finditer(new)):
        said, former = exclusive_words(new, language), exclusive_words(old, language)
        return (
            amounts_differ(new, old)
            or one_number_differs(new, old)
            or any(not said[group] & former[group] for group in said.keys() & former.keys())
        )
    things, counted = _read_counted(new, language), _read_counted(old, language)
    return any(things[thing] != counted[thing] for thing in things.keys() & counted.keys())


def takes_back(new: str, old: str, language: str, *, follows: bool) -> bool:
    """ "Scratch the 23, we're 19 for the party" after "we'll be 23": a value of ``old``, and one that stands for it.

    In between may be messages, so that both name the same thing, unless ``new`` follows directly.
    """
    if len(new) > LONGEST_CORRECTION or new.rstrip().endswith(ASKING):
        return False
    taken = [found["value"] or found["told"] for found in correction_forms.TAKES_BACK.finditer(new)]
    shared = {term for term in set(terms(new, language)) & set(terms(old, language)) if not term.isdigit()}
    if not taken or not (follows or shared):
        return False
    held = read_values(replace_number_words(old, language))
    values = [value for text in taken for value in read_values(replace_number_words(text, language))]
    former = [value for value in values if any(is_same_value(value, other) for other in held)]
    found = find_new_values(new, old)
    return len(former) == 1 and len(found) == 1 and replaces_one(found[0], new.replace(taken[0], " ", 1), old)


def _read_counted(text: str, language: str) -> dict[str, str]:
    """Numbers by the noun that they count; units count nothing that is named."""
    found = {}
    for match in _COUNTED.finditer(text):
        if len(match["noun"]) > _LONGEST_UNIT and not is_function_word(match["noun"].casefold()):
            for term in terms(match["noun"], language)[:1]:
                if match["noun"].casefold() not in _UNITS and not exclusive_words(match["noun"], language):
                    found[term] = match["number"]
    return found


def _retypes(new: str, old: str) -> bool:
    """ "*herring" after "hering": the word of ``old`` that is most like it is not the same."""
    words, held = _WORD.findall(new.casefold()), set(_WORD.findall(old.casefold()))
    return bool(words) and not held.issuperset(words) and any(get_close_matches(word, held - {word}, 1) for word in words)


def states_otherwise(new: str, old: str) -> bool:
    """Whether a correction speaks of something else than the value: what the person can do, or what was.

    "No, I cannot come to the rehearsal on Thursday" leaves the day of the rehearsal as it is.
    """
    if correction_forms.RETRACTS.search(new):
        return False
    return _denies(new, old) or (forms.PAST.search(new) is not None and forms.PAST.search(old) is None)


def _denies(new: str, old: str) -> bool:
    if _is_first_person(new) and not _is_first_person(old) and correction_forms.MEANT.search(new) is None:
        return True
    return forms.NEGATED.search(_without_opening(new)) is not None and correction_forms.NEGATES.search(new) is None


def _stands_for(said: Set[str], held: Set[str], new: str) -> bool:
    """Whether one value is new, and the others of the text are what it denies or keeps: "Thursday, not Wednesday"."""
    revised = len(held - said) == 1 or forms.NEGATED.search(new) is not None or correction_forms.MEANT.search(new) is not None
    return len(said - held) == 1 and bool(held) and (not said & held or revised)


def _says_only(values: Set[str], new: str, old: str, language: str) -> bool:
    """Whether the clause with a value has nothing beside it but words of ``old`` and of a correction."""
    known = {*terms(old, language), *_terms(values, language)}
    for clause in forms.clauses(new):
        folded = clause.casefold()
        if not any(value in folded for value in values) and not any(exclusive_words(clause, language).values()):
            continue
        if correction_forms.REMARKS.search(clause) or _TOPIC.search(clause):
            return False
        if is_spaceless(_DIGITS.sub("", clause)):
            stated = forms.FIRST_PERSON_WITHOUT_SPACES.search(clause) or forms.NEGATED.search(_without_opening(clause))
            if len(_DIGITS.sub("", clause)) > LONGEST_SPACELESS or stated:
                return False
            continue
        if _denies(clause, old):
            return False
        words = [word for word in _WORD.findall(folded) if word not in correction_forms.CORRECTION_NOISE]
        if not known.issuperset(terms(" ".join(words), language)):
            return False
    return True


def _says_more(new: str, old: str, language: str) -> bool:
    """Whether a clause without a value says something else, "sorry, I overslept, it's 9", and no word is of a correction."""
    if correction_forms.RETRACTS.search(new) or correction_forms.MEANT.search(new):
        return False
    known = set(terms(old, language))
    for clause in forms.clauses(new):
        if forms.NUMBER.search(clause) is None and not is_spaceless(clause):
            words = [word for word in _WORD.findall(clause.casefold()) if word not in correction_forms.CORRECTION_NOISE]
            if len(words) > _LONGEST_OPENING and not known.issuperset(terms(" ".join(words), language)):
                return True
    return False


def _terms(words: Iterable[str], language: str) -> set[str]:
    return {term for word in words for term in terms(word, language)}


def _is_first_person(text: str) -> bool:
    return not forms.FIRST_PERSON.isdisjoint(re.findall(r"[^\W\d_]+", text.casefold()))


def _without_opening(text: str) -> str:
    """Without the "no," of a correction."""
    found = correction_forms.CORRECTS.match(text)
    return text[found.end() :] if found is not None else text
