"""Claims: how a write is kept from coming after the forgetting of what it rests on, whatever process makes it.

A scope has an epoch, a number in the graph that rises with each forgetting in it.  A job, or an operation that writes, takes
a claim when it begins: the number as it is then.  Every write to the graph made while the claim is held carries the claim,
and its transaction is undone when the number has risen (``ScopeChanged``).  While something is being forgotten the scope is
closed: no claim is given (``ScopeClosed``).  So what was read before a forgetting is never written after it.

The claim is held by the running task (a context variable) and reaches the engine by itself: no rule can forget to pass it.
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
#: A claim that was good is trusted for so long without being looked at again before vectors are written.
TRUSTED_S = 2.0
#: Vectors that are written later than this after the claim was good are not written at all.
LATEST_S = 5.0
#: After so long in a closed scope, no vector of a writer from before comes any more: the time a request is on its way included.
SETTLED_S = LATEST_S + 2.0
TRIES = 5
ASK_EVERY_S = 0.2


_held: ContextVar[FencingToken | None] = ContextVar("claim", default=None)


def held_token() -> FencingToken | None:
    """What the running task holds."""
    return _held.get()


@contextlib.contextmanager
def with_token(claim: FencingToken) -> Iterator[None]:
    """Writes inside, also of tasks started inside, carry the claim along."""
    token = _held.set(claim)
    try:
        yield
    finally:
        _held.reset(token)


async def run_fenced(fence: ScopeFence, scope: Scope, call: Callable[[], Awaitable[T]], *, wait_s: float = 0.0) -> T:
    """``call`` under a claim; again from its beginning when a part of the scope was forgotten meanwhile.

    ``wait_s``: how long to wait for a closed scope to open.

    Raises:
        ScopeClosed: something of the scope is being forgotten now.
        ScopeChanged: the whole scope was erased meanwhile, or parts of it over and over.
    """
    first = claim = await obtain_token(fence, scope, wait_s)
    for left in reversed(range(TRIES)):
        with with_token(claim):
            try:
                return await call()
            except ScopeChanged:
                if not left:
                    raise
        claim = await obtain_token(fence, scope, wait_s)
        if claim.erasures != first.erasures:
            raise ScopeChanged("the whole memory was erased while this was under way: send it again if it is to be kept")
    raise AssertionError("unreachable")


async def obtain_token(fence: ScopeFence, scope: Scope, wait_s: float) -> FencingToken:
    """A claim, after waiting up to ``wait_s`` seconds for a closed scope to open.  Raises ScopeClosed."""
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
    fence: ScopeFence, scope: Scope, *, erasing: bool, claim: FencingToken | None = None
) -> AsyncIterator[None]:
    """The scope is closed to everybody else; what was claimed before is refused from now on.

    ``erasing``: all of it.  The claim of the task itself goes on, when it is one of this scope.
    ``claim``: only while it is good.  Raises: ScopeChanged.
    """
    epoch = await fence.close(scope, erasing=erasing, claim=claim)
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
    """``call`` with the scope closed to everybody else; what others began before, they begin anew.

    Raises: ScopeChanged, ScopeClosed (a forgetting has closed it first, and nothing was done: see ``run_fenced``).
    """
    held = held_token()
    claim = held if held is not None and held.scope == scope else await fence.claim(scope)
    async with close_scope(fence, scope, erasing=False, claim=claim):
        return await call()


async def before_deadline(look: Callable[[], Awaitable[object]], write: Callable[[], Awaitable[T]]) -> T:
    """Write vectors so that a forgetting which waits ``SETTLED_S`` for late ones has seen the last of them.

    ``look`` writes something to the graph, anything: it fails when the claim is good no longer.  Without a claim nothing is
    looked at.

    Raises: EngineUnavailable (the index took too long), ScopeChanged.
    """
    claim = _held.get()
    if claim is None:
        return await write()
    loop = asyncio.get_running_loop()
    if loop.time() > claim.good_at + TRUSTED_S:
        await look()
    try:
        async with asyncio.timeout_at(claim.good_at + LATEST_S):
            return await write()
    except TimeoutError:
        raise EngineUnavailable("the vector index did not take points in time: is it overloaded?") from None
