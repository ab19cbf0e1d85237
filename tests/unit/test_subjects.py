"""Whom a statement is about: speakers, relatives and names in several languages."""

import pytest

from trustgraph_react_mem.indexing.text.number_words import replace_number_words
from trustgraph_react_mem.indexing.text.relatives import first_relative
from trustgraph_react_mem.indexing.text.speakers import without_speakers
from trustgraph_react_mem.indexing.text.subjects import is_of_another, is_said_by_another, same_subject
from trustgraph_react_mem.indexing.tokenizer import names, terms


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("My father lives in Braga", "My mother lives in Porto", False),
        ("La mère d'Ann habite à Lyon", "Le père d'Ann habite à Nice", False),
        ("Anns Bruder wohnt in Graz", "Anns Schwester wohnt in Linz", False),
        ("Ann's mum is 60", "Ann's mother is 61", True),
        ("La madre di Ann vive a Bari", "Ann's mother lives in Rome", True),
        ("Ann's partner is a cook", "Ann's husband is a baker", True),
        ("Iker es tu hermano", "Mi marido Iker trabaja en un hospital", True),
        ("Tom's boss is Eva", "Eva's boss is Tom", False),
        ("Kim lives in Seoul", "Jun lives in Busan", False),
    ],
)
def test_statements_about_two_people_are_told_apart(one: str, other: str, same: bool) -> None:
    assert same_subject(one, other) is same
    assert same_subject(other, one) is same


@pytest.mark.parametrize(
    ("claim", "sentence", "other"),
    [
        ("Ann's dog is called Rex", "My neighbour's dog is called Rex", True),
        ("Anns Hund heißt Bello", "Der Hund meiner Nachbarin heißt Bello", True),
        ("Ann's neighbour has a dog called Rex", "My neighbour's dog is called Rex", False),
        ("Priya speaks Tamil", "My colleague Priya speaks Tamil", False),
        ("Ann speaks Tamil", "My colleague Priya speaks Tamil", True),
        ("Eva married Karl", "Eva married Karl's cousin", True),
        ("Luc a épousé la sœur de Paul", "Paul a épousé la sœur de Luc", True),
        ("Ann is allergic to cats", "Ben says he's allergic to cats", True),
        ("用户叫王伟", "我的老板叫王伟", True),
    ],
)
def test_a_claim_keeps_whose_relative_a_sentence_tells_of(claim: str, sentence: str, other: bool) -> None:
    assert is_of_another(claim, sentence, ["Ann"]) is other


def test_what_one_speaker_says_of_themselves_is_not_said_of_another() -> None:
    assert is_said_by_another("Ben is a nurse", "I'm a nurse.", "Ann", ["Ann", "Ben"])
    assert not is_said_by_another("Ann is a nurse", "I'm a nurse.", "Ann", ["Ann", "Ben"])
    assert not is_said_by_another("Ben is a nurse", "Ben is a nurse.", "Ann", ["Ann", "Ben"])


def test_a_verb_and_a_relative_are_told_apart() -> None:
    assert first_relative("Los gatos de Ann son negros") == frozenset()
    assert first_relative("大丈夫です") == frozenset()
    assert first_relative("Ann's youngest son") == {"son"}


@pytest.mark.parametrize(
    ("claim", "rest"),
    [
        ("Die Nutzerin isst kein Fleisch", "Die isst kein Fleisch"),
        ("Le chien de l'utilisatrice", "Le chien de l'"),
        ("사용자는 부산에 산다", "부산에 산다"),
        ("ユーザーは京都", "は京都"),
    ],
)
def test_words_for_the_speaker_are_known_in_every_language(claim: str, rest: str) -> None:
    assert " ".join(without_speakers(claim).split()) == rest


def test_a_name_is_one_although_it_is_a_function_word_elsewhere() -> None:
    assert {"kim", "ella", "dan"} <= names("Where do Kim, Ella and Dan live?")


def test_a_latin_name_ends_where_a_script_without_spaces_begins() -> None:
    assert "ann" in terms("Annは毎日水を飲む", "ja")
    assert "siemens" in terms("我在Siemens工作", "zh")
    assert "ann" in terms("Ann의 딸", "ko")


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("centoventi", "it", "120"),
        ("hundertzwanzig", "de", "120"),
        ("einhundertzwanzig", "de", "120"),
        ("honderdtwintig", "nl", "120"),
        ("quatre-vingts", "fr", "80"),
        ("one and a half", "en", "1.5"),
    ],
)
def test_both_forms_of_a_number_word_are_read(text: str, language: str, expected: str) -> None:
    assert replace_number_words(text, language, weak=True) == expected


def test_whose_place_something_is_at_is_not_what_a_statement_is_about() -> None:
    assert same_subject("The user's kayak is stored in Henrik's barn", "The user's kayak is stored in Lena's garage")
    assert not same_subject("Henrik's kayak is in the barn", "Lena's kayak is in the garage")
