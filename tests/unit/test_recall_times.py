"""Time expressions: which days a question means, in five languages."""

from datetime import UTC, date, datetime

import pytest

from trustgraph_react_mem.retrieval.temporal import asks_number, asks_when, contains_number, mentions_time, time_range

ASKED = datetime(2023, 6, 14, 12, tzinfo=UTC)  # a Wednesday


@pytest.mark.parametrize(
    ("question", "start", "end"),
    [
        ("What did Ann do on 7 May, 2023?", date(2023, 5, 7), date(2023, 5, 8)),
        ("What happened on May 7th, 2022?", date(2022, 5, 7), date(2022, 5, 8)),
        ("what was said on 2023-05-03", date(2023, 5, 3), date(2023, 5, 4)),
        ("What happened in March?", date(2023, 3, 1), date(2023, 4, 1)),
        ("What happened in December?", date(2022, 12, 1), date(2023, 1, 1)),
        ("What did we plan in the summer of 2022?", date(2022, 6, 1), date(2022, 9, 1)),
        ("Who won in 2021?", date(2021, 1, 1), date(2022, 1, 1)),
        ("What did I say yesterday?", date(2023, 6, 13), date(2023, 6, 14)),
        ("What did I say last week?", date(2023, 6, 5), date(2023, 6, 12)),
        ("Where was I two months ago?", date(2023, 4, 1), date(2023, 5, 1)),
        ("Was war vor drei Wochen?", date(2023, 5, 22), date(2023, 5, 29)),
        ("Was habe ich am 3. Mai 2023 gesagt?", date(2023, 5, 3), date(2023, 5, 4)),
        ("Was war letztes Jahr?", date(2022, 1, 1), date(2023, 1, 1)),
        ("Où étais-je il y a deux mois ?", date(2023, 4, 1), date(2023, 5, 1)),
        ("Qu'est-ce que j'ai fait le 5 février 2023 ?", date(2023, 2, 5), date(2023, 2, 6)),
        ("¿Qué hice hace 3 días?", date(2023, 6, 11), date(2023, 6, 12)),
        ("¿Qué pasó el mes pasado?", date(2023, 5, 1), date(2023, 6, 1)),
        ("昨日何をしましたか", date(2023, 6, 13), date(2023, 6, 14)),
        ("2023年5月3日に何をした", date(2023, 5, 3), date(2023, 5, 4)),
        ("上个月我买了什么", date(2023, 5, 1), date(2023, 6, 1)),
    ],
)
def test_a_time_expression_is_resolved(question: str, start: date, end: date) -> None:
    found = time_range(question, ASKED)
    assert found is not None
    assert (found.start.date(), found.end.date()) == (start, end)


@pytest.mark.parametrize("question", ["May I ask you something?", "Where does Ann live?", "on 31 February 2023", "", "99"])
def test_no_time_is_read_where_there_is_none(question: str) -> None:
    assert time_range(question, ASKED) is None


def test_a_relative_time_needs_a_present() -> None:
    assert time_range("What did I say last week?") is None


def test_a_month_is_the_latest_one_that_the_records_can_hold() -> None:
    found = time_range("What happened in May?", datetime(2026, 1, 1, tzinfo=UTC), latest=datetime(2023, 10, 1, tzinfo=UTC))
    assert found is not None
    assert found.start.year == 2023


@pytest.mark.parametrize(
    "question",
    [
        "When did it happen?",
        "Wann war das?",
        "Quand est-ce arrivé ?",
        "¿Cuándo fue?",
        "いつですか",
        "什么时候",
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
        ("先週行きました", True),
        ("I like dogs", False),
        ("Das ist schön", False),
    ],
)
def test_a_text_that_speaks_of_time_is_known(text: str, yes: bool) -> None:
    assert mentions_time(text) is yes


def test_questions_for_numbers_and_texts_with_numbers_are_known() -> None:
    assert asks_number("How many children does she have?")
    assert asks_number("Wie viele Kinder hat sie?")
    assert not asks_number("Where does she live?")
    assert contains_number("I have two cats")
    assert contains_number("猫が三匹います")
    assert not contains_number("I have a cat")
