"""The parts that ``react-mem-gateway`` replaces, in the gateway of the installed version, without a running one.

``make test-stock`` runs them with the gateway of TrustGraph 2.8.17 too.
"""

from collections.abc import Iterator
from typing import Any

import pytest

from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.http.settings import GatewaySettings
from trustgraph_react_mem.memory.trust.owner_seal import OwnerSeal

pytestmark = pytest.mark.stock


@pytest.fixture
def gateway() -> Iterator[Any]:
    from trustgraph.gateway import service
    from trustgraph.gateway.dispatch.manager import request_response_dispatchers

    from trustgraph_react_mem.http.trustgraph import gateway

    before = service.IamAuth, service.DispatcherManager, dict(request_response_dispatchers)
    gateway.install(GatewaySettings(shared_users=("anonymous", "hotline")), OwnerSeal(b"k" * 32))
    yield gateway
    service.IamAuth, service.DispatcherManager, dispatchers = before
    request_response_dispatchers.update(dispatchers)
    gateway.VerifyingAgentRequestor.seal = None


def requestor(gateway: Any) -> Any:
    from trustgraph.gateway.dispatch.manager import request_response_dispatchers

    kind = request_response_dispatchers["agent"]
    assert kind is gateway.VerifyingAgentRequestor
    return kind(backend=None, request_queue="", response_queue="", timeout=1, consumer="", subscriber="")


def test_a_request_that_passed_by_the_checks_fails(gateway: Any) -> None:
    for body in ({"question": "x"}, gateway.Verified({"question": "x"}, None, "default")):
        with pytest.raises(RuntimeError, match="not verified"):
            requestor(gateway).to_request(body)


def test_an_unknown_version_of_the_gateway_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from trustgraph.gateway.dispatch.manager import DispatcherManager

    from trustgraph_react_mem.http.trustgraph import gateway as module

    async def process_flow_service(self: Any, request: Any) -> None: ...

    monkeypatch.setattr(DispatcherManager, "process_flow_service", process_flow_service)
    with pytest.raises(ConfigurationError, match="not supported"):
        module.install(GatewaySettings())
