"""A span and metrics for every request.

Labels have the template of the route, never its values.  A caller's ``traceparent`` is continued.
"""

from collections.abc import Awaitable, Callable
from time import perf_counter

from aiohttp import hdrs, web
from opentelemetry.trace import SpanKind
from prometheus_client import Counter, Gauge, Histogram

from ..telemetry.propagation import received
from ..telemetry.tracing import fail, span

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

UNMATCHED = "unmatched"  # label of what no route takes
CLIENT_CLOSED = "499"  # status of a request whose client left before the answer
_STARTED: web.RequestKey[float] = web.RequestKey("started", float)
_BUCKETS = (0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 100)

_requests = Counter("tg_memory_http_requests_total", "HTTP requests by route", ["route", "method", "status"])
_seconds = Histogram("tg_memory_http_seconds", "Time of an HTTP request", ["route", "method"], buckets=_BUCKETS)
_in_flight = Gauge("tg_memory_http_in_flight", "HTTP requests and streams that are open", ["route"])
_first_byte = Histogram(
    "tg_memory_stream_first_byte_seconds", "Time until a streamed answer begins", ["route"], buckets=_BUCKETS
)
_refused = Counter("tg_memory_auth_failures_total", "HTTP requests refused for their credential", ["reason"])
_REASONS = {401: "not-authenticated", 403: "not-permitted"}


def route_of(request: web.Request) -> str:
    """The pattern of the path, without the ids in it."""
    resource = request.match_info.route.resource
    return resource.canonical if resource is not None else UNMATCHED


@web.middleware
async def observe_requests(request: web.Request, handler: Handler) -> web.StreamResponse:
    """The outermost middleware: it sees the status that the client gets."""
    route = route_of(request)
    method = request.method if request.method in hdrs.METH_ALL else "_OTHER"
    request[_STARTED] = perf_counter()
    status = CLIENT_CLOSED
    known = {} if route == UNMATCHED else {"http.route": route}
    name = " ".join((method, *known.values()))
    server = span(name, {"http.request.method": method, **known}, kind=SpanKind.SERVER)
    try:
        with (
            _in_flight.labels(route).track_inprogress(),
            _seconds.labels(route, method).time(),
            received(request.headers),
            server as running,
        ):
            response = await handler(request)
            running.set_attribute("http.response.status_code", response.status)
            if response.status >= 500:
                fail(running, str(response.status))
        status = str(response.status)
        return response
    except Exception:
        status = "500"
        raise
    finally:
        _requests.labels(route, method, status).inc()
        if reason := _REASONS.get(int(status)):
            _refused.labels(reason).inc()


async def measure_first_byte(request: web.Request, response: web.StreamResponse) -> None:
    """For ``on_response_prepare``: the headers of a stream go out with its first event."""
    if response.content_type in ("text/event-stream", "application/x-ndjson") and _STARTED in request:
        _first_byte.labels(route_of(request)).observe(perf_counter() - request[_STARTED])
