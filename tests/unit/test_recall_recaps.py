"""Which questions ask for everything that is known of a person."""

import pytest

from trustgraph_react_mem.indexing.recaps import LONGEST, asks_for_recap

RECAPS = [
    "What do you know about me?",
    "What all do you remember about me so far?",
    "Summarise everything I've told you about myself.",
    "Who am I?",
    "Tell me what you remember of me so far",
    "Give me a recap of all the facts you have stored on me.",
    "What have I told you so far?",
    "Can you list everything you know about me, please?",
    "Tell me about myself.",
    "Show me my profile",
    "Was weißt du alles über mich?",
    "Was hast du dir über mich gemerkt?",
    "Fass bitte zusammen, was du über mich weißt.",
    "Was habe ich dir bisher erzählt?",
    "Que sais-tu de moi ?",
    "Qu'est-ce que tu sais sur moi ?",
    "Fais-moi un résumé de tout ce que tu sais de moi.",
    "De quoi te souviens-tu à mon sujet ?",
    "¿Qué sabes de mí?",
    "¿Qué recuerdas sobre mí hasta ahora?",
    "Hazme un resumen de todo lo que sabes de mí",
    "Cosa sai di me?",
    "Dimmi tutto quello che sai su di me.",
    "Che cosa ti ho raccontato finora?",
    "O que sabes sobre mim?",
    "O que você lembra de mim?",
    "Wat weet je over mij?",
    "Wat heb ik je tot nu toe verteld?",
    "Co o mnie wiesz?",
    "Co pamiętasz na mój temat?",
    "Что ты обо мне знаешь?",
    "Что ты помнишь обо мне?",
    "Расскажи всё, что ты обо мне знаешь",
    "私について何を知っていますか？",
    "私のことをどれくらい覚えていますか",
    "你知道我的哪些事？",
    "你对我了解多少？",
    "你记得关于我的什么？",
    "나에 대해 뭘 알고 있어?",
    "내가 지금까지 말한 내용을 정리해 줘",
]
OTHERS = [
    "What do you know about my dog?",
    "What do you remember about the trip to Oslo?",
    "Do you know what I did yesterday?",
    "What is my name?",
    "Who am I meeting tomorrow?",
    "What do you know about me and horses?",
    "Summarise this text for me.",
    "What did I tell you about Leila?",
    "I know what you mean.",
    "Remember that I am allergic to nuts",
    "Was weißt du über meine Schwester?",
    "Wer bin ich für Anna?",
    "Que sais-tu de mon chien ?",
    "¿Qué sabes de mi hermana?",
    "Cosa sai della mia auto?",
    "Wat weet je over Rembrandt?",
    "Что ты знаешь о Москве?",
    "私の犬について何を知っていますか？",
    "你知道我的狗叫什么吗？",
    "내 개에 대해 뭘 알고 있어?",
    "Tell me a joke",
    "What do you know about Python?",
    "I told you so",
    "Tell me about me and Ann",
]


@pytest.mark.parametrize("question", RECAPS)
def test_a_request_for_everything_is_recognised(question: str) -> None:
    assert asks_for_recap(question)


@pytest.mark.parametrize("question", OTHERS)
def test_a_question_about_something_is_none(question: str) -> None:
    assert not asks_for_recap(question)


def test_a_long_text_is_none() -> None:
    assert not asks_for_recap("What do you know about me? " * LONGEST)
