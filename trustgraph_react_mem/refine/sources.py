"""A text that was shown to the model, read once: its words, its quantities, and the dates that "next Friday" means in it."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import combinations

from ..indexing.text.quantities import Quantity, Reading, read_quantities, unsupported_quantities
from ..indexing.text.statements import sentences as split_sentences
from ..indexing.tokenizer import guess_language, terms
from ..retrieval.temporal import Span, resolve
from .names import spellings

LONGEST_RANGE = timedelta(days=31)  # a longer range, such as "last year", names no day
NEAR = timedelta(days=14)  # "on Friday" is the Friday before or after
MOST_COMPUTED = 60  # quantities from which sums and differences are computed
MOST_STATED = 300  # different quantities of the sources that a sentence is compared with
MOST_SENTENCES = 40  # of a source
LONGEST_COUNT = 30  # the largest number that may count what the sources list
_CODE = re.compile(r"\b([A-Z]{1,3})[ -]?(\d{2,5})\b", re.ASCII)
_ORDINALS = (  # from the first to the tenth, with the endings of German, Spanish, Italian, Portuguese and Dutch
    r"first|erste[nrsm]?|premi(?:er|ère)|primer[oa]?|prim[oa]|primeir[oa]|eerste",
    r"second|zweite[nrsm]?|deuxième|segund[oa]|second[oa]|tweede",
    r"third|dritte[nrsm]?|troisième|tercer[oa]?|terz[oa]|terceir[oa]|derde",
    r"fourth|vierte[nrsm]?|quatrième|cuart[oa]|quart[oa]|vierde",
    r"fifth|fünfte[nrsm]?|cinquième|quint[oa]|vijfde",
    r"sixth|sechste[nrsm]?|sixième|sext[oa]|sest[oa]|zesde",
    r"seventh|sieb(?:en)?te[nrsm]?|septième|séptim[oa]|settim[oa]|sétim[oa]|zevende",
    r"eighth|achte[nrsm]?|huitième|octav[oa]|ottav[oa]|oitav[oa]|achtste",
    r"ninth|neunte[nrsm]?|neuvième|noven[oa]|non[oa]|negende",
    r"tenth|zehnte[nrsm]?|dixième|décim[oa]|decim[oa]|tiende",
)
_ORDINAL = re.compile(rf"(?i)\b(?:{'|'.join(f'({words})' for words in _ORDINALS)})\b")


@dataclass(frozen=True, slots=True)
class Source:
    """``id``: empty for what cannot be cited.  ``folded``: its spellings.
    ``times``: those that the text names, seen from when it was said.

    ``trusted``: the person said it, or imported it.  A tool, a document and the agent itself did not.
    """

    id: str
    text: str
    folded: str
    terms: frozenset[str]
    quantities: tuple[Quantity, ...]
    times: tuple[Span, ...] = ()
    sentences: tuple[str, ...] = ()
    trusted: bool = True

    def states_date(self, quantity: Quantity) -> bool:
        """Whether a date is one that the text means without naming it."""
        years = {day[0] for other in self.quantities for day in other.days}
        return any(_is_in(day, self.times, years) for day in quantity.days)


def read_source(text: str, said_at: datetime | None = None, id: str = "", *, trusted: bool = True) -> Source:
    """``said_at``: when it was said; that day counts as stated."""
    quantities = [*read_quantities(text, source=True), *_codes(text), *_ordinals(text)]
    times: list[Span] = []
    if said_at is not None:
        quantities += read_quantities(f"{said_at:%Y-%m-%d}", source=True)
        times = list(resolve(text, said_at, language=guess_language(text) or "en"))
    return Source(
        id,
        text,
        spellings(text),
        frozenset(terms(text)),
        tuple(different(quantities)),
        tuple(times),
        tuple(dict.fromkeys(split_sentences(text)))[:MOST_SENTENCES],
        trusted,
    )


def _codes(text: str) -> list[Quantity]:
    """Identifiers that others write with a space, or without: "LH 438" and "LH438"."""
    return [
        Quantity(
            frozenset(
                {Reading("id", (match[1] + match[2]).casefold()), Reading("number", Fraction(match[2]), Fraction(match[2]))}
            ),
            *match.span(),
            label=True,
        )
        for match in _CODE.finditer(text)
    ]


def _ordinals(text: str) -> list[Quantity]:
    """The numbers of "third" and the like, which an answer may write as "3rd"."""
    numbers = [(Fraction(match.lastindex or 0), match.span()) for match in _ORDINAL.finditer(text)]
    return [Quantity(frozenset({Reading("number", number, number)}), *span) for number, span in numbers]


def different(quantities: Iterable[Quantity]) -> list[Quantity]:
    """The quantities without repetitions."""
    return list({(each.readings, each.noun, each.label): each for each in quantities}.values())


def missing_quantities(wanted: Sequence[Quantity], sources: Sequence[Source], *, computed: bool) -> list[Quantity]:
    """The quantities that no source states.  ``computed``: a sum, a difference or a count of what they state is stated, too."""
    said = different(quantity for source in sources for quantity in source.quantities)[:MOST_STATED]
    missing = [each for each in unsupported_quantities(wanted, said) if not any(source.states_date(each) for source in sources)]
    if missing and computed:
        results = _results(said, counted=len(sources))
        missing = [each for each in missing if not any(reading.value in results for reading in each.readings)]
    return missing


def _is_in(day: tuple[int, int, int], times: Sequence[Span], years: set[int]) -> bool:
    """``years``: those that the source names.  In "the eighties, in 1985", the eighties mean no other year."""
    year, month, number = day
    for time in times:
        each, in_words = time.range, not any(map(str.isdigit, time.text))
        if each.end - each.start > LONGEST_RANGE:
            within = range(each.start.year, each.end.year + (each.end.month > 1))
            if not number and not month and year in within and (year in years or not any(one in within for one in years)):
                return True
            continue
        if not number:
            if (year or each.start.year, month or each.start.month) == (each.start.year, each.start.month):
                return True
            continue
        try:
            when = datetime.combine(date(year or each.start.year, month, number), datetime.min.time(), UTC)
        except ValueError:
            continue
        weekday = in_words and each.end - each.start <= timedelta(days=1) and when.weekday() == each.start.weekday()
        if each.start <= when < each.end or (weekday and abs(when - each.start) <= NEAR):
            return True
    return False


def _results(said: Sequence[Quantity], *, counted: int) -> set[Fraction | str]:
    """What can be computed from quantities: sums, differences, years between dates, and how many sources there are."""
    values = {reading.value for each in said for reading in each.readings if isinstance(reading.value, Fraction)}
    years = {Fraction(day[0]) for each in said for day in each.days if day[0]}
    found: set[Fraction | str] = {Fraction(number) for number in range(min(counted, LONGEST_COUNT) + 1)}
    for one, other in combinations(sorted(values)[:MOST_COMPUTED], 2):
        found |= {one + other, other - one}
    for first, last in combinations(sorted(years)[:MOST_COMPUTED], 2):
        found |= {last - first, last - first - 1}
    return found | {sum(values, Fraction(0))}
