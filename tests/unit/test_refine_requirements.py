"""What a question requires of the form of its answer, in several languages."""

import time

import pytest

from trustgraph_react_mem.refine.requirements import count_sentences, read_requirements


@pytest.mark.parametrize(
    ("question", "required"),
    [
        ("Who is Ann? Answer in two sentences, in German.", ["exactly 2 sentences", "in German"]),
        ("Summarize it in a single sentence.", ["exactly 1 sentence"]),
        ("Explain it in one word.", ["exactly 1 word"]),
        ("Write a two-sentence summary.", ["exactly 2 sentences"]),
        ("Answer in at most 50 words", ["at most 50 words"]),
        ("Use fewer than 30 words.", ["at most 29 words"]),
        ("Answer in 50 words.", ["at most 55 words"]),
        ("in 10 words or less, please", ["at most 10 words"]),
        ("Write 50-100 words.", ["50 to 100 words"]),
        ("Write at least 3 paragraphs.", ["at least 3 paragraphs"]),
        ("Give me three bullet points.", ["exactly 3 items"]),
        ("Antworte in höchstens 50 Wörtern.", ["at most 50 words"]),
        ("Wer ist Anna? Auf Deutsch bitte, in zwei Sätzen.", ["exactly 2 sentences", "in German"]),
        ("Réponds en deux phrases maximum, en anglais.", ["at most 2 sentences", "in English"]),
        ("Responde como máximo en 20 palabras.", ["at most 20 words"]),
        ("Rispondi in italiano, con esattamente 3 punti.", ["exactly 3 items", "in Italian"]),
        ("Responda em português em até 30 palavras.", ["at most 30 words", "in Portuguese"]),
        ("Antwoord in het Engels in één zin.", ["exactly 1 sentence", "in English"]),
        ("Ответь в двух предложениях на русском языке.", ["exactly 2 sentences", "in Russian"]),
        ("Odpowiedz po polsku w trzech zdaniach.", ["exactly 3 sentences", "in Polish"]),
        ("Svara på svenska i två meningar.", ["exactly 2 sentences", "in Swedish"]),
        ("2文で日本語で答えてください", ["exactly 2 sentences", "in Japanese"]),
        ("50字以内で答えて", ["at most 50 characters"]),
        ("用两句话回答", ["exactly 2 sentences"]),
        ("不超过50个字", ["at most 50 characters"]),
        ("用中文回答", ["in Chinese"]),
        ("한국어로 두 문장으로 대답해줘", ["exactly 2 sentences", "in Korean"]),
        ("Return the answer as JSON.", ["as JSON"]),
        ("Gib die Antwort als JSON zurück.", ["as JSON"]),
        ("Compare them as a markdown table.", ["as a table"]),
        ("Réponds sous forme de liste.", ["as a list"]),
        ("Answer yes or no: does Ann smoke?", ["begins with yes or no"]),
        ("Antworte mit ja oder nein.", ["begins with yes or no"]),
        ("Reply with only the number.", ["only a number"]),
        ('Answer without using the word "cat".', ["without 'cat'"]),
        ("Mention the word 'Oslo' and end with 'Thanks'.", ["with 'Oslo'", "ends with 'Thanks'"]),
    ],
)
def test_requirements_are_read(question: str, required: list[str]) -> None:
    assert [each.text for each in read_requirements(question)] == required


@pytest.mark.parametrize(
    "question",
    [
        "Where does Ann live?",
        "What is JSON?",
        "How do I parse this in JSON?",
        "What is 'cat' in German?",
        "Wie sagt man Hund auf Englisch?",
        "Who taught in German schools?",
        "How many words are in two sentences?",
        "My essay has 500 words; how do I start?",
        "I have 2 sentences to learn. What are they?",
        "Tell me about 12 words in the poem",
        "Do not answer in English.",
        "What did Ann do in May?",
        "Answer briefly.",
        "Wie viele Sätze hat das Stück?",
    ],
)
def test_what_a_question_is_about_is_no_requirement(question: str) -> None:
    assert read_requirements(question) == ()


@pytest.mark.parametrize(
    ("question", "met", "unmet"),
    [
        ("Answer in two sentences.", "Ann lives in Oslo. She is 34.", "Ann lives in Oslo."),
        ("Answer in one sentence.", "Dr. Ann Lee lives 3.5 km from Oslo.", "Ann lives here. She is 34."),
        ("Antworte in einem Satz.", "Am 3. Mai kam sie an.", "Sie kam. Sie blieb."),
        ("Answer in at most 5 words.", "Ann lives in Oslo.", "Ann has lived in Oslo for years."),
        ("Answer in German.", "Sie wohnt seit drei Jahren in Oslo.", "She has lived in Oslo for three years."),
        ("Answer in German.", "Oslo.", "She lives in Oslo with her mother."),
        ("日本語で答えて", "彼女はオスロに住んでいます。", "She lives in Oslo with her family."),
        ("Return JSON only.", '```json\n{"city": "Oslo"}\n```', "The city is Oslo."),
        ("Give the answer as a list.", "- Oslo\n- Bergen", "Oslo and Bergen"),
        ("Give me 2 bullet points.", "- Oslo\n- Bergen", "- Oslo"),
        ("Answer as a table.", "| a | b |\n|---|---|\n| 1 | 2 |", "a: 1, b: 2"),
        ("Answer yes or no.", "Yes, she does.", "She does."),
        ("Reply with only the number.", "14", "She has 14 cats."),
        ('Do not use the word "cat".', "She has a category of pets.", "She has a cat."),
        ('Begin with "Dear Ann".', "Dear Ann, welcome.", "Welcome, Ann."),
        ("50字以内で答えて", "オスロです。", "あ" * 51),
        ("Answer in capital letters.", "OSLO", "Oslo"),
    ],
)
def test_an_answer_meets_a_requirement_or_not(question: str, met: str, unmet: str) -> None:
    [required] = read_requirements(question)
    assert required.is_met(met)
    assert not required.is_met(unmet)


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("Am 3. Mai kam sie. Dann ging sie.", 2),
        ("J. K. Rowling wrote it.", 1),
        ("これは文です。もう一つ。", 2),
        ("One\nTwo", 2),
        ("“Hi.” She left.", 2),
        ("Use e.g. this one. And that.", 2),
        ("", 0),
        ("...", 0),
    ],
)
def test_sentences_are_counted(text: str, number: int) -> None:
    assert count_sentences(text) == number


def test_the_work_is_linear_in_the_text() -> None:
    def seconds(length: int) -> float:
        text = "answer in at most in at most 5 5 5 as as a a in in \"'" * (length // 50)
        started = time.perf_counter()
        for required in read_requirements(f"Answer in two sentences. {text}"):
            required.is_met(text)
        return time.perf_counter() - started

    seconds(1000)
    assert seconds(400_000) < 40 * max(seconds(40_000), 0.05)
