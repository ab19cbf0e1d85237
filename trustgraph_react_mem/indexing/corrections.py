"""Recognises messages that correct the one before: "no, I meant Thursday"."""

from collections.abc import Set

from . import change_forms as forms
from .text.slots import exclusive_words
from .tokenizer import name_spans

SHORT_CORRECTION = 60  # characters


def is_correction(text: str) -> bool:
    return forms.CORRECTS.search(text) is not None or forms.RETRACTS.search(text) is not None


def corrects_value(new: str, old: str, language: str) -> bool:
    """ "Sorry, I meant 41" after "the house is number 14": a number, a word or a name in the place of another of its kind."""
    if len(new) > SHORT_CORRECTION or new.rstrip().endswith("?") or not is_correction(new):
        return False
    numbers = [forms.NUMBER.findall(forms.ORDINAL.sub("", text)) for text in (new, old)]
    if any(":" in number for number in numbers[0]):  # a time of day replaces the time, not the gate or the line beside it
        numbers = [[number for number in found if ":" in number] for found in numbers]
    if numbers[0]:
        return len(numbers[0]) == len(numbers[1]) == 1 and numbers[0] != numbers[1]
    said, held = exclusive_words(new, language), exclusive_words(old, language)
    if shared := said.keys() & held.keys():
        return any(_stands_for(said[group], held[group], new) for group in shared)
    names, former = ({name for name, start, _ in name_spans(text) if start} for text in (new, old))
    return _stands_for(names, former, new)


def _stands_for(said: Set[str], held: Set[str], new: str) -> bool:
    """Whether one value is new, and the others of the text are what it denies: "Thursday, not Wednesday"."""
    return len(said - held) == 1 and bool(held) and (not said & held or forms.NEGATED.search(new) is not None)
