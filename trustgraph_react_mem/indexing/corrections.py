"""Recognises messages that correct the one before: "no, I meant Thursday"."""

import re
from collections.abc import Set
from functools import lru_cache

from . import change_forms as forms
from .text.number_words import replace_number_words
from .text.slots import exclusive_words
from .tokenizer import is_spaceless, name_spans, terms

SHORT_CORRECTION = 60  # characters
LONGEST_SPACELESS = 12  # characters of a clause that has nothing but a value, in scripts without spaces
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")


@lru_cache(maxsize=forms.KEPT)
def is_correction(text: str) -> bool:
    return forms.CORRECTS.search(text) is not None or forms.RETRACTS.search(text) is not None


def corrects_value(new: str, old: str, language: str) -> bool:
    """ "Sorry, I meant 41" after "the house is number 14": a number, a word or a name in the place of another of its kind.

    What has the value says nothing else: "no, I cannot come on Thursday" corrects no other Wednesday.
    """
    if len(new) > SHORT_CORRECTION or new.rstrip().endswith("?") or not is_correction(new):
        return False
    new, old = (replace_number_words(forms.ORDINAL.sub("", text), language) for text in (new, old))
    numbers = [forms.NUMBER.findall(text) for text in (new, old)]
    if any(":" in number for number in numbers[0]):  # a time of day replaces the time, not the gate or the line beside it
        numbers = [[number for number in found if ":" in number] for found in numbers]
    if numbers[0]:
        fits = _stands_for(set(numbers[0]), set(numbers[1]), new) and len(numbers[1]) == 1
        return fits and _says_only(set(numbers[0]), new, old, language)
    said, held = exclusive_words(new, language), exclusive_words(old, language)
    if shared := said.keys() & held.keys():
        return any(
            _stands_for(said[group], held[group], new) and _says_only(said[group], new, old, language) for group in shared
        )
    names, former = ({name for name, start, _ in name_spans(text) if start} for text in (new, old))
    return _stands_for(names, former, new) and _says_only(names, new, old, language)


def states_otherwise(new: str, old: str) -> bool:
    """Whether a correction speaks of something else than the value: what the person can do, or what was.

    "No, I cannot come to the rehearsal on Thursday" leaves the day of the rehearsal as it is.
    """
    if forms.RETRACTS.search(new):
        return False
    if _is_first_person(new) and not _is_first_person(old) and forms.MEANT.search(new) is None:
        return True
    return (forms.NEGATED.search(_without_opening(new)) is not None and forms.NEGATES.search(new) is None) or (
        forms.PAST.search(new) is not None and forms.PAST.search(old) is None
    )


def _stands_for(said: Set[str], held: Set[str], new: str) -> bool:
    """Whether one value is new, and the others of the text are what it denies or keeps: "Thursday, not Wednesday"."""
    revised = len(held - said) == 1 or forms.NEGATED.search(new) is not None or forms.MEANT.search(new) is not None
    return len(said - held) == 1 and bool(held) and (not said & held or revised)


def _says_only(values: Set[str], new: str, old: str, language: str) -> bool:
    """Whether the clause with a value has nothing beside it but words of ``old`` and of a correction."""
    known = {*terms(old, language), *(term for value in values for term in terms(value, language))}
    for clause in forms.clauses(new):
        folded = clause.casefold()
        if not any(value in folded for value in values) and not any(exclusive_words(clause, language).values()):
            continue
        if is_spaceless(clause):
            stated = forms.FIRST_PERSON_WITHOUT_SPACES.search(clause) or forms.NEGATED.search(_without_opening(clause))
            if len(clause) > LONGEST_SPACELESS or stated:
                return False
            continue
        if states_otherwise(clause, old):
            return False
        words = [word for word in _WORD.findall(folded) if word not in forms.CORRECTION_NOISE]
        if not known.issuperset(terms(" ".join(words), language)):
            return False
    return True


def _is_first_person(text: str) -> bool:
    return not forms.FIRST_PERSON.isdisjoint(_WORD.findall(text.casefold().replace("’", "'")))


def _without_opening(text: str) -> str:
    """Without the "no," of a correction."""
    found = forms.CORRECTS.match(text)
    return text[found.end() :] if found is not None else text
