"""mem0's filter language: what it lets through, and that what it does not know is refused."""

from typing import Any

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.http.mem0.filters import parse_filters

MEMORY: dict[str, Any] = {
    "id": "m1",
    "memory": "I eat plums",
    "user_id": "ana",
    "agent_id": "cook",
    "app_id": None,
    "run_id": None,
    "created_at": "2026-05-07T09:30:00+00:00",
    "updated_at": "2026-05-08T09:30:00+00:00",
    "categories": ["food", "fruit"],
    "metadata": {"stars": 5, "kind": "fruit", "tags": ["a", "b"], "one": 1, "yes": True, "flags": [False]},
}


@pytest.mark.parametrize(
    ("filters", "holds"),
    [
        (None, True),
        ({}, True),
        ({"user_id": "ana"}, True),
        ({"user_id": "ben"}, False),
        ({"agent_id": "*"}, True),
        ({"app_id": "*"}, False),
        ({"app_id": None}, True),
        ({"agent_id": ["cook", "baker"]}, True),
        ({"agent_id": {"nin": ["cook"]}}, False),
        ({"agent_id": {"ne": "baker"}}, True),
        ({"agent_id": {"contains": "oo"}}, True),
        ({"agent_id": {"icontains": "COO"}}, True),
        ({"user_id": "ana", "agent_id": "baker"}, False),
        ({"created_at": {"gte": "2026-05-07", "lt": "2026-05-08"}}, True),
        ({"created_at": {"gt": 1893456000}}, False),
        ({"updated_at": {"lte": "2026-05-08T09:30:00Z"}}, True),
        ({"categories": "food"}, True),
        ({"categories": {"in": ["tools", "fruit"]}}, True),
        ({"categories": {"contains": "too"}}, False),
        ({"metadata": {"stars": {"gte": 5}}}, True),
        ({"metadata": {"stars": {"gte": "5"}}}, False),
        ({"metadata": {"kind": "fruit", "stars": 4}}, False),
        ({"metadata": {"tags": "a"}}, True),
        ({"metadata": {"contains": {"kind": "fruit"}}}, True),
        ({"metadata": {"ne": {"kind": "fruit"}}}, False),
        ({"metadata": {"absent": "x"}}, False),
        ({"metadata": {"one": True}}, False),
        ({"metadata": {"one": {"in": [True]}}}, False),
        ({"metadata": {"one": {"ne": True}}}, True),
        ({"metadata": {"one": 1.0}}, True),
        ({"metadata": {"yes": True}}, True),
        ({"metadata": {"yes": 1}}, False),
        ({"metadata": {"yes": {"gte": 1}}}, False),
        ({"metadata": {"flags": 0}}, False),
        ({"metadata": {"flags": False}}, True),
        ({"keywords": {"contains": "plums"}}, True),
        ({"keywords": {"contains": "Plums"}}, False),
        ({"memory_ids": ["m1", "m2"]}, True),
        ({"NOT": [{"agent_id": "cook"}]}, False),
        ({"NOT": {"agent_id": "baker"}}, True),
        ({"OR": [{"agent_id": "baker"}, {"AND": [{"user_id": "ana"}, {"metadata": {"stars": 5}}]}]}, True),
    ],
)
def test_a_filter_lets_through_what_it_describes(filters: Any, holds: bool) -> None:
    assert parse_filters(filters)(MEMORY) is holds


@pytest.mark.parametrize(
    "filters",
    [
        [],
        "user_id=ana",
        {"usr_id": "ana"},
        {"and": [{"user_id": "ana"}]},
        {"AND": []},
        {"AND": {"user_id": "ana"}},
        {"OR": ["ana"]},
        {"user_id": ""},
        {"user_id": {}},
        {"user_id": {"like": "a"}},
        {"user_id": {"in": "ana"}},
        {"user_id": {"contains": 5}},
        {"user_id": [["ana"]]},
        {"created_at": {"gte": "soon"}},
        {"created_at": {"contains": "2026"}},
        {"created_at": {"gte": True}},
        {"metadata": "fruit"},
        {"metadata": {}},
        {"metadata": {"kind": {"like": "x"}}},
        {"keywords": {"gte": "x"}},
        {"AND": [{"user_id": "ana"}] * 201},
    ],
)
def test_what_is_not_understood_is_refused(filters: Any) -> None:
    with pytest.raises(BadRequest, match=r"filters|metadata"):
        parse_filters(filters)


@pytest.mark.parametrize(
    ("filters", "users"),
    [
        ({"user_id": "ana"}, {"ana"}),
        ({"user_id": "*"}, set()),
        ({"OR": [{"user_id": "ana"}, {"user_id": {"in": ["ben", "*"]}}]}, {"ana", "ben"}),
        ({"NOT": [{"user_id": "ben"}]}, set()),
        ({"NOT": [{"NOT": [{"user_id": "ben"}]}]}, {"ben"}),
        ({"user_id": {"ne": "ben"}}, set()),
    ],
)
def test_the_users_that_a_filter_asks_for_are_known(filters: Any, users: set[str]) -> None:
    assert parse_filters(filters).users == users
