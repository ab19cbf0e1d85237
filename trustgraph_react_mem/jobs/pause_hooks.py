"""How a handler keeps the jobs of a scope still while it erases: what the worker offers to handlers, without the worker."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass

from ..memory.scope import Scope

Pause = Callable[[Scope], AbstractAsyncContextManager[object]]


def _nothing_runs(scope: Scope) -> AbstractAsyncContextManager[object]:
    return nullcontext()


@dataclass(frozen=True, slots=True, kw_only=True)
class PauseHooks:
    """The defaults are for handlers that run without a worker."""

    quiet: Pause = _nothing_runs  # no job of the scope runs inside
    paused: Pause = _nothing_runs  # no job of the scope that takes long runs inside
