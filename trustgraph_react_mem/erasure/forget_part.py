"""Erase records or a conversation of a scope that stays open, with everything derived from them.

The guarantee is the same as for a whole scope: nothing that was read before the erasure is written after the receipt.  Other
writers are not locked out:

1. Find the records, their dependents, and the episodes and invocations that contain them.
2. Remove all of it: tombstones first, then vectors, then nodes, and the text in invocations and summaries.  Before that, from
   the turns stored with the ranking weights, because a resumed run no longer knows the dependents.
3. Advance the number of the scope.  Writers with an older token must start again, and read only what is left.
4. Find again, from the same ids.  A writer may have added records before step 3; if so, repeat from step 2.  If nothing is
   found, nothing can be added later: writers that read the erased data are rejected, and new ones cannot read it.

- Everything derived from an erased record is erased too: erasure takes precedence over retention.
- The counts of what was found are saved before anything is removed, so that a resumed erasure can report them.
- The cost is proportional to what is found, not to the size of the scope: records are reached by keys and edges.
"""

import json
from collections import Counter
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import replace

from ..errors import BadRequest, EngineUnavailable, ScopeErased
from ..jobs.delivery import read_text
from ..jobs.entries import is_from_future, load_entry
from ..jobs.registry import is_erasure
from ..jobs.scope_gate import ScopeGate
from ..memory.fencing import SETTLED_S, invalidate_others
from ..memory.json_object import read_json_object
from ..memory.ports import Job, JobEntry, JsonValue
from ..memory.records import FACT_STATUSES, REFINEMENT, TURN_PARTS, Fact, free_from_plan, turn_id
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.pages import read_pages
from ..rerank.forgetting import Forgotten
from .dependents import DOCUMENTS, find_documents, forget_documents, split_dependents
from .receipt import KEY, Level, Receipt
from .reconcile import Reconciler
from .redaction import Redaction, add_failed_answer
from .weights import count_in_weights, forget_in_weights

SAID_IN = "said_in"  # key of the invocations among the counts of an interrupted run
ROUNDS = 4  # rounds of removing and checking before the job fails and is retried later


async def forget_part(core: MemoryCore, gate: ScopeGate, job: Job, level: Level) -> Receipt:
    """Erase what the job names.

    Raises: ScopeChanged (another erasure or undo came first), EngineUnavailable (writers kept adding dependent records).
    """
    scope, reconciler = job.scope, Reconciler(core)
    found, said_in = await load_found(core, job)
    receipt = Receipt(level=level, found=found)
    if receipt.found:
        # An interrupted run left tombstones, and neighbours of erased turns whose vectors still contain the erased text.
        await reconciler.repair(scope)
    part = _Part(core, job, level)
    part.remember([*said_in, *await _half_recorded(core, part)])
    await part.grow()
    if not receipt.found:
        receipt.found.update(await part.count_graph() | await part.count_vectors())
        if documents := await part.documents():
            receipt.found.update({DOCUMENTS: len(documents)})
        await save_found(core, job, receipt, part.spoken)
    for _ in range(ROUNDS):
        # Running jobs may have read the erased data, and would fail at their next write.  Pausing restarts them early.
        async with gate.suspend(scope):
            await part.remove()
            await invalidate_others(core.graph.fence, scope)
        if await part.is_removed():
            break
    else:
        raise EngineUnavailable("erasure failed, will retry: other writers keep adding records derived from the erased ones")
    await wait_for_late_vectors(core)
    await reconciler.remove_points(scope, facts=sorted(part.facts), episodes=sorted(part.episodes))
    receipt.found.update({"jobs": await _forget_jobs(core, job, part)})
    # Afterwards, because the jobs above must be opened.
    receipt.found.update({KEY: await core.graph.keyring.forget(scope, part.spoken)})
    receipt.left.update(await part.count_vectors(orphans=True))
    for store in ("facts", "episodes", "conversations"):
        # For the whole scope, because an interrupted run may have removed records that this run did not see.
        await core.notifier.changed(scope, store)
    return receipt


class _Part:
    """The part of a scope to erase.  ``facts`` and ``episodes``: ids of its records, including those already removed."""

    def __init__(self, core: MemoryCore, job: Job, level: Level) -> None:
        self._core, self._job, self.scope = core, job, job.scope
        self._freed: list[Fact] = []  # of which the replacement goes before it takes effect
        self.conversation_id = read_text(job, "conversation_id") if level == "conversation" else ""
        self._named = set(_strings(job.payload.get("ids")))
        self.said_in: set[str] = set()
        self.spoken: set[str] = set()  # every invocation whose words are erased
        self.remember(_strings(job.payload.get("invocation_ids")))
        self.facts: set[str] = set(self._named)
        self.episodes: set[str] = set()

    def remember(self, invocation_ids: Sequence[str]) -> None:
        """Add invocations that the job names, or that an interrupted run of it found."""
        self.spoken |= {*invocation_ids} - {""}
        if not self.conversation_id:
            self.said_in |= self.spoken

    async def grow(self) -> bool:
        """Find records that belong to the part.  Returns whether any were new."""
        before = len(self.facts) + len(self.episodes)
        facts, episodes = self._core.facts, self._core.episodes
        if self.conversation_id:
            async for page in read_pages(facts.graph.listing, self.scope, statuses=FACT_STATUSES, source=self.conversation_id):
                self._named |= {fact.id for fact in page}
                self.spoken |= {fact.invocation_id for fact in page if fact.kind == "turn"} - {""}
            # A turn whose record is already gone may still have a point in the index; its id follows from the invocation.
            talk = await self._core.graph.conversations.get(self.scope, self.conversation_id, undone=True)
            self.spoken |= {said.id for said in talk.invocations} if talk else set()
            for said in talk.invocations if talk else ():
                self._named |= {turn_id(self.scope, self.conversation_id, said.id, part) for part in TURN_PARTS}
            concerned = await episodes.graph.by_source(self.scope, conversation_ids=[self.conversation_id])
        else:
            named = await facts.graph.get(self.scope, sorted(self._named))
            self.said_in |= {fact.invocation_id for fact in named if fact.kind == "turn"} - {""}
            self.spoken |= self.said_in
            concerned = await episodes.graph.by_source(self.scope, invocation_ids=sorted(self.said_in))
            concerned += await episodes.graph.get(self.scope, sorted(self._named))
        self.episodes |= {episode.id for episode in concerned}
        await self._add_dependents()
        # The episode of a whole conversation is erased with any of its turns, because its text cannot be attributed to turns.
        for episode in await episodes.graph.by_source(self.scope, conversation_ids=await self._redaction().conversation_ids()):
            if episode.metadata.get("of") == "conversation":
                self.episodes.add(episode.id)
        await self._add_dependents()
        return len(self.facts) + len(self.episodes) > before

    async def _add_dependents(self) -> None:
        self.facts |= self._named
        ids = self.facts | self.episodes
        found = await self._core.facts.graph.dependents_of(self.scope, sorted(ids), tombstoned=True)
        going, self._freed = split_dependents(found, ids, self._core.clock.now())
        self.facts |= going

    def _redaction(self) -> Redaction:
        return Redaction(self._core.graph, self.scope, self.facts, self.said_in)

    async def documents(self) -> list[str]:
        """Ids of the documents of programs that repeat the part."""
        return await find_documents(self._core, self.scope, self.facts, self.conversation_id)

    async def remove(self) -> None:
        """Remove everything found.  The named records go last, because a resumed run finds the rest through them."""
        core, scope = self._core, self.scope
        for fact in self._freed:
            await core.facts.update(scope, free_from_plan(fact), by=self._job.id, trigger=self._job.trigger)
        await forget_documents(core, scope, await self.documents())
        await forget_in_weights(core, scope, self._collect_forgotten())
        await self._redaction().run()
        await core.facts.forget(scope, sorted(self.facts - self._named))
        await core.episodes.forget(scope, sorted(self.episodes))
        await core.facts.forget(scope, sorted(self.facts))
        if self.conversation_id:
            await core.graph.conversations.forget(scope, self.conversation_id)

    async def count_graph(self) -> dict[str, int]:
        """Number of remaining records in the graph, by place."""
        core, scope, redaction = self._core, self.scope, self._redaction()
        if self.conversation_id:
            conversation = await core.graph.conversations.get(scope, self.conversation_id, undone=True)
            invocations = len(conversation.invocations) if conversation else 0
            refinements = await core.graph.refinements.count(scope, of=self.conversation_id)
            if self.conversation_id.startswith(REFINEMENT):  # a session by itself
                invocations, refinements = 0, int(conversation is not None)
        else:
            pending = await redaction.pending()
            refinements = sum(each.conversation_id.startswith(REFINEMENT) for each in pending)
            invocations = len(pending) - refinements
        return {
            "graph.facts": len(await core.facts.graph.get(scope, sorted(self.facts))),
            "graph.episodes": len(await core.episodes.graph.get(scope, sorted(self.episodes))),
            "graph.invocations": invocations,
            "graph.refinements": refinements,
            "weights": await count_in_weights(core, scope, self._collect_forgotten()),
        }

    async def is_removed(self) -> bool:
        """Whether the graph has no records of the part, and no new ones belong to it.  Late vectors are checked later."""
        if await self.grow() or any((await self.count_graph()).values()) or await self.documents():
            return False
        return not await self._redaction().summaries()

    def forgotten_of_turn(self, payload: Mapping[str, JsonValue]) -> list[str]:
        """The parts (question, answer) to erase of the turn that a ``record`` job stores."""
        conversation_id, invocation_id = str(payload.get("conversation_id")), str(payload.get("invocation_id"))
        named = {part for part in TURN_PARTS if turn_id(self.scope, conversation_id, invocation_id, part) in self.facts}
        return sorted(add_failed_answer(named, succeeded=payload.get("succeeded") is not False))

    def _collect_forgotten(self) -> Forgotten:
        return Forgotten(records=self.facts, invocations=self.said_in, conversation=self.conversation_id)

    async def count_vectors(self, *, orphans: bool = False) -> dict[str, int]:
        """Number of remaining points, by place.  ``orphans``: only points without a record in the graph.

        A record that was stored again meanwhile has a point legitimately.
        """
        core, scope = self._core, self.scope
        facts, episodes = set(self.facts), set(self.episodes)
        if orphans:
            facts -= {fact.id for fact in await core.facts.graph.get(scope, sorted(facts))}
            episodes -= {episode.id for episode in await core.episodes.graph.get(scope, sorted(episodes))}
        return {
            "vectors.facts": len(await core.facts.router.fetch(scope, sorted(facts))),
            "vectors.episodes": len(await core.episodes.router.fetch(scope, sorted(episodes))),
        }


async def load_found(core: MemoryCore, job: Job) -> tuple[Counter[str], list[str]]:
    """What an interrupted run of the job found: counts by place, and the ids of the invocations that contain the records.

    The invocations cannot be found again once the records are gone, and an episode of them that was written meanwhile must be.
    """
    for entry in await core.graph.job_store.get([job.ref]):
        if entry.state not in ("done", "cancelled") and entry.summary:
            noted = json.loads(entry.summary)
            said_in = _strings(noted.pop(SAID_IN, []))
            return Counter({str(place): int(number) for place, number in noted.items()}), said_in
    return Counter(), []


async def save_found(core: MemoryCore, job: Job, receipt: Receipt, said_in: Iterable[str] = ()) -> None:
    """Save what was found, for a run that resumes after an interruption."""
    note, now = json.dumps({**receipt.found, SAID_IN: sorted(said_in)}), core.clock.now()
    entry = await load_entry(core.graph.job_store, job, at=now)
    await core.graph.job_store.save([replace(entry, summary=note, updated_at=now)])


async def wait_for_late_vectors(core: MemoryCore) -> None:
    """Wait until other processes can no longer write vectors under an old token."""
    if core.graph.fence.shared:
        await core.clock.sleep(SETTLED_S)


async def _waiting_jobs(core: MemoryCore, scope: Scope) -> AsyncIterator[tuple[JobEntry, bytes, dict[str, JsonValue]]]:
    """The deferred and dead jobs of a scope whose payload can be decrypted, each with its payload as bytes and parsed."""
    for entry in await core.graph.job_store.listing(scope, states=("deferred", "dead"), limit=100_000):
        try:
            plain = await core.graph.keyring.open(entry.scope, entry.sealed_payload, binding=entry.binding)
            yield entry, plain, read_json_object(plain, f"the payload of job {entry.job_id}")
        except (ScopeErased, BadRequest):
            continue  # unreadable: there is nothing to remove


async def _half_recorded(core: MemoryCore, part: "_Part") -> list[str]:
    """Ids of the named invocations whose ``record`` job failed: their exchange may be stored already, their turns not yet.

    Without a turn, only the job tells to which invocation an id belongs.
    """
    waiting = [payload async for entry, _, payload in _waiting_jobs(core, part.scope) if entry.kind == "record"]
    return [str(payload.get("invocation_id") or "") for payload in waiting if part.forgotten_of_turn(payload)]


async def _forget_jobs(core: MemoryCore, job: Job, part: "_Part") -> int:
    """Cancel deferred and dead jobs with text of the conversation or invocations, and delete their payloads.

    A job that records a turn stays, because what follows from it concerns other turns, too.  It loses the words.  Jobs of the
    conversation that were created after the erasure was requested stay, and so do erasures.  The invocations of changed jobs
    are added to ``part.spoken``.  Jobs that stay are sealed again if the erasure may destroy their key.  Returns the number of
    jobs that lost words.
    """
    keyring = core.graph.keyring
    changed: list[JobEntry] = []
    lost = 0
    async for entry, plain, payload in _waiting_jobs(core, job.scope):
        invocation_id = str(payload.get("invocation_id") or "")
        of_conversation = bool(part.conversation_id) and payload.get("conversation_id") == part.conversation_id
        records = entry.kind == "record" and not of_conversation
        later = entry.created_at > job.created_at and not is_from_future(entry, core.clock.now())
        older = not (part.conversation_id and later)
        gone = part.forgotten_of_turn(payload) if records and older else []
        erases = is_erasure(entry.kind)  # this job, if an earlier run of it was deferred, or another; it holds no words
        if older and not records and not erases and (of_conversation or invocation_id in part.spoken):
            now = core.clock.now()
            changed.append(replace(entry, state="cancelled", sealed_payload="", error="", not_before=None, updated_at=now))
            lost += 1
        elif gone:
            # Of no turn: the key of this one will be destroyed.
            words_gone = json.dumps(without_words(payload, gone)).encode()
            changed.append(replace(entry, sealed_payload=await keyring.seal(entry.scope, words_gone, binding=entry.binding)))
            lost += 1
        elif invocation_id in part.spoken or not await keyring.is_current(entry.scope, entry.sealed_payload):
            turn = "" if invocation_id in part.spoken else invocation_id
            sealed = await keyring.seal(entry.scope, plain, binding=entry.binding, turn=turn)
            changed.append(replace(entry, sealed_payload=sealed))
            continue
        else:
            continue
        part.spoken |= {invocation_id} - {""}
    if changed:
        await core.graph.job_store.save(changed)
    return lost


def without_words(payload: Mapping[str, JsonValue], gone: Sequence[str]) -> dict[str, JsonValue]:
    """The payload of a ``record`` job without these parts of the turn, and without all that may hold their words."""
    said_before = payload.get("forgotten")
    forgotten = sorted({*gone, *(said_before if isinstance(said_before, list) else [])})
    return {
        **payload,
        **dict.fromkeys(gone, ""),
        "steps": [],
        "rules": [],
        "explanation": None,
        "retrieval": None,
        "forgotten": forgotten,
    }


def _strings(value: JsonValue | Sequence[str]) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
