"""What is erased with a record, and what stays though it was to be replaced by it."""

from dataclasses import replace
from datetime import timedelta

import pytest

from tests.integration.stores.stores_support import START, fact
from trustgraph_react_mem.erasure.dependents import split_dependents
from trustgraph_react_mem.memory.records import KEPT_BY, Fact

NOW, LATER = START + timedelta(days=10), START + timedelta(days=90)
WAITING = fact("a", superseded_by="plan", valid_to=LATER)


@pytest.mark.parametrize(
    ("found", "erased", "freed"),
    [
        ([WAITING], set(), ["a"]),
        ([replace(WAITING, valid_to=START)], {"a"}, []),  # its day has come
        ([replace(WAITING, status="superseded")], {"a"}, []),
        ([replace(WAITING, turn_ids=("plan",))], {"a"}, []),
        ([WAITING, fact("b", metadata={"sources": "a"})], set(), ["a"]),  # what was derived from it stays, too
        ([fact("k", metadata={KEPT_BY: "plan"}), WAITING], {"k"}, ["a"]),
        ([fact("c", metadata={"sources": "b"}), fact("b", turn_ids=("plan",))], {"b", "c"}, []),
    ],
)
def test_what_is_to_be_replaced_later_stays(found: list[Fact], erased: set[str], freed: list[str]) -> None:
    going, holding = split_dependents(found, {"plan"}, NOW)
    assert (going, [each.id for each in holding]) == (erased, freed)
