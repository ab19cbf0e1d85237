"""Whose words a question asks for."""

import numpy as np
import pytest

from trustgraph_react_mem.retrieval.features import Question
from trustgraph_react_mem.retrieval.speakers import acting_speaker, is_named


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("What did Anna say about Bernd's plans?", "anna"),
        ("What did Bernd recommend to Anna?", "bernd"),
        ("What does Bernd think of the decision of Anna?", "bernd"),
        ("What was in Bernd's letter to Anna?", "anna"),
        ("According to Anna, what makes Bernd a good guide?", "anna"),
        ("Where did Anna and Bernd meet?", ""),
        ("Did Anna or Bernd win?", ""),
        ("What have both Bernd and Anna painted?", ""),
        ("What do Anna, Bernd and the others like?", ""),
        ("Was hat Anna über Bernds Pläne gesagt?", "anna"),
        ("Wo haben Bernd und Anna sich getroffen?", ""),
        ("Was hat Bernd von Annas Hund erzählt?", "bernd"),
        ("Que dit Bernd du livre d'Anna ?", "bernd"),
        ("Qu'est-ce que Bernd et Anna ont acheté ?", ""),
        ("¿Qué dijo Anna de la casa de Bernd?", "anna"),
        ("¿Dónde viven Anna y Bernd?", ""),
        ("AnnaはBerndに何をあげましたか", "anna"),
        ("AnnaのためにBerndは何をしましたか", "bernd"),
        ("AnnaとBerndはどこで会いましたか", ""),
        ("Bernd对Anna说了什么", "bernd"),
        ("no names at all", ""),
        ("", ""),
    ],
)
def test_of_two_people_the_one_who_acts_is_asked_for(question: str, who: str) -> None:
    assert acting_speaker(question, ["anna", "bernd"]) == who


@pytest.mark.parametrize(
    ("word", "speaker", "expected"),
    [
        ("mel", "melanie reed", True),
        ("reed", "melanie reed", True),
        ("melanies", "melanie reed", True),
        ("me", "melanie", False),
        ("melody", "melanie", False),
        ("jo", "jo", True),
        ("jos", "jo", False),
    ],
)
def test_short_forms_and_genitives_name_a_speaker(word: str, speaker: str, expected: bool) -> None:
    assert is_named(speaker, word) is expected


@pytest.mark.parametrize(
    ("question", "found", "asked"),
    [
        ("What is Bernd's job?", True, "bernd"),
        ("What is Anna's opinion of Bernd?", True, ""),
        ("Where did Anna and Bernd meet?", True, ""),
        ("太郎は花子に何を言いましたか", True, "太郎"),
        ("花子の犬の名前は何ですか", True, "花子"),
        ("太郎と花子はどこで会いましたか", True, ""),
        ("Where is the key?", False, ""),
    ],
)
def test_a_question_names_nobody_one_or_several(question: str, found: bool, asked: str) -> None:
    read = Question.read(question, np.zeros(4, np.float32))
    assert read.find_speaker(["anna", "bernd", "太郎", "花子"]) == (found, asked)
