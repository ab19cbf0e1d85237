"""Times and numbers: whether a question asks for one, whether a record contains one, and which time range a question means.

Languages: English, German, French, Spanish, Japanese and Chinese.  In other languages only digits and ISO dates are recognised.
"""

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeRange:
    """A half-open range [start, end) in UTC."""

    start: datetime
    end: datetime


_MONTHS = [
    "january januar janvier enero jan jänner",
    "february februar février febrero feb fevrier",
    "march märz mars marzo mar maerz",
    "april avril abril apr",
    "may mai mayo",
    "june juni juin junio jun",
    "july juli juillet julio jul",
    "august août agosto aug aout",
    "september septembre septiembre sep sept",
    "october oktober octobre octubre oct okt",
    "november novembre noviembre nov",
    "december dezember décembre diciembre dec dez decembre",
]
_MONTH = {name: number for number, line in enumerate(_MONTHS, 1) for name in line.split()}
_DAYS = [
    "monday montag lundi lunes",
    "tuesday dienstag mardi martes",
    "wednesday mittwoch mercredi miércoles",
    "thursday donnerstag jeudi jueves",
    "friday freitag vendredi viernes",
    "saturday samstag samedi sábado",
    "sunday sonntag dimanche domingo",
]
_DAY = {name: number for number, line in enumerate(_DAYS) for name in line.split()}
_SEASONS = {"spring": 3, "frühling": 3, "printemps": 3, "primavera": 3, "summer": 6, "sommer": 6, "été": 6, "verano": 6}
_SEASONS |= {"autumn": 9, "fall": 9, "herbst": 9, "automne": 9, "otoño": 9, "winter": 12, "hiver": 12, "invierno": 12}
_NUMBERS = {
    word: number
    for number, line in enumerate(
        [
            "a an one ein einem einer eine un une uno una",
            "two zwei deux dos couple",
            "three drei trois tres few",
            "four vier quatre cuatro",
            "five fünf cinq cinco",
            "six sechs seis",
            "seven sieben sept siete",
            "eight acht huit ocho",
            "nine neun neuf nueve",
            "ten zehn dix diez",
        ],
        1,
    )
    for word in line.split()
}
_ARTICLES = frozenset({"a", "an", "ein", "einem", "einer", "eine", "un", "une", "uno", "una", "few"})
_UNITS = {
    "day": "day days tag tage tagen jour jours día días dia dias",
    "week": "week weeks woche wochen semaine semaines semana semanas",
    "month": "month months monat monate monaten mois mes meses",
    "year": "year years jahr jahre jahren an ans année années año años",
}
_UNIT = {word: unit for unit, line in _UNITS.items() for word in line.split()}


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _any(words: object) -> str:
    return "|".join(sorted(map(re.escape, map(str, words)), key=len, reverse=True))  # type: ignore[call-overload]


_LONG_MONTHS = _any(name for name in _MONTH if len(name) > 3 or name in ("may", "mai"))
_WHEN = re.compile(
    r"\bwhen\b|\bhow long\b|\b(?:what|which) (?:date|year|month|day|time|week)\b|\bin which\b"
    r"|\bhow many (?:years|months|weeks|days)\b"
    r"|\bwann\b|\bwie lange\b|\bseit wann\b|\bwelche[mnrs]? (?:jahr|monat|tag|datum)\b|\bquand\b|\bcombien de temps\b"
    r"|\bquel(?:le)? (?:jour|mois|année|date)\b|\bcuándo\b|\bcuánto tiempo\b|\bqué (?:día|mes|año|fecha)\b"
    r"|いつ|何[年月日時]|何曜日|什么时候|何时|几[月号点]|哪[年天]|多久",
    re.IGNORECASE,
)
# Single words are looked up in a set: a pattern with two hundred alternatives takes ten times as long for every record.
_TIME_WORDS = _words(
    """
    yesterday today tonight tomorrow ago last next recently since weekend weekends birthday anniversary
    gestern heute morgen vorgestern übermorgen letzte letzten letzter letztes letztem nächste nächsten nächster
    nächstes nächstem
    seit wochenende geburtstag hier demain dernier dernière prochain prochaine depuis anniversaire
    ayer hoy mañana anoche pasado pasada pasados pasadas próximo próxima próximos próximas desde cumpleaños
    """
).union(
    (name for name in _MONTH if len(name) > 3 or name in ("may", "mai")),
    _DAY,
    _SEASONS,
    (word for word in _UNIT if word not in ("an", "mes")),
)
_TIME_SIGNS = re.compile(
    r"\b(?:(?:19|20)\d\d|\d{1,2}:\d\d|\d{1,2}(?:st|nd|rd|th))\b|\bthis morning\b|\bvor kurzem\b|\baujourd'hui\b|\bil y a\b"
    r"|昨日|今日|明日|先週|来週|先月|来月|去年|今年|来年|\d[年月日]|昨天|今天|明天|上周|下周|上个月|下个月|明年",
    re.IGNORECASE,
)
_LOOSE_WORD = re.compile(r"[^\W\d_]+")
_ISO = re.compile(r"\b((?:19|20)\d\d)-(\d\d)(?:-(\d\d))?\b")
_CJK_DATE = re.compile(r"(?:((?:19|20)\d\d)年)?(\d{1,2})月(?:(\d{1,2})[日号])?")
_DAY_MONTH = re.compile(
    rf"\b(\d{{1,2}})(?:st|nd|rd|th|\.|er)?\s+(?:of\s+|de\s+)?({_any(_MONTH)})\b\.?(?:,?\s*(?:of\s+|de\s+|del\s+)?((?:19|20)\d\d))?",
    re.IGNORECASE,
)
_MONTH_DAY = re.compile(rf"\b({_LONG_MONTHS})\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d)(?:,?\s*((?:19|20)\d\d))?", re.IGNORECASE)
_MONTH_YEAR = re.compile(rf"\b({_LONG_MONTHS})\b,?\s*(?:of\s+|de\s+|del\s+)?((?:19|20)\d\d)?", re.IGNORECASE)
_SEASON_YEAR = re.compile(rf"\b({_any(_SEASONS)})\b\s*(?:of\s+|de\s+)?((?:19|20)\d\d)?", re.IGNORECASE)
_YEAR = re.compile(r"\b((?:19|20)\d\d)\b|((?:19|20)\d\d)年")
_AGO = re.compile(
    rf"\b(\d{{1,3}}|{_any(_NUMBERS)})\s+(?:of\s+)?({_any(_UNIT)})\s+ago\b"
    rf"|\bvor\s+(\d{{1,3}}|{_any(_NUMBERS)})\s+({_any(_UNIT)})\b|\bil y a\s+(\d{{1,3}}|{_any(_NUMBERS)})\s+({_any(_UNIT)})\b"
    rf"|\bhace\s+(\d{{1,3}}|{_any(_NUMBERS)})\s+({_any(_UNIT)})\b|(\d{{1,3}})\s*(日|週間|か月|年|天|周|个月)前",
    re.IGNORECASE,
)
_CJK_UNIT = {"日": "day", "天": "day", "週間": "week", "周": "week", "か月": "month", "个月": "month", "年": "year"}
_RELATIVE: tuple[tuple[re.Pattern[str], str, int], ...] = tuple(
    (re.compile(pattern, re.IGNORECASE), unit, shift)
    for pattern, unit, shift in (
        (r"\bday before yesterday\b|\bvorgestern\b|\bavant-hier\b|\banteayer\b|一昨日|前天", "day", -2),
        (r"\byesterday\b|\blast night\b|\bgestern\b|\bhier\b|\bayer\b|\banoche\b|昨日|昨天", "day", -1),
        (r"\btoday\b|\btonight\b|\bthis morning\b|\bheute\b|\baujourd'hui\b|\bhoy\b|今日|今天", "day", 0),
        (r"\btomorrow\b|\bdemain\b|(?<!de la )\bmañana\b|明日|明天", "day", 1),
        (r"\blast week\b|\bletzte[rn]? woche\b|\bla semaine dernière\b|\bla semana pasada\b|先週|上周|上个?星期", "week", -1),
        (r"\bthis week\b|\bdiese[rn]? woche\b|\bcette semaine\b|\besta semana\b|今週|这周|这个?星期", "week", 0),
        (r"\bnext week\b|\bnächste[rn]? woche\b|\bla semaine prochaine\b|\bla próxima semana\b|来週|下周", "week", 1),
        (r"\blast month\b|\bletzten monat\b|\ble mois dernier\b|\bel mes pasado\b|先月|上个月", "month", -1),
        (r"\bthis month\b|\bdiesen monat\b|\bce mois\b|\beste mes\b|今月|这个月", "month", 0),
        (r"\bnext month\b|\bnächsten monat\b|\ble mois prochain\b|\bel próximo mes\b|来月|下个月", "month", 1),
        (r"\blast year\b|\bletzte[sn]? jahr\b|\bl'année dernière\b|\bl'an dernier\b|\bel año pasado\b|去年|昨年", "year", -1),
        (r"\bthis year\b|\bdieses jahr\b|\bcette année\b|\beste año\b|今年", "year", 0),
        (r"\bnext year\b|\bnächstes jahr\b|\bl'année prochaine\b|\bel próximo año\b|来年|明年", "year", 1),
    )
)


_HOW_MANY = re.compile(
    r"\bhow (?:many|much|often|old|far|tall|big)\b|\bwhat (?:number|age|price)\b|\bwie (?:viele?|oft|alt|weit|groß|teuer)\b"
    r"|\bcombien\b|\bquel âge\b|\bcuánt[oa]s?\b|いくつ|いくら|何[人個回歳枚本匹]|几[个次岁只]|多少|多大",
    re.IGNORECASE,
)
_NUMBER_WORDS = (
    _words(
        """
        once twice dozen hundred first second third einmal zweimal hundert erste erster erstes ersten zweite zweiter zweites
        zweiten premier première deuxième primero primera segundo segunda
        """
    )
    | _NUMBERS.keys()
) - _ARTICLES
_FIGURE = re.compile(r"[\d一二三四五六七八九十百]")


def asks_number(question: str) -> bool:
    return _HOW_MANY.search(question) is not None


def contains_number(text: str) -> bool:
    """Whether a text contains a digit or a number word.  Articles that also mean "one" do not count."""
    return _FIGURE.search(text) is not None or not _NUMBER_WORDS.isdisjoint(_LOOSE_WORD.findall(text.lower()))


def asks_when(question: str) -> bool:
    return _WHEN.search(question) is not None


def mentions_time(text: str) -> bool:
    return not _TIME_WORDS.isdisjoint(_LOOSE_WORD.findall(text.lower())) or _TIME_SIGNS.search(text) is not None


def time_range(question: str, asked_at: datetime | None = None, *, latest: datetime | None = None) -> TimeRange | None:
    """The time range that a question refers to; None if there is none, or if it is relative and ``asked_at`` is unknown.

    A month without a year means its latest occurrence up to ``latest`` (default: ``asked_at``).  "Last week" means the calendar
    week before the one of ``asked_at``.
    """
    return _absolute(question, latest or asked_at) or (_relative(question, asked_at.astimezone(UTC)) if asked_at else None)


def _absolute(question: str, latest: datetime | None) -> TimeRange | None:
    if match := _ISO.search(question):
        return _calendar_range(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    if match := _CJK_DATE.search(question):
        return _date_range(match[1], int(match[2]), match[3], latest)
    if match := _DAY_MONTH.search(question):
        return _date_range(match[3], _MONTH[match[2].lower()], match[1], latest)
    if match := _MONTH_DAY.search(question):
        return _date_range(match[3], _MONTH[match[1].lower()], match[2], latest)
    for match in _MONTH_YEAR.finditer(question):
        if match[2] or not _is_verb(match[1], question[: match.start()]):
            return _date_range(match[2], _MONTH[match[1].lower()], None, latest)
    if (match := _SEASON_YEAR.search(question)) and match[2]:
        start = _calendar_range(int(match[2]), _SEASONS[match[1].lower()], None)
        return TimeRange(start=start.start, end=_plus_months(start.start, 3)) if start else None
    if match := _YEAR.search(question):
        return _calendar_range(int(match[1] or match[2]), None, None)
    return None


def _relative(question: str, now: datetime) -> TimeRange | None:
    if match := _AGO.search(question):
        number, unit = next((match[i], match[i + 1]) for i in range(1, 11, 2) if match[i])
        count = int(number) if number.isdigit() else _NUMBERS[number.lower()]
        return _shifted_range(now, _CJK_UNIT.get(unit) or _UNIT[unit.lower()], -count)
    for pattern, unit, shift in _RELATIVE:
        if pattern.search(question):
            return _shifted_range(now, unit, shift)
    return None


def _shifted_range(now: datetime, unit: str, shift: int) -> TimeRange:
    day = now.replace(hour=0, minute=0, second=0, microsecond=0)
    if unit == "day":
        start = day + timedelta(days=shift)
        return TimeRange(start=start, end=start + timedelta(days=1))
    if unit == "week":
        start = day - timedelta(days=day.weekday()) + timedelta(weeks=shift)
        return TimeRange(start=start, end=start + timedelta(weeks=1))
    if unit == "month":
        start = _plus_months(day.replace(day=1), shift)
        return TimeRange(start=start, end=_plus_months(start, 1))
    start = _plus_months(day.replace(month=1, day=1), 12 * shift)
    return TimeRange(start=start, end=_plus_months(start, 12))


def _date_range(year: str | None, month: int, day: str | None, latest: datetime | None) -> TimeRange | None:
    if year:
        return _calendar_range(int(year), month, int(day) if day else None)
    if latest is None:
        return None
    number = latest.year if month <= latest.month else latest.year - 1
    return _calendar_range(number, month, int(day) if day else None)


def _calendar_range(year: int, month: int | None, day: int | None) -> TimeRange | None:
    """The range of a year, month or day; None if the date does not exist."""
    if month is None:
        start = datetime(year, 1, 1, tzinfo=UTC)
        return TimeRange(start=start, end=_plus_months(start, 12))
    if not 1 <= month <= 12:
        return None
    start = datetime(year, month, 1, tzinfo=UTC)
    if day is None:
        return TimeRange(start=start, end=_plus_months(start, 1))
    if not 1 <= day <= calendar.monthrange(year, month)[1]:
        return None
    start = start.replace(day=day)
    return TimeRange(start=start, end=start + timedelta(days=1))


def _plus_months(at: datetime, months: int) -> datetime:
    count = at.year * 12 + at.month - 1 + months
    return at.replace(year=max(1, min(9999, count // 12)), month=count % 12 + 1)


def _is_verb(word: str, before: str) -> bool:
    """Whether "may" or "march" is probably a verb.  They count as months after a preposition or capitalised mid-sentence."""
    if word.lower() not in ("may", "march", "mars"):
        return False
    preceded = re.search(r"\b(?:in|of|on|since|until|during|by|late|early|mid|last|next|this)\s*$", before, re.IGNORECASE)
    return not preceded and not (word[0].isupper() and before.strip())
