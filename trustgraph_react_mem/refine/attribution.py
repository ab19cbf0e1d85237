"""Which part of a sentence says something of what: "My coach is Imre and my physio is Clara"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ..indexing.text.quantities import read_quantities
from ..indexing.text.quantity import Quantity
from ..indexing.text.quantity_patterns import UNITS
from ..indexing.tokenizer import guess_language, is_function_word, terms
from .names import NO_NAMES
from .sources import different

MOST_PARTS = 12  # of a sentence
MOST_READ = 60  # sentences of the sources
LONGEST_SENTENCE = 400  # characters; longer ones are no plain statements
FEW_WORDS = 2  # words of a part that takes over those of the part before: "Tariq plays the king and Wen the fool"
TAKEN_OVER = 0.7  # what a word counts that a part took over
_PART = re.compile(
    r"[,;:](?=\s)|[–—、，；]"
    r"|\b(?:and|but|while|whereas|und|aber|während|et|mais|tandis que|y|pero|e|ed|ma|mas|en|maar|och|men|og|и|а|но)\b"
)
_WORD = re.compile(r"[^\W_][\w'’-]*")


@dataclass(frozen=True, slots=True)
class _Part:
    """``words``: without its details.  ``taken_over``: words of the part before that it leaves out.

    ``first``, ``last``: its first and last word.
    """

    names: frozenset[str]
    numbers: tuple[Quantity, ...]
    words: frozenset[str]
    taken_over: frozenset[str]
    first: str
    last: str

    @property
    def is_bare(self) -> bool:
        """Whether it is an item of a list, whose other words are elsewhere."""
        return not self.words and len(self.names) + len(self.numbers) < 2

    def fits(self, wanted: frozenset[str]) -> float:
        return len(self.words & wanted) + TAKEN_OVER * len((self.taken_over - self.words) & wanted)

    def is_detail(self, word: str) -> bool:
        return word in self.names or word.isdigit()

    def has(self, number: Quantity) -> bool:
        return any(number.equals(one, units_elsewhere=number.units) for one in self.numbers)


class Attribution:
    """What answers to one question say of what.  Each sentence of the sources is read once."""

    def __init__(self, question: str) -> None:
        self._question = question
        self._asked: dict[str, frozenset[str]] = {}  # terms of the question by language
        self._read: dict[tuple[str, str], list[_Part]] = {}  # by sentence and language

    def is_of_another(self, text: str, sentences: Sequence[str], *, alone: bool) -> bool:
        """Whether a sentence that has the details of a text says them of something else, and others of what the text is about.

        Details are names and numbers.  A detail that another sentence says of the same thing is right.  ``alone``: the text is
        all of the answer, so it is about what is asked.
        """
        language = guess_language(" ".join([self._question, text, *sentences])[:2000]) or "en"
        if language not in self._asked:
            self._asked[language] = frozenset(terms(self._question, language))
        asked = self._asked[language]
        parts = _parts(text, asked, language)
        if not any(part.names or part.numbers for part in parts):
            return False
        given = [self._parts(each, asked, language) for each in sentences[:MOST_READ]]
        own_names = frozenset[str]().union(*(part.names for part in parts))
        own_numbers = [number for part in parts for number in part.numbers]
        is_whole = alone and len(parts) == 1
        for part in parts:
            wanted = part.words | asked if is_whole else part.words
            if wanted <= asked and not is_whole:
                continue
            for name in part.names:
                holding = [[each for each in said if name in each.names] for said in given]
                others = [[each for each in said if each.names and not each.names & own_names] for said in given]
                if _is_misplaced(wanted, holding, others):
                    return True
            for number in part.numbers:
                holding = [[each for each in said if each.has(number)] for said in given]
                others = [[each for each in said if _has_other(number, each, own_numbers)] for said in given]
                if _is_misplaced(wanted, holding, others):
                    return True
        return False

    def _parts(self, sentence: str, asked: frozenset[str], language: str) -> list[_Part]:
        if (sentence, language) not in self._read:
            self._read[sentence, language] = _parts(sentence, asked, language)
        return self._read[sentence, language]


def _is_misplaced(wanted: frozenset[str], holding: Sequence[Sequence[_Part]], others: Sequence[Sequence[_Part]]) -> bool:
    """Whether a part with another detail fits better than each part that has the detail, of the same sentence.

    Both are given by sentence.  What follows "Rome and Oslo" may be said of both.
    """
    best = max((part.fits(wanted) for said in holding for part in said), default=0.0)
    return any(
        other.fits(wanted) > best
        and other.words & wanted - frozenset[str]().union(*(part.words | part.taken_over for part in held))
        and not (other.is_detail(other.first) and all(part.is_detail(part.last) and part.fits(wanted) for part in held))
        for held, said in zip(holding, others, strict=True)
        for other in said
        if held
    )


def _has_other(number: Quantity, part: _Part, own: Sequence[Quantity]) -> bool:
    """Whether a part has numbers of the same kind, and none of the text's."""
    kinds = {(reading.kind, unit) for reading in number.readings for unit in (reading.unit, "")}
    alike = any((reading.kind, reading.unit) in kinds for one in part.numbers for reading in one.readings)
    return alike and not any(part.has(each) for each in own)


def _parts(sentence: str, asked: frozenset[str], language: str) -> list[_Part]:
    """The parts of a sentence; none if it lists things, because what follows a list may be said of all of them."""
    if len(sentence) > LONGEST_SENTENCE:
        return []
    found: list[_Part] = []
    for text in [each for each in _PART.split(sentence) if any(map(str.isalnum, each))][:MOST_PARTS]:
        tokens = _WORD.findall(text)
        names = {
            token.casefold()
            for number, token in enumerate(tokens)
            if token[0].isupper() and not (number == 0 and not found and is_function_word(token))
        }
        units = {token.casefold() for token in tokens if token.casefold() in UNITS}
        names = {name for name in names - units if not set(terms(name, language)) & (asked | _days(language))}
        details = {term for name in (*names, *units) for term in terms(name, language)}
        words = frozenset(term for term in terms(text, language) if term not in details and not any(map(str.isdigit, term)))
        before = found[-1] if found else None
        left_out = before.words | before.taken_over if before else frozenset[str]()
        taken = left_out if len(words) <= max(1, min(FEW_WORDS, len(left_out))) else frozenset[str]()
        edges = (tokens[0].casefold(), tokens[-1].casefold()) if tokens else ("", "")
        found.append(_Part(frozenset(names), tuple(different(read_quantities(text, source=True))), words, taken, *edges))
    return [] if len(found) > 1 and any(part.is_bare for part in found) else found


@cache
def _days(language: str) -> frozenset[str]:
    """Words with a capital that name no one, such as days and months."""
    return frozenset(term for word in NO_NAMES for term in terms(word, language))
