"""Operations of the conversations service."""

import asyncio
from dataclasses import replace
from datetime import timedelta

from ...bootstrap import MemoryServices
from ...erasure.forget import forget_job
from ...errors import BadRequest, NotFound
from ...learning.invocation import end_jobs
from ...memory.clock import oldest_kept
from ...memory.ports import ConversationGraph
from ...memory.records import Conversation, Invocation, implicit_conversation_id, implicit_conversation_prefix
from ...memory.requests import (
    AppendInvocation,
    EndConversation,
    ForgetConversation,
    GetConversation,
    GetConversationStats,
    GetCurrentConversation,
    ListConversations,
)
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...memory.timefmt import format_time, read_time
from ...schema import ConversationMemory, ConversationsResponse, InvocationSummary
from ...settings import MOST_SECONDS, flow_payload
from ..service import FlowOperations, new_id, publish_and_remove, serves
from .checks import check_range

STORE = "conversations"
RECENT = 20  # conversations of a window among which the current one is looked for


class ConversationOperations(FlowOperations):
    @property
    def _graph(self) -> ConversationGraph:
        return self._memory.graph.conversations

    @serves(GetConversation)
    async def get(self, scope: Scope, request: GetConversation) -> ConversationsResponse:
        """An unknown conversation is not an error: ``success`` is false, because the conversation may not have begun yet."""
        found = await self._graph.get(scope, request.conversation_id, limit=max(0, request.limit))
        return ConversationsResponse(
            conversation=_wire(self._drop_expired(found)) if found else None, success=found is not None
        )

    @serves(GetCurrentConversation)
    async def current(self, scope: Scope, request: GetCurrentConversation) -> ConversationsResponse:
        """The implicit conversation of the flow, with ``success`` false and no invocations if it has not begun yet."""
        within_s = request.within_s or 0
        check_range("within_s", within_s, 1, MOST_SECONDS)
        at = read_time("at", request.at) or self._memory.clock.now()
        window, prefix, after = timedelta(seconds=within_s), implicit_conversation_prefix(request.flow), ""
        for known in await self._graph.list_within(scope, prefix, at - window, at + window, limit=RECENT):
            if known.ended_at is None:
                may, found = await asyncio.gather(  # at once, because a question waits
                    self._memory.stores.graph.switches.get(scope, known.id),
                    self._graph.get(scope, known.id, limit=max(1, request.limit)),
                )
                if not may.read:
                    return ConversationsResponse(conversation=ConversationMemory(conversation_id=known.id), success=True)
                if found is not None:
                    shown = self._drop_expired(found)
                    # Explanations take 3 kB an exchange, and who continues a conversation reads none.
                    told = {key: value for key, value in shown.metadata.items() if not key.startswith("why:")}
                    return ConversationsResponse(conversation=_wire(replace(shown, metadata=told)), success=True)
            after = after or known.id
        begun = implicit_conversation_id(scope, request.flow, at, within_s=within_s, after=after)
        return ConversationsResponse(conversation=ConversationMemory(conversation_id=begun), success=False)

    def _drop_expired(self, found: Conversation) -> Conversation:
        """The conversation as it is shown before the sweep: no expired exchanges, and no summary that may repeat them."""
        kept_since = oldest_kept(self._settings.fact_ttl_days, self._memory.clock.now())
        if kept_since is None or (found.started_at is not None and found.started_at >= kept_since):
            return found
        kept = tuple(one for one in found.invocations if one.at >= kept_since)
        # What is kept of an exchange goes with it (``_wire``).  The summary of the conversation covers several.
        metadata = {name: value for name, value in found.metadata.items() if ":" in name or not name.startswith("summary")}
        return replace(found, invocations=kept, metadata=metadata)

    @serves(AppendInvocation)
    async def update(self, scope: Scope, request: AppendInvocation) -> ConversationsResponse:
        """Append an invocation.  If its id is stored already, nothing changes and ``success`` is false."""
        said = request.invocation
        if not said.query.strip():
            raise BadRequest("an invocation needs a query: what was asked")
        check_size("the invocation", [said.query, said.summary, said.result])
        at = read_time("timestamp", said.timestamp) or self._memory.clock.now()
        policy = await self._policy(scope)
        policy.check_id("the id of the invocation", said.id)
        policy.check_id("the conversation id", request.conversation_id)
        # A dropped text becomes empty instead of failing the request: the rest of the exchange keeps its position.
        new = await self._graph.append(
            scope,
            Invocation(
                id=said.id or new_id(),
                conversation_id=request.conversation_id,
                query=(await policy.screen_async(said.query)).text,
                summary=(await policy.screen_async(said.summary)).text,
                result=(await policy.screen_async(said.result)).text,
                at=at,
            ),
        )
        await self._memory.notifier.changed(scope, STORE, ids=[request.conversation_id])
        return ConversationsResponse(success=new, count=int(new))

    @serves(ListConversations)
    async def list(self, scope: Scope, request: ListConversations) -> ConversationsResponse:
        """Newest first, without their invocations.  ``count`` is the total number.

        A conversation whose reading is switched off is returned with only its id and times.
        """
        found = await self._graph.listing(scope, limit=request.limit, offset=request.offset)
        counts = await self._graph.count(scope)
        chosen = await self._memory.graph.switches.listing(scope)
        unread = {name for name, switches in chosen.items() if not switches.read}
        return ConversationsResponse(
            conversations=[_wire(replace(one, metadata={}) if one.id in unread else one) for one in found],
            success=True,
            count=counts.get("conversations", len(found)),
        )

    @serves(EndConversation)
    async def end(self, scope: Scope, request: EndConversation) -> ConversationsResponse:
        """End a conversation.  The jobs that follow are published before the end is stored, so a crash loses none."""
        conversation_id = request.conversation_id
        found = await self._graph.get(scope, conversation_id, limit=1)
        if found is None:
            raise NotFound(f"there is no conversation {conversation_id!r} in this scope")
        now = self._memory.clock.now()
        if found.invocations and found.ended_at is None:
            last, inherited = found.invocations[-1], flow_payload(self._flow, self._settings)
            jobs = end_jobs(scope, last, found.started_at, self._settings, inherited=inherited, trigger="end", at=now)
            if jobs:
                await self._memory.publisher.publish(jobs)
        ended = await self._graph.end(scope, conversation_id, at=now)
        await self._memory.notifier.changed(scope, STORE, ids=[conversation_id])
        return ConversationsResponse(success=ended)

    @serves(ForgetConversation)
    async def forget(self, scope: Scope, request: ForgetConversation) -> ConversationsResponse:
        """Erase a conversation.  A job, named in ``stats``, erases the memories derived from it."""
        return await forget_conversation(self._memory, scope, request.conversation_id)

    @serves(GetConversationStats)
    async def stats(self, scope: Scope, request: GetConversationStats) -> ConversationsResponse:
        counts = await self._graph.count(scope)
        return ConversationsResponse(
            success=True,
            count=counts.get("conversations", 0),
            stats={name: str(number) for name, number in counts.items()},
        )


async def forget_conversation(memory: MemoryServices, scope: Scope, name: str) -> ConversationsResponse:
    """Erase a conversation, or a refinement session."""
    found = await memory.graph.conversations.get(scope, name, undone=True)
    said = [one.id for one in found.invocations] if found else []
    job = forget_job(scope, "conversation", at=memory.clock.now(), conversation_id=name, invocation_ids=said)
    # The job is published even if nothing was found: an earlier try may have removed the conversation but not the rest.
    await publish_and_remove(memory, job, lambda: memory.graph.conversations.forget(scope, name))
    await memory.notifier.changed(scope, STORE, forgotten=[name])
    return ConversationsResponse(success=bool(said), count=len(said), stats={"job": job.id})


def _wire(found: Conversation) -> ConversationMemory:
    """With the metadata of the conversation, and of an exchange (``why:ID``, ``summary:ID``) only if that is returned, too."""
    said = {one.id for one in found.invocations}
    metadata = {name: value for name, value in found.metadata.items() if ":" not in name or name.partition(":")[2] in said}
    times = {name: format_time(getattr(found, name)) for name in ("started_at", "last_at", "ended_at")}
    return ConversationMemory(
        conversation_id=found.id,
        invocations=[
            InvocationSummary(query=one.query, summary=one.summary, result=one.result, timestamp=format_time(one.at), id=one.id)
            for one in found.invocations
        ],
        metadata={**metadata, **{name: at for name, at in times.items() if at}, "turns": str(found.turns)},
        ended=found.ended_at is not None,
    )
