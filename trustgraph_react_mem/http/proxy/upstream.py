"""Passes requests through to the configured endpoint.

Invariants:
- The bytes of a stream reach the client as they came, whatever pieces they come in.  Comments are inserted only between events.
- The caller's key never leaves this process, and the endpoint's key never reaches a client.
- When the client leaves, its handler is cancelled (``server.HttpServer``), and with it the request to the endpoint.
"""

import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

import aiohttp
from aiohttp import web

from ...errors import NotAuthenticated
from ...models.server_events import Event, EventReader
from ..events.stream import EventStream, encode_event
from .errors import ProxyError, error_body
from .resources import Proxy

PASSED_ON = ("openai-organization", "openai-project", "openai-beta", "accept-language", "traceparent", "tracestate")
RETURNED = ("content-type", "retry-after", "retry-after-ms", "openai-processing-ms", "openai-version", "x-should-retry")
LIMITS = "x-ratelimit-"
FAILED: web.ResponseKey[str] = web.ResponseKey("failed", str)
MOST_ANSWER = 64 * 1024 * 1024  # bytes


class EndpointFault(ProxyError):
    """The endpoint does not answer as it should."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message, status=504 if code == "upstream_timeout" else 502, code=code)


class Stream(EventStream):
    """The answer to one client, with the comments that the settings of the proxy ask for."""

    def __init__(self, request: web.Request, proxy: Proxy, headers: Mapping[str, str], begin: bytes = b"") -> None:
        super().__init__(request, headers, proxy.settings.keep_alive_s)
        self.begin = begin

    async def fail(self, event: bytes, kind: str) -> None:
        """Tell the client, whose answer began with a success, that it failed.  Raises: ConnectionError."""
        self.response[FAILED] = kind
        await self.send(event)


@contextlib.asynccontextmanager
async def open_upstream(
    proxy: Proxy, request: web.Request, path: str, body: Mapping[str, Any] | None
) -> AsyncIterator[aiohttp.ClientResponse]:
    """Send a request to the endpoint.  ``body`` None: GET.

    Raises: ProxyError (none is configured, it does not answer, or it refuses the key of this server).
    """
    url, key = proxy.settings.upstream()
    if not url:
        raise ProxyError(
            "no endpoint is configured for this model: use agent/default, or set REACT_MEM_PROXY_URL",
            status=404,
            code="model_not_found",
            param="model",
        )
    headers = {name: request.headers[name] for name in PASSED_ON if name in request.headers}
    headers |= {"Accept-Encoding": "identity"} | ({"Authorization": f"Bearer {key}"} if key else {})
    try:
        response = await proxy.session.request(
            "GET" if body is None else "POST", f"{url}{path}", json=body, headers=headers, allow_redirects=False
        )
    except TimeoutError:
        raise EndpointFault("upstream_timeout", "the endpoint of this model did not answer in time") from None
    except (aiohttp.ClientError, ValueError) as error:
        told = f"the endpoint of this model cannot be reached ({type(error).__name__})"
        raise EndpointFault("upstream_unavailable", told) from None
    async with response:
        if response.status == 401:
            told = "the endpoint of this model refused the key of this server: set REACT_MEM_PROXY_KEY"
            raise EndpointFault("upstream_unauthorized", told)
        if 300 <= response.status < 400:  # another address might not be one that may see memories
            told = "the endpoint of this model redirects to another address: set REACT_MEM_PROXY_URL to its final address"
            raise EndpointFault("upstream_redirect", told)
        yield response


def streams_events(response: aiohttp.ClientResponse) -> bool:
    """Whether the answer is a stream.  An error is none, whatever its type says: its status must reach the client."""
    return response.status == 200 and "event-stream" in response.headers.get("Content-Type", "").lower()


async def read_answer(proxy: Proxy, response: aiohttp.ClientResponse) -> bytes:
    """The body of an answer.  If it is an error, without the key of the endpoint.

    Raises: ProxyError (it ended early, or is too long).
    """
    body = bytearray()
    try:
        async for piece in response.content.iter_any():
            body += piece
            if len(body) > MOST_ANSWER:
                raise EndpointFault("upstream_error", "the answer of the endpoint is too long")
    except TimeoutError:
        raise EndpointFault("upstream_timeout", "the endpoint did not finish its answer in time") from None
    except aiohttp.ClientError:
        raise EndpointFault("upstream_error", "the endpoint broke off its answer") from None
    key = proxy.settings.upstream()[1].encode()
    return bytes(body).replace(key, b"***") if response.status >= 400 and key else bytes(body)


def returned_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """With the usual spelling, so that each replaces the header of the same name here."""
    return {
        name.title(): value for name, value in headers.items() if (low := name.lower()) in RETURNED or low.startswith(LIMITS)
    }


async def relay(
    stream: Stream,
    response: aiohttp.ClientResponse,
    on_event: Callable[[Event], Awaitable[None]],
    describe: Callable[[Mapping[str, Any]], bytes],
) -> None:
    """Relay the events of the endpoint to the client.

    ``on_event`` sees each event before the client gets its end.  ``describe``: makes the last event of a stream that broke off
    from an error object.

    Raises: ConnectionError (the client has left).
    """
    reader = EventReader()
    try:
        async for piece in stream.each(response.content.iter_any(), quiet=lambda: reader.between_events):
            for event in reader.feed(piece):
                if isinstance(event, Event):
                    await on_event(event)
            await stream.send(piece)
        return
    except NotAuthenticated as error:
        last, kind = error_body(error), error.wire_type
    except (aiohttp.ClientError, TimeoutError):
        kind = "upstream_error"
        last = error_body(EndpointFault(kind, "the endpoint broke off its answer"))
    await stream.fail((b"" if reader.between_events else b"\n\n") + describe(last), kind)


def chat_error(error: Mapping[str, Any]) -> bytes:
    return encode_event({"error": error})
