"""The parts that ``react-mem-gateway`` replaces, in the gateway of the installed version, without a running one.

``make test-stock`` runs them with the gateway of TrustGraph 2.8.17 too.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.http.trustgraph.gateway_settings import GatewaySettings
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.trust.owner_seal import OwnerSeal

pytestmark = pytest.mark.stock

Body = dict[str, Any]


class Auth:
    """Knows tokens of the form USER or USER/SOURCE, and permits all but the workspace ``closed``."""

    known_workspaces = frozenset({"default", "closed"})

    async def authenticate(self, request: Any) -> Any:
        from trustgraph.gateway.auth import Identity

        name, _, source = request.headers["Authorization"].removeprefix("Bearer ").partition("/")
        return Identity(handle=name, default_workspace="default", principal_id=name, source=source or "api-key")

    async def authorise(self, identity: Any, capability: str, resource: Body, parameters: Body, **_: Any) -> None:
        from aiohttp import web

        if resource.get("workspace") == "closed":
            raise web.HTTPForbidden


class Frame:
    def __init__(self, **content: Any) -> None:
        self._content = content

    def json(self) -> Body:
        return self._content


class Sent:
    """A socket that notes what it sends."""

    def __init__(self) -> None:
        self.frames: list[Body] = []

    async def send_json(self, frame: Body) -> None:
        self.frames.append(frame)


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


async def put_over_socket(gateway: Any, token: str, **frame: Any) -> Any:
    """The body that a request over a socket ends up with."""
    socket = gateway.VerifyingMux(None, Sent(), None, auth=Auth())
    await socket.receive(Frame(type="auth", token=token))
    await socket.receive(Frame(id="1", flow="mem", service="agent", **frame))
    assert socket.q.qsize() == 1, socket.ws.frames
    await socket.receive(Frame(type="auth", token="mallory"))  # from here on it is another one's
    *_, body = await socket.q.get()
    return body


@pytest.mark.parametrize(
    ("token", "user"), [("ann", "ann"), ("anonymous/anonymous", ""), ("ann/anonymous", ""), ("hotline", "")]
)
async def test_a_request_over_a_socket_carries_its_user(gateway: Any, token: str, user: str) -> None:
    body = await put_over_socket(gateway, token, request={"question": "Who am I?", "user": "bob", "collection": "c"})
    request = requestor(gateway).to_request(body)
    assert (request.user, request.speaker, request.question, request.collection) == (user, user, "Who am I?", "c")
    scope = Scope(workspace="default", user=user, collection="c")
    seal = OwnerSeal(b"k" * 32)
    assert seal.accepts(request.speaker_proof, "speaker", scope, user, "Who am I?", at=datetime.now(UTC)) is bool(user)


async def test_a_request_over_http_carries_its_user_and_asks_about_its_workspace(gateway: Any) -> None:
    from aiohttp import web

    class Manager(gateway.VerifyingManager):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            self.auth = Auth()

        async def invoke_flow_service(self, data: Any, responder: Any, workspace: str, flow: str, kind: str) -> Any:
            return data

    request = type("Request", (), {"headers": {"Authorization": "Bearer ann"}})()
    gateway._caller.set(await Auth().authenticate(request))
    manager = Manager()
    body = await manager.process_flow_service({"question": "x", "user": "bob"}, None, {"flow": "mem", "kind": "agent"})
    assert requestor(gateway).to_request(body).user == "ann"
    with pytest.raises(web.HTTPForbidden):
        await manager.process_flow_service({"question": "x", "workspace": "closed"}, None, {"flow": "mem", "kind": "agent"})
    other = {"question": "x"}
    assert await manager.process_flow_service(other, None, {"flow": "mem", "kind": "graph-rag"}) is other


def test_a_minted_token_stands_for_the_user_that_it_names(gateway: Any) -> None:
    identity = type("Identity", (), {"handle": "portal", "source": "jwt", "user_context": {"user_id": "customer-7"}})()
    assert gateway.user_of(identity, GatewaySettings()) == "customer-7"


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
