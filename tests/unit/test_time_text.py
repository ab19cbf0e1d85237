"""Times as text."""

from datetime import UTC, datetime, timedelta, timezone, tzinfo
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trustgraph_react_mem.memory.timefmt import (
    format_time,
    parse_time,
    read_zone,
    require_time,
    sortable_time,
    zone_of,
)

ZONES = st.integers(-23, 23).map(lambda hours: timezone(timedelta(hours=hours)))
TIMES = st.datetimes(datetime(2, 1, 1), datetime(9998, 12, 31), timezones=ZONES | st.just(UTC))


@given(TIMES, TIMES)
def test_text_comes_back_as_the_same_time_and_sortable_text_keeps_the_order(first: datetime, second: datetime) -> None:
    assert parse_time(format_time(first)) == require_time(sortable_time(first)) == first
    assert (sortable_time(first) < sortable_time(second)) == (first < second)


def test_without_a_zone_it_is_utc_and_no_time_is_an_empty_text() -> None:
    assert parse_time("2026-05-07T09:30:00") == datetime(2026, 5, 7, 9, 30, tzinfo=UTC)
    assert format_time(None) == sortable_time(None) == ""


@pytest.mark.parametrize(("name", "hours"), [("Asia/Tokyo", 9), ("+09:00", 9), ("-0330", -3.5), ("", 0), ("UTC", 0)])
def test_a_zone_is_an_iana_name_or_an_offset(name: str, hours: float) -> None:
    assert datetime(2026, 5, 7, tzinfo=read_zone(name)).utcoffset() == timedelta(hours=hours)


@pytest.mark.parametrize("name", ["Mars", "America", "../UTC", "/etc/localtime", "+99:00", "+", "Europe/Berlin\n", "\0"])
def test_an_unknown_zone_is_refused_with_what_to_write(name: str) -> None:
    with pytest.raises(ValueError, match="is not a time zone: use an IANA name"):
        read_zone(name)


@pytest.mark.parametrize(
    ("zone", "name"),
    [
        (ZoneInfo("Asia/Tokyo"), "Asia/Tokyo"),
        (ZoneInfo("Europe/London"), "Europe/London"),
        (timezone(timedelta(hours=-3, minutes=-30)), "-03:30"),
        (UTC, ""),
        (ZoneInfo("UTC"), ""),
    ],
)
def test_a_time_knows_its_zone(zone: tzinfo, name: str) -> None:
    assert zone_of(datetime(2026, 1, 7, tzinfo=zone)) == name
    assert read_zone(name).utcoffset(datetime(2026, 1, 7)) == zone.utcoffset(datetime(2026, 1, 7))
