"""Where a broker is, and what is told to whom."""

import pytest

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.errors import BadRequest


@pytest.mark.parametrize(
    "url", ["pulsar://broker:6650", "pulsar+ssl://broker:6651", "pulsar://a:6650,b:6650", "pulsar://[::1]:6650/"]
)
def test_addresses_of_a_broker_are_taken(url: str) -> None:
    assert BusAddress(url=url).url == url


@pytest.mark.parametrize(
    "url", ["", "broker", "broker:6650", "http://broker:8080", "pulsar://", "pulsar:///", "pulsar://b:port", "kafka://b:9092"]
)
def test_anything_else_is_named_with_the_form(url: str) -> None:
    with pytest.raises(BadRequest, match=r"pulsar://HOST:6650") as refused:
        BusAddress(url=url)
    assert repr(url) in str(refused.value)
