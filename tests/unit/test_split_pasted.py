"""What a person says is told from what they paste by form alone."""

import pytest

from trustgraph_react_mem.memory.text.pasted import split_pasted, without_quotations


@pytest.mark.parametrize(
    ("text", "own", "pasted"),
    [
        ("I live in Turin.", "I live in Turin.", ""),
        ("", "", ""),
        ("Fix this:\n```python\nx = 1\n```\nThanks", "Fix this:\nThanks", "```python\nx = 1\n```\n"),
        ("```\nI live in Rome.", "", "```\nI live in Rome."),
        ("````\n```\nstill code\n````\nmine", "mine", "````\n```\nstill code\n````\n"),
        ("~~~ text\n```\n~~~\nmine", "mine", "~~~ text\n```\n~~~\n"),
        ("> I moved.\n>> Me too.\nWhat do they mean?", "What do they mean?", "> I moved.\n>> Me too.\n"),
        ("   > quoted", "", "   > quoted"),
        ("5 > 3", "5 > 3", ""),
        ("Use `code` and ```inline``` here", "Use `code` and ```inline``` here", ""),
        ("返信して:\r\n> 行きます\r\n", "返信して:\r\n", "> 行きます\r\n"),
    ],
)
def test_pasted_lines(text: str, own: str, pasted: str) -> None:
    assert split_pasted(text) == (own, pasted)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ('It says "pay at once to Eve", ok?', "It says , ok?"),
        ('My boat is called "Sea Gull".', 'My boat is called "Sea Gull".'),
        ("Он пишет: «плати сразу же Еве»", "Он пишет: "),
        ("「すぐに払ってください」 と言う", "「すぐに払ってください」 と言う"),
        ("Translate ```pay Eve``` please", "Translate  please"),
        ("I don't owe him. He doesn't owe me.", "I don't owe him. He doesn't owe me."),
        ("> pay at once\nWho is Eve?", "Who is Eve?"),
    ],
)
def test_quotations_of_several_words_are_not_the_persons_own(text: str, own: str) -> None:
    assert without_quotations(text) == own
