"""TrustGraph's own gateway, which tells the agent whose question it is: ``react-mem-gateway`` in place of ``api-gateway``.

The stock gateway authenticates its callers but does not pass on who they are, so all of them share one memory.  Here each
request to the agent carries the verified user.  Everything else is the stock gateway: arguments, routes, clients.

Invariants:
- The user of a request comes from the identity that the gateway verified for that request.  What a body says is ignored.
- A request to the agent without a verified identity fails.

``install`` replaces three parts of the gateway by subclasses, and adds one entry to its public table of dispatchers.  It checks
that they are as in the supported versions.

Source: trustgraph-flow 2.11.1, ``gateway/{service,auth}.py`` and ``gateway/dispatch/{manager,mux,requestor}.py``.
"""

import asyncio
import inspect
from collections.abc import Mapping
from contextvars import ContextVar
from typing import Any

from trustgraph.gateway import service
from trustgraph.gateway.auth import IamAuth
from trustgraph.gateway.dispatch import manager, mux
from trustgraph.gateway.dispatch.agent import AgentRequestor
from trustgraph.gateway.dispatch.manager import DispatcherManager
from trustgraph.gateway.dispatch.mux import Mux

from ...bootstrap import find_owner_key
from ...errors import ConfigurationError
from ...memory.scope import Scope
from ...memory.trust.owner_seal import OwnerSeal
from ...schema import AgentRequest
from ...store_settings import StoreSettings
from ..settings import GatewaySettings
from .iam import CAPABILITY, memory_user

AGENT = "agent"
ANONYMOUS = "anonymous"  # ``source`` of an identity without a credential

_caller: ContextVar[Any] = ContextVar("caller", default=None)
"""The identity that was verified last in this task: over HTTP, that of the request."""


class Verified(dict[str, Any]):
    """The body of a request to the agent, and who sent it.  Not made from JSON, so no client can send one."""

    def __init__(self, body: Mapping[str, Any], identity: Any, workspace: str) -> None:
        super().__init__(body)
        self.identity = identity
        self.workspace = workspace


class NotingAuth(IamAuth):  # type: ignore[misc]
    """Notes who was authenticated."""

    async def authenticate(self, request: Any) -> Any:
        _caller.set(None)
        identity = await super().authenticate(request)
        _caller.set(identity)
        return identity


class VerifyingManager(DispatcherManager):  # type: ignore[misc]
    """Adds the caller to requests to the agent, over HTTP here and over sockets in ``VerifyingMux``."""

    async def process_flow_service(self, data: Any, responder: Any, params: Mapping[str, str]) -> Any:
        if params.get("kind") == AGENT and isinstance(data, dict):
            identity = _caller.get()
            workspace = params.get("workspace") or data.get("workspace") or "default"
            # The stock endpoint asks about no workspace, though the body may name any.
            resource = {"workspace": workspace, "flow": params.get("flow", "")}
            await self.auth.authorise(identity, CAPABILITY, resource, {})
            data = Verified(data, identity, workspace)
        return await super().process_flow_service(data, responder, params)

    async def process_socket(self, ws: Any, running: Any, params: Any) -> Mux:
        return VerifyingMux(self, ws, running, auth=self.auth)


class VerifyingMux(Mux):  # type: ignore[misc]
    """One socket, whose identity may change between requests."""

    def __init__(self, *args: Any, **more: Any) -> None:
        super().__init__(*args, **more)
        self.q = _RequestQueue(self, mux.MAX_QUEUE_SIZE)


class _RequestQueue(asyncio.Queue[Any]):
    """Requests that were authorised and wait.  The identity is added as one goes in: when it runs it may be another."""

    def __init__(self, socket: Mux, most: int) -> None:
        super().__init__(most)
        self._socket = socket

    async def put(self, item: Any) -> None:
        frame_id, workspace, flow, kind, request = item
        if kind == AGENT and isinstance(request, dict):
            request = Verified(request, self._socket.identity, workspace)
        await super().put((frame_id, workspace, flow, kind, request))


class VerifyingAgentRequestor(AgentRequestor):  # type: ignore[misc]
    """Sends requests to the agent with their user."""

    settings = GatewaySettings()
    seal: OwnerSeal | None = None

    def __init__(self, **arguments: Any) -> None:
        super().__init__(**arguments)
        self.request_schema = AgentRequest

    def to_request(self, body: Any) -> AgentRequest:
        """Raises: RuntimeError (no user was verified), BadRequest (the user's name cannot be one of a memory)."""
        if not isinstance(body, Verified) or body.identity is None:
            raise RuntimeError("the caller of this request was not verified")
        request = AgentRequest(**vars(self.request_translator.decode(body)))
        user = user_of(body.identity, self.settings)
        scope = Scope(workspace=body.workspace, user=user, collection=request.collection or "default")
        request.user = user
        if user and self.seal is not None:
            request.speaker = user
            request.speaker_proof = self.seal.prove_speaker(scope, user, request.question)
        return request


def user_of(identity: Any, settings: GatewaySettings) -> str:
    """Whose memory an identity uses.  "": the memory that all users of the workspace share."""
    if identity.source == ANONYMOUS or identity.handle in settings.shared_users:
        return ""
    user = memory_user(identity.handle, getattr(identity, "user_context", None))
    if not user:
        raise RuntimeError("the identity service named no user")
    return user


def install(settings: GatewaySettings, seal: OwnerSeal | None = None) -> None:
    """Put our parts into the gateway, before it is made.  Raises: ConfigurationError (it is of an unknown version)."""
    _check_version()
    VerifyingAgentRequestor.settings, VerifyingAgentRequestor.seal = settings, seal
    service.IamAuth = NotingAuth
    service.DispatcherManager = VerifyingManager
    manager.request_response_dispatchers[AGENT] = VerifyingAgentRequestor


def _check_version() -> None:
    """The parts that are replaced are there, and called as we expect."""
    made = inspect.getsource(service.Api.__init__)
    expected = {
        "Api makes IamAuth and DispatcherManager": "IamAuth(" in made and "DispatcherManager(" in made,
        "process_flow_service takes data, responder, params": _parameters(DispatcherManager.process_flow_service)
        == ["self", "data", "responder", "params"],
        "process_socket takes ws, running, params": _parameters(DispatcherManager.process_socket)
        == ["self", "ws", "running", "params"],
        "Mux queues id, workspace, flow, service and request": "self.q.put((" in inspect.getsource(Mux.receive),
        "the agent has a dispatcher": issubclass(manager.request_response_dispatchers.get(AGENT, object), AgentRequestor),
    }
    if missing := [what for what, holds in expected.items() if not holds]:
        raise ConfigurationError(
            f"this version of trustgraph-flow is not supported (expected: {'; '.join(missing)}): install 2.8.17 to 2.11.1"
        )


def _parameters(function: Any) -> list[str]:
    return [*inspect.signature(function).parameters]


def run() -> None:
    """Raises: ConfigurationError."""
    key = find_owner_key(StoreSettings())
    install(GatewaySettings(), OwnerSeal(key) if key is not None else None)
    service.run()
