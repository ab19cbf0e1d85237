"""Conversations that fell silent have ended: the trigger for whoever never says goodbye."""

from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from ..memory.ports import Clock, ConversationGraph, JobPublisher
from ..memory.records import Conversation
from ..memory.scope import Scope
from ..settings import AgentMemSettings
from .triggers import end_jobs

SHORTEST_S = 1


class InactivityTrigger:
    """``settings_for(workspace)``: the settings that hold for conversations of a workspace."""

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

    async def end_silent(self, workspaces: frozenset[str], *, limit: int = 100) -> int:
        """End what has been silent for longer than its settings allow; the number of conversations ended.

        ``limit``: conversations looked at first; where some of them stay open, more are asked for until there are no others.
        Their jobs are published first: a crash in between publishes the same jobs again.  Raises EngineUnavailable.
        """
        every_settings = {name: self._settings_for(name) for name in workspaces}
        timeouts = {name: settings.inactivity_timeout_s for name, settings in every_settings.items()}
        shortest = min((seconds for seconds in timeouts.values() if seconds >= SHORTEST_S), default=0)
        if not shortest:
            return 0
        now, ended = self._clock.now(), 0
        left_open: set[tuple[Scope, str]] = set()
        while True:
            # the oldest come first: those that stay open must not hide the younger ones for ever
            wanted = limit + 2 * len(left_open)
            found = await self._conversations.idle_since(now - timedelta(seconds=shortest), limit=wanted)
            for conversation in found:
                if (conversation.scope, conversation.id) in left_open:
                    continue
                if await self._ended(conversation, timeouts, now):
                    ended += 1
                else:
                    left_open.add((conversation.scope, conversation.id))
            if len(found) < wanted:
                return ended

    async def _ended(self, conversation: Conversation, timeouts: Mapping[str, int], now: datetime) -> bool:
        """False: it stays open."""
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
            carried={"settings": settings.model_dump(by_alias=True, exclude_unset=True)},
            trigger="inactivity",
            at=now,
        )
        if jobs:
            await self._publisher.publish(jobs)
        await self._conversations.end(scope, conversation.id, at=now)
        return True
