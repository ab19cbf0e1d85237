"""The parts that ``react-mem-gateway`` replaces, in the gateway of the installed version, without a running one."""

from typing import Any

import pytest

from trustgraph_react_mem.errors import ConfigurationError

pytestmark = pytest.mark.stock


def test_a_request_that_passed_by_the_checks_fails() -> None:
    from trustgraph_react_mem.http.trustgraph.gateway import Verified, VerifyingAgentRequestor

    requestor = VerifyingAgentRequestor(
        backend=None, request_queue="", response_queue="", timeout=1, consumer="", subscriber=""
    )
    for body in ({"question": "x"}, Verified({"question": "x"}, None, "default")):
        with pytest.raises(RuntimeError, match="not verified"):
            requestor.to_request(body)


def test_an_unknown_version_of_the_gateway_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    from trustgraph.gateway.dispatch.manager import DispatcherManager

    from trustgraph_react_mem.http.trustgraph import gateway as module
    from trustgraph_react_mem.http.trustgraph.gateway_settings import GatewaySettings

    async def process_flow_service(self: Any, request: Any) -> None: ...

    monkeypatch.setattr(DispatcherManager, "process_flow_service", process_flow_service)
    with pytest.raises(ConfigurationError, match="not supported"):
        module.install(GatewaySettings())
