"""Import of lines into a scope.  Existing records stay unchanged, and no duplicates are created.

- A record keeps its id.  A fact is skipped, with its changes, if its id exists, or if another active fact has the same content.
- Weights are imported only if the scope has none, and only for the embedding model they belong to.
- A switch is off after the import if it was off in the scope or in the file.
"""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from ..errors import Conflict
from ..memory.policies import LONG, DataPolicy
from ..memory.ports import FactWithHistory, StoredWeights, Switches
from ..memory.records import Conversation, Invocation
from ..memory.scope import Scope
from ..memory.trust.quarantine import hold_back
from ..refine.stored import metadata_of
from ..repositories.core import MemoryCore
from .lines import read_lines

AT_ONCE = 500  # facts per transaction


class ScopeImport:
    """Writes lines into scopes."""

    def __init__(self, core: MemoryCore) -> None:
        self._facts, self._episodes = core.facts, core.episodes
        self._conversations = core.graph.conversations
        self._refinements = core.graph.refinements
        self._weights, self._switches = core.graph.weights, core.graph.switches

    async def lines(self, scope: Scope, text: str, policy: DataPolicy, *, hold: bool = False) -> int:
        """Import lines.  Returns the number of new records.  All lines are validated before anything is written.

        ``policy`` is applied to all texts.  A record with a text that must be dropped is skipped.  ``hold``: quarantine rules,
        and what nobody said, also in their earlier versions, which an undo brings back.

        Raises:
            BadRequest: a line is not a valid record; the message has the line number and the reason.
        """
        arguments = (scope, text, policy)
        # A long text is screened in a thread.  Nothing is written before all of it is.
        read = read_lines(*arguments) if len(text) <= LONG else await asyncio.to_thread(read_lines, *arguments)
        if hold:
            read.facts = [replace(each, fact=hold_back(each.fact)) for each in read.facts]
            read.changes = [replace(each, before=hold_back(each.before) if each.before else None) for each in read.changes]
        appended: dict[str, int] = {}
        for own in _by_conversation(read.invocations):
            appended[own[0].conversation_id] = await self._conversations.append_many(scope, own)
        added = sum(appended.values())
        for told in read.conversations:
            added += await self._settle_conversation(scope, told, new=appended.get(told.id, 0) > 0)
        added += await self._add_refinements(scope, read.refinements)
        added += await self._add_facts(scope, read.facts)
        added += await self._facts.graph.restore_changes(scope, read.changes)
        added += await self._facts.graph.restore_replacements(scope, read.replacements)
        there = {episode.id for episode in await self._episodes.graph.get(scope, [episode.id for episode in read.episodes])}
        new = [episode for episode in read.episodes if episode.id not in there]
        await self._episodes.store(scope, new)
        added += len(new)
        if read.rewards:
            known = {logged.job_id for logged in await self._weights.reward_log(scope)}
            for logged in read.rewards:
                await self._weights.log_reward(scope, logged.at, logged.row, logged.job_id)
                added += logged.job_id not in known
        for weights in read.weights:
            added += await self._add_weights(scope, weights)
        return added + await self._add_switches(scope, read.switches)

    async def _add_refinements(self, scope: Scope, events: Sequence[Invocation]) -> int:
        """Append events to their sessions.  A session that has other events meanwhile keeps them, before the new ones."""
        added = 0
        for own in _by_conversation(events):
            about = metadata_of(own[0])
            added += await self._refinements.append(scope, own, of=about.get("conversation_id", ""), metadata=about)
        return added

    async def _add_facts(self, scope: Scope, facts: Sequence[FactWithHistory]) -> int:
        """Store all facts, then index them, because the document of a turn needs its neighbours."""
        there = {fact.id: fact for fact in await self._facts.graph.get(scope, [each.fact.id for each in facts])}
        new = [each for each in facts if each.fact.id not in there]
        compared = [each.fact for each in new if each.fact.status == "active" and each.fact.kind != "turn"]
        same = await self._facts.graph.by_digests(
            scope, [(fact.content, fact.kind) for fact in compared], [fact.speaker for fact in compared]
        )
        known = {fact.id for fact, other in zip(compared, same, strict=True) if other is not None}
        new = [each for each in new if each.fact.id not in known]
        added = 0
        for start in range(0, len(new), AT_ONCE):
            added += await self._facts.graph.restore(scope, new[start : start + AT_ONCE])
        waiting = [*(each.fact.id for each in new), *(fact.id for fact in there.values() if not fact.indexed)]
        if waiting:
            await self._facts.finish_indexing(scope, waiting)
        return added

    async def _settle_conversation(self, scope: Scope, read: Conversation, *, new: bool) -> bool:
        """Merge metadata and end of a conversation after its invocations.  Newer local data takes precedence."""
        conversation = await self._conversations.get(scope, read.id, limit=1)
        if conversation is None:
            return False
        values = {key: value for key, value in read.metadata.items() if key not in conversation.metadata}
        if values:
            await self._conversations.set_metadata(scope, conversation.id, values)
        ended = False
        if read.ended_at is not None and (conversation.last_at is None or conversation.last_at <= read.ended_at):
            ended = await self._conversations.end(scope, conversation.id, at=read.ended_at)
        return new or bool(values) or ended

    async def _add_switches(self, scope: Scope, switches: Sequence[tuple[str, Switches]]) -> int:
        own = await self._switches.listing(scope) if switches else {}
        changed = 0
        for conversation_id, there in switches:
            here = own.get(conversation_id, Switches())
            both = Switches(read=here.read and there.read, write=here.write and there.write)
            if both != here or conversation_id not in own:
                await self._switches.set(scope, both, conversation_id)
                changed += 1
        return changed

    async def _add_weights(self, scope: Scope, weights: StoredWeights) -> bool:
        profile = (await self._facts.router.read_index(scope)).profile
        if (weights.profile, weights.dimension) != (profile.name, profile.dimension):
            return False
        try:
            await self._weights.save(scope, weights, expected_version=0)
        except Conflict:
            return False  # the scope's own weights take precedence
        return True


def _by_conversation(invocations: Sequence[Invocation]) -> list[list[Invocation]]:
    groups: dict[str, list[Invocation]] = {}
    for each in invocations:
        groups.setdefault(each.conversation_id, []).append(each)
    return list(groups.values())
