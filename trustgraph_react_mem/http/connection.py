"""A connection of the listener: what it answers to bytes that are no HTTP request."""

import logging
from typing import Any

from aiohttp import web
from aiohttp.web_protocol import RequestPayloadError

from ..errors import BadRequest, MemoryServiceError
from ..failure_log import log_failure
from .problems import problem

logger = logging.getLogger(__name__)


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
