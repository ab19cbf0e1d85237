"""Times as a person types them."""

from datetime import UTC, datetime, timedelta

import pytest

from trustgraph_react_mem.cli.changes import parse_past_time
from trustgraph_react_mem.errors import BadRequest

NOW = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-05-01T10:00:00+00:00", datetime(2026, 5, 1, 10, tzinfo=UTC)),
        ("2026-05-01T10:00:00+02:00", datetime(2026, 5, 1, 8, tzinfo=UTC)),
        ("2 hours ago", NOW - timedelta(hours=2)),
        ("1 week ago", NOW - timedelta(weeks=1)),
        ("Yesterday", NOW - timedelta(days=1)),
    ],
)
def test_a_time_is_understood(text: str, expected: datetime) -> None:
    assert parse_past_time(text, NOW) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2026-13-01",
        "3 fortnights ago",
        "1000000000 hours ago",
        "99999999999999 minutes ago",
        "2027-01-01T00:00:00+00:00",
    ],
)
def test_what_is_no_past_time_is_refused_by_name(text: str) -> None:
    with pytest.raises(BadRequest, match=repr(text).replace("+", r"\+") if text else "''"):
        parse_past_time(text, NOW)
