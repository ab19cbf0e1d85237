"""Ends conversations after a period of inactivity, for clients that never end a conversation themselves."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from ..memory.ports import Clock, ConversationGraph, JobPublisher
from ..memory.records import Conversation
from ..memory.scope import Scope
from ..settings import AgentMemSettings
from .triggers import end_jobs

MIN_TIMEOUT_S = 1


class InactivityTrigger:
    """Ends silent conversations and publishes the jobs that follow.

    ``settings_for(workspace)``: the settings for conversations of a workspace.
    """

    def __init__(
        self,
        *,
        conversations: ConversationGraph,
        publisher: JobPublisher,
        clock: Clock,
        settings_for: Callable[[str], AgentMemSettings],
    ) -> None:
        self._conversations = conversations
        self._publisher = publisher
        self._clock = clock
        self._settings_for = settings_for

    async def end_silent_conversations(self, workspaces: frozenset[str], *, limit: int = 100) -> int:
        """End conversations that have been silent for longer than their settings allow.  Returns the number ended.

        ``limit``: number of conversations to read first.  If some of them stay open, more are read until all were checked.
        The follow-up jobs are published before the conversation is ended: after a crash in between, the next call publishes the
        same jobs again.  Raises EngineUnavailable.
        """
        every_settings = {name: self._settings_for(name) for name in workspaces}
        timeouts = {name: settings.inactivity_timeout_s for name, settings in every_settings.items()}
        shortest = min((seconds for seconds in timeouts.values() if seconds >= MIN_TIMEOUT_S), default=0)
        if not shortest:
            return 0
        now, ended = self._clock.now(), 0
        left_open: set[tuple[Scope, str]] = set()
        while True:
            # The store lists the oldest first, so conversations that stay open would otherwise hide the younger ones.
            wanted = limit + 2 * len(left_open)
            found = await self._conversations.idle_since(now - timedelta(seconds=shortest), limit=wanted)
            for conversation in found:
                if (conversation.scope, conversation.id) in left_open:
                    continue
                if await self._end_if_silent(conversation, timeouts, now):
                    ended += 1
                else:
                    left_open.add((conversation.scope, conversation.id))
            if len(found) < wanted:
                return ended

    async def _end_if_silent(self, conversation: Conversation, timeouts: Mapping[str, int], now: datetime) -> bool:
        """End the conversation if its workspace's time-out has passed.  Returns whether it was ended."""
        scope = conversation.scope
        timeout_s = timeouts.get(scope.workspace, 0)
        last_at = conversation.last_at
        if not timeout_s or last_at is None or now - last_at < timedelta(seconds=timeout_s):
            return False
        newest = await self._conversations.get(scope, conversation.id, limit=1, undone=True)
        if newest is None or not newest.invocations:
            return False
        settings = self._settings_for(scope.workspace)
        jobs = end_jobs(
            scope,
            conversation.id,
            began_at=newest.started_at,
            last_position=newest.invocations[-1].position,
            last_id=newest.invocations[-1].id,
            settings=settings,
            inherited={"settings": settings.model_dump(by_alias=True, exclude_unset=True)},
            trigger="inactivity",
            at=now,
        )
        if jobs:
            await self._publisher.publish(jobs)
        await self._conversations.end(scope, conversation.id, at=now)
        return True
