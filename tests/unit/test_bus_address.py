"""Where a broker is, and what is told to whom."""

from typing import Any

import pulsar
import pytest

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.errors import BadRequest

SECRET = "eyJhbGciOi.secret"


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


def test_the_key_is_not_shown() -> None:
    assert SECRET not in repr(BusAddress(url="pulsar://broker:6650", api_key=SECRET))


def test_key_and_listener_reach_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    given: list[dict[str, Any]] = []

    class Client:
        def __init__(self, host: str, **options: Any) -> None:
            self._client = self
            given.append({"host": host, **options})

        def close(self) -> None:
            pass

    monkeypatch.setattr(pulsar.asyncio, "Client", Client)
    DirectBackend.to(BusAddress(url="pulsar://broker:6650", api_key=SECRET, listener="outside"))
    DirectBackend.to(BusAddress(url="pulsar://broker:6650"))
    with_both, plain = given
    assert with_both["listener_name"] == "outside"
    assert isinstance(with_both["authentication"], pulsar.AuthenticationToken)
    assert not {"listener_name", "authentication"} & set(plain)
