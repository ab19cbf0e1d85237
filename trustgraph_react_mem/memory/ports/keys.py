"""Port for the place where the keys of scopes are kept."""

from collections.abc import Awaitable, Callable
from typing import Protocol

from ..scope import Scope


class KeyStore(Protocol):
    """Small secrets by scope and name, as the key ring wrapped them.  All processes of a deployment share one store.

    Nothing is cached: what one process destroyed is gone for all others at once.

    ``remains``: how long copies of a destroyed key may exist, as a sentence for receipts; "" if there are none.
    """

    @property
    def remains(self) -> str: ...

    async def read(self, scope: Scope, name: str) -> bytes | None: ...

    async def create(self, scope: Scope, name: str, value: bytes, admit: Callable[[], Awaitable[None]]) -> bytes:
        """Store the value unless the name exists.  Returns what is stored afterwards.

        ``admit``: is called when no ``destroy`` can come between it and the write.  What it raises prevents the write.
        """
        ...

    async def replace(self, scope: Scope, name: str, old: bytes, new: bytes) -> bool:
        """Compare and set.  False: the stored value is not ``old``.  No copy of ``old`` remains."""
        ...

    async def destroy(self, scope: Scope, name: str = "") -> bool:
        """Destroy one secret, or all of the scope if no name is given.  False: there was none."""
        ...

    async def scopes(self, workspace: str) -> list[Scope]:
        """Scopes of the workspace that have a secret, sorted."""
        ...
