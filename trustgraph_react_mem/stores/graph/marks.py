"""Marks of a data set, in the graph: which data set this is, how often it was opened, and which master key it belongs to.

All are numbers in ``Meta`` nodes, beside the version of the schema, so that no schema has to change for them.
"""

import hmac
import secrets

from ...memory.scope import Scope
from .engine import CypherStore

GENERATION, OPENED, KEY = "generation", "opened", "master-key"
BITS = 63  # both engines store signed integers of 64 bits


class GraphMarks(CypherStore):
    """The marks of one graph.  ``generation``: 16 hexadecimal digits that vectors, keys and broker data are compared with."""

    area = "marks"

    async def generation(self) -> str:
        """The generation id; "" if the graph has none."""
        number = await self._find(GENERATION)
        return "" if number is None else f"{number:016x}"

    async def set_generation(self, generation: str = "") -> str:
        """Store an id if there is none, a new one by default.  Returns the stored one: another process may have been first."""
        number = int(generation, 16) if generation else secrets.randbits(BITS)
        await self._write("create", uid=GENERATION, number=number)
        return await self.generation()

    async def count_openings(self) -> int:
        """How often an embedded stack has opened this graph."""
        return await self._find(OPENED) or 0

    async def set_opened(self, number: int) -> None:
        await self._write("set", uid=OPENED, number=number)

    async def master_key(self) -> int | None:
        """``fingerprint`` of the master key of this data.  None: not stored yet."""
        return await self._find(KEY)

    async def set_master_key(self, fingerprint: int) -> None:
        await self._write("create", uid=KEY, number=fingerprint)

    async def holds_data(self) -> bool:
        """Whether anything is stored that a person said, or that needs a key to be read."""
        names = ("any_fact", "any_episode", "any_conversation", "any_job", "any_key")
        return any([await self._read(name) for name in names])

    async def any_key_scope(self) -> Scope | None:
        """A scope that has an encryption key in the graph; None if none has."""
        rows = await self._read("any_key")
        return Scope.from_key(str(rows[0]["scope"])) if rows else None

    async def _find(self, uid: str) -> int | None:
        rows = await self._read("read", uid=uid)
        return int(rows[0]["number"]) if rows else None


def fingerprint(master_key: bytes) -> int:
    """A number that says whether two master keys are the same, and nothing else about them."""
    return int.from_bytes(hmac.digest(master_key, b"fingerprint|master-key", "sha256")[:8]) >> (64 - BITS)
