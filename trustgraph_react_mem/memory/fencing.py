"""Fencing tokens: data that was read before an erasure is never written back after it, by any process.

Each scope has a number in the graph that every erasure increments.  A job or a writing operation takes a token when it
starts: the current number.  Every write to the graph carries the token.  If the number has changed since, the transaction
is rolled back with ``ScopeChanged``, and the writer starts again with what is left.

- Erasing a whole scope closes it: no tokens are issued (``ScopeClosed``).  An undo closes it too, for a short time.
- Erasing a part of a scope leaves it open: ``invalidate_others`` increments the number after the part has been removed.

The token is a context variable of the running task and reaches the engine from there, so no caller can forget to pass it.
Vectors are not covered by transactions of the graph.  ``before_deadline`` bounds how late they can be written.

Source: fencing tokens as in M. Kleppmann, "How to do distributed locking" (2016).
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextvars import ContextVar
from datetime import timedelta
from typing import TypeVar

from ..errors import EngineUnavailable, ScopeChanged, ScopeClosed
from .ports import FencingToken, ScopeFence
from .scope import Scope

T = TypeVar("T")

#: A closed scope reopens after this time, in case the process that closed it died.  A resumed erasure closes it again.
CLOSED_FOR = timedelta(minutes=10)
#: Seconds for which a token that was valid is trusted before vectors are written without another check.
TRUSTED_S = 2.0
#: Seconds after the last successful check of a token after which vectors are no longer written.
LATEST_S = 5.0
#: Seconds after an increment of the number after which no earlier writer can still write vectors.  The margin covers a
#: request that is on its way to the index.
SETTLED_S = LATEST_S + 2.0
TRIES = 5
ASK_EVERY_S = 0.2


_held: ContextVar[FencingToken | None] = ContextVar("token", default=None)


def held_token() -> FencingToken | None:
    """The token of the running task, or None."""
    return _held.get()


@contextlib.contextmanager
def with_token(token: FencingToken) -> Iterator[None]:
    """Attach the token to all writes in this block, including those of tasks started in it."""
    former = _held.set(token)
    try:
        yield
    finally:
        _held.reset(former)


async def run_fenced(fence: ScopeFence, scope: Scope, call: Callable[[], Awaitable[T]], *, wait_s: float = 0.0) -> T:
    """Run ``call`` under a token, and again from its start if a part of the scope is erased meanwhile.

    ``wait_s``: seconds to wait for a closed scope to reopen.

    Raises:
        ScopeClosed: the scope is still closed after ``wait_s``.
        ScopeChanged: the whole scope was erased meanwhile, or parts of it ``TRIES`` times.
    """
    first = token = await obtain_token(fence, scope, wait_s)
    tries = 1
    while True:
        try:
            with with_token(token):
                return await call()
        except ScopeChanged:
            if tries == TRIES:
                raise
        tries += 1
        token = await obtain_token(fence, scope, wait_s)
        if token.erasures != first.erasures:
            # Not repeated: after the erasure of a whole scope, only the caller can decide whether to store this again.
            raise ScopeChanged("the whole memory was erased during this operation: send it again if it should be stored")


async def obtain_token(fence: ScopeFence, scope: Scope, wait_s: float) -> FencingToken:
    """Get a token; wait up to ``wait_s`` seconds for a closed scope to reopen.  Raises ScopeClosed."""
    until = asyncio.get_running_loop().time() + wait_s
    while True:
        try:
            return await fence.claim(scope)
        except ScopeClosed:
            if asyncio.get_running_loop().time() >= until:
                raise
        await asyncio.sleep(ASK_EVERY_S)


@contextlib.asynccontextmanager
async def close_scope(
    fence: ScopeFence, scope: Scope, *, erasing: bool, token: FencingToken | None = None
) -> AsyncIterator[None]:
    """Close the scope to all other writers for the duration of the block, and invalidate their tokens.

    ``erasing``: the whole scope is erased.  ``token``: close only if this token is still valid.
    The running task's own token for this scope is renewed, so that it can write inside the block.

    Raises: ScopeChanged (``token`` is no longer valid).
    """
    epoch = await fence.close(scope, erasing=erasing, token=token)
    own = held_token()
    if own is not None and own.scope == scope:
        own.number, own.erasures = epoch.number, epoch.erasures
    try:
        yield
    finally:
        await fence.reopen(scope, epoch)


async def invalidate_others(fence: ScopeFence, scope: Scope) -> None:
    """Invalidate all tokens that other writers hold; the running task keeps a valid one.

    Raises: ScopeChanged (its own token is invalid), ScopeClosed (it had no token, and the scope is closed).
    """
    await fence.advance(await _hold_or_claim(fence, scope))


async def exclusive(fence: ScopeFence, scope: Scope, call: Callable[[], Awaitable[T]]) -> T:
    """Run ``call`` with the scope closed to all other writers; those that had started must start again.

    Raises: ScopeChanged, ScopeClosed (an erasure closed the scope first; ``call`` did not run).
    """
    async with close_scope(fence, scope, erasing=False, token=await _hold_or_claim(fence, scope)):
        return await call()


async def _hold_or_claim(fence: ScopeFence, scope: Scope) -> FencingToken:
    held = held_token()
    return held if held is not None and held.scope == scope else await fence.claim(scope)


async def before_deadline(look: Callable[[], Awaitable[object]], write: Callable[[], Awaitable[T]]) -> T:
    """Write vectors within ``LATEST_S`` of a valid token, so that an erasure can wait for the last of them (``SETTLED_S``).

    ``look`` is any fenced write to the graph; it fails if the token is no longer valid.  It runs only if the last check is
    older than ``TRUSTED_S``.  Without a token there is neither a check nor a deadline.

    Raises: EngineUnavailable (the index took too long), ScopeChanged.
    """
    token = _held.get()
    if token is None:
        return await write()
    loop = asyncio.get_running_loop()
    if loop.time() > token.good_at + TRUSTED_S:
        await look()
    try:
        async with asyncio.timeout_at(token.good_at + LATEST_S):
            return await write()
    except TimeoutError:
        raise EngineUnavailable("timeout while writing to the vector index: check its load") from None
