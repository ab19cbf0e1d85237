"""Undo: of a record, of an operation, or of everything since a time.  Nothing here erases; only forgetting does.

- A record whose creation is undone is marked ``undone``, and so is whatever rests on it: facts drawn from a turn, the answer
  to a question, the episode and the exchange of its request.  A fact that rested on it only later becomes what it was before.
- Each undo and each rollback is an operation with a name; every change it makes carries it.  Undoing the operation restores
  all of it but what has been changed again since.
- What an undo decides (``undo_plan``) rests on versions it has read; when another writer was faster, it decides again.
- What rests on an episode goes and returns with it.  Summaries of a conversation lose what is undone; they can be made again.
- Episodes and exchanges are marked first, facts last: run again after a crash, the same operation is finished.  Of an episode
  that is named the facts go first, for its own mark tells whether it goes or returns.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..errors import Conflict, NotFound
from ..memory.ports import Reversal
from ..memory.records import Fact, derived_id
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from .summaries import empty_summaries
from .undo_plan import Plan, UndoPlanner

ATTEMPTS = 8
AT_ONCE = 500  # records of one transaction; an undo is one, a rollback may be many
_OPERATION = re.compile(r"(undo|rollback):[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertResult:
    """What an undo or a rollback did: ids of the facts it changed, numbers of the episodes and exchanges.

    ``operation`` is its name, which ``undo`` takes; ``now``: the named fact as it is now.
    """

    operation: str
    facts: tuple[str, ...]
    episodes: int = 0
    exchanges: int = 0
    now: Fact | None = None


Planning = Callable[[], Awaitable[Plan]]


class Undo:
    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._episodes, self._conversations = core.facts, core.episodes, core.graph.conversations
        self._clock, self._notifier = core.clock, core.notifier
        self._planner = UndoPlanner(core)

    async def undo(self, scope: Scope, name: str, *, by: str = "") -> RevertResult:
        """Take back the newest change of the record of that id, or all that the operation of that name did.

        Where the newest change of a record was an undo, all of that undo is undone.  Undoing a supersession ends the
        replacement instead.

        Raises:
            NotFound: no record of that id is in the scope, or nothing that the operation did holds any more.
            BadRequest: what the record says has been learned again under another id, or it rests on what is undone.
        """
        if _OPERATION.fullmatch(name):
            operation = _operation_name("undo", scope, name)
            return await self._carry_out(scope, "", lambda: self._planner.of_operation(scope, name), operation, by)
        history = await self._facts.graph.history(scope, name)
        if not history:
            return await self._undo_episode(scope, name, by)
        newest = history[0]
        if newest.trigger.startswith("undo:") and not (await self._facts.graph.get(scope, [name]))[0].indexed:
            return await self._finish_indexing(scope, newest.trigger, name)
        operation = _operation_name("undo", scope, name, newest.version)
        return await self._carry_out(scope, name, lambda: self._planner.of_record(scope, name, operation), operation, by)

    async def rollback(self, scope: Scope, to: datetime, *, by: str = "") -> RevertResult:
        """Undo every change since then: facts become what they were, and what was made since is undone."""
        operation = _operation_name("rollback", scope, to.isoformat())
        return await self._carry_out(scope, "", lambda: self._planner.since(scope, to), operation, by)

    async def restore(self, scope: Scope, ids: Sequence[str], *, by: str = "", trigger: str = "") -> int:
        """Those of the records that are undone hold again, as they were before that; their number."""
        undone = [fact for fact in await self._facts.graph.get(scope, ids) if fact.status == "undone"]
        reversals = []
        for fact in undone:
            former = next(entry.before for entry in await self._facts.graph.history(scope, fact.id) if entry.change == "undone")
            reversals.append(Reversal(record_id=fact.id, version=fact.version, to=former))
        for start in range(0, len(reversals), AT_ONCE):
            await self._facts.revert(scope, reversals[start : start + AT_ONCE], by=by, trigger=trigger)
        return len(reversals)

    # ------------------------------------------------------------------------------------------------ carrying out

    async def _carry_out(
        self, scope: Scope, name: str, plan: Planning, operation: str, by: str, *, facts_first: bool = False
    ) -> RevertResult:
        for last in (False,) * (ATTEMPTS - 1) + (True,):
            planned = await plan()
            if not facts_first:
                await self._complete(scope, planned, operation)
            try:
                await self._revert(scope, planned, by, operation)
                break
            except Conflict:
                if await self._already_applied(scope, planned, operation):
                    break
                if last:
                    raise
        if facts_first:
            await self._complete(scope, planned, operation)
        now = await self._facts.graph.get(scope, [name]) if name else []
        return RevertResult(
            operation=operation if planned else "",
            facts=tuple(planned.reversals),
            episodes=len(planned.episodes_out) + len(planned.episodes_in),
            exchanges=len(planned.exchanges_out) + len(planned.exchanges_in),
            now=now[0] if now else None,
        )

    async def _complete(self, scope: Scope, plan: Plan, operation: str) -> None:
        """Add the episodes and exchanges of the turns that go; mark them all."""
        now = self._clock.now()
        said_in = {turn.invocation_id for turn in plan.turns} - {""}
        plan.exchanges_out = sorted({*plan.exchanges_out, *said_in})
        if plan.exchanges_out:
            told = await self._conversations.invocations(scope, plan.exchanges_out)
            await empty_summaries(self._conversations, scope, told)
        await self._conversations.mark_undone(scope, plan.exchanges_out, now, operation)
        await self._conversations.mark_undone(scope, plan.exchanges_in, None, operation)
        if plan.exchanges_out or plan.exchanges_in:
            await self._notifier.changed(scope, "conversations")
        told_in = await self._planner.episodes_of(scope, plan.turns, operation)
        plan.episodes_out = sorted({*plan.episodes_out, *(episode.id for episode in told_in)})
        await self._episodes.mark_undone(scope, plan.episodes_out, now, operation)
        await self._episodes.mark_undone(scope, plan.episodes_in, None, operation)

    async def _revert(self, scope: Scope, plan: Plan, by: str, operation: str) -> None:
        # what goes before what comes: what is said twice must not hold twice in between
        ordered = sorted(plan.reversals.values(), key=lambda each: each.to is not None and each.to.status == "active")
        for start in range(0, len(ordered), AT_ONCE):
            await self._facts.revert(scope, ordered[start : start + AT_ONCE], by=by, trigger=operation)

    async def _already_applied(self, scope: Scope, plan: Plan, operation: str) -> bool:
        """Whether all of it is done: its commit was not confirmed, or another call of this name was faster."""
        made: dict[str, int] = {}
        for entry in await self._facts.graph.changes_by(scope, operation):  # newest first
            made.setdefault(entry.record_id, entry.version)
        facts = await self._facts.graph.get(scope, list(plan.reversals))
        if not facts or any(made.get(fact.id) != fact.version for fact in facts):
            return False
        await self._facts.finish_indexing(scope, [fact for fact in facts if not fact.indexed])
        return True

    async def _finish_indexing(self, scope: Scope, operation: str, name: str) -> RevertResult:
        """An undo whose index an error kept from following is finished rather than undone."""
        ids = list(dict.fromkeys(entry.record_id for entry in await self._facts.graph.changes_by(scope, operation)))
        waiting = [fact for fact in await self._facts.graph.get(scope, ids) if not fact.indexed]
        await self._facts.finish_indexing(scope, waiting)
        (now,) = await self._facts.graph.get(scope, [name])
        return RevertResult(operation=operation, facts=tuple(ids), now=now)

    async def _undo_episode(self, scope: Scope, name: str, by: str) -> RevertResult:
        """With the facts that rest on it.  They go first: run again after a crash, the same is finished."""
        found = await self._episodes.graph.get(scope, [name])
        if self._episodes is None or not found:
            raise NotFound(f"no memory {name!r} in this scope: list its ids with the list operation")
        operation = _operation_name("undo", scope, name, found[0].operation)
        return await self._carry_out(
            scope, "", lambda: self._planner.of_episode(scope, found[0], operation), operation, by, facts_first=True
        )


def _operation_name(kind: str, scope: Scope, *parts: str | int) -> str:
    return f"{kind}:{derived_id(kind, scope.key, *parts).replace('-', '')[:12]}"
