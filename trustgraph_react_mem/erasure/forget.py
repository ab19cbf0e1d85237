"""The ``forget`` job: erase a record, a conversation, a collection, a user or a workspace from all stores, with a receipt.

A part of a scope is erased while the scope stays open (``forget_part``).  A whole scope is erased as follows:

- The scope is closed to all processes: running writers can no longer write, and none can start (``memory.fencing``).
- Its encryption key is destroyed, which makes its messages in the job topic and its dead letters unreadable.
- Its jobs in this process are stopped.  Every store is emptied and checked; this repeats while anything is left.
- The counts of what was found are saved before anything is removed, so that a resumed erasure can report them.
- The job belongs to an administrative scope.  A job of the erased scope could not resume, because its payload would be
  unreadable.
"""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from ..errors import BadRequest, EngineUnavailable
from ..jobs.delivery import JobOutcome, read_text
from ..jobs.registry import job_handler
from ..jobs.scope_gate import ScopeGate
from ..memory.fencing import close_scope
from ..memory.ports import Job, JsonValue, Switches
from ..memory.records import FACT_STATUSES, derived_id
from ..memory.scope import Scope, documents_of, has_documents
from ..memory.scope_names import compose
from ..repositories.core import HasCore
from ..repositories.pages import read_pages
from .forget_part import forget_part, load_found, save_found, wait_for_late_vectors
from .receipt import KEY, NOTES, Level, Receipt, level_of
from .reconcile import Reconciler

ADMINISTRATION = "_erasure"  # the collection of the administrative scope
LOOKS = 3
STORES = ("facts", "episodes", "conversations", "weights", "switches")


def forget_job(
    scope: Scope,
    level: Level,
    *,
    at: datetime,
    ids: Sequence[str] = (),
    conversation_id: str = "",
    nonce: str = "",
    invocation_ids: Sequence[str] = (),
) -> Job:
    """The job that erases records, a conversation, or whole scopes.

    ``scope``: whose memory.  Level ``user`` erases all collections of the user, ``workspace`` all scopes of the workspace.
    ``ids``: required for level ``record``.  ``conversation_id``: required for level ``conversation``.
    ``invocation_ids``: the invocations that contain the records, if the caller removes the records before the job runs.
    ``nonce``: makes the ids of two otherwise equal jobs differ.

    Raises:
        BadRequest: ids or the conversation are missing for their level.
    """
    payload: dict[str, JsonValue] = {"level": level, "ids": list(ids), "conversation_id": conversation_id}
    if level == "record" and not ids:
        raise BadRequest("forgetting records needs their ids")
    if level == "conversation" and not conversation_id:
        raise BadRequest("forgetting a conversation needs its id")
    if invocation_ids:
        payload["invocation_ids"] = sorted({*invocation_ids} - {""})
    owner = scope
    if level not in ("record", "conversation"):
        owner = Scope(workspace=scope.workspace, user="", collection=ADMINISTRATION)
        payload |= {"user": scope.user, "collection": scope.collection}
    job_id = derived_id("job", "forget", scope.key, level, *ids, conversation_id, at.isoformat(), nonce)
    return Job(id=job_id, kind="forget", scope=owner, payload=payload, created_at=at, trigger="management")


class _Context(HasCore, Protocol):
    @property
    def gate(self) -> ScopeGate: ...


@job_handler("forget", queue="write", submit="service")
class ForgetHandler:
    """Runs a ``forget`` job.  The note of its outcome is the receipt as JSON."""

    def __init__(self, context: _Context) -> None:
        self._core, self._gate = context.core, context.gate

    async def __call__(self, job: Job) -> JobOutcome:
        level = level_of(job.payload.get("level"))
        if level in ("record", "conversation"):
            receipt = await forget_part(self._core, self._gate, job, level)
        else:
            receipt = await self._forget_scopes(job, level)
        remains, files = self._core.graph.keyring.remains, self._core.files
        receipt.notes = (*NOTES, *((remains,) if remains else ()), *(files.notes if files else ()))
        if not receipt.complete:
            places = ", ".join(place for place, number in receipt.left.items() if number)
            raise EngineUnavailable(f"erasure failed, will retry: records are left in {places}")
        if files is not None:
            receipt.files = await files.report(job)
        return JobOutcome(note=receipt.to_json())

    # ------------------------------------------------------------------------------------------------ whole scopes

    async def _forget_scopes(self, job: Job, level: Level) -> Receipt:
        targets = await self._targets(job, level)
        receipt = Receipt(level=level, found=(await load_found(self._core, job))[0])
        if not receipt.found:
            for scope in targets:
                receipt.found.update(await self._count(scope))
            await save_found(self._core, job, receipt)
        for scope in targets:
            async with self._gate.drain(scope), close_scope(self._core.graph.fence, scope, erasing=True):
                destroyed = await self._core.graph.keyring.destroy(scope)
                receipt.found[KEY] += int(destroyed)
                for look in range(LOOKS):
                    await self._empty(scope)
                    if not look:
                        await wait_for_late_vectors(self._core)
                    await Reconciler(self._core).repair_scope(scope)
                    left = await self._count(scope)
                    if not any(left.values()):
                        break
                receipt.left.update(left)
            for store in STORES:
                await self._core.notifier.changed(scope, store)
        return receipt

    async def _targets(self, job: Job, level: Level) -> list[Scope]:
        user, collection = read_text(job, "user"), read_text(job, "collection") or "default"
        named = Scope(workspace=job.scope.workspace, user=user, collection=collection)
        known = await self._core.graph.scopes.scopes(job.scope.workspace)
        if level == "collection":
            return [named, *(scope for scope in known if has_documents(named) and scope == documents_of(named))]
        of_user = [scope for scope in known if level == "workspace" or compose(scope.user) == compose(user)]
        targets = {named, *of_user} if level == "user" else set(of_user)
        return sorted(targets - {job.scope}, key=lambda scope: scope.key)

    async def _count(self, scope: Scope) -> dict[str, int]:
        """Number of records of the scope, by place."""
        core = self._core
        facts = [len(page) async for page in read_pages(core.facts.graph.listing, scope, statuses=FACT_STATUSES)]
        episodes = [len(page) async for page in read_pages(core.episodes.graph.listing, scope, undone=True)]
        conversations = await core.graph.conversations.count(scope)
        jobs = await core.graph.job_store.listing(scope, limit=100_000)
        switched = await core.graph.switches.get(scope) != Switches()
        return {
            "graph.facts": sum(facts),
            "graph.episodes": sum(episodes),
            **{f"graph.{name}": number for name, number in conversations.items()},
            "graph.refinements": await core.graph.refinements.count(scope),
            "vectors.facts": await core.facts.router.count(scope),
            "vectors.episodes": await core.episodes.router.count(scope),
            "jobs": len(jobs),
            "weights": int(await core.graph.weights.load(scope) is not None) + len(await core.graph.weights.reward_log(scope)),
            "switches": int(switched),
        }

    async def _empty(self, scope: Scope) -> None:
        core, graph = self._core, self._core.graph
        for store in (core.facts, core.episodes, graph.conversations, graph.job_store, graph.weights, graph.switches):
            await store.forget_scope(scope)
