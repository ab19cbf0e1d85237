"""Epochs of scopes in a Cypher graph, and the engine that holds every write to the claim of the task that makes it.

Invariant: a transaction under a claim first takes the write lock of the scope's epoch (by setting a property) and then compares
its number.  So a forgetting, which raises the number, waits for the writes under way, and those that come later are undone.

The node is found by a digest of the scope's name; the name itself stays only until the scope was looked after for the last
time.  What remains of an erased scope is a number.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ..errors import Conflict, ScopeChanged, ScopeClosed
from ..memory.epochs import CLOSED_FOR, held_claim
from ..memory.ports import Claim, Clock, Epoch
from ..memory.scope import Scope
from .fact_rows import required_time, time_text
from .graph import GraphEngine, Row, Statement, cypher

ATTEMPTS = 4


def mark_of(scope: Scope) -> str:
    return hashlib.sha256(b"epoch|" + scope.key.encode()).hexdigest()


class CypherEpochs:
    """``Epochs`` over either engine."""

    def __init__(self, engine: GraphEngine, clock: Clock) -> None:
        self._engine = engine
        self._clock = clock
        self._cypher = cypher("epochs")
        self.shared = engine.shared

    async def claim(self, scope: Scope) -> Claim:
        good_at = asyncio.get_running_loop().time()
        parameters = {"uid": mark_of(scope)}
        rows = await self._engine.read(self._cypher["read"], parameters)
        if not rows:
            rows = await self._written("begin", parameters)
        row = rows[0]
        if row["closed_until"] > time_text(self._clock.now()):
            raise ScopeClosed("this memory is being forgotten, or a part of it: try again in a moment")
        return Claim(scope, int(row["number"]), int(row["erasures"]), good_at)

    async def close(self, scope: Scope, *, erasing: bool) -> Epoch:
        now = self._clock.now()
        parameters = {
            "uid": mark_of(scope),
            "scope": scope.key if erasing else "",
            "erased": int(erasing),
            "at": time_text(now) if erasing else "",
            "until": time_text(now + CLOSED_FOR),
        }
        (row,) = await self._written("close", parameters)
        return Epoch(number=int(row["number"]), erasures=int(row["erasures"]))

    async def reopen(self, scope: Scope) -> None:
        await self._engine.write([Statement(self._cypher["reopen"], {"uid": mark_of(scope)})])

    async def erased_since(self, at: datetime) -> list[tuple[Scope, datetime]]:
        rows = await self._engine.read(self._cypher["erased_since"], {"at": time_text(at)})
        return [(Scope.from_key(row["scope"]), required_time(row["erased_at"])) for row in rows]

    async def forget_names(self, before: datetime) -> None:
        await self._engine.write([Statement(self._cypher["forget_names"], {"before": time_text(before)})])

    async def _written(self, name: str, parameters: Mapping[str, Any]) -> list[Row]:
        for last in (False,) * (ATTEMPTS - 1) + (True,):
            try:
                (rows,) = await self._engine.write([Statement(self._cypher[name], parameters)])
                return rows
            except Conflict:  # two first ones of a scope at once
                if last:
                    raise
        raise AssertionError("unreachable")


class ClaimedEngine:
    """``GraphEngine`` whose writes are undone when the claim that the running task holds is good no longer."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self.shared = engine.shared
        self._hold = cypher("epochs")["hold"]

    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        return await self._engine.read(cypher, parameters)

    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """Raises ScopeChanged besides what the engine raises."""
        claim = held_claim()
        if claim is None or not statements:
            return await self._engine.write(statements)
        good_at = asyncio.get_running_loop().time()
        parameters = {"uid": mark_of(claim.scope), "number": claim.number}
        hold = Statement(self._hold, parameters, expect=1, otherwise=ScopeChanged)
        _, *outcomes = await self._engine.write([hold, *statements])
        claim.good_at = good_at
        return outcomes

    async def close(self) -> None:
        await self._engine.close()
