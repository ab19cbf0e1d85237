"""JSON out of what small models write."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.memory.model_json import parse_json, parse_jsonl

scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=20)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
)
objects = st.dictionaries(st.text(max_size=8), values, max_size=4)
chatter = st.text(alphabet="abc .,:!\n", max_size=30)


@given(value=objects, before=chatter, after=chatter, fenced=st.booleans(), indent=st.sampled_from([None, 2]))
def test_whatever_stands_around_it_the_object_is_found(
    value: dict[str, Any], before: str, after: str, fenced: bool, indent: int | None
) -> None:
    # Backquotes and braces in the texts would be another document.
    written = json.dumps(value, indent=indent).replace("`", "'").replace("“", "'").replace("”", "'").replace("„", "'")
    expected = json.loads(written)
    body = f"```json\n{written}\n```" if fenced else written
    assert parse_json(f"{before}{body}{after}") == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": [1, 2,],}', {"a": [1, 2]}),
        ("{“a”: “b”}", {"a": "b"}),
        ('{"a": "two\nlines"}', {"a": "two\nlines"}),
        ('Sure! {"a": 1}. Is that what you need?', {"a": 1}),
        ('```\n{"a": 1}', {"a": 1}),
        ('["x"]', ["x"]),
        ('{"a": 1', {"a": 1}),
        ("{'a': True, b: 'it\\'s', }", {"a": True, "b": "it's"}),
        ('{"a": "x" "b": 2}', {"a": "x", "b": 2}),
        ('{"a": 1} and {"b": 2}', {"a": 1}),
        # cut off: what is complete is read, and not the first inner object
        ('{"facts": [{"t": "x"}, {"t": "y"}, {"t": "z is', {"facts": [{"t": "x"}, {"t": "y"}]}),
    ],
)
def test_the_faults_of_small_models_are_read_over(text: str, expected: Any) -> None:
    assert parse_json(text) == expected


@pytest.mark.parametrize("text", ["", "I do not know.", "Look: {"])
def test_what_holds_no_json_is_a_clear_error(text: str) -> None:
    with pytest.raises(ValueError, match="no JSON"):
        parse_json(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}\n{"a": 2}\n{"a":', [{"a": 1}, {"a": 2}]),
        ('```jsonl\n{"a": 1},\n{"a": 2},\n```', [{"a": 1}, {"a": 2}]),
        ('[{"a": 1},\n {"a": 2}]', [{"a": 1}, {"a": 2}]),
        ('{\n "a": 1\n}\n{\n "a": 2\n}', [{"a": 1}, {"a": 2}]),
        ("nothing", []),
    ],
)
def test_lines_cut_fenced_or_spread_are_taken(text: str, expected: list[Any]) -> None:
    assert parse_jsonl(text) == expected
