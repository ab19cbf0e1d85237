"""Ends conversations after a period of inactivity, for clients that never end a conversation themselves."""

from collections.abc import Collection
from datetime import datetime, timedelta

from ..memory.ports import Clock, ConversationGraph, JobPublisher
from ..memory.records import Conversation
from ..memory.scope import Scope
from ..settings import flow_payload
from .context import SettingsFor
from .triggers import end_jobs

FIRST_READ = 100  # conversations
MIN_TIMEOUT_S = 1
FLOW = "flow"  # metadata key of a conversation


class InactivityTrigger:
    """Ends silent conversations and publishes the jobs that follow.

    ``settings_for(workspace, flow)``: the settings of the flow in which the conversation was held.
    """

    def __init__(
        self,
        *,
        conversations: ConversationGraph,
        publisher: JobPublisher,
        clock: Clock,
        settings_for: SettingsFor,
    ) -> None:
        self._conversations = conversations
        self._publisher = publisher
        self._clock = clock
        self._settings_for = settings_for

    async def end_silent_conversations(self, flows: Collection[tuple[str, str]]) -> int:
        """End conversations that have been silent for longer than their settings allow.  Returns the number ended.

        ``flows``: the running flows, as (workspace, flow).  If some conversations
        stay open, more are read until all were checked.  The follow-up jobs are published before the conversation is ended:
        after a crash in between, the next call publishes the same jobs again.  Raises EngineUnavailable.
        """
        timeouts = [self._settings_for(workspace, flow).inactivity_timeout_s for workspace, flow in flows]
        shortest = min((seconds for seconds in timeouts if seconds >= MIN_TIMEOUT_S), default=0)
        if not shortest:
            return 0
        workspaces = {workspace for workspace, _ in flows}
        now, ended = self._clock.now(), 0
        left_open: set[tuple[Scope, str]] = set()
        while True:
            # The store lists the oldest first, so conversations that stay open would otherwise hide the younger ones.
            wanted = FIRST_READ + 2 * len(left_open)
            found = await self._conversations.idle_since(now - timedelta(seconds=shortest), limit=wanted)
            for conversation in found:
                if (conversation.scope, conversation.id) in left_open:
                    continue
                if await self._end_if_silent(conversation, workspaces, now):
                    ended += 1
                else:
                    left_open.add((conversation.scope, conversation.id))
            if len(found) < wanted:
                return ended

    async def _end_if_silent(self, conversation: Conversation, workspaces: Collection[str], now: datetime) -> bool:
        """End the conversation if the time-out of its flow has passed.  Returns whether it was ended."""
        scope, flow = conversation.scope, flow_of(conversation)
        if scope.workspace not in workspaces:
            return False
        settings = self._settings_for(scope.workspace, flow)
        last_at = conversation.last_at
        if not settings.inactivity_timeout_s or last_at is None:
            return False
        if now - last_at < timedelta(seconds=settings.inactivity_timeout_s):
            return False
        newest = await self._conversations.get(scope, conversation.id, limit=1, undone=True)
        if newest is None or not newest.invocations:
            return False
        jobs = end_jobs(
            scope,
            conversation.id,
            began_at=newest.started_at,
            last_position=newest.invocations[-1].position,
            last_id=newest.invocations[-1].id,
            settings=settings,
            inherited=flow_payload(flow, settings),
            trigger="inactivity",
            at=now,
        )
        if jobs:
            await self._publisher.publish(jobs)
        await self._conversations.end(scope, conversation.id, at=now)
        return True


def flow_of(conversation: Conversation) -> str:
    """The flow in which the conversation was held last.  Version 0.1.0 did not store it."""
    return conversation.metadata.get(FLOW) or "default"
