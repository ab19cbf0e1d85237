"""Conversations that fell silent have ended: the trigger for whoever never says goodbye."""

from collections.abc import Callable
from datetime import timedelta

from ..memory.ports import Clock, ConversationGraph, JobPublisher
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

        Their jobs are published first: a crash in between publishes the same jobs again.  Raises EngineUnavailable.
        """
        timeouts = {name: self._settings_for(name).inactivity_timeout_s for name in workspaces}
        shortest = min((seconds for seconds in timeouts.values() if seconds >= SHORTEST_S), default=0)
        if not shortest:
            return 0
        now, ended = self._clock.now(), 0
        for conversation in await self._conversations.idle_since(now - timedelta(seconds=shortest), limit=limit):
            scope = conversation.scope
            timeout_s = timeouts.get(scope.workspace, 0)
            last_at = conversation.last_at
            if not timeout_s or last_at is None or now - last_at < timedelta(seconds=timeout_s):
                continue
            newest = await self._conversations.get(scope, conversation.id, limit=1)
            if newest is None or not newest.invocations:
                continue
            settings = self._settings_for(scope.workspace)
            jobs = end_jobs(
                scope,
                conversation.id,
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
            ended += 1
        return ended
