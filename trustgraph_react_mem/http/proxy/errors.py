"""Errors in OpenAI's format: ``{"error": {"message", "type", "param", "code"}}``.

Source: openai-python 3.54, ``openai/_exceptions.py`` and ``types/shared/error_object.py``.
"""

import functools
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from aiohttp import web

from ...errors import BadRequest, MemoryServiceError
from ..problems import headers_of, status_of

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]

CODES: Mapping[int, str] = {
    401: "invalid_api_key",
    403: "permission_denied",
    404: "not_found",
    413: "request_too_large",
    429: "rate_limit_exceeded",
}


class ProxyError(BadRequest):
    """An error that has a code of its own in OpenAI's format.  ``param``: the field of the request that caused it."""

    def __init__(self, message: str, *, status: int = 400, code: str = "", param: str = "") -> None:
        super().__init__(message)
        self.status, self.code, self.param = status, code, param


def error_body(error: MemoryServiceError) -> dict[str, Any]:
    """The ``error`` object."""
    status = error_status(error)
    own = isinstance(error, ProxyError)
    code = (error.code if isinstance(error, ProxyError) else "") or CODES.get(status)
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    param = error.param if own and isinstance(error, ProxyError) else ""
    return {"message": str(error), "type": kind, "param": param or None, "code": code or error.wire_type.replace("-", "_")}


def error_status(error: MemoryServiceError) -> int:
    return error.status if isinstance(error, ProxyError) else status_of(error)


def error_response(error: MemoryServiceError) -> web.Response:
    headers = {} if isinstance(error, ProxyError) else headers_of(error)
    return web.json_response({"error": error_body(error)}, status=error_status(error), headers=headers)


def in_openai_format(handler: Handler) -> Handler:
    """Answer errors of a handler in OpenAI's format."""

    @functools.wraps(handler)
    async def answer(request: web.Request) -> web.StreamResponse:
        try:
            return await handler(request)
        except MemoryServiceError as error:
            return error_response(error)

    return answer
