"""Dates that follow from the date of a line: "next Friday", said on 2026-05-06, is 2026-05-08."""

import calendar
import re
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction

from ...indexing.text.quantities import read_quantities
from ...indexing.text.quantity import Quantity
from ...indexing.text.statements import sentences
from ...indexing.tokenizer import guess_language
from ...memory.timefmt import parse_time
from ...retrieval.temporal import TimeRange, resolve

EARLIEST, LATEST = 120, 100  # years before and after a line that a time of validity can be in
MAX_SENTENCES = 20
_WEEKDAYS = {
    name: number
    for number, line in enumerate(
        (
            "monday mondays montag lundi lunes lunedì segunda maandag måndag mandag"
            " maanantai понедельник poniedziałek poniedziałku понедельника 月曜 星期一 周一 礼拜一 월요일",
            "tuesday tuesdays tues dienstag mardi martes martedì terça dinsdag tisdag tirsdag"
            " tiistai вторник вторника wtorek wtorku 火曜 星期二 周二 礼拜二 화요일",
            "wednesday weds mittwoch mercredi miércoles mercoledì quarta woensdag onsdag"
            " keskiviikko среда среду среды środa środę środy 水曜 星期三 周三 礼拜三 수요일",
            "thursday thurs donnerstag jeudi jueves giovedì quinta donderdag torsdag torstai"
            " четверг четверга czwartek czwartku 木曜 星期四 周四 礼拜四 목요일",
            "friday fridays fri freitag vendredi viernes venerdì sexta vrijdag fredag perjantai"
            " пятница пятницу пятницы piątek piątku 金曜 星期五 周五 礼拜五 금요일",
            "saturday saturdays samstag sonnabend samedi sábado sabato zaterdag lördag lørdag lauantai"
            " суббота субботу субботы sobota sobotę soboty 土曜 星期六 周六 礼拜六 토요일",
            "sunday sundays sonntag dimanche domingo domenica zondag söndag søndag sunnuntai"
            " воскресенье воскресенья niedziela niedzielę niedzieli 日曜 星期日 星期天 周日 周天 礼拜天 일요일",
        )
    )
    for name in line.split()
}
_SPACED = "|".join(name for name in _WEEKDAYS if name[0] < "⺀")
_UNSPACED = "|".join(name for name in _WEEKDAYS if name[0] >= "⺀")
_WEEKDAY = re.compile(rf"(?i)(?<![^\W\d_])(?:{_SPACED})(?![^\W\d_])|(?:{_UNSPACED})")
# Words that fix the direction of a relative time.  "On Friday" and "at Christmas" can be before or after the line, so their
# dates are left to the model.
_DIRECTED = re.compile(
    r"(?i)\b(?:next|last|this|ago|yesterday|today|tonight|tomorrow|nächste\w*|kommende\w*|letzte\w*|diese\w*|vor"
    r"|gestern|vorgestern|heute"
    r"|morgen|übermorgen|prochaine?|derni[eè]re?|cette|ce|hier|avant-hier|aujourd['’]hui|demain|il y a|próxim[oa]"
    r"|pasad[oa]|est[ae]"
    r"|hace|ayer|anteayer|hoy|mañana|prossim[oa]|scors[oa]|quest[oa]|ieri|oggi|domani|fa|passad[oa]|ontem|hoje|amanhã"
    r"|há|volgende?"
    r"|vorige?|afgelopen|deze|gisteren|vandaag|geleden)\b|[先来今昨明去上下这]|следующ|прошл|вчера|сегодня|завтра|назад|다음|지난"
    r"|이번|어제|오늘|내일|전"
)
# Which of its days a weekday is, in the words before it and after it.
_TURNS = tuple(
    (ways, re.compile(rf"(?i)\b(?:{before})\W+(?:\w+\W+)?$|(?:{spaceless})\s?$"), re.compile(rf"(?i)^\W*(?:{after})\b"))
    for ways, before, spaceless, after in (
        (
            "this",
            r"this(?: coming)?|diese[nrms]?|ce(?:tte)?|est[ea]|quest[oa]|deze|ten|tę|tym|tę|tej|этот|эту|это|этой",
            "今週の?|这周?|本周?|이번 ?주?",
            "qui arrive",
        ),
        (
            "next",
            r"next|coming|nächste[nrms]?|kommende[nrms]?|pr[óò]xim[oa]|prossim[oa]|volgende|komende|aanstaande|następn\w+"
            r"|przyszł\w+|najbliższ\w+"
            "|следующ\\w+|ближайш\\w+",
            "来週の?|次の|下个?|다음 ?주?",
            r"next|prochaine?|que viene|pr[óò]xim[oa]|prossim[oa]|que vem",
        ),
        (
            "last",
            r"last|past|letzte[nrms]?|vergangene[nrms]?|pasad[oa]|passad[oa]|scors[oa]|afgelopen|vorige|zeszł\w+|ostatni\w*"
            r"|ubiegł\w+|прошл\w+",
            "先週の?|前の|上个?|지난 ?주?",
            r"derni[eè]re?|pass[ée]e?|pasad[oa]|passad[oa]|scors[oa]",
        ),
    )
)
_WEEKS = re.compile(
    r"(?i)\b(?:weeks?|fortnight|wochen?|semaines?|semanas?|settiman\w|weken|week|tydzie\w|tygodn\w+|недел\w)\b|週"
    r"|周(?![一二三四五六日天])|주(?!말)"
)
_NEAR_DAYS, _WEEK = 14, 7
_AROUND = 24  # characters before and after a weekday in which it is said which one is meant
_SLACK_DAYS = {"duration": 3, "months": 16}  # "in two weeks" and "three months ago" are not meant to the day
_YEAR_MONTH = re.compile(r"^\s*(\d{4})(?:[-/.](\d{1,2}))?\s*$")
_OPEN = frozenset({"", "now", "present", "today", "ongoing", "unknown", "none", "null", "n/a", "forever", "never", "-"})


def follows_from(quantity: Quantity, text: str, said_at: datetime | None) -> bool:
    """Whether a date of a claim follows from what was said at a time."""
    if said_at is None or not quantity.days:
        return False
    today = said_at.astimezone(UTC).date()
    ranges = [found for part in sentences(text)[:MAX_SENTENCES] if (found := _range(part, said_at)) is not None]
    for year, month, day in quantity.days:
        if not day:
            if (year or today.year, month or today.month) == (today.year, today.month):
                return True
            if not month and year and abs(today.year - year) in _years(text):
                return True
            if any((found.start.year, month and found.start.month) == (year or today.year, month) for found in ranges):
                return True
            continue
        when = _nearest(year, month, day, today)
        if when is None:
            continue
        if (when == today and not ranges) or _is_in(when, ranges):
            return True
        if _is_weekday(when, text, today) or _is_offset(when, text, today):
            return True
    return False


def with_dates(text: str, said_at: datetime | None) -> tuple[str, TimeRange | None]:
    """The statement with the dates that its relative time means, and their range; unchanged if it has none.

    >>> with_dates("Ann flew to Rome last week", datetime(2026, 5, 6, tzinfo=UTC))[0]
    'Ann flew to Rome last week (2026-04-27 to 2026-05-03)'
    """
    if said_at is None or not _DIRECTED.search(text) or any(quantity.days for quantity in read_quantities(text, source=True)):
        return text, None
    found = _range(text, said_at)
    if found is None or (_WEEKDAY.search(text) and found.end - found.start != timedelta(days=1)):
        return text, None
    first, last = found.start.date(), (found.end - timedelta(days=1)).date()
    if (last - first).days > 31:
        said = f"{first.year}" if (last - first).days > 360 else f"{first} to {last}"
    else:
        said = f"{first}" if first == last else f"{first} to {last}"
    end = len(text.rstrip(" .!。"))
    return f"{text[:end]} ({said}){text[end:]}", found


def read_validity(valid_from: object, valid_to: object, said_at: datetime | None) -> tuple[datetime | None, datetime | None]:
    """The time in which a statement holds, as a model wrote it: ISO 8601, a month, a year or a date in words.

    Ends are included: "2026-05" as an end is the last moment of May.  None where it is missing or cannot be right: before its
    beginning, or far from the line.  An end within a day of the beginning is left out, because an event does not become untrue.
    """
    start, end = _read(valid_from, said_at, end=False), _read(valid_to, said_at, end=True)
    if start is not None and end is not None:
        if end < start:
            return None, None
        if end - start <= timedelta(days=1):
            end = None
    return start, end


def _read(value: object, said_at: datetime | None, *, end: bool) -> datetime | None:
    text = str(value).strip() if isinstance(value, str | int) and not isinstance(value, bool) else ""
    if text.lower() in _OPEN or len(text) > 60:
        return None
    found: datetime | None
    if match := _YEAR_MONTH.match(text):
        year, month = int(match[1]), int(match[2] or (12 if end else 1))
        if not (1 <= year <= 9998 and 1 <= month <= 12):
            return None
        found = datetime(year, month, calendar.monthrange(year, month)[1] if end else 1, tzinfo=UTC)
    else:
        found = parse_time(text)
        if found is None and (span := _range(text, said_at)) is not None:
            found = span.end - timedelta(days=1) if end else span.start
    if found is None:
        return None
    if end and (found.hour, found.minute, found.second) == (0, 0, 0) and found.year < 9999:
        found += timedelta(days=1, microseconds=-1)
    reference = (said_at or datetime.now(UTC)).year
    return found if reference - EARLIEST <= found.year <= reference + LATEST else None


def _range(text: str, at: datetime | None) -> TimeRange | None:
    """The first time range that a text names.  ``at``: when it was said."""
    found = resolve(text, at, language=guess_language(text) or "en") if at is not None else []
    return found[0].range if found else None


def _nearest(year: int, month: int, day: int, today: date) -> date | None:
    years = [year] if year else [today.year, today.year + 1, today.year - 1]
    options = []
    for each in years:
        try:
            options.append(date(each, month, day))
        except ValueError:
            continue
    return min(options, key=lambda option: abs((option - today).days), default=None)


def _is_in(when: date, ranges: list[TimeRange]) -> bool:
    return any(found.start.date() <= when < found.end.date() and (found.end - found.start).days <= 31 for found in ranges)


def _is_weekday(when: date, text: str, today: date) -> bool:
    """Whether a date is a weekday of the text: with "this" or alone the nearest on either side, "next" and "last" on one."""
    apart = (when - today).days
    for match in _WEEKDAY.finditer(text):
        if when.weekday() != _WEEKDAYS[match.group().lower()]:
            continue
        before, after = text[max(0, match.start() - _AROUND) : match.start()], text[match.end() : match.end() + _AROUND]
        turn = next((name for name, ahead, behind in _TURNS if ahead.search(before) or behind.match(after)), "")
        in_week = apart + today.weekday()  # days since the Monday of the week in which it was said
        if turn == "next":
            meant = 0 < apart <= _WEEK or _WEEK <= in_week < 2 * _WEEK
        elif turn == "last":
            meant = -_WEEK <= apart < 0 or -_WEEK <= in_week < 0
        elif turn == "this":
            meant = abs(apart) < _WEEK
        else:
            meant = abs(apart) <= (_NEAR_DAYS if _WEEKS.search(text) else _WEEK)
        if meant:
            return True
    return False


def _years(text: str) -> list[int]:
    """The durations of a text in whole years: "for ten years"."""
    return [
        int(reading.value) // 12
        for quantity in read_quantities(text, source=True)
        for reading in quantity.readings
        if reading.unit == "months" and isinstance(reading.value, Fraction) and reading.value >= 12 and reading.value % 12 == 0
    ]


def _is_offset(when: date, text: str, today: date) -> bool:
    """Whether a duration in the text leads from today to the date: "in ten days", "two weeks ago"."""
    apart = abs((when - today).days)
    for quantity in read_quantities(text, source=True):
        for reading in quantity.readings:
            if reading.unit not in _SLACK_DAYS or not isinstance(reading.value, Fraction):
                continue
            days = float(reading.value) / 86400 if reading.unit == "duration" else float(reading.value) * 30.44
            if days >= 1 and abs(apart - days) <= (0 if days < 7 else _SLACK_DAYS[reading.unit]):
                return True
    return False
