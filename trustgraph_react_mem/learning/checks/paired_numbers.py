"""Whether a claim gives one thing the number of another: "Lia is 7" after "Ben is 7 and Lia is 9".

Only numbers said in the same way are compared: before the same verb ("Ben is 7 and Lia is 9"), or before the same preposition
("100 on gas and 40 on water").  The claim must name the other one, and not the one whose number it has.
"""

import re
from collections.abc import Sequence

from ...indexing.text.quantities import divide_at_quantities
from ...indexing.text.quantity import Quantity
from ...indexing.text.statement_patterns import ANAPHORA, AND, CHANGE
from ...indexing.text.statements import sentences
from ...indexing.tokenizer import is_function_word, terms

MOST_NUMBERS = 12  # of a sentence
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?|[,;:=&–—]")
_DIVIDES = (
    AND
    | frozenset(";–—")
    | frozenset(("but", "while", "aber", "während", "mais", "pero", "ma", "mas", "maar", "ale", "но", "а"))
)
_MOST_BETWEEN = 2  # words between a number and the preposition: "6 eggs on Monday"


def has_number_of_another(claim: str, texts: Sequence[str], language: str) -> bool:
    """Whether wherever the texts say a number of the claim, they say it of something else than the claim does."""
    wanted, around = divide_at_quantities(claim)
    if not wanted:
        return False
    said = [divide_at_quantities(sentence) for text in texts for sentence in sentences(text)]
    about = _terms(" ".join(around), language)
    return any(_is_of_another(one, about, said, language) for one in wanted[:MOST_NUMBERS])


def _is_of_another(one: Quantity, about: set[str], said: Sequence[tuple[list[Quantity], list[str]]], language: str) -> bool:
    found = False
    for quantities, parts in said:
        units = frozenset(unit for quantity in quantities for unit in quantity.units)
        for place, quantity in enumerate(quantities[:MOST_NUMBERS]):
            if not one.equals(quantity, units_elsewhere=units):
                continue
            found = True
            others = [number for number, other in enumerate(quantities[:MOST_NUMBERS]) if _is_like(quantity, other)]
            if not any(_names_other(about, parts, place, other, language) for other in others):
                return False
    return found


def _is_like(one: Quantity, other: Quantity) -> bool:
    """Whether they are different numbers of the same kind."""
    kinds, others = ({each.kind for each in quantity.readings} for quantity in (one, other))
    same_unit = not one.units or not other.units or not one.units.isdisjoint(other.units)
    return same_unit and not kinds.isdisjoint(others) and not one.equals(other)


def _names_other(about: set[str], parts: Sequence[str], place: int, other: int, language: str) -> bool:
    """Whether the claim names what the other number is of, and not what the number at ``place`` is of."""
    for read in (_after, _before):
        first, second = read(parts, place), read(parts, other)
        if first is None or second is None or (first[0] and second[0] and first[0] != second[0]) or not first[0] + second[0]:
            continue
        own, others = _terms(first[1], language), _terms(second[1], language)
        if own - others and others - own and not about & (own - others) and about & (others - own):
            return True
    return False


def _before(parts: Sequence[str], place: int) -> tuple[str, str] | None:
    """The verb before a number, "" if it is left out ("Ben is 7, Lia 9"), and what is before it in its clause."""
    words = _WORD.findall(parts[place])
    begun = max((number for number, word in enumerate(words) if word.casefold() in _DIVIDES), default=-1) + 1
    clause = words[begun:]
    if not clause or (place and CHANGE.search(parts[place])):  # "the rent was 800, now 900"
        return None
    if place and not is_function_word(clause[-1]) and clause[-1] not in parts[0]:
        return "", " ".join(clause)
    return None if len(clause) < 2 or ANAPHORA.fullmatch(clause[-2]) else (clause[-1].casefold(), " ".join(clause[:-1]))


def _after(parts: Sequence[str], place: int) -> tuple[str, str] | None:
    """The preposition after a number, and what follows it in its clause."""
    words = _WORD.findall(parts[place + 1])
    start = next((number for number, word in enumerate(words[: _MOST_BETWEEN + 1]) if is_function_word(word.casefold())), -1)
    if start < 0 or any(word.casefold() in _DIVIDES for word in words[: start + 1]):
        return None
    end = next((number for number, word in enumerate(words) if number > start and word.casefold() in _DIVIDES), len(words))
    return words[start].casefold(), " ".join(words[start + 1 : end])


def _terms(text: str, language: str) -> set[str]:
    return {term for term in terms(text, language) if not term.isdigit()}
