"""Undo a record, an operation, or everything since a time.  Undo never erases data.

- Undoing the creation of a record marks it ``undone``, together with everything derived from it: facts derived from a turn,
  the answer to a question, and the episode and exchange of its request.  A fact that was derived from it only in a later
  version returns to the version before.
- Each undo and each rollback is a named operation, and its changes carry the name.  Undoing the operation restores all of its
  changes, except for records that were changed again since.
- A plan (``undo_plan``) depends on the versions that were read.  If another writer changes one of them first, the undo plans
  again.
- Facts derived from an episode are undone and restored with it, and the refinement of an exchange with the exchange.
  Summaries that cover an undone exchange are cleared.
- Order of writes: episodes and exchanges are marked first, facts last, so that a repeated call completes an interrupted one.
  If an episode itself is undone or restored, its facts come first, because its own mark decides the direction.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..errors import Conflict, NotFound
from ..memory.ports import Reversal
from ..memory.records import REFINEMENT, Fact, derived_id
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from .redaction import empty_summaries, find_events
from .undo_plan import Plan, UndoPlanner

ATTEMPTS = 8
AT_ONCE = 500  # records per transaction; a rollback may need several
_OPERATION = re.compile(r"(undo|rollback|compact):[0-9a-f]{12}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RevertResult:
    """Result of an undo or a rollback: ids of changed facts, numbers of changed episodes and exchanges.

    ``operation``: its name, which can be passed to ``undo``; "" if nothing changed.
    ``now``: the current version of the fact that was named.
    """

    operation: str
    facts: tuple[str, ...]
    episodes: int = 0
    exchanges: int = 0
    now: Fact | None = None


Planning = Callable[[], Awaitable[Plan]]


class Undo:
    """Undo, rollback and restore of the records of a scope."""

    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._episodes, self._graph = core.facts, core.episodes, core.graph
        self._conversations = core.graph.conversations
        self._clock, self._notifier = core.clock, core.notifier
        self._planner = UndoPlanner(core)

    async def undo(self, scope: Scope, name: str, *, by: str = "") -> RevertResult:
        """Undo the newest change of a record, or all changes of an operation.  ``name``: its id or name.

        If the newest change of the record was an undo, that whole undo is undone.  Undoing a supersession makes the old fact
        active, and supersedes the new one.

        Raises:
            NotFound: no such record, or no change of the operation is still in effect.
            BadRequest: another fact has the same content now, or the record was derived from an undone record.
        """
        if _OPERATION.fullmatch(name):
            operation = _operation_name("undo", scope, name)
            return await self._carry_out(scope, "", lambda: self._planner.of_operation(scope, name, operation), operation, by)
        history = await self._facts.graph.history(scope, name)
        if not history:
            return await self._undo_episode(scope, name, by)
        newest = history[0]
        if newest.trigger.startswith("undo:") and not (await self._facts.graph.get(scope, [name]))[0].indexed:
            return await self._finish_indexing(scope, newest.trigger, name)
        operation = _operation_name("undo", scope, name, newest.version)
        return await self._carry_out(scope, name, lambda: self._planner.of_record(scope, name, operation), operation, by)

    async def rollback(self, scope: Scope, to: datetime, *, by: str = "") -> RevertResult:
        """Undo every change at or after ``to``: records return to their state then, and newer records are undone."""
        operation = _operation_name("rollback", scope, to.isoformat())
        return await self._carry_out(scope, "", lambda: self._planner.since(scope, to), operation, by)

    async def plan_rollback(self, scope: Scope, to: datetime) -> RevertResult:
        """What ``rollback`` would change.  Only reads."""
        planned = await self._planner.since(scope, to)
        await self._widen(scope, planned, _operation_name("rollback", scope, to.isoformat()))
        return _result(planned, "")

    async def restore(self, scope: Scope, ids: Sequence[str], *, by: str = "", trigger: str = "") -> int:
        """Restore undone facts to their state before the undo.  Returns the number of facts restored."""
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
        return _result(planned, operation if planned else "", now[0] if now else None)

    async def _widen(self, scope: Scope, plan: Plan, operation: str) -> None:
        """Add the episodes and exchanges of undone turns to the plan."""
        said_in = {turn.invocation_id for turn in plan.turns} - {""}
        plan.exchanges_out = sorted({*plan.exchanges_out, *said_in})
        dependent = await self._planner.episodes_of(scope, plan.turns, operation)
        plan.episodes_out = sorted({*plan.episodes_out, *(episode.id for episode in dependent)})

    async def _complete(self, scope: Scope, plan: Plan, operation: str) -> None:
        """Complete the plan, and mark all its episodes and exchanges."""
        now = self._clock.now()
        await self._widen(scope, plan, operation)
        if plan.exchanges_out:
            covered = await self._conversations.invocations(scope, plan.exchanges_out)
            await empty_summaries(self._conversations, scope, covered)
            refined = await find_events(self._graph, scope, covered)
            plan.exchanges_out = sorted({*plan.exchanges_out, *(event.id for event in refined if event.undone_at is None)})
        await self._conversations.mark_undone(scope, plan.exchanges_out, now, operation)
        await self._conversations.mark_undone(scope, plan.exchanges_in, None, operation)
        if plan.exchanges_out or plan.exchanges_in:
            await self._notifier.changed(scope, "conversations")
        await self._episodes.mark_undone(scope, plan.episodes_out, now, operation)
        await self._episodes.mark_undone(scope, plan.episodes_in, None, operation)

    async def _revert(self, scope: Scope, plan: Plan, by: str, operation: str) -> None:
        # Undo first, then restore: two active facts with the same content must not exist in between.
        ordered = sorted(plan.reversals.values(), key=lambda each: each.to is not None and each.to.status == "active")
        for start in range(0, len(ordered), AT_ONCE):
            await self._facts.revert(scope, ordered[start : start + AT_ONCE], by=by, trigger=operation)

    async def _already_applied(self, scope: Scope, plan: Plan, operation: str) -> bool:
        """Whether the plan is already carried out: by an unconfirmed commit, or by a concurrent call of the same name."""
        made: dict[str, int] = {}
        for entry in await self._facts.graph.changes_by(scope, operation):  # newest first
            made.setdefault(entry.record_id, entry.version)
        facts = await self._facts.graph.get(scope, list(plan.reversals))
        if not facts or any(made.get(fact.id) != fact.version for fact in facts):
            return False
        await self._facts.finish_indexing(scope, [fact.id for fact in facts if not fact.indexed])
        return True

    async def _finish_indexing(self, scope: Scope, operation: str, name: str) -> RevertResult:
        """Complete an undo that failed before indexing, instead of undoing it."""
        ids = list(dict.fromkeys(entry.record_id for entry in await self._facts.graph.changes_by(scope, operation)))
        waiting = [fact.id for fact in await self._facts.graph.get(scope, ids) if not fact.indexed]
        await self._facts.finish_indexing(scope, waiting)
        (now,) = await self._facts.graph.get(scope, [name])
        return RevertResult(operation=operation, facts=tuple(ids), now=now)

    async def _undo_episode(self, scope: Scope, name: str, by: str) -> RevertResult:
        """Undo or restore an episode with the facts derived from it.  Facts first: see the module docstring."""
        found = await self._episodes.graph.get(scope, [name])
        if not found:
            raise NotFound(f"no memory {name!r} in this scope: list the memories to see their ids")
        operation = _operation_name("undo", scope, name, found[0].operation)
        return await self._carry_out(
            scope, "", lambda: self._planner.of_episode(scope, found[0], operation), operation, by, facts_first=True
        )


def _result(plan: Plan, operation: str, now: Fact | None = None) -> RevertResult:
    return RevertResult(
        operation=operation,
        facts=tuple(plan.reversals),
        episodes=len(plan.episodes_out) + len(plan.episodes_in),
        exchanges=sum(not each.startswith(REFINEMENT) for each in (*plan.exchanges_out, *plan.exchanges_in)),
        now=now,
    )


def _operation_name(kind: str, scope: Scope, *parts: str | int) -> str:
    return f"{kind}:{derived_id(kind, scope.key, *parts).replace('-', '')[:12]}"
