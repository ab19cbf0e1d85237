"""``GET /v1/socket``: requests to the agent and to the memory services, and events, over one WebSocket.

The envelope is that of TrustGraph's gateway, so TrustGraph's own clients work with it (``frames``).

Invariants:
- Who calls comes from the credential of the last message ``auth``.  It is checked again for later requests.
- What waits for a client is bounded, and so are its requests and subscriptions that run at once.
"""

import asyncio
import contextlib
import logging

from aiohttp import WSMsgType, web

from ...errors import BadRequest, MemoryServiceError, NotAuthenticated
from ...failure_log import describe_error, log_failure
from ..access import Access
from ..application import LISTENER, RATES, access_of, credential
from ..limits import TooManyRequests
from ..principal import PRINCIPAL, Principal
from ..ui.sessions import CSRF_HEADER
from . import frames
from .frames import Frame, RequestFrame
from .hub import TooManyConnections
from .sender import Sender
from .subscription import Subscriptions

logger = logging.getLogger(__name__)

UNAUTHENTICATED = 4401  # close code
TOO_MANY = 1013
GOING_AWAY = 1001


@credential("own")
async def open_socket(request: web.Request) -> web.StreamResponse:
    """Raises: BadRequest, TooManyConnections."""
    if request.body_exists:
        raise BadRequest("a request to open a socket has no body: send the first message after it")
    hub = request.app[LISTENER].events
    with hub.connect():
        limits, most = hub.limits, request.app[LISTENER].settings.max_body
        socket = web.WebSocketResponse(heartbeat=limits.ping_s, max_msg_size=most, timeout=limits.close_s)
        if not socket.can_prepare(request).ok:
            raise BadRequest("this route is a WebSocket: open it with a WebSocket client, which asks for an upgrade")
        await socket.prepare(request)
        async with contextlib.AsyncExitStack() as ending:
            await SocketSession(request, socket, ending).run()
        return socket


class SocketSession:
    """One open socket.  ``ending``: is closed after it."""

    def __init__(self, request: web.Request, socket: web.WebSocketResponse, ending: contextlib.AsyncExitStack) -> None:
        self._request = request
        self._socket = socket
        self._listener = request.app[LISTENER]
        self._limits = self._listener.events.limits
        self._sender = Sender(socket, request.transport, self._limits)
        self._subscriptions = Subscriptions(self._sender, self._listener)
        self._free = asyncio.Semaphore(self._limits.outstanding)
        self._tasks: set[asyncio.Task[None]] = set()
        self._size = 0  # of the requests of these tasks, in bytes
        self._token = self._csrf = ""
        self._principal: Principal | None = None
        self._checked = 0.0
        self._tries = 0
        self._of_key = ending.enter_context(contextlib.ExitStack())

    async def run(self) -> None:
        """Return once the socket is closed."""
        watching = [
            asyncio.create_task(self._sender.run()),
            asyncio.create_task(self._require_authentication()),
            asyncio.create_task(self._watch()),
        ]
        try:
            async for message in self._socket:
                if message.type in (WSMsgType.TEXT, WSMsgType.BINARY):
                    await self._take(message.data)
        finally:
            running = [*watching, *self._tasks, *self._subscriptions.tasks()]
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await self._sender.ended()

    # ------------------------------------------------------------------------------------------------ who calls

    async def _require_authentication(self) -> None:
        await asyncio.sleep(self._limits.auth_s)
        if self._principal is None:
            await self._sender.close(UNAUTHENTICATED, f"no valid auth message within {self._limits.auth_s:g} s")

    async def _watch(self) -> None:
        """Close the socket when the server stops or the credential is no longer valid."""
        closing = self._listener.events.closing
        while not closing.is_set():
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._limits.check_s):
                    await closing.wait()
            if self._principal is not None and not closing.is_set():
                try:
                    await self._authenticate(self._token)
                except NotAuthenticated:
                    await self._sender.close(UNAUTHENTICATED, "the key is no longer valid")
                    return
                except MemoryServiceError as error:
                    logger.warning("checking the credential of a socket failed, will retry: %s", describe_error(error))
        await self._sender.close(GOING_AWAY, "the server is stopping")

    async def _take_auth(self, frame: Frame) -> None:
        token, self._csrf = (given if isinstance(given := frame.get(name), str) else "" for name in ("token", "csrf"))
        try:
            principal = await self._authenticate(token)
            if self._principal is None or principal.key_id != self._principal.key_id:
                self._of_key.close()
                self._of_key.enter_context(self._listener.events.connect_as(principal))
        except MemoryServiceError as error:
            known = isinstance(error, NotAuthenticated)
            await self._sender.send({"type": "auth-failed", "error": "auth failure" if known else str(error)})
            self._tries += 1
            if isinstance(error, TooManyConnections):
                await self._sender.close(TOO_MANY, "too many connections of this key")
            elif self._tries >= self._limits.auth_tries:
                await self._sender.close(UNAUTHENTICATED, "too many failed auth messages")
            return
        if self._principal is not None and principal != self._principal:
            await self._subscriptions.end_all()  # they belong to the memory of another caller
        self._token, self._principal = token, principal
        await self._sender.send({"type": "auth-ok", "default_workspace": principal.workspace})

    async def _authenticate(self, token: str) -> Principal:
        """Raises: NotAuthenticated, EngineUnavailable."""
        principal = await self._listener.authenticate(self._request_with(token))
        self._checked = asyncio.get_running_loop().time()
        return principal

    def _request_with(self, token: str) -> web.Request:
        """The request that opened the socket, with this credential in place of any that it had.

        Without one, the session of the web page counts, if the page proved with the message ``auth`` that it knows it.
        """
        headers = self._request.headers.copy()
        for name in ("Authorization", "X-API-Key", CSRF_HEADER):
            headers.popall(name, None)
        headers[CSRF_HEADER] = self._csrf
        if token:
            headers["Authorization"] = f"Bearer {token}"
        return self._request.clone(headers=headers)

    # ------------------------------------------------------------------------------------------------- requests

    async def _take(self, data: str | bytes) -> None:
        try:
            frame = frames.read_frame(data)
            if frame.get("type") == "auth":
                await self._take_auth(frame)
                return
            request = frames.read_request(frame)
        except frames.BadFrame as error:
            await self._sender.send(frames.error_frame(error.id, error))
            return
        if self._principal is None:
            await self._sender.send(frames.error_reply(request.id, "auth-required", "auth failure"))
        elif request.service not in frames.SERVICE_NAMES:
            text = f"unknown service {request.service[:60]!r}: use {', '.join(frames.SERVICE_NAMES)}"
            await self._sender.send(frames.error_reply(request.id, "unknown-service", text))
        else:
            await self._begin(request, len(data))

    async def _begin(self, request: RequestFrame, size: int) -> None:
        """Let the request run or wait for others.  Reading goes on meanwhile: answers to pings must be seen."""
        limits = self._limits
        if len(self._tasks) >= limits.waiting or self._size + size > limits.waiting_bytes:
            text = f"{len(self._tasks)} requests of this socket run or wait: send this one again when some have ended"
            await self._sender.send(frames.error_reply(request.id, "error", text, code=TooManyRequests.wire_type))
            return

        def ended(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            self._size -= size

        self._size += size
        task = asyncio.create_task(self._answer(request))
        self._tasks.add(task)
        task.add_done_callback(ended)

    async def _answer(self, request: RequestFrame) -> None:
        try:
            async with self._free:
                await self._serve(request, await self._access(request))
        except MemoryServiceError as error:
            await self._sender.send(frames.error_frame(request.id, error))
        except Exception:
            # Broad because the client must get a reply, and its other requests must go on.
            log_failure(logger, "a request of a socket failed")
            await self._sender.send(frames.error_reply(request.id, "error", "the server failed to process the request"))

    async def _access(self, request: RequestFrame) -> Access:
        """Raises: NotAuthenticated, NotPermitted, BadRequest, EngineUnavailable."""
        principal = self._principal
        if principal is None or asyncio.get_running_loop().time() - self._checked > self._limits.check_s:
            principal = await self._authenticate(self._token)
        if request.workspace and request.workspace != principal.workspace:
            principal = await self._listener.enter_workspace(principal, request.workspace)
        as_caller = self._request_with(self._token)
        as_caller[PRINCIPAL] = principal
        self._request.app[RATES].take(as_caller, principal)
        user = frames.name_of(request.body, "user", "user_id", "user-id")
        collection = frames.name_of(request.body, "collection")
        await self._check_flow(principal.workspace, request.flow)
        return await access_of(as_caller, user=user, collection=collection, flow=request.flow)

    async def _check_flow(self, workspace: str, flow: str) -> None:
        """Raises: BadRequest (no such flow, for which a connection would otherwise be opened and kept)."""
        buses = self._listener.buses
        if flow in ("", buses.flow):
            return
        bus = await buses.open(workspace)
        if flow not in await bus.config_get("flow"):
            raise BadRequest(f"Invalid flow {workspace}/{flow[:60]}: name one that is running")

    async def _serve(self, request: RequestFrame, access: Access) -> None:
        match request.service:
            case "agent":
                await self._ask(request, access)
            case "events":
                await self._subscriptions.serve(request, access)
            case service:
                typed = frames.read_memory_request(service, request.body)
                reply = frames.encode_reply(await access.call(typed))
                await self._sender.send({"id": request.id, "response": reply, "complete": True})

    async def _ask(self, request: RequestFrame, access: Access) -> None:
        async with contextlib.aclosing(access.ask(frames.read_agent_request(request.body))) as messages:  # type: ignore[type-var]
            async for message in messages:
                if message.error:
                    error = frames.error_reply(request.id, "error", message.error.message, code=message.error.type)
                    await self._sender.send(error)
                    return
                end = bool(message.end_of_dialog)
                await self._sender.send({"id": request.id, "response": frames.encode_answer(message), "complete": end})
