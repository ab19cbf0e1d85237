"""Hooks by which a handler pauses the other jobs of a scope, for example during an erasure.

The worker provides the hooks.  This module exists so that handlers do not import the worker.
"""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from ..memory.scope import Scope

Pause = Callable[[Scope], AbstractAsyncContextManager[object]]


def _no_pause(scope: Scope) -> AbstractAsyncContextManager[object]:
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseHooks:
    """Context managers for a scope.  The defaults do nothing, for handlers that run without a worker."""

    drain: Pause = _no_pause  # inside, no job of the scope runs
    suspend: Pause = _no_pause  # inside, no long-running job of the scope runs
