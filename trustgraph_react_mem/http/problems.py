"""Errors as HTTP responses: status codes, and RFC 9457 bodies for the native interface."""

import math
from collections.abc import Mapping

from aiohttp import web

from ..errors import BadRequest, MemoryServiceError

#: Error type on the wire -> HTTP status.  Others: 500.
STATUS: Mapping[str, int] = {
    **dict.fromkeys(("bad-request", "missing-scope", "request-refused"), 400),
    "not-authenticated": 401,
    "not-permitted": 403,
    "not-found": 404,
    "method-not-allowed": 405,
    **dict.fromkeys(("conflict", "scope-changed"), 409),
    **dict.fromkeys(("scope-erased", "answer-erased"), 410),
    "precondition-failed": 412,
    "too-large": 413,
    "idempotency-key-reused": 422,
    **dict.fromkeys(("rate-limited", "too-many-requests", "budget-exhausted"), 429),
    "model-answer-error": 502,
    **dict.fromkeys(("engine-unavailable", "disk-full", "scope-closed", "model-unavailable", "no-model", "agent-error"), 503),
}
REALM = 'Bearer realm="react-mem"'
RETRY_AFTER_S = 5  # where the error does not say


class MethodNotAllowed(BadRequest):
    """The path exists, but not for this method."""

    wire_type = "method-not-allowed"


def status_of(error: MemoryServiceError) -> int:
    return STATUS.get(error.wire_type, 500)


def headers_of(error: MemoryServiceError) -> dict[str, str]:
    """``Retry-After`` in whole seconds, for errors that pass, and ``WWW-Authenticate`` where a credential is missing."""
    status = status_of(error)
    if status == 401:
        return {"WWW-Authenticate": REALM}
    if status not in (429, 503):
        return {}
    return {"Retry-After": str(max(1, math.ceil(getattr(error, "retry_after_s", 0.0) or RETRY_AFTER_S)))}


def problem(error: MemoryServiceError, request_id: str = "") -> web.Response:
    """The error as ``application/problem+json`` (RFC 9457)."""
    status = status_of(error)
    body = {
        "type": f"urn:trustgraph-react-mem:error:{error.wire_type}",
        "title": error.wire_type.replace("-", " "),
        "status": status,
        "detail": str(error),
        **({"instance": f"urn:request:{request_id}"} if request_id else {}),
    }
    return web.json_response(body, status=status, headers=headers_of(error), content_type="application/problem+json")
