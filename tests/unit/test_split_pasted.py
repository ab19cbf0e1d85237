"""What a person says is told from what they paste by form alone."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.memory.text.pasted import split_pasted


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


@given(st.text(alphabet="a`~> \n\r", max_size=60))
def test_every_character_is_kept(text: str) -> None:
    own, pasted = split_pasted(text)
    assert sorted(own + pasted) == sorted(text)
