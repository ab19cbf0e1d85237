"""How often a key may call, and answers that are kept so that a repeated request is not executed twice."""

import asyncio
import hashlib
import math
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from aiohttp import web

from ..errors import BadRequest
from ..memory.scope import Scope
from .guards import Handler, mark, response_headers
from .principal import PRINCIPAL, SCOPE, Principal, named_collection

MOST_KEYS = 10_000  # whose rate is kept in memory
KEPT_S = 24 * 3600.0
MOST_ANSWERS, MOST_BYTES = 10_000, 64 * 2**20
LONGEST_KEY = 255


class TooManyRequests(BadRequest):
    """The key called too often.  ``retry_after_s``: when it may call again."""

    wire_type = "rate-limited"
    retry_after_s: float = 0.0


class UnlikeRequest(BadRequest):
    """The ``Idempotency-Key`` was used for another request."""

    wire_type = "idempotency-key-reused"


class AnswerErased(BadRequest):
    """The request was executed, and what it answered was erased since."""

    wire_type = "answer-erased"


class Rates:
    """A token bucket for each key: ``per_minute`` requests a minute, which may come at once.  0: no limit."""

    def __init__(self, per_minute: int, now: Callable[[], float] = time.monotonic) -> None:
        self._most = per_minute
        self._now = now
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()  # key -> tokens, and when they were counted

    def take(self, request: web.Request, principal: Principal) -> None:
        """Raises: TooManyRequests."""
        if not self._most:
            return
        name, now, per_s = principal.key_id, self._now(), self._most / 60
        tokens, since = self._left.pop(name, (float(self._most), now))
        tokens = min(float(self._most), tokens + (now - since) * per_s)
        allowed = tokens >= 1
        tokens -= allowed
        self._left[name] = tokens, now
        if len(self._left) > MOST_KEYS:
            self._left.popitem(last=False)
        full_in_s = math.ceil((self._most - tokens) / per_s)
        left = {"Limit": self._most, "Remaining": int(tokens), "Reset": full_in_s}
        response_headers(request).update({f"X-RateLimit-{name}": str(value) for name, value in left.items()})
        if not allowed:
            error = TooManyRequests(
                f"this key may send {self._most} requests a minute: wait, or raise REACT_MEM_HTTP_RATE_LIMIT"
            )
            error.retry_after_s = math.ceil((1 - tokens) / per_s)
            raise error


@dataclass(slots=True)
class _Answer:
    """``request``: its digest.  ``scope``: whose memory it shows; None: no service was asked.  ``response``: None: erased."""

    request: bytes
    scope: Scope | None
    at: float
    response: web.Response | None

    @property
    def size(self) -> int:
        return len(self.response.body) if self.response is not None and isinstance(self.response.body, bytes) else 0


@dataclass(slots=True)
class _Running:
    """``stale``: its answer may show what was erased meanwhile."""

    request: web.Request
    task: asyncio.Task[web.StreamResponse]
    stale: bool = False


once = mark(once=True)
"""Decorator of a handler that writes: a repetition with the same ``Idempotency-Key`` gets the first answer."""


class Answers:
    """Answers by ``Idempotency-Key``, for a day.

    They are kept in memory, not in a file, because they hold what people said: ``forget`` drops it with what was erased.  After
    a restart of the listener a repeated request runs again.  Only successes are kept, so a failed request can be repeated.
    """

    def __init__(self, trusted_user: Callable[[web.Request], str], now: Callable[[], float] = time.monotonic) -> None:
        self._trusted_user = trusted_user
        self._now = now
        self._kept: OrderedDict[tuple[str, ...], _Answer] = OrderedDict()
        self._size = 0
        self._running: dict[tuple[str, ...], _Running] = {}

    def forget(self, scope: Scope | None) -> None:
        """Drop what was answered about a scope (None: any), because something in it was erased."""
        for running in self._running.values():
            running.stale |= SCOPE in running.request and scope in (None, running.request[SCOPE])
        for kept in self._kept.values():
            if kept.scope is not None and scope in (None, kept.scope):
                self._size -= kept.size
                kept.response = None

    @web.middleware
    async def guard(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Raises: UnlikeRequest, AnswerErased, BadRequest (the key is empty or too long)."""
        given, principal = request.headers.get("Idempotency-Key"), request.get(PRINCIPAL)
        if given is None or principal is None or not getattr(request.match_info.handler, "once", False):
            return await handler(request)
        if not 0 < len(given) <= LONGEST_KEY:
            raise BadRequest(f"Idempotency-Key has {len(given)} characters: use 1 to {LONGEST_KEY}")
        # Who may see the answer is part of the name: a service key has many users, and so has a service that mints tokens for
        # its own.  Those in a body are in its digest.
        named = self._trusted_user(request), named_collection(request)
        caller = principal.key_id, principal.workspace, principal.user
        name = (*caller, request.method, request.path.rstrip("/"), *named, given)
        digest = hashlib.sha256(request.query_string.encode() + b"\0" + await request.read()).digest()
        while (other := self._running.get(name)) is not None:
            await asyncio.wait({other.task})
        if (first := self._repeat(request, name, digest)) is not None:
            return first
        # A client that gives up and repeats its request must not have it executed twice, so it goes on without the client.
        task = asyncio.create_task(self._run(request, name, digest, handler))
        self._running[name] = _Running(request, task)
        task.add_done_callback(lambda done: done.cancelled() or done.exception())  # asyncio would log the text of one unread
        return await asyncio.shield(task)

    def _repeat(self, request: web.Request, name: tuple[str, ...], digest: bytes) -> web.Response | None:
        self._drop_old()
        kept = self._kept.get(name)
        if kept is None:
            return None
        if kept.request != digest:
            raise UnlikeRequest("the Idempotency-Key was used for another request: use a new one for each request")
        if kept.response is None:
            raise AnswerErased("the request was executed, and its answer was erased since: read what is stored now")
        response_headers(request)["Idempotency-Replayed"] = "true"
        first = kept.response
        headers = {"Location": first.headers["Location"]} if "Location" in first.headers else {}
        return web.Response(status=first.status, body=first.body, content_type=first.content_type, headers=headers)

    async def _run(self, request: web.Request, name: tuple[str, ...], digest: bytes, handler: Handler) -> web.StreamResponse:
        try:
            response = await handler(request)
        finally:
            running = self._running.pop(name)
        if isinstance(response, web.Response) and response.status < 300 and isinstance(response.body, bytes):
            kept = self._kept[name] = _Answer(digest, request.get(SCOPE), self._now(), None if running.stale else response)
            self._size += kept.size
            self._drop_old()
        return response

    def _drop_old(self) -> None:
        oldest = self._now() - KEPT_S
        while self._kept:
            first = next(iter(self._kept.values()))
            if first.at >= oldest and len(self._kept) <= MOST_ANSWERS and self._size <= MOST_BYTES:
                return
            self._kept.popitem(last=False)
            self._size -= first.size
