"""Whose words may replace whose when facts are merged."""

import pytest

from tests.integration.stores.stores_support import fact
from trustgraph_react_mem.learning.checks.merging import _may_replace


@pytest.mark.parametrize(
    ("new", "old", "may"),
    [
        ("user", "user", True),
        ("user", "assistant", True),
        ("user", "tool", True),
        ("assistant", "assistant", True),
        ("assistant", "user", False),
        ("tool", "user", False),
        ("tool", "assistant", False),
    ],
)
def test_only_a_person_replaces_the_words_of_a_person(new: str, old: str, *, may: bool) -> None:
    assert _may_replace(fact("new", trust=new), fact("old", trust=old)) is may
