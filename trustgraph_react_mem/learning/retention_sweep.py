"""Publishes ``retain`` jobs for scopes with expired memories, so that a time limit also holds for people who stay away."""

import logging
from collections.abc import Collection
from datetime import datetime, timedelta

from ..memory.expiry import oldest_kept
from ..memory.ports import Job, JobPublisher
from ..memory.records import FACT_STATUSES, derived_id
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..settings import AgentMemSettings, flow_payload
from .context import SettingsFor
from .inactivity import flow_of

logger = logging.getLogger(__name__)

SWEEP_EVERY = timedelta(hours=1)
MOST_SCOPES = 200  # per call


class RetentionSweep:
    """Looks at every scope of the running workspaces once an hour, a limited number per call."""

    def __init__(self, core: MemoryCore, publisher: JobPublisher, settings_for: SettingsFor) -> None:
        self._core = core
        self._publisher = publisher
        self._settings_for = settings_for
        self._began_at: datetime | None = None
        self._left: list[Scope] = []

    async def run(self, flows: Collection[tuple[str, str]]) -> int:
        """Publish the jobs that are due.  Returns their number.  ``flows``: the running flows, as (workspace, flow).

        Call this every minute or so.  Raises EngineUnavailable; the scopes that are left are looked at in the next call.
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
