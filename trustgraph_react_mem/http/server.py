"""The listening socket, and the listener over a broker: ``react-mem serve`` and ``react-mem up`` use it.

A new interface is a module with a function ``routes()`` and a line in ``all_routes``.
"""

import asyncio
import logging
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import prometheus_client
from aiohttp import web
from aiohttp.web_protocol import RequestPayloadError

from ..bootstrap import find_owner_key, operator_key
from ..bus.address import BusAddress
from ..bus.port import Bus
from ..errors import BadRequest, ConfigurationError, MemoryServiceError
from ..failure_log import describe_error, log_failure
from ..memory.trust.owner_seal import OwnerSeal
from ..store_settings import StoreSettings
from . import mcp, mem0, native, proxy, seed_routes
from .access import Buses
from .application import Listener, make_application
from .events.stream import routes as event_routes
from .guards import SILENT
from .identity import Identity
from .keys import KeyFile
from .problems import problem
from .proxy.resources import proxy_context
from .settings import HttpSettings
from .trustgraph.iam import TrustGraphIam
from .ui.address import announced
from .ui.routes import routes as ui_routes
from .ui.sessions import Sessions

logger = logging.getLogger(__name__)

STORE_USES_S = 30.0
BACKLOG = 128
_BUSY = b'{"title": "too many connections", "status": 503, "detail": "the server is full: try later"}'
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nContent-Type: application/problem+json\r\n"
    b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(_BUSY), _BUSY)
)


class Connection(web.RequestHandler):
    """Names neither to the client nor in the log what it could not read, because it may hold a key."""

    __slots__ = ()

    def handle_error(
        self,
        request: web.BaseRequest,
        status: int = 500,
        exc: BaseException | None = None,
        message: str | None = None,
    ) -> web.StreamResponse:
        """The answer, after which the connection ends.  Raises: ConnectionError (an answer has begun)."""
        kind = type(exc).__name__
        if status < 500:  # at this level, because any program that connects can cause it
            logger.debug("a request could not be read: %s", kind)
        else:
            logger.error("a request failed outside of its handler: %s", kind)
        if request.writer.output_size > 0:
            raise ConnectionError("an answer has begun already")
        told: MemoryServiceError = MemoryServiceError("the request failed inside the server: send it again")
        if status < 500:
            told = BadRequest("the request cannot be read: check its first line, its headers and the encoding of its body")
        response = problem(told)
        response.force_close()
        return response

    def log_exception(self, *args: Any, **kw: Any) -> None:
        """What remains of a refused body is read after the answer, and may not be readable, which any program can cause."""
        if isinstance(kw.get("exc_info"), RequestPayloadError):
            logger.debug("the rest of a body could not be read")
        else:
            log_failure(logger, "a connection failed")


class HttpServer:
    """Serves an application, with limits on connections and on clients that send or read nothing.

    ``async with HttpServer(app, settings) as server: server.url``.  At the end running requests are finished, for at most
    ``grace_s`` seconds.
    """

    def __init__(self, app: web.Application, settings: HttpSettings, grace_s: float = 30.0) -> None:
        self._settings = settings
        self._silent = app[SILENT]
        self.runner = web.AppRunner(app, shutdown_timeout=grace_s, handler_cancellation=True)
        self._sockets: asyncio.Server | None = None
        self.url = ""

    async def __aenter__(self) -> "HttpServer":
        """Raises: ConfigurationError (the address is in use, or is none of this machine)."""
        await self.runner.setup()
        try:
            listening = _listen(self._settings)
            self._sockets = await asyncio.get_running_loop().create_server(self._accept, sock=listening, backlog=BACKLOG)
        except BaseException:
            await self.runner.cleanup()
            raise
        host, port = listening.getsockname()[:2]
        self.url = f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._sockets is not None:
            self._sockets.close()
        await self.runner.cleanup()

    def _accept(self) -> asyncio.Protocol:
        server = self.runner.server
        if server is None or len(server.connections) >= self._settings.max_connections:
            return _Refusal()
        connection = Connection(
            server,
            loop=asyncio.get_running_loop(),
            access_log=None,  # type: ignore[arg-type]  # None is off.  Paths hold ids and names.
            keepalive_timeout=self._settings.keepalive_s,
        )
        self._silent.add(connection)
        asyncio.get_running_loop().call_later(self._settings.header_timeout_s, self._close_if_silent, connection)
        return connection

    def _close_if_silent(self, connection: web.RequestHandler) -> None:
        if connection in self._silent:
            self._silent.discard(connection)
            connection.force_close()


class _Refusal(asyncio.Protocol):
    """Answers a connection beyond the limit without reading from it."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        transport.write(BUSY)
        transport.close()


def _listen(settings: HttpSettings) -> socket.socket:
    """Raises: ConfigurationError."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    dual = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    try:
        listening = socket.create_server((settings.host, settings.port), family=family, dualstack_ipv6=dual)
    except OSError as error:
        raise ConfigurationError(
            f"the HTTP listener cannot use {settings.host} port {settings.port} ({error.strerror}): stop the other program, or "
            "choose another port with REACT_MEM_HTTP_PORT"
        ) from error
    if hasattr(socket, "TCP_USER_TIMEOUT"):  # accepted sockets inherit it.  Linux: also for a client that reads nothing
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, int(settings.send_timeout_s * 1000))
    return listening


@asynccontextmanager
async def listen(
    address: BusAddress,
    home: Path,
    settings: HttpSettings,
    *,
    flow: str = "default",
    find_loss: Callable[[], str] = lambda: "",
    lease: Callable[[], Bus] | None = None,
) -> AsyncIterator[HttpServer]:
    """Run the listener over the broker at ``address``.  ``home``: the data directory with the keys; ``find_loss``,
    ``lease``: as in ``Buses``.

    Raises: ConfigurationError (the address of the listener is in use, or the key file cannot be used).
    """
    stores = StoreSettings()
    keys = KeyFile(home)
    keys.list()  # a file that cannot be used is reported now
    owner = find_owner_key(stores)
    async with AsyncExitStack() as opened:
        buses = Buses(address, flow, lambda: operator_key(stores), find_loss, lease)
        opened.push_async_callback(buses.close)
        iam = TrustGraphIam(lambda: buses.open("default"), flow) if settings.trustgraph_iam else None
        sessions = Sessions(keys.redeem)
        listener = Listener(
            buses=buses,
            authenticate=Identity(keys.resolve, *([iam.resolve] if iam else []), sessions=sessions),
            enter_workspace=iam.enter_workspace if iam else None,
            seal=OwnerSeal(owner) if owner is not None else None,
            settings=settings,
            sessions=sessions,
            list_keys=keys.list,
        )
        await opened.enter_async_context(_storing_uses(keys))
        if settings.metrics_port:
            _serve_metrics(settings, opened)
        app = make_application(listener, all_routes(), [proxy_context(home)])
        async with HttpServer(app, settings, stores.shutdown_grace) as server:
            with announced(home, server.url, address.url):
                yield server


def _serve_metrics(settings: HttpSettings, until: AsyncExitStack) -> None:
    """Serve the metrics on a port of their own, as the processors do.  Raises: ConfigurationError."""
    try:
        server, thread = prometheus_client.start_http_server(settings.metrics_port, settings.host)
    except OSError as error:
        raise ConfigurationError(
            f"REACT_MEM_HTTP_METRICS_PORT = {settings.metrics_port} cannot be used ({error.strerror}): choose another port"
        ) from None
    for end in (thread.join, server.server_close, server.shutdown):  # called in reverse
        until.callback(end)


@asynccontextmanager
async def _storing_uses(keys: KeyFile) -> AsyncIterator[None]:
    """Write down now and then, and at the end, when keys were last used."""

    async def store() -> None:
        try:
            await asyncio.to_thread(keys.store_uses)
        except MemoryServiceError as error:
            logger.warning("the last use of keys could not be stored: %s", describe_error(error))

    async def repeat() -> None:
        while True:
            await asyncio.sleep(STORE_USES_S)
            await store()

    task = asyncio.create_task(repeat())
    try:
        yield
    finally:
        task.cancel()
        await store()


def all_routes() -> list[web.RouteDef]:
    # mem0 first: its clients end every path with a slash, which the native interface accepts, too.
    peers = [*mem0.routes(), *seed_routes.routes()]
    return [*peers, *native.routes(), *event_routes(), *proxy.routes(), *mcp.routes(), *ui_routes()]
