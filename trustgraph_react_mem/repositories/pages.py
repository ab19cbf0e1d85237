"""Pages of a listing."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from typing import Any, TypeVar

Record = TypeVar("Record")


async def read_pages(
    listing: Callable[..., Awaitable[Sequence[Record]]], *scope: Any, size: int = 500, **asked: Any
) -> AsyncIterator[Sequence[Record]]:
    """All that ``listing(*scope, **asked)`` has, page by page.  It takes ``limit`` and ``offset``."""
    read, full = 0, True
    while full and (page := await listing(*scope, limit=size, offset=read, **asked)):
        yield page
        read, full = read + len(page), len(page) == size
