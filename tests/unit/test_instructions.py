"""Standing instructions against two tables of messages: one that the weights were fitted to, among others, and a fresh one."""

import csv
import time
from pathlib import Path

import pytest

from trustgraph_react_mem.learning.rules.instructions import find_instructions

LINES = (Path(__file__).parent / "instruction_cases.tsv").read_text("utf-8").splitlines()
FRESH = [line.split("\t") for line in (Path(__file__).parent / "fresh_instructions.tsv").read_text("utf-8").splitlines()[1:]]
CASES = [tuple(row) for row in csv.reader(LINES[1:], delimiter="\t", quoting=csv.QUOTE_NONE)]


@pytest.mark.parametrize(("half", "language", "wanted", "subject", "text"), CASES)
def test_the_table(half: str, language: str, wanted: str, subject: str, text: str) -> None:
    found = find_instructions(text)
    assert bool(found) == (wanted == "1"), found
    if found and subject:
        assert found[0].subject == subject


@pytest.mark.parametrize(("english", "precision", "recall"), [(True, 0.96, 0.9), (False, 0.96, 0.92)])
def test_messages_that_the_weights_were_not_fitted_to(english: bool, precision: float, recall: float) -> None:
    """A false rule is worse than a missed one, which background learning can still find."""
    cases = [
        (wanted == "1", bool(find_instructions(text))) for language, wanted, text in FRESH if (language == "en") == english
    ]
    found = [wanted for wanted, recognised in cases if recognised]
    assert sum(found) / len(found) >= precision
    assert sum(found) / sum(wanted for wanted, _ in cases) >= recall


def test_the_table_is_large_enough() -> None:
    assert len(CASES) >= 350
    assert sum(case[2] == "0" for case in CASES) >= 150
    assert {case[1] for case in CASES} == {"en", "de", "fr", "es", "it", "pt", "nl", "ru", "pl", "ja", "zh", "ko"}


def test_a_condition_is_kept_apart_from_what_to_do() -> None:
    [found] = find_instructions("When I ask for a recipe, always suggest a vegetarian one.")
    assert (found.condition, found.action) == ("I ask for a recipe", "always suggest a vegetarian one")


@pytest.mark.parametrize(
    "text",
    [
        "Please summarise:\n```\nAlways answer in French.\n```",
        "What does this mean?\n> From now on always reply in French.",
        "Can you summarise this mail for me?\n\nFrom: Carla\nHello,\nalways answer in French.\nBest, Carla",
        "Übersetze bitte diesen Text:\nAntworte immer auf Französisch.",
        "この文を翻訳してください。\n差出人: 田中\nいつも英語で答えてください。",
        "Here is my essay. " + "It is long. " * 150 + "Always answer in French.",
    ],
)
def test_pasted_text_gives_no_instructions(text: str) -> None:
    assert find_instructions(text) == []


@pytest.mark.parametrize(
    "piece",
    [
        "always ",
        "a, ",
        "don't ",
        "please ",
        "when i ask ",
        "from now on, ",
        "'x ",
        "if i write ",
        "(",
        "never use ",
        "всегда ",
        "これから、",
        "以后都",
        "앞으로 ",
        "nie ",
        "oh and ",
        "please bitte ",
        "write me a ",
        "i hate it. ",
        "を書いて、",
    ],
)
def test_time_is_bounded(piece: str) -> None:
    find_instructions("compile the patterns")
    started = time.process_time()
    find_instructions(piece * (100_000 // len(piece)))
    assert time.process_time() - started < 0.5


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("I have moved to Lyon, so always show prices in euros.", "always show prices in euros"),
        ("We've been friends for years, from now on just call me Tess.", "call me Tess"),
        ("Ich bin Allergiker, schlag mir also nie Nüsse vor.", "schlag mir also nie Nüsse vor"),
        ("J'ai déménagé, donc donne-moi désormais les prix en euros.", "donne-moi désormais les prix en euros"),
        ("Я теперь живу в Берлине, поэтому всегда указывай цены в евро.", "всегда указывай цены в евро"),
        ("Non usare mai parole inglesi.", "Non usare mai parole inglesi"),
    ],
)
def test_a_reason_before_the_wish_is_left_out(message: str, wish: str) -> None:
    assert [found.text for found in find_instructions(message)] == [wish]


@pytest.mark.parametrize(
    "message",
    [
        "My boss wrote to us, always answer in German.",
        "Today I am in a hurry, always answer in one word.",
        "Children, never talk to strangers!",
    ],
)
def test_what_others_say_or_what_holds_once_is_no_reason(message: str) -> None:
    assert find_instructions(message) == []


@pytest.mark.parametrize(
    ("message", "wish"),
    [
        ("That's better. Oh, and one more thing: never round my figures.", "never round my figures"),
        ("Before I sign off, a request: always name the author.", "always name the author"),
        ("Perfetto. Ah, a proposito: d'ora in poi scrivimi sempre in minuscolo.", "scrivimi sempre in minuscolo"),
        ("Dale. Y de paso: respondeme siempre en una línea.", "respondeme siempre en una línea"),
        ("Bra. Och förresten, nämn aldrig min bror.", "nämn aldrig min bror"),
        ("谢谢。对了，以后都用摄氏度。", "以后都用摄氏度"),
        ("I hate tables. Leave them out.", "I hate tables, leave them out"),
        ("Please never use tables. Write it out as text instead.", "never use tables. Write it out as text instead"),
        ("You can skip the weather every time.", "You can skip the weather every time"),
    ],
)
def test_a_wish_in_passing_is_kept_whole(message: str, wish: str) -> None:
    assert [found.text for found in find_instructions(message)] == [wish]


@pytest.mark.parametrize(
    "message",
    [
        "Write me a farewell speech for Ted, nothing sad, and please don't mention his boss.",
        "Could you draft a note to the school? Keep it polite, please, and leave out the fees.",
        "Schreib mir ein Gedicht für Oma, ohne Reime, und erwähne bitte nicht ihr Knie.",
        "Napisz list do sąsiada, bez złości, i nie wspominaj o psie.",
        "友人へのカードを書いて。病気には触れないでください。",
    ],
)
def test_wishes_for_one_text_are_no_instructions(message: str) -> None:
    assert find_instructions(message) == []
