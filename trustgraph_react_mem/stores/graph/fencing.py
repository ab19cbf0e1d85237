"""Fences of scopes in a Cypher graph, and an engine wrapper that checks the token of the running task on every write.

Invariant: a transaction under a token first takes the write lock of the scope's node (by setting a property), then compares
the number.  An erasure, which increments the number, therefore waits for running writes, and later ones are rolled back.
An embedded engine serialises writes, so there the number is compared in this process.

The node is keyed by a digest of the scope's name.  The name itself is kept only until the last sweep after an erasure, so
that only a number remains of an erased scope.
"""

import asyncio
import hashlib
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from ...errors import ScopeChanged, ScopeClosed
from ...memory.clock import is_ahead
from ...memory.fencing import CLOSED_FOR, held_token
from ...memory.ports import Clock, FencingToken, ScopeEpoch
from ...memory.scope import Scope
from ...memory.timefmt import parse_time, require_time, sortable_time
from .engine import CypherStore, GraphEngine, Row, Statement, cypher, retry_conflicts

ATTEMPTS = 4
NEVER = ScopeEpoch(number=0, erasures=0)
CLOSED = "this memory is being erased or undone, in whole or in part: retry in a moment"
CHANGED = "a part of this memory was erased or undone during the operation: retry it"


def fence_uid(scope: Scope) -> str:
    return hashlib.sha256(b"epoch|" + scope.key.encode()).hexdigest()


class CypherScopeFence(CypherStore):
    """``ScopeFence`` in the graph itself, for an engine that several processes share."""

    area = "epochs"
    shared = True

    def __init__(self, engine: GraphEngine, clock: Clock) -> None:
        super().__init__(engine)
        self._clock = clock

    async def claim(self, scope: Scope) -> FencingToken:
        good_at = asyncio.get_running_loop().time()
        key = fence_uid(scope)
        (row,) = await self._read("read", uid=key) or await self._write_again("begin", uid=key)
        until = parse_time(row["closed_until"])
        if until is not None and is_ahead(until, self._clock.now(), CLOSED_FOR):
            raise ScopeClosed(CLOSED)
        return FencingToken(scope, int(row["number"]), int(row["erasures"]), good_at)

    async def check(self, claim: FencingToken) -> None:
        rows = await self._read("read", uid=fence_uid(claim.scope))
        if not rows or int(rows[0]["number"]) != claim.number:
            raise ScopeChanged(CHANGED)

    def hold(self, claim: FencingToken) -> Statement:
        """The first statement of a transaction under the token.  It fails with ScopeChanged if the token is invalid."""
        return self._under(claim, "hold")

    async def close(self, scope: Scope, *, erasing: bool, token: FencingToken | None = None) -> ScopeEpoch:
        now = self._clock.now()
        until = sortable_time(now + CLOSED_FOR)
        if token is not None:
            ((row,),) = await self._engine.write([self._under(token, "close_held", until=until)])
        else:
            named = {"scope": scope.key, "at": sortable_time(now)} if erasing else {"scope": "", "at": ""}
            (row,) = await self._write_again("close", uid=fence_uid(scope), **named, erased=int(erasing), until=until)
        return ScopeEpoch(number=int(row["number"]), erasures=int(row["erasures"]))

    async def advance(self, token: FencingToken) -> None:
        # If the driver repeats this after an unconfirmed commit, the number no longer matches: ScopeChanged, and the caller
        # starts again.  That is safe, while advancing twice would invalidate tokens needlessly.
        await self._engine.write([self._under(token, "advance")])
        token.number += 1

    async def reopen(self, scope: Scope, epoch: ScopeEpoch) -> None:
        await self._write("reopen", uid=fence_uid(scope), number=epoch.number)

    async def list_erased_since(self, at: datetime) -> list[tuple[Scope, datetime]]:
        rows = await self._read("erased_since", at=sortable_time(at))
        return [(Scope.from_key(row["scope"]), require_time(row["erased_at"])) for row in rows]

    async def prune_erasures(self, before: datetime) -> None:
        await self._write("forget_names", before=sortable_time(before))

    def _under(self, token: FencingToken, name: str, **parameters: object) -> Statement:
        """A statement that fails with ScopeChanged if the token is invalid."""
        text, key = cypher(self.area)[name], {"uid": fence_uid(token.scope), "number": token.number}
        return Statement(text, key | parameters, expect=1, otherwise=ScopeChanged)

    async def _write_again(self, name: str, **parameters: Any) -> list[Row]:
        # Conflict: another writer created the node of the scope concurrently.
        return await retry_conflicts(lambda: self._write(name, **parameters), ATTEMPTS)


class LocalScopeFence(CypherScopeFence):
    """For an engine that only this process has open.  Numbers are in memory, so tokens need no read of the graph.

    The engine serialises writes, and checks the number inside each transaction.  When ``close`` returns, all writes that
    passed the check are finished, because its own write came after them.
    """

    shared = False

    def __init__(self, engine: GraphEngine, clock: Clock) -> None:
        super().__init__(engine, clock)
        self._epochs: dict[Scope, ScopeEpoch] = {}
        self._closed_until: dict[Scope, datetime] = {}

    async def claim(self, scope: Scope) -> FencingToken:
        until = self._closed_until.get(scope)
        if until is not None and is_ahead(until, self._clock.now(), CLOSED_FOR):
            raise ScopeClosed(CLOSED)
        epoch = self._epoch(scope)
        return FencingToken(scope, epoch.number, epoch.erasures, asyncio.get_running_loop().time())

    async def check(self, claim: FencingToken) -> None:
        if not self._is_good(claim):
            raise ScopeChanged(CHANGED)

    def hold(self, claim: FencingToken) -> Statement:
        return Statement("", otherwise=ScopeChanged, holds=lambda: self._is_good(claim))

    async def close(self, scope: Scope, *, erasing: bool, token: FencingToken | None = None) -> ScopeEpoch:
        if token is not None:
            await self.check(token)
        before = self._epoch(scope)
        epoch = self._epochs[scope] = ScopeEpoch(number=before.number + 1, erasures=before.erasures + int(erasing))
        self._closed_until[scope] = self._clock.now() + CLOSED_FOR
        await super().close(scope, erasing=erasing)
        return epoch

    async def advance(self, token: FencingToken) -> None:
        await self.check(token)
        before = self._epoch(token.scope)
        self._epochs[token.scope] = ScopeEpoch(number=before.number + 1, erasures=before.erasures)
        token.number += 1
        # The engine serialises writes: when this one is finished, so are all that passed the check before.
        await self._write_again("advance_any", uid=fence_uid(token.scope))

    async def reopen(self, scope: Scope, epoch: ScopeEpoch) -> None:
        if self._epoch(scope).number == epoch.number:
            self._closed_until.pop(scope, None)

    def _is_good(self, claim: FencingToken) -> bool:
        return self._epoch(claim.scope).number == claim.number

    def _epoch(self, scope: Scope) -> ScopeEpoch:
        return self._epochs.get(scope, NEVER)


def fence_over(engine: GraphEngine, clock: Clock) -> CypherScopeFence:
    return CypherScopeFence(engine, clock) if engine.shared else LocalScopeFence(engine, clock)


class FencedEngine:
    """A ``GraphEngine`` that rolls writes back if the token of the running task is no longer valid."""

    def __init__(self, engine: GraphEngine, fence: CypherScopeFence) -> None:
        self._engine, self._fence = engine, fence
        self.shared, self.remains = engine.shared, engine.remains

    async def read(self, cypher: str, parameters: Mapping[str, Any]) -> list[Row]:
        return await self._engine.read(cypher, parameters)

    async def write(self, statements: Sequence[Statement]) -> list[list[Row]]:
        """As ``GraphEngine.write``.  Also raises ScopeChanged."""
        claim = held_token()
        if claim is None or not statements:
            return await self._engine.write(statements)
        good_at = asyncio.get_running_loop().time()
        _, *outcomes = await self._engine.write([self._fence.hold(claim), *statements])
        claim.good_at = good_at
        return outcomes

    async def rewrite(self) -> None:
        await self._engine.rewrite()

    async def close(self) -> None:
        await self._engine.close()
