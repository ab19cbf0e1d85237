"""The span of each MCP message, without what a client wrote."""

from collections.abc import Collection
from dataclasses import replace
from typing import Any

from mcp.server.context import CallNext, HandlerResult, ServerMiddleware, ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp_types import INTERNAL_ERROR
from pydantic import ValidationError

SDKS_OWN = "OpenTelemetryMiddleware"  # its module is private


class PlainSpans:
    """Makes the SDK's spans, which name what was asked for and why it failed in the words of the message, without these.

    ``known``: names of tools and prompts; others are not shown.  Of an error only the code is.
    """

    def __init__(self, inner: ServerMiddleware[Any], known: Collection[str]) -> None:
        self._inner = inner
        self._known = frozenset(known)

    async def __call__(self, ctx: ServerRequestContext[Any, Any], call_next: CallNext) -> HandlerResult:
        failed: Exception | None = None

        async def call(_: ServerRequestContext[Any, Any]) -> HandlerResult:
            nonlocal failed
            try:
                return await call_next(ctx)
            except ValidationError:
                raise
            except Exception as error:
                failed = error
                raise MCPError(error.code if isinstance(error, MCPError) else INTERNAL_ERROR, "") from None

        try:
            return await self._inner(self._hide_words(ctx), call)
        except MCPError:
            if failed is None:
                raise
            raise failed from None

    def _hide_words(self, ctx: ServerRequestContext[Any, Any]) -> ServerRequestContext[Any, Any]:
        name = ctx.params.get("name") if ctx.params else None
        if ctx.params is None or (isinstance(name, str) and name in self._known):
            return ctx
        return replace(ctx, params={name: value for name, value in ctx.params.items() if name != "name"})
