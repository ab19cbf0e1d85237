"""Fencing tokens: how a write is kept from coming after the forgetting of what it rests on, whatever process makes it.

A scope has a number in the graph that rises with each forgetting in it.  A job, or an operation that writes, takes a token
when it begins: the number as it is then.  Every write to the graph made while the token is held carries it, and its
transaction is undone when the number has risen since (``ScopeChanged``); whoever wrote begins again and reads what is left.
So what was read before a forgetting is never written after it.

- A whole scope is closed while it is erased: no token is given (``ScopeClosed``).  So it is, for its short work, by an undo.
- A part of it is forgotten while the scope stays open: ``refuse_earlier`` raises the number once the part is removed.

The token is held by the running task (a context variable) and reaches the engine by itself: no rule can forget to pass it.
Vectors are no part of the graph's transactions; see ``before_deadline``.
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

#: A scope opens by itself after so long, should whoever closed it be gone; the forgetting closes it again when it goes on.
CLOSED_FOR = timedelta(minutes=10)
#: A token that was good is trusted for so long without being looked at again before vectors are written.
TRUSTED_S = 2.0
#: Vectors that are written later than this after the token was good are not written at all.
LATEST_S = 5.0
#: So long after the number has risen, no vector of an earlier writer comes any more: the time of a request on its way included.
SETTLED_S = LATEST_S + 2.0
TRIES = 5
ASK_EVERY_S = 0.2


_held: ContextVar[FencingToken | None] = ContextVar("token", default=None)


def held_token() -> FencingToken | None:
    """What the running task holds."""
    return _held.get()


@contextlib.contextmanager
def with_token(token: FencingToken) -> Iterator[None]:
    """Writes inside, also of tasks started inside, carry the token."""
    former = _held.set(token)
    try:
        yield
    finally:
        _held.reset(former)


async def run_fenced(fence: ScopeFence, scope: Scope, call: Callable[[], Awaitable[T]], *, wait_s: float = 0.0) -> T:
    """``call`` under a token; again from its beginning when a part of the scope was forgotten meanwhile.

    ``wait_s``: how long to wait for a closed scope to open.

    Raises:
        ScopeClosed: something of the scope is being forgotten now.
        ScopeChanged: the whole scope was erased meanwhile, or parts of it over and over.
    """
    first = token = await obtain_token(fence, scope, wait_s)
    for left in reversed(range(TRIES)):
        with with_token(token):
            try:
                return await call()
            except ScopeChanged:
                if not left:
                    raise
        token = await obtain_token(fence, scope, wait_s)
        if token.erasures != first.erasures:
            raise ScopeChanged("the whole memory was erased while this was under way: send it again if it is to be kept")
    raise AssertionError("unreachable")


async def obtain_token(fence: ScopeFence, scope: Scope, wait_s: float) -> FencingToken:
    """A token, after waiting up to ``wait_s`` seconds for a closed scope to open.  Raises ScopeClosed."""
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
    """The scope is closed to everybody else; tokens from before are refused from now on.

    ``erasing``: all of it.  The token of the task itself stays good, when it is one of this scope.
    ``token``: only while it is good.  Raises: ScopeChanged.
    """
    epoch = await fence.close(scope, erasing=erasing, token=token)
    own = held_token()
    if own is not None and own.scope == scope:
        own.number, own.erasures = epoch.number, epoch.erasures
    try:
        yield
    finally:
        await fence.reopen(scope, epoch)


async def refuse_earlier(fence: ScopeFence, scope: Scope) -> None:
    """Tokens that others have taken so far are refused from now on; the running task goes on with its own.

    Raises: ScopeChanged (its own has been refused), ScopeClosed (it had none, and the scope is being erased).
    """
    held = held_token()
    await fence.advance(held if held is not None and held.scope == scope else await fence.claim(scope))


async def exclusive(fence: ScopeFence, scope: Scope, call: Callable[[], Awaitable[T]]) -> T:
    """``call`` with the scope closed to everybody else; what others began before, they begin again.

    Raises: ScopeChanged, ScopeClosed (a forgetting has closed it first, and nothing was done: see ``run_fenced``).
    """
    held = held_token()
    token = held if held is not None and held.scope == scope else await fence.claim(scope)
    async with close_scope(fence, scope, erasing=False, token=token):
        return await call()


async def before_deadline(look: Callable[[], Awaitable[object]], write: Callable[[], Awaitable[T]]) -> T:
    """Write vectors so that a forgetting which waits ``SETTLED_S`` for late ones has seen the last of them.

    ``look`` writes something to the graph, anything: it fails when the token is good no longer.  Without a token nothing is
    looked at.

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
        raise EngineUnavailable("the vector index did not take points in time: is it overloaded?") from None
