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
        ("When? Write the date in the form DD.MM.YYYY.", ["with the date as DD.MM.YYYY"]),
        ("Wann? Nur das Datum im Format JJJJ-MM-TT.", ["only a date as JJJJ-MM-TT"]),
        ("Quand ? Au format AAAA-MM-JJ.", ["with the date as AAAA-MM-JJ"]),
        ("When is it? Use an ISO date.", ["with the date as YYYY-MM-DD"]),
        ("How many? Just digits.", ["only a number"]),
        ("Combien ? Uniquement des chiffres.", ["only a number"]),
        ("Сколько? Только цифрами.", ["only a number"]),
        ("¿Cuántos? Solo cifras.", ["only a number"]),
        ("Where do I live? A single word, please.", ["exactly 1 word"]),
        ("Wo? Ein Wort genügt.", ["exactly 1 word"]),
        ("Dove? Una sola parola.", ["exactly 1 word"]),
        ("Gdzie? Jednym słowem.", ["exactly 1 word"]),
        ("一言で答えて", ["exactly 1 word"]),
        ("Make a bulleted list with exactly 4 entries.", ["exactly 4 items"]),
        ("Réponds par une liste de trois points.", ["exactly 3 items"]),
        ("Leave out the price.", ["without 'price'"]),
        ("Tell me about Ann, but don't mention her brother.", ["without 'brother'"]),
        ("Describe my trip without mentioning New York.", ["without 'New York'"]),
        ("Erwähne Bergen nicht.", ["without 'Bergen'"]),
        ("Décris-le sans mentionner Paris.", ["without 'Paris'"]),
        ("No menciones a Ana.", ["without 'Ana'"]),
        ("Не упоминай Осло.", ["without 'Осло'"]),
        ("Leave out the year.", ["without a year"]),
        ("Start with Hello.", ["begins with 'Hello'"]),
        ("Begin your answer with the word well.", ["begins with 'well'"]),
        ("End with a question mark.", ["ends with '?'"]),
        ("Die Antwort muss mit „Also“ beginnen.", ["begins with 'Also'"]),
        ("La respuesta debe terminar con 'fin'.", ["ends with 'fin'"]),
        ("Ответ должен начинаться с «Итак».", ["begins with 'Итак'"]),
        ("Your answer should be in Italian.", ["in Italian"]),
        ("Réponse en anglais.", ["in English"]),
        ("Please use German.", ["in German"]),
        ("Wo wohne ich? Antworte auf Englisch.", ["in English"]),
        ("How old is he? Answer using only digits.", ["only a number"]),
        ("Do not mention the name Ann Lee.", ["without 'Ann Lee'"]),
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
        "How do I parse YYYY-MM-DD in Python?",
        "What does YYYY-MM-DD mean?",
        "My PIN has only digits. What is it?",
        "I have one word for you.",
        "What is on my list of three items?",
        "Why did Ann leave out the price?",
        "I do not mention Bergen.",
        "Did Ann say that we never mention Bergen?",
        "Explain why people never mention Bergen.",
        "Do not mention it.",
        "Should I start with Python?",
        "List countries that begin with Bel.",
        "List words that begin with 'un'.",
        "What is the answer in German history?",
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
        ("Only the date, as DD/MM/YYYY.", "14/05/2026.", "It is 14/05/2026"),
        ("Give the date in ISO format, as YYYY-MM-DD.", "It is on 2026-05-14.", "It is on 14 May 2026."),
        ("Leave out the year.", "On 14 May.", "On 14 May 2026."),
        ("Do not mention Bergen.", "You live there.", "You live in Bergen."),
        ("End with an exclamation mark.", "Yes!", "Yes."),
        ("Make a list of two items.", "- Oslo\n- Bergen", "Oslo and Bergen"),
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
