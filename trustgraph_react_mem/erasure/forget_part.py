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
from ..jobs.entries import decoded_payload, entry_of
from ..jobs.payload import text_of
from ..learning.context import HandlerContext
from ..memory.fencing import SETTLED_S, refuse_earlier
from ..memory.ports import Job, JsonValue
from ..memory.records import FACT_STATUSES, Episode, Fact
from ..memory.scope import Scope
from ..repositories.episodes import EpisodeMemory
from ..repositories.facts import FactMemory
from .receipt import NOTES, Level, Receipt
from .reconcile import Reconciler
from .redaction import Redaction

PAGE = 500
ROUNDS = 4  # of removing and looking again, before the job waits and begins again


async def forget_part(context: HandlerContext, job: Job, level: Level) -> Receipt:
    """Raises: ScopeChanged (another forgetting or undo was faster), EngineUnavailable (writers kept adding to it)."""
    scope, reconciler = job.scope, Reconciler(context.facts, context.episodes)
    receipt = Receipt(level=level, found=await found_before(context, job), notes=NOTES[1:])
    if receipt.found:
        # What the interrupted run left: tombstones, and neighbours of forgotten turns whose vectors hold their words still.
        await reconciler.finish(scope)
    part = _Part(context, job, level)
    await part.grow()
    if not receipt.found:
        receipt.add_found(await part.look() | await part.look_at_vectors())
        await write_down(context, job, receipt)
    for _ in range(ROUNDS):
        # Jobs that have read it would be refused at their first write: they stop at once, and begin again right after.
        async with context.paused(scope):
            await part.remove()
            await refuse_earlier(context.fence, scope)
        if await part.is_removed():
            break
    else:
        raise EngineUnavailable("forgetting failed: records that rest on the forgotten ones were written again and again")
    await settle(context)
    await reconciler.remove_points(scope, facts=sorted(part.facts), episodes=sorted(part.episodes))
    receipt.add_found({"jobs": await _forget_jobs(context, job, part.conversation_id, part.said_in)})
    receipt.add_left(await part.look_at_vectors(orphans=True))
    for store in ("facts", "episodes", "conversations"):
        # All of the scope: an interrupted run may have removed what this one did not see any more.
        await context.notifier.changed(scope, store)
    return receipt


class _Part:
    """What is forgotten of a scope.  ``facts`` and ``episodes``: ids of all that belong to it, there or gone already."""

    def __init__(self, context: HandlerContext, job: Job, level: Level) -> None:
        self._context, self._scope = context, job.scope
        self.conversation_id = text_of(job, "conversation_id") if level == "conversation" else ""
        self._named = set(_strings(job.payload.get("ids")))
        self.said_in = set(_strings(job.payload.get("invocation_ids"))) - {""}
        self.facts: set[str] = set(self._named)
        self.episodes: set[str] = set()

    async def grow(self) -> bool:
        """Add what is there now and belongs to it; whether anything was new."""
        before = len(self.facts) + len(self.episodes)
        facts, episodes = self._context.facts, self._context.episodes
        if self.conversation_id:
            async for page in fact_pages(facts, self._scope, source=self.conversation_id):
                self._named |= {fact.id for fact in page}
            told = await episodes.graph.telling_of(self._scope, conversation_ids=[self.conversation_id])
        else:
            named = await facts.get(self._scope, sorted(self._named))
            self.said_in |= {fact.invocation_id for fact in named if fact.kind == "turn"} - {""}
            told = await episodes.graph.telling_of(self._scope, invocation_ids=sorted(self.said_in))
            told += await episodes.get(self._scope, sorted(self._named))
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
        found = await self._context.facts.graph.dependents_of(self._scope, ids, tombstoned=True)
        self.facts |= {fact.id for fact in found}

    def _redaction(self) -> Redaction:
        return Redaction(self._context.conversations, self._scope, self.facts, self.said_in)

    async def remove(self) -> None:
        """A run that is interrupted finds again: by the episodes what rests on them, by the records where they were said."""
        context, scope = self._context, self._scope
        await self._redaction().run()
        await context.facts.forget(scope, sorted(self.facts - self._named))
        await context.episodes.forget(scope, sorted(self.episodes))
        await context.facts.forget(scope, sorted(self.facts))
        if self.conversation_id:
            await context.conversations.forget(scope, self.conversation_id)

    async def look(self) -> dict[str, int]:
        """What of it is there, by place."""
        context, scope, redaction = self._context, self._scope, self._redaction()
        if self.conversation_id:
            conversation = await context.conversations.get(scope, self.conversation_id, undone=True)
            invocations = len(conversation.invocations) if conversation else 0
        else:
            invocations = len(await redaction.waiting())
        return {
            "graph.facts": len(await context.facts.get(scope, sorted(self.facts))),
            "graph.episodes": len(await context.episodes.get(scope, sorted(self.episodes))),
            "graph.invocations": invocations,
        }

    async def is_removed(self) -> bool:
        """Whether nothing of it is in the graph, and nothing more belongs to it.  Late vectors are looked for afterwards."""
        if await self.grow() or any((await self.look()).values()):
            return False
        return not await self._redaction().summaries()

    async def look_at_vectors(self, *, orphans: bool = False) -> dict[str, int]:
        """Points of it, by place.  ``orphans``: only without a record; one that was stored again meanwhile has its own."""
        context, scope = self._context, self._scope
        facts, episodes = set(self.facts), set(self.episodes)
        if orphans:
            facts -= {fact.id for fact in await context.facts.get(scope, sorted(facts))}
            episodes -= {episode.id for episode in await context.episodes.get(scope, sorted(episodes))}
        return {
            "vectors.facts": len(await context.facts.router.fetch(scope, sorted(facts))),
            "vectors.episodes": len(await context.episodes.router.fetch(scope, sorted(episodes))),
        }


async def fact_pages(facts: FactMemory, scope: Scope, *, source: str = "") -> AsyncIterator[list[Fact]]:
    """All facts of a scope, or of one conversation of it, of every status."""
    read = 0
    while page := await facts.listing(scope, statuses=FACT_STATUSES, source=source, limit=PAGE, offset=read):
        yield page
        read += len(page)


async def episode_pages(episodes: EpisodeMemory, scope: Scope) -> AsyncIterator[list[Episode]]:
    """All episodes of a scope, undone ones too."""
    read = 0
    while page := await episodes.listing(scope, undone=True, limit=PAGE, offset=read):
        yield page
        read += len(page)


async def found_before(context: HandlerContext, job: Job) -> dict[str, int]:
    """What an interrupted run of this job wrote down."""
    for entry in await context.job_store.get([job.id]):
        if entry.state == "running" and entry.summary:
            noted = json.loads(entry.summary)
            return {str(place): int(number) for place, number in noted.items()}
    return {}


async def write_down(context: HandlerContext, job: Job, receipt: Receipt) -> None:
    """Keep what was found for a run that goes on after an interruption."""
    note = entry_of(job, "running", at=context.clock.now(), summary=json.dumps(receipt.found))
    await context.job_store.save([note])


async def settle(context: HandlerContext) -> None:
    """Wait for the last vectors that a process which does not know yet may be writing."""
    if context.fence.shared:
        await context.clock.sleep(SETTLED_S)


async def _forget_jobs(context: HandlerContext, job: Job, conversation_id: str, said_in: Collection[str]) -> int:
    """Deferred and dead jobs with text of the conversation or the requests lose their payload; jobs of later turns do not."""
    emptied = []
    for entry in await context.job_store.listing(job.scope, states=("deferred", "dead"), limit=100_000):
        if entry.created_at > job.created_at:
            continue
        try:
            payload = decoded_payload(await context.keyring.open(entry.scope, entry.sealed_payload))
        except (ScopeErased, BadRequest):
            continue  # unreadable: there is nothing to remove
        of_conversation = bool(conversation_id) and payload.get("conversation_id") == conversation_id
        if of_conversation or payload.get("invocation_id") in said_in:
            now = context.clock.now()
            emptied.append(replace(entry, state="cancelled", sealed_payload="", error="", not_before=None, updated_at=now))
    if emptied:
        await context.job_store.save(emptied)
    return len(emptied)


def _strings(value: JsonValue | Sequence[str]) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []
