"""Regular work that needs no request: ends silent conversations and removes expired memories.

Clients need not end a conversation themselves, and a time limit also holds for people who stay away.
"""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta

from ..memory.clock import oldest_kept
from ..memory.ports import Job, JobPublisher
from ..memory.records import FACT_STATUSES, Conversation, derived_id
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..settings import AgentMemSettings, flow_payload
from .context import SettingsFor
from .invocation import end_jobs

logger = logging.getLogger(__name__)

FIRST_READ = 100  # conversations
MIN_TIMEOUT_S = 1
SWEEP_EVERY = timedelta(hours=1)
MOST_SCOPES = 200  # whose memories one call looks at
FLOW = "flow"  # metadata key of a conversation


class Sweeps:
    """Call both sweeps every minute or so, with the running flows, as (workspace, flow).

    ``settings_for(workspace, flow)``: the settings of the flow in which a conversation was held.
    """

    def __init__(self, core: MemoryCore, publisher: JobPublisher, settings_for: SettingsFor) -> None:
        self._core = core
        self._publisher = publisher
        self._settings_for = settings_for
        self._began_at: datetime | None = None
        self._left: list[Scope] = []

    async def end_silent_conversations(self, flows: Collection[tuple[str, str]]) -> int:
        """End conversations that have been silent for longer than their settings allow.  Returns the number ended.

        If some conversations stay open, more are read until all were checked.  The follow-up jobs are published before the
        conversation is ended: after a crash in between, the next call publishes the same jobs again.
        Raises EngineUnavailable.
        """
        timeouts = [self._settings_for(workspace, flow).inactivity_timeout_s for workspace, flow in flows]
        shortest = min((seconds for seconds in timeouts if seconds >= MIN_TIMEOUT_S), default=0)
        if not shortest:
            return 0
        workspaces = {workspace for workspace, _ in flows}
        now, ended = self._core.clock.now(), 0
        left_open: set[tuple[Scope, str]] = set()
        while True:
            # The store lists the oldest first, so conversations that stay open would otherwise hide the younger ones.
            wanted = FIRST_READ + 2 * len(left_open)
            found = await self._core.graph.conversations.idle_since(now - timedelta(seconds=shortest), limit=wanted)
            for conversation in found:
                key = (conversation.scope, conversation.id)
                if key not in left_open and await self._end_if_silent(conversation, workspaces, now):
                    ended += 1
                else:
                    left_open.add(key)
            if len(found) < wanted:
                return ended

    async def _end_if_silent(self, conversation: Conversation, workspaces: Collection[str], now: datetime) -> bool:
        """End the conversation if the time-out of its flow has passed.  Returns whether it was ended."""
        scope, flow = conversation.scope, flow_of(conversation)
        if scope.workspace not in workspaces or conversation.last_at is None:
            return False
        settings = self._settings_for(scope.workspace, flow)
        silent_s = (now - conversation.last_at).total_seconds()
        if not settings.inactivity_timeout_s or silent_s < settings.inactivity_timeout_s:
            return False
        newest = await self._core.graph.conversations.get(scope, conversation.id, limit=1, undone=True)
        if newest is None or not newest.invocations:
            return False
        last, inherited = newest.invocations[-1], flow_payload(flow, settings)
        jobs = end_jobs(scope, last, newest.started_at, settings, inherited=inherited, trigger="inactivity", at=now)
        if jobs:
            await self._publisher.publish(jobs)
        await self._core.graph.conversations.end(scope, conversation.id, at=now)
        return True

    async def retain_due(self, flows: Collection[tuple[str, str]]) -> int:
        """Publish ``retain`` jobs for scopes with expired memories.  Returns their number.

        Every scope of the running workspaces is looked at once an hour, a limited number per call.
        Raises EngineUnavailable; the scopes that are left are looked at in the next call.
        """
        now = self._core.clock.now()
        if not self._left and (self._began_at is None or now - self._began_at >= SWEEP_EVERY):
            self._began_at = now
            for workspace in sorted({workspace for workspace, flow in flows if self._limits_time(workspace, flow)}):
                self._left += await self._core.graph.scopes.scopes(workspace)
        published = 0
        for _ in range(min(MOST_SCOPES, len(self._left))):
            published += await self._retain(self._left[-1], now)
            self._left.pop()
        return published

    def _limits_time(self, workspace: str, flow: str) -> bool:
        settings = self._settings_for(workspace, flow)
        return bool(settings.fact_ttl_days or settings.episode_ttl_days)

    async def _retain(self, scope: Scope, now: datetime) -> int:
        newest = await self._core.graph.conversations.listing(scope, limit=1)
        flow = flow_of(newest[0]) if newest else "default"
        settings = self._settings_for(scope.workspace, flow)
        if not await self._has_expired(scope, settings, now):
            return 0
        job = Job(
            id=derived_id("job", scope.key, "retention", str(self._began_at)),
            kind="retain",
            scope=scope,
            payload=flow_payload(flow, settings),
            created_at=now,
            trigger="management",
        )
        await self._publisher.publish([job])
        logger.info("published a retain job for a scope with expired memories")
        return 1

    async def _has_expired(self, scope: Scope, settings: AgentMemSettings, now: datetime) -> bool:
        facts, episodes = self._core.facts.graph, self._core.episodes.graph
        limit = oldest_kept(settings.fact_ttl_days, now)
        if limit and await facts.listing(scope, statuses=FACT_STATUSES, before=limit, limit=1):
            return True
        if limit and await self._core.graph.refinements.silent_since(scope, limit, limit=1):
            return True
        limit = oldest_kept(settings.episode_ttl_days, now)
        return bool(limit and await episodes.listing(scope, undone=True, before=limit, limit=1))


def flow_of(conversation: Conversation) -> str:
    """The flow in which the conversation was held last.  Version 0.1.0 did not store it."""
    return conversation.metadata.get(FLOW) or "default"
