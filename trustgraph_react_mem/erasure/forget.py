"""The ``forget`` job: erasing a record, a conversation, a collection, a user or a workspace, everywhere, with a receipt.

- The scope is closed to all processes first: what began before, writes nothing any more, and nothing begins (memory.epochs).
- Of a whole scope the key is destroyed then: what still lies in the topic or among dead letters is unreadable from then on.
- The jobs that run here are stopped, and every place is emptied and looked at again; what is still there is removed again.
- What was found is written down before anything is removed, so that an interrupted erasure, when it goes on, tells the truth.
- A scope is erased by a job of an administrative scope, whose own key survives; otherwise the job could not resume.
- What rests on a forgotten turn goes with it: erasing weighs more than keeping.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Protocol

from ..errors import BadRequest, EngineUnavailable, ScopeErased
from ..jobs.delivery import JobOutcome
from ..jobs.entries import entry_of
from ..jobs.pause_hooks import PauseHooks
from ..jobs.payload import text_of
from ..jobs.registry import job_handler
from ..memory.fencing import SETTLED_S, closed
from ..memory.json_object import read_json_object
from ..memory.ports import Job, JsonValue, Switches
from ..memory.records import FACT_STATUSES, Episode, Fact, derived_id, rests_on
from ..memory.scope import Scope
from ..repositories.core import HasCore, MemoryCore
from .receipt import KEY, NOTES, Level, Receipt, level_of
from .reconcile import Reconciler
from .redaction import Redaction

ADMINISTRATION = "_erasure"  # collection of the scope whose jobs erase other scopes
PAGE = 500
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
    """``scope``: whose memory.  Level ``user`` takes all collections of the user, ``workspace`` everything.

    ``invocation_ids``: the requests in which the records were said, from whoever removes the records before the job runs.

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
    def pauses(self) -> PauseHooks: ...


@job_handler("forget", queue="write", submit="service")
class ForgetHandler:
    def __init__(self, core: MemoryCore, pauses: PauseHooks) -> None:
        self._core, self._pauses = core, pauses

    @classmethod
    def from_context(cls, context: "_Context") -> "ForgetHandler":
        return cls(context.core, context.pauses)

    async def __call__(self, job: Job) -> JobOutcome:
        level = level_of(job.payload.get("level"))
        if level in ("record", "conversation"):
            # a job that learns from what is being forgotten would store it after the second look: it begins anew afterwards
            async with self._pauses.paused(job.scope), closed(self._core.graph.fence, job.scope, erasing=False):
                receipt = await self._forget_part(job, level)
        else:
            receipt = await self._forget_scopes(job, level)
        if not receipt.complete:
            raise EngineUnavailable(f"an erasure left something in {', '.join(k for k, n in receipt.left.items() if n)}")
        return JobOutcome(note=receipt.to_json())

    # ------------------------------------------------------------------------------------------------ whole scopes

    async def _forget_scopes(self, job: Job, level: Level) -> Receipt:
        targets = await self._targets(job, level)
        receipt = Receipt(level=level, found=await self._found_before(job), notes=NOTES)
        if not receipt.found:
            for scope in targets:
                receipt.add_found(await self._look(scope))
            await self._write_down(job, receipt)
        for scope in targets:
            async with self._pauses.quiet(scope), closed(self._core.graph.fence, scope, erasing=True):
                destroyed = await self._core.graph.keyring.destroy(scope)
                receipt.found[KEY] = receipt.found.get(KEY, 0) + int(destroyed)
                for look in range(LOOKS):
                    await self._empty(scope)
                    if not look:
                        await self._settle()
                    await Reconciler(self._core).repair_scope(scope)
                    left = await self._look(scope)
                    if not any(left.values()):
                        break
                receipt.add_left(left)
            for store in STORES:
                await self._core.notifier.changed(scope, store)
        return receipt

    async def _targets(self, job: Job, level: Level) -> list[Scope]:
        user, collection = text_of(job, "user"), text_of(job, "collection") or "default"
        named = Scope(workspace=job.scope.workspace, user=user, collection=collection)
        if level == "collection":
            return [named]
        known = await self._core.graph.scopes.scopes(job.scope.workspace)
        of_user = [scope for scope in known if level == "workspace" or scope.user == user]
        targets = {named, *of_user} if level == "user" else set(of_user)
        return sorted(targets - {job.scope}, key=lambda scope: scope.key)

    async def _look(self, scope: Scope) -> dict[str, int]:
        """Numbers of this scope's entries in every place."""
        core = self._core
        facts = await self._all_facts(scope)
        conversations = await core.graph.conversations.count(scope)
        jobs = await core.graph.job_store.listing(scope, limit=100_000)
        switched = await core.graph.switches.get(scope) != Switches()
        return {
            "graph.facts": len(facts),
            "graph.episodes": len(await self._all_episodes(scope)),
            **{f"graph.{name}": number for name, number in conversations.items()},
            "vectors.facts": await core.facts.router.count(scope),
            "vectors.episodes": await core.episodes.router.count(scope),
            "jobs": len(jobs),
            "weights": int(await core.graph.weights.load(scope) is not None) + len(await core.graph.weights.rewards(scope)),
            "switches": int(switched),
        }

    async def _empty(self, scope: Scope) -> None:
        core = self._core
        await core.facts.forget_scope(scope)
        await core.episodes.forget_scope(scope)
        await core.graph.conversations.forget_scope(scope)
        await core.graph.job_store.forget_scope(scope)
        await core.graph.weights.forget_scope(scope)
        await core.graph.switches.forget_scope(scope)
        await core.models.forget_scope(scope)

    async def _found_before(self, job: Job) -> dict[str, int]:
        """What an interrupted run of this job wrote down."""
        for entry in await self._core.graph.job_store.get([job.id]):
            if entry.state == "running" and entry.summary:
                noted = json.loads(entry.summary)
                return {str(place): int(number) for place, number in noted.items()}
        return {}

    async def _settle(self) -> None:
        """Wait for the last vectors that a process which does not know yet may be writing; repair finds them then."""
        if self._core.graph.fence.shared:
            await self._core.clock.sleep(SETTLED_S)

    async def _write_down(self, job: Job, receipt: Receipt) -> None:
        note = entry_of(job, "running", at=self._core.clock.now(), summary=json.dumps(receipt.found))
        await self._core.graph.job_store.save([note])

    # ------------------------------------------------------------------------------------------------ parts of a scope

    async def _forget_part(self, job: Job, level: Level) -> Receipt:
        core, scope = self._core, job.scope
        conversation_id = text_of(job, "conversation_id")
        named = _strings(job.payload.get("ids"))
        receipt = Receipt(level=level, found=await self._found_before(job), notes=NOTES[1:])
        every_episode = await self._all_episodes(scope)
        said_in: set[str] = set()
        if level == "conversation":
            named += [fact.id for fact in await self._all_facts(scope, source=conversation_id)]
            episodes = [e.id for e in every_episode if e.source == conversation_id]
        else:
            said_in = {fact.invocation_id for fact in await core.facts.graph.get(scope, named) if fact.kind == "turn"}
            said_in |= set(_strings(job.payload.get("invocation_ids")))
            said_in -= {""}
            # the episode of a request tells what was said in it
            episodes = [e.id for e in every_episode if e.id in named or e.metadata.get("invocation_id", "") in said_in]
        facts = await self._with_derived(scope, [*named, *episodes])
        redaction = Redaction(core.graph.conversations, scope, facts, said_in)
        told = await redaction.episodes(every_episode)
        episodes = sorted({*episodes, *told})
        facts = await self._with_derived(scope, [*facts, *told])
        if not receipt.found:
            receipt.add_found(await self._look_for(scope, facts, episodes, conversation_id, redaction))
            await self._write_down(job, receipt)
        # a run that is interrupted finds again: by the episodes what rests on them, by the records where they were said
        await redaction.run()
        await core.facts.forget(scope, sorted({*facts} - {*named}))
        await core.episodes.forget(scope, episodes)
        await core.facts.forget(scope, facts)
        await self._settle()
        # what an interrupted run of this job condemned is in no listing any more, and a point without a record is in none
        await Reconciler(core).repair_scope(scope)
        if level == "conversation":
            await core.graph.conversations.forget(scope, conversation_id)
        receipt.add_found({"jobs": await self._forget_jobs(job, conversation_id, said_in)})
        receipt.add_left(await self._look_for(scope, facts, episodes, conversation_id, redaction))
        for store in ("facts", "episodes", "conversations"):
            # all of the scope: an interrupted run may have removed what this one did not see any more
            await core.notifier.changed(scope, store)
        return receipt

    async def _with_derived(self, scope: Scope, ids: Iterable[str]) -> list[str]:
        """The records, what they replaced, and whatever was learned from them."""
        gone = set(ids)
        known = await self._all_facts(scope)
        while True:
            more = {
                fact.id for fact in known if fact.id not in gone and (fact.superseded_by in gone or gone & set(rests_on(fact)))
            }
            if not more:
                return sorted(gone)
            gone |= more

    async def _look_for(
        self, scope: Scope, facts: Sequence[str], episodes: Sequence[str], conversation_id: str, redaction: Redaction
    ) -> dict[str, int]:
        core = self._core
        conversation = await core.graph.conversations.get(scope, conversation_id, undone=True) if conversation_id else None
        return {
            "graph.facts": len(await core.facts.graph.get(scope, facts)),
            "graph.episodes": len(await core.episodes.graph.get(scope, episodes)),
            "graph.invocations": len(conversation.invocations) if conversation else len(await redaction.waiting()),
            "vectors.facts": len(await core.facts.router.fetch(scope, facts)),
            "vectors.episodes": len(await core.episodes.router.fetch(scope, episodes)),
        }

    async def _forget_jobs(self, job: Job, conversation_id: str, said_in: Collection[str]) -> int:
        """Deferred and dead jobs that carry text of the conversation, or of the requests, give up their payload; those of later
        turns do not."""
        core, closed = self._core, []
        for entry in await core.graph.job_store.listing(job.scope, states=("deferred", "dead"), limit=100_000):
            if entry.created_at > job.created_at:
                continue
            try:
                payload = read_json_object(
                    await core.graph.keyring.open(entry.scope, entry.sealed_payload), f"the payload of job {entry.job_id}"
                )
            except (ScopeErased, BadRequest):
                continue  # unreadable: nothing to take back
            of_conversation = bool(conversation_id) and payload.get("conversation_id") == conversation_id
            if of_conversation or payload.get("invocation_id") in said_in:
                closed.append(
                    replace(entry, state="cancelled", sealed_payload="", error="", not_before=None, updated_at=core.clock.now())
                )
        if closed:
            await core.graph.job_store.save(closed)
        return len(closed)

    async def _all_facts(self, scope: Scope, *, source: str = "") -> list[Fact]:
        found: list[Fact] = []
        while True:
            page = await self._core.facts.graph.listing(
                scope, statuses=FACT_STATUSES, source=source, limit=PAGE, offset=len(found)
            )
            found += page
            if len(page) < PAGE:
                return found

    async def _all_episodes(self, scope: Scope) -> list[Episode]:
        found: list[Episode] = []
        while True:
            page = await self._core.episodes.graph.listing(scope, undone=True, limit=PAGE, offset=len(found))
            found += page
            if len(page) < PAGE:
                return found


def _strings(value: JsonValue) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
