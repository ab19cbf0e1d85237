"""The thread on which managers run their stores, so that every thread and event loop of the program can use them."""

import asyncio
import os
import threading
from collections.abc import Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

_starting = threading.Lock()
_loop: asyncio.AbstractEventLoop | None = None
_process = 0  # of the thread: a process that was forked has the loop and not the thread


def _running_loop() -> asyncio.AbstractEventLoop:
    """The event loop of the thread, which is started once in a process and ends with it."""
    global _loop, _process
    with _starting:
        if _loop is None or _process != os.getpid():
            _process = os.getpid()
            _loop = asyncio.new_event_loop()
            threading.Thread(target=_loop.run_forever, name="react-mem stores", daemon=True).start()
        return _loop


async def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` on the thread of the stores and wait for its result.  Cancelling the wait cancels the work."""
    loop = _running_loop()
    if asyncio.get_running_loop() is loop:
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, loop))


def run_blocking(work: Coroutine[Any, Any, T]) -> T:
    """The same for a caller that is not asynchronous.  It may have a running event loop, which waits meanwhile."""
    future = asyncio.run_coroutine_threadsafe(work, _running_loop())
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise
