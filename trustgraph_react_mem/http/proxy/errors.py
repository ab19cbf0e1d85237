"""Errors in OpenAI's format: ``{"error": {"message", "type", "param", "code"}}``.

Source: openai-python 3.54, ``openai/_exceptions.py`` and ``types/shared/error_object.py``.
"""

from collections.abc import Mapping
from typing import Any

from aiohttp import web

from ...errors import BadRequest, MemoryServiceError
from ..guards import errors_as
from ..problems import headers_of, status_of

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
    code = (error.code if isinstance(error, ProxyError) else "") or CODES.get(status)
    kinds = {401: "authentication_error", 403: "permission_error", 429: "rate_limit_error"}
    kind = kinds.get(status, "invalid_request_error" if status < 500 else "server_error")
    param = error.param if isinstance(error, ProxyError) else ""
    return {"message": str(error), "type": kind, "param": param or None, "code": code or error.wire_type.replace("-", "_")}


def error_status(error: MemoryServiceError) -> int:
    return error.status if isinstance(error, ProxyError) else status_of(error)


def error_response(error: MemoryServiceError, request_id: str = "") -> web.Response:
    """The error as a response, for ``guards.errors_as``."""
    headers = {} if isinstance(error, ProxyError) else headers_of(error)
    return web.json_response({"error": error_body(error)}, status=error_status(error), headers=headers)


in_openai_format = errors_as(error_response)
"""Decorator of a handler: its errors are in OpenAI's format."""
