"""docs/http-events.md: its table has every kind and limit."""

import re
from pathlib import Path

from trustgraph_react_mem.http.events.feed import GROUPS, KINDS, MOST_EVENTS
from trustgraph_react_mem.http.events.hub import EventHub

PAGE = (Path(__file__).parents[4] / "docs" / "http-events.md").read_text("utf-8")


def test_the_page_has_every_kind_and_limit() -> None:
    assert {name for name in (*KINDS, *GROUPS) if f"`{name}`" not in PAGE} == set()
    limits = EventHub()
    for number in (limits.check_s, limits.ping_s, limits.connections, limits.connections_a_key, MOST_EVENTS):
        assert re.search(rf"\b{number:.0f}\b", PAGE)
