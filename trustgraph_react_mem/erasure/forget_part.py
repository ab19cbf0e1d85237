"""Forgetting records, or a conversation, of a scope that stays open, with all that was learned from them.

The guarantee is that of a whole scope: what was read before is not written after the receipt.  Nobody is shut out for it:

1. find the records, what depends on them, the episodes and the invocations in which they were said;
2. remove all of it: tombstones first, then vectors, then nodes, and the words in invocations and summaries;
3. advance the scope's number: whoever took a token before begins again, and reads what is left;
4. find again, from the same ids.  A writer from before step 3 may have added something until then, and something more may
   rest on that: then once more from step 2.  Where nothing is found, nothing can follow: those who could have read it are
   refused, and those who begin now find nothing to read.

- What rests on a forgotten record goes with it: erasing weighs more than keeping.
- What was found is written down before anything is removed, so that an erasure which is interrupted and goes on reports it.
- The cost follows from what is found, not from the size of the scope: records are reached by keys and edges.
"""

import json
from collections.abc import AsyncIterator, Collection, Sequence
from dataclasses import replace

from ..errors import BadRequest, EngineUnavailable, ScopeErased
from ..jobs.entries import entry_from_job
from ..jobs.pause_hooks import PauseHooks
from ..jobs.payload import read_text
from ..memory.fencing import SETTLED_S, refuse_earlier
from ..memory.json_object import read_json_object
from ..memory.ports import Job, JsonValue
from ..memory.records import FACT_STATUSES, Episode, Fact
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory
from .receipt import NOTES, Level, Receipt
from .reconcile import Reconciler
from .redaction import Redaction

PAGE = 500
ROUNDS = 4  # of removing and looking again, before the job waits and begins again


async def forget_part(core: MemoryCore, pauses: PauseHooks, job: Job, level: Level) -> Receipt:
    """Raises: ScopeChanged (another forgetting or undo was faster), EngineUnavailable (writers kept adding to it)."""
    scope, reconciler = job.scope, Reconciler(core)
    receipt = Receipt(level=level, found=await found_before(core, job), notes=NOTES[1:])
    if receipt.found:
        # What the interrupted run left: tombstones, and neighbours of forgotten turns whose vectors hold their words still.
        await reconciler.finish(scope)
    part = _Part(core, job, level)
    await part.grow()
    if not receipt.found:
        receipt.add_found(await part.look() | await part.look_at_vectors())
        await write_down(core, job, receipt)
    for _ in range(ROUNDS):
        # Jobs that have read it would be refused at their first write: they stop at once, and begin again right after.
        async with pauses.suspend(scope):
            await part.remove()
            await refuse_earlier(core.graph.fence, scope)
        if await part.is_removed():
            break
    else:
        raise EngineUnavailable("forgetting failed: records that rest on the forgotten ones were written again and again")
    await settle(core)
    await reconciler.remove_points(scope, facts=sorted(part.facts), episodes=sorted(part.episodes))
    receipt.add_found({"jobs": await _forget_jobs(core, job, part.conversation_id, part.said_in)})
    receipt.add_left(await part.look_at_vectors(orphans=True))
    for store in ("facts", "episodes", "conversations"):
        # All of the scope: an interrupted run may have removed what this one did not see any more.
        await core.notifier.changed(scope, store)
    return receipt


class _Part:
    """What is forgotten of a scope.  ``facts`` and ``episodes``: ids of all that belong to it, there or gone already."""

    def __init__(self, core: MemoryCore, job: Job, level: Level) -> None:
        self._core, self._scope = core, job.scope
        self.conversation_id = read_text(job, "conversation_id") if level == "conversation" else ""
        self._named = set(_strings(job.payload.get("ids")))
        self.said_in = set(_strings(job.payload.get("invocation_ids"))) - {""}
        self.facts: set[str] = set(self._named)
        self.episodes: set[str] = set()

    async def grow(self) -> bool:
        """Add what is there now and belongs to it; whether anything was new."""
        before = len(self.facts) + len(self.episodes)
        facts, episodes = self._core.facts, self._core.episodes
        if self.conversation_id:
            async for page in fact_pages(facts, self._scope, source=self.conversation_id):
                self._named |= {fact.id for fact in page}
            told = await episodes.graph.telling_of(self._scope, conversation_ids=[self.conversation_id])
        else:
            named = await facts.graph.get(self._scope, sorted(self._named))
            self.said_in |= {fact.invocation_id for fact in named if fact.kind == "turn"} - {""}
            told = await episodes.graph.telling_of(self._scope, invocation_ids=sorted(self.said_in))
            told += await episodes.graph.get(self._scope, sorted(self._named))
        self.episodes |= {episode.id for episode in told}
        await self._add_dependents()
        # An episode of a whole conversation goes when a turn of it goes: which of its words are whose is not known.
        for episode in await episodes.graph.telling_of(
            self._scope, conversation_ids=await self._redaction().conversation_ids()
        ):
            if episode.metadata.get("of") == "conversation":
                self.episodes.add(episode.id)
        await self._add_dependents()
        return len(self.facts) + len(self.episodes) > before

    async def _add_dependents(self) -> None:
        self.facts |= self._named
        ids = sorted(self.facts | self.episodes)
        found = await self._core.facts.graph.dependents_of(self._scope, ids, tombstoned=True)
        self.facts |= {fact.id for fact in found}

    def _redaction(self) -> Redaction:
        return Redaction(self._core.graph.conversations, self._scope, self.facts, self.said_in)

    async def remove(self) -> None:
        """A run that is interrupted finds again: by the episodes what rests on them, by the records where they were said."""
        core, scope = self._core, self._scope
        await self._redaction().run()
        await core.facts.forget(scope, sorted(self.facts - self._named))
        await core.episodes.forget(scope, sorted(self.episodes))
        await core.facts.forget(scope, sorted(self.facts))
        if self.conversation_id:
            await core.graph.conversations.forget(scope, self.conversation_id)

    async def look(self) -> dict[str, int]:
        """What of it is there, by place."""
        core, scope, redaction = self._core, self._scope, self._redaction()
        if self.conversation_id:
            conversation = await core.graph.conversations.get(scope, self.conversation_id, undone=True)
            invocations = len(conversation.invocations) if conversation else 0
        else:
            invocations = len(await redaction.waiting())
        return {
            "graph.facts": len(await core.facts.graph.get(scope, sorted(self.facts))),
            "graph.episodes": len(await core.episodes.graph.get(scope, sorted(self.episodes))),
            "graph.invocations": invocations,
        }

    async def is_removed(self) -> bool:
        """Whether nothing of it is in the graph, and nothing more belongs to it.  Late vectors are looked for afterwards."""
        if await self.grow() or any((await self.look()).values()):
            return False
        return not await self._redaction().summaries()

    async def look_at_vectors(self, *, orphans: bool = False) -> dict[str, int]:
        """Points of it, by place.  ``orphans``: only without a record; one that was stored again meanwhile has its own."""
        core, scope = self._core, self._scope
        facts, episodes = set(self.facts), set(self.episodes)
        if orphans:
            facts -= {fact.id for fact in await core.facts.graph.get(scope, sorted(facts))}
            episodes -= {episode.id for episode in await core.episodes.graph.get(scope, sorted(episodes))}
        return {
            "vectors.facts": len(await core.facts.router.fetch(scope, sorted(facts))),
            "vectors.episodes": len(await core.episodes.router.fetch(scope, sorted(episodes))),
        }


async def fact_pages(facts: FactMemory, scope: Scope, *, source: str = "") -> AsyncIterator[list[Fact]]:
    """All facts of a scope, or of one conversation of it, of every status."""
    read = 0
    while page := await facts.graph.listing(scope, statuses=FACT_STATUSES, source=source, limit=PAGE, offset=read):
        yield page
        read += len(page)


async def episode_pages(episodes: EpisodeMemory, scope: Scope) -> AsyncIterator[list[Episode]]:
    """All episodes of a scope, undone ones too."""
    read = 0
    while page := await episodes.graph.listing(scope, undone=True, limit=PAGE, offset=read):
        yield page
        read += len(page)


async def found_before(core: MemoryCore, job: Job) -> dict[str, int]:
    """What an interrupted run of this job wrote down."""
    for entry in await core.graph.job_store.get([job.id]):
        if entry.state == "running" and entry.summary:
            noted = json.loads(entry.summary)
            return {str(place): int(number) for place, number in noted.items()}
    return {}


async def write_down(core: MemoryCore, job: Job, receipt: Receipt) -> None:
    """Keep what was found for a run that goes on after an interruption."""
    note = entry_from_job(job, "running", at=core.clock.now(), summary=json.dumps(receipt.found))
    await core.graph.job_store.save([note])


async def settle(core: MemoryCore) -> None:
    """Wait for the last vectors that a process which does not know yet may be writing."""
    if core.graph.fence.shared:
        await core.clock.sleep(SETTLED_S)


async def _forget_jobs(core: MemoryCore, job: Job, conversation_id: str, said_in: Collection[str]) -> int:
    """Deferred and dead jobs with text of the conversation or the requests lose their payload; jobs of later turns do not."""
    emptied = []
    for entry in await core.graph.job_store.listing(job.scope, states=("deferred", "dead"), limit=100_000):
        if entry.created_at > job.created_at:
            continue
        try:
            payload = read_json_object(
                await core.graph.keyring.open(entry.scope, entry.sealed_payload), f"the payload of job {entry.job_id}"
            )
        except (ScopeErased, BadRequest):
            continue  # unreadable: there is nothing to remove
        of_conversation = bool(conversation_id) and payload.get("conversation_id") == conversation_id
        if of_conversation or payload.get("invocation_id") in said_in:
            now = core.clock.now()
            emptied.append(replace(entry, state="cancelled", sealed_payload="", error="", not_before=None, updated_at=now))
    if emptied:
        await core.graph.job_store.save(emptied)
    return len(emptied)


def _strings(value: JsonValue | Sequence[str]) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
