"""The memory manager for programs that are not asynchronous."""

import functools
from collections.abc import Callable, Coroutine
from types import TracebackType
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar

from .checks import not_opened
from .entries import MemoryEntry
from .manager import MemoryManager
from .portal import run_blocking

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S", bound="SyncMemoryManager")


def _blocking(
    method: Callable[Concatenate[MemoryManager, P], Coroutine[Any, Any, R]],
) -> Callable[Concatenate["SyncMemoryManager", P], R]:
    """The method, which waits for its result.  Its parameters, types and docstring stay."""

    @functools.wraps(method)
    def call(self: "SyncMemoryManager", /, *args: P.args, **kwargs: P.kwargs) -> R:
        return run_blocking(method(self._manager, *args, **kwargs))

    return call


class _Constructor(Generic[P]):
    """A class method that wraps a new ``MemoryManager``."""

    def __init__(self, create: Callable[P, MemoryManager]) -> None:
        self._create = create

    def __get__(self, instance: object, owner: type[S]) -> Callable[P, S]:
        @functools.wraps(self._create)
        def call(*args: P.args, **kwargs: P.kwargs) -> S:
            return owner(self._create(*args, **kwargs))

        return call


class SyncMemoryManager:
    """The blocking twin of ``MemoryManager``.  Create it with ``open`` or ``connect`` and use it as a context manager.

    Each call runs the method of ``MemoryManager`` on the thread of the stores and waits for it.  So it also works where an
    event loop is running, which waits meanwhile.
    """

    def __init__(self, manager: MemoryManager | None = None, **named: object) -> None:
        if not isinstance(manager, MemoryManager) or named:
            raise not_opened("SyncMemoryManager")
        self._manager = manager

    def __enter__(self) -> Self:
        run_blocking(self._manager.__aenter__())
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def shared(self, *, user: str | None = None, collection: str | None = None) -> Self:
        """As ``MemoryManager.shared``."""
        return type(self)(self._manager.shared(user=user, collection=collection))

    def working_memory(self) -> list[MemoryEntry]:
        """A copy, oldest first."""
        return self._manager.working_memory()

    open = _Constructor(MemoryManager.open)
    connect = _Constructor(MemoryManager.connect)
    close = _blocking(MemoryManager.close)
    refine = _blocking(MemoryManager.refine)
    refinement = _blocking(MemoryManager.refinement)
    refinements = _blocking(MemoryManager.refinements)
    forget_refinement = _blocking(MemoryManager.forget_refinement)
    add = _blocking(MemoryManager.add)
    wait = _blocking(MemoryManager.wait)
    append = _blocking(MemoryManager.append)
    learn = _blocking(MemoryManager.learn)
    learn_rule = _blocking(MemoryManager.learn_rule)
    update = _blocking(MemoryManager.update)
    delete = _blocking(MemoryManager.delete)
    get = _blocking(MemoryManager.get)
    recall = _blocking(MemoryManager.recall)
    history = _blocking(MemoryManager.history)
    retrieve = _blocking(MemoryManager.retrieve)
    entries = _blocking(MemoryManager.entries)
    topics = _blocking(MemoryManager.topics)
    search = _blocking(MemoryManager.search)
    episodic_memory = _blocking(MemoryManager.episodic_memory)
    stats = _blocking(MemoryManager.stats)
    compact = _blocking(MemoryManager.compact)
    clear = _blocking(MemoryManager.clear)
