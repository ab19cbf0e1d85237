"""Looking after scopes that were erased: what a process that died in between, or was too late, has left beside the graph."""

import logging
from datetime import datetime, timedelta

from ..memory.ports import Clock, Epochs, JobLedger
from ..memory.reconcile import Reconciler
from ..memory.scope import Scope

logger = logging.getLogger(__name__)

#: Ages of an erasure at which its scope is looked after.
AGES = (timedelta(minutes=1), timedelta(minutes=10))
KEPT = timedelta(hours=1)  # the name of an erased scope


class Aftercare:
    def __init__(self, epochs: Epochs, reconciler: Reconciler, ledger: JobLedger, clock: Clock) -> None:
        self._epochs, self._reconciler, self._ledger, self._clock = epochs, reconciler, ledger, clock
        self._looked: dict[tuple[Scope, datetime], int] = {}

    async def run(self) -> int:
        """Points without a record, and ledger entries of jobs from before; the number of scopes looked after.

        Call it every minute or so.  Raises EngineUnavailable.
        """
        now, done = self._clock.now(), 0
        named = await self._epochs.erased_since(datetime.min.replace(tzinfo=now.tzinfo))
        self._looked = {key: self._looked.get(key, 0) for key in named}
        for scope, erased_at in named:
            looked = self._looked[scope, erased_at]
            due = sum(now - erased_at >= age for age in AGES)
            if due > looked:
                report = await self._reconciler.repair_scope(scope)
                entries = await self._ledger.forget_scope(scope, before=erased_at)
                self._looked[scope, erased_at] = due
                done += 1
                if report.removed or entries:
                    logger.info("Looked after an erased scope", extra={"points": report.removed, "entries": entries})
        if any(now - erased_at > KEPT for _, erased_at in named):
            await self._epochs.forget_names(now - KEPT)
        return done
