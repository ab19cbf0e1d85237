"""A listener that cannot be opened leaves nothing open."""

from pathlib import Path

import pytest

from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.http import server
from trustgraph_react_mem.http.settings import HttpSettings
from trustgraph_react_mem.http.trustgraph.iam import TrustGraphIam

BUS = BusAddress(url="pulsar://127.0.0.1:1")  # connected to at the first request


@pytest.mark.parametrize("fails", ["Identity", "Listener", "Sessions", "Buses", "make_application", "HttpServer"])
async def test_a_listener_that_fails_to_open_closes_its_connection_to_iam(
    fails: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise ConfigurationError("refused")

    open_connections: list[TrustGraphIam] = []

    class Iam(TrustGraphIam):
        def __init__(self, address: BusAddress, flow: str) -> None:
            super().__init__(address, flow)
            open_connections.append(self)

        async def close(self) -> None:
            await super().close()
            open_connections.remove(self)

    monkeypatch.setattr(server, "TrustGraphIam", Iam)
    monkeypatch.setattr(server, fails, refuse)
    with pytest.raises(ConfigurationError, match="refused"):
        async with server.listen(BUS, tmp_path, HttpSettings(port=0, trustgraph_iam=True)):
            pass
    assert open_connections == []
