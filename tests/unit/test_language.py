"""Terms, languages and names: the same word gives the same term, in every language that is promised."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.indexing.tokenizer import guess_language, is_spaceless, names, query_terms, terms


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where did you buy the book yesterday?", "en"),
        ("Wo hast du gestern das Buch gekauft?", "de"),
        ("Où est-ce que tu as acheté le livre hier ?", "fr"),
        ("¿Dónde compraste el libro ayer?", "es"),
        ("昨日どこで本を買いましたか", "ja"),
        ("你昨天在哪里买了那本书？", "zh"),
        ("Где ты вчера купил книгу?", "ru"),
        ("어제 어디서 책을 샀어요?", "ko"),
        ("What's Josephine's job?", "en"),
        ("She said that's Mel's, I'm sure they'd've asked", "en"),
        ("Qu'est-ce que c'est, l'arbre d'Anna ?", "fr"),
        ("Josephine's painted horses", "en"),
        ("Her friend 山田 came with her to the concert", "en"),
        ("", ""),
        ("12345 !!", ""),
    ],
)
def test_the_language_is_guessed(text: str, language: str) -> None:
    assert guess_language(text) == language


def test_a_record_with_another_language_is_searched_in_its_own() -> None:
    """A record of an older version, whose language was guessed otherwise, keeps its terms and is still found."""
    stored = set(terms("Lejligheden og cyklerne er nye", "en"))
    question = "Hvor er lejligheden og cyklerne?"
    assert guess_language(question) == "da"
    assert not stored & set(query_terms(question))
    assert stored & set(query_terms(question, spoken=["en"])) == {"lejligheden", "cyklern"}


@pytest.mark.parametrize(
    ("one", "other", "language"),
    [
        ("She was painting horses", "he paints a horse", "en"),
        ("Josephine's cafés", "Josephine and the cafe", "en"),
        ("die gekauften Bücher der Nachbarn", "das gekaufte Buch des Nachbarn", "de"),
        ("les maisons bleues", "la maison bleue", "fr"),
        ("las bicicletas rojas", "la bicicleta roja", "es"),
        ("東京で寿司を食べた", "東京の寿司を食べます", "ja"),
        ("北京 自行车", "自行车 北京", "zh"),
    ],
)
def test_forms_of_a_word_give_the_same_term(one: str, other: str, language: str) -> None:
    shared = set(terms(one, language)) & set(terms(other, language))
    assert len(shared) >= 2


def test_text_without_spaces_gives_pairs_and_leaves_grammar_out() -> None:
    assert terms("我昨天买了自行车", "zh")[1:2] == ["昨天"]
    assert "自行" in terms("我昨天买了自行车", "zh")
    assert "です" not in terms("本です", "ja")
    assert is_spaceless("昨日どこで本を買いましたか")
    assert not is_spaceless("where did you buy it")


def test_names_are_capitals_that_are_no_function_words() -> None:
    assert names("When did Josephine's sister meet Jean-Luc in Berlin? The end.") == {"josephine", "jean-luc", "berlin"}


@given(st.text(max_size=200))
def test_any_text_gives_terms_without_failing(text: str) -> None:
    assert all(terms(text))
    assert terms(text) == terms(text)
    names(text)
