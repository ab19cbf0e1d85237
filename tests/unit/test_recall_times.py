"""Which times a question means: a table in twelve languages, and what a table cannot show."""

import hashlib
import time
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import NamedTuple
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.indexing.time_cues import asks_number, asks_when, contains_number, mentions_time
from trustgraph_react_mem.indexing.tokenizer import guess_language
from trustgraph_react_mem.retrieval.temporal import TimeRange, resolve, time_ranges

TABLE = Path(__file__).parent / "data" / "time_expressions.txt"
ASKED = datetime(2023, 6, 14, 12, tzinfo=UTC)  # a Wednesday
FAR_PAST, FAR_FUTURE = 3, 9990  # years beyond which a range is open


class Row(NamedTuple):
    language: str
    text: str
    expected: str
    asked_at: str = "2026-05-20T10:00"
    zone: str = "UTC"

    @property
    def scored(self) -> bool:
        """Whether the row belongs to the half on which the grammar was scored, not written."""
        return hashlib.sha256(self.text.encode()).digest()[0] % 2 == 1


def read_rows() -> Iterator[Row]:
    for line in TABLE.read_text("utf-8").splitlines():
        if line and not line.startswith("#"):
            yield Row(*(cell.strip() for cell in line.split(" | ")))


ROWS = list(read_rows())
Bounds = tuple[datetime | None, datetime | None]


def first_moment(text: str) -> datetime:
    return datetime.fromisoformat(text if text.count("-") == 2 else f"{text}-01" if "-" in text else f"{text}-01-01")


def moment_after(text: str) -> datetime:
    start = first_moment(text)
    if text.count("-") == 2:
        return start + timedelta(days=1)
    return (
        start.replace(year=start.year + start.month // 12, month=start.month % 12 + 1)
        if "-" in text
        else first_moment(str(start.year + 1))
    )


def read_expected(text: str) -> list[Bounds]:
    found: list[Bounds] = []
    for part in text.split(" + ") if text != "-" else []:
        if ">" in part:
            start, _, end = part.partition(">")
            found.append((datetime.fromisoformat(start), datetime.fromisoformat(end)))
        else:
            start, two, end = part.partition("..")
            last = end if two else start
            found.append((first_moment(start) if start else None, moment_after(last) if last else None))
    return found


def local_bounds(found: TimeRange, zone: ZoneInfo) -> Bounds:
    start, end = (at.astimezone(zone).replace(tzinfo=None) for at in (found.start, found.end))
    return (start if start.year > FAR_PAST else None), (end if end.year < FAR_FUTURE else None)


def read_times(row: Row, language: str) -> list[Bounds]:
    zone = ZoneInfo(row.zone)
    asked_at = datetime.fromisoformat(row.asked_at).replace(tzinfo=zone)
    return [local_bounds(found, zone) for found in time_ranges(row.text, asked_at, zone=zone, language=language)]


def test_the_table_is_large_and_has_many_texts_without_a_time() -> None:
    assert len(ROWS) >= 300
    assert sum(row.expected == "-" for row in ROWS) >= 80
    assert {row.language for row in ROWS} == {"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "ja", "zh", "ko"}


@pytest.mark.parametrize("scored", [False, True])
@pytest.mark.parametrize("guess", [False, True])
def test_98_of_100_texts_are_understood_and_none_is_given_a_time_that_it_does_not_mean(scored: bool, guess: bool) -> None:
    rows = [row for row in ROWS if row.scored == scored]
    wrong = [
        row
        for row in rows
        if read_times(row, (guess and guess_language(row.text)) or row.language) != read_expected(row.expected)
    ]
    assert [row for row in wrong if row.expected == "-"] == []
    assert len(wrong) <= 0.02 * len(rows), wrong


@pytest.mark.parametrize(
    ("language", "zone", "month"),
    [("en", "Europe/London", 7), ("en", "America/Chicago", 5), ("en-US", "UTC", 5), ("en-GB", "America/Chicago", 7),
     ("de", "America/Chicago", 7), ("en", "America/Toronto", 7)],
)  # fmt: skip
def test_a_numeric_date_is_read_as_its_region_writes_it(language: str, zone: str, month: int) -> None:
    (found,) = time_ranges("Who came on 05/07/2026?", ASKED, zone=ZoneInfo(zone), language=language)
    assert found.start.astimezone(ZoneInfo(zone)).month == month


LANGUAGE = st.sampled_from(sorted({row.language for row in ROWS}))
PIECES = [
    *("a ", "last ", "3 ", "between ", "March and ", "of in on ", "new year's "),
    *("1.", "3-", "2015-", "'", "vor ", "日", "，3"),
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", PIECES)
@pytest.mark.parametrize("language", ["en", "de", "ja"])
def test_the_time_for_a_megabyte_is_bounded(piece: str, language: str) -> None:
    text = piece * (2**20 // len(piece))
    started = time.process_time()
    time_ranges(text, ASKED, language=language)
    resolve(text, ASKED, language=language)
    assert time.process_time() - started < 3


@given(
    st.text(max_size=200),
    LANGUAGE,
    st.datetimes(timezones=st.just(UTC)),
)
def test_any_text_at_any_time_gives_ranges_with_a_length(text: str, language: str, asked_at: datetime) -> None:
    for span in resolve(text, asked_at, language=language):
        assert span.range.start < span.range.end
        assert span.text == text[span.start : span.end]


@pytest.mark.parametrize(
    "question",
    [
        "When did it happen?",
        "Wann war das?",
        "Quand est-ce arrivé ?",
        "¿Cuándo fue?",
        "Quando è successo?",
        "Wanneer was dat?",
        "Kiedy to było?",
        "Когда это было?",
        "いつですか",
        "什么时候",
        "언제였어?",
        "How long ago was it?",
    ],
)
def test_a_question_for_a_time_is_known(question: str) -> None:
    assert asks_when(question)


@pytest.mark.parametrize(
    ("text", "yes"),
    [
        ("I went there yesterday", True),
        ("Wir fahren nächste Woche", True),
        ("C'était en février", True),
        ("Fue el lunes pasado", True),
        ("Ci siamo visti ieri", True),
        ("Foi em fevereiro", True),
        ("Dat was gisteren", True),
        ("To było wczoraj", True),
        ("Это было вчера", True),
        ("어제 갔어", True),
        ("先週行きました", True),
        ("I like dogs", False),
        ("Das ist schön", False),
        ("Мне нравятся собаки", False),
    ],
)
def test_a_text_that_speaks_of_time_is_known(text: str, yes: bool) -> None:
    assert mentions_time(text) is yes


def test_questions_for_numbers_and_texts_with_numbers_are_known() -> None:
    assert asks_number("How many children does she have?")
    assert asks_number("Wie viele Kinder hat sie?")
    assert asks_number("Сколько у неё детей?")
    assert not asks_number("Where does she live?")
    assert contains_number("I have two cats")
    assert contains_number("猫が三匹います")
    assert not contains_number("I have a cat")
