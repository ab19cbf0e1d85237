"""A text that was shown to the model, read once: its words, its quantities, and the dates that "next Friday" means in it."""

import re
from calendar import isleap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import combinations

from ..indexing.text.quantities import read_quantities, unsupported_quantities
from ..indexing.text.quantity import Kind, Quantity, Reading
from ..indexing.text.statements import sentences as split_sentences
from ..indexing.tokenizer import guess_language, terms
from ..retrieval.temporal import Span, resolve
from .names import spellings

Result = tuple[Kind, Fraction | str]

LONGEST_RANGE = timedelta(days=31)  # a longer range, such as "last year", names no day
NEAR = timedelta(days=14)  # "on Friday" is the Friday before or after
MOST_COMPUTED = 60  # quantities from which sums and differences are computed
MOST_STATED = 300  # different quantities of the sources that a sentence is compared with
MOST_SENTENCES = 40  # of a source
LONGEST_COUNT = 30  # the largest number that may count what the sources list
_COMPUTED = re.compile(
    r"(?i)\b(?:how (?:many|much|long|old|far|often)|total|sum|altogether|together|difference|(?:is|are) left|remain\w*|end"
    r"|finish\w*|cost|wie (?:viele?|lange|alt|oft|weit)|insgesamt|zusammen|übrig|endet|kostet|combien|quel âge|ensemble"
    r"|reste\w*|coûte"
    r"|cuánt\w+|qué edad|en total|juntos|queda\w*|termina|cuesta|quant[oiae]\w?|quantos|quantas|insieme|rimang\w+|finisce|costa"
    r"|hoeveel|hoe (?:lang|oud|vaak|ver)|totaal|samen|сколько|ile|hur (?:många|länge|gammal)|hvor (?:mange|længe|gammel))\b"
    r"|何|いくつ|多少|几|몇"
)
_TOTAL = re.compile(
    r"(?i)\b(?:total|altogether|in all|sum|per|each|insgesamt|gesamt\w*|zusammen|en tout|au total|en total|in tutto|totale"
    r"|totaal|всего|razem|totalt)\b|合計|総額|总共|一共|모두"
)
_FACTORS: tuple[tuple[re.Pattern[str], *tuple[Fraction, ...]], ...] = tuple(
    (re.compile(rf"(?i)\b(?:{pattern})\b"), *map(Fraction, factors.split()))
    for factors, pattern in (
        (
            "12 52 365",
            r"(?:a|per|each) year|yearly|annual\w*|(?:im|pro) jahr|jährlich|par an|al año|all['’]anno|в год",
        ),
        ("4 30 1/12", r"(?:a|per|each) month|monthly|(?:im|pro) monat|monatlich|par mois|al mese?|per maand|в месяц"),
        ("5 7", r"(?:a|per|each) week|weekly|pro woche|par semaine|a la semana|alla settimana|в неделю"),
        ("1000 1/1000", r"tonnes?|tons?|kilos?|kilogramm?s?|kg|lit(?:er|re)s?|thousand|tausend|mille|mil"),
        ("1/2", r"half|halb\w*|hälfte|moitié|demi\w*|mitad|metà|mezz[oa]|helft"),
        ("2", r"double|twice|doppel\w*|zweimal|dobl\w+|deux fois|doppi[oa]|dubbel"),
    )
)
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
class Computed:
    """What a question asks to be computed.  ``factors``: what a value is multiplied by, such as 12 for "a year".

    ``products``: whether two values are multiplied, as number and price in "in total".  ``days``: those of the question.
    """

    factors: tuple[Fraction, ...]
    products: bool
    days: tuple[tuple[int, int, int], ...]

    def results(self, said: Sequence[Quantity], *, counted: int) -> set[Result]:
        """Sums, differences and products, times and days between others, and how many sources there are (``counted``)."""
        readings = [reading for each in said for reading in each.readings if isinstance(reading.value, Fraction)]
        values = sorted({Fraction(each.value) for each in readings if each.kind == "number"})[:MOST_COMPUTED]
        found: set[Result] = {("number", Fraction(number)) for number in range(min(counted, LONGEST_COUNT) + 1)}
        for one, other in combinations(values, 2):
            found |= {("number", one + other), ("number", other - one)}
        plain = sorted({Fraction(each.value) for each in readings if each.kind == "number" and not each.unit})[:MOST_COMPUTED]
        for each in readings[:MOST_COMPUTED]:  # "43 minutes, of which 17 are used"
            if each.unit and isinstance(each.raw, Fraction) and each.raw:
                size = Fraction(each.value) / each.raw
                found |= {("number", (each.raw + sign * other) * size) for other in plain for sign in (1, -1)}
        found |= {("number", one * factor) for one in values for factor in self.factors}
        found.add(("number", sum(values, Fraction(0))))
        if self.products:
            counts = {Fraction(each.raw) for each in readings if each.kind == "number" and isinstance(each.raw, Fraction)}
            found |= {("number", one * times) for one in values for times in sorted(counts)[:MOST_COMPUTED]}
        return (
            found | _results_of_times(readings) | _results_of_days([*self.days, *(day for each in said for day in each.days)])
        )


def read_computed(question: str) -> Computed | None:
    """None: the question asks for nothing that is computed."""
    factors = [factor for pattern, *listed in _FACTORS if pattern.search(question) for factor in listed]
    if not factors and not _COMPUTED.search(question):
        return None
    named = read_quantities(question)
    factors += [each.raw for one in named for each in one.readings if isinstance(each.raw, Fraction)]
    return Computed(tuple(factors), bool(_TOTAL.search(question)), tuple(day for one in named for day in one.days))


def _results_of_times(readings: Sequence[Reading]) -> set[Result]:
    """Durations between times of day, and times that are a duration after another."""
    times = sorted({Fraction(each.value) for each in readings if each.kind == "clock"})[:MOST_COMPUTED]
    lengths = sorted({Fraction(each.value) / 60 for each in readings if each.unit == "duration"})[:MOST_COMPUTED]
    found: set[Result] = {("number", (end - begin) % 1440 * 60) for begin in times for end in times}
    return found | {("clock", (begin + sign * length) % 1440) for begin in times for length in lengths for sign in (1, -1)}


def _results_of_days(days: Sequence[tuple[int, int, int]]) -> set[Result]:
    """Years and days between dates."""
    years = sorted({Fraction(day[0]) for day in days if day[0]})[:MOST_COMPUTED]
    ages = [last - first - less for first, last in combinations(years, 2) for less in (0, 1)]
    found: set[Result] = {("number", age * months) for age in ages for months in (1, 12)}
    usual = min((year for year, *_ in days if year), default=2001)
    if (0, 2, 29) in days and not isleap(usual):
        usual = 2000
    dates = {date(year or usual, month, day) for year, month, day in days if month and day}
    for first, last in combinations(sorted(dates)[:MOST_COMPUTED], 2):
        length = (last - first).days
        found |= {("number", Fraction(number * each)) for number in (length, length + 1) for each in (1, 86_400)}
    return found


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


def missing_quantities(
    wanted: Sequence[Quantity], sources: Sequence[Source], *, computed: Computed | None = None
) -> list[Quantity]:
    """The quantities that no source states.  ``computed``: what can be computed from what they state is stated, too."""
    said = different(quantity for source in sources for quantity in source.quantities)[:MOST_STATED]
    missing = [each for each in unsupported_quantities(wanted, said) if not any(source.states_date(each) for source in sources)]
    if missing and computed is not None:
        results = computed.results(said, counted=len(sources))
        missing = [each for each in missing if not any((one.kind, one.value) in results for one in each.readings)]
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
