"""Change notifications within one process, without a message bus."""

from collections.abc import Sequence
from typing import Protocol

from ..memory.scope import Scope
from ..schema import MemoryChanged


class _Cache(Protocol):
    def changed(self, change: MemoryChanged | None) -> None: ...


class LocalNotifier:
    """``ChangeNotifier`` that calls the retriever of this process directly.  ``retriever`` may be set later."""

    def __init__(self) -> None:
        self.retriever: _Cache | None = None

    async def changed(self, scope: Scope, store: str, ids: Sequence[str] = (), forgotten: Sequence[str] = ()) -> None:
        if self.retriever is not None:
            change = MemoryChanged(
                workspace=scope.workspace,
                user=scope.user,
                collection=scope.collection,
                store=store,
                ids=list(ids),
                forgotten=list(forgotten),
            )
            self.retriever.changed(change)
