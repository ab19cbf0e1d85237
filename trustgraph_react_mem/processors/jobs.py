"""The jobs service: runs background jobs (recording, learning, erasure) and the housekeeping of the stores."""

import asyncio
import contextlib
import logging
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Awaitable, Callable
from datetime import timedelta
from typing import Any

from trustgraph.base import PromptClientSpec
from trustgraph.schema import Triples

from ..bootstrap import MemoryServices, open_services
from ..bus.client_specs import OptionalProducerSpec, OptionalSpec
from ..bus.leadership import Leadership
from ..bus.model import BusLanguageModel
from ..erasure.reconcile import Reconciler
from ..erasure.sweep import ErasureSweeper
from ..errors import EngineUnavailable, MemoryServiceError
from ..failure_log import log_failure
from ..jobs.retry import WorkerLimits
from ..learning.context import HandlerContext
from ..learning.sweeps import Sweeps
from ..memory.clock import is_ahead
from ..memory.ports import Clock, LanguageModel
from ..migration.reembed import MigrationScheduler
from ..schema.topics import housekeeping_queue
from ..telemetry.metrics import disk_free, scopes_to_repair, set_jobs_waiting
from .job_runner import JobRunner
from .operations.fact_export import FactExport
from .operations.jobs import JobOperations
from .service import MemoryProcessor, Operations, operations_of

logger = logging.getLogger(__name__)

default_ident = "agent-memory-jobs"

MODEL_SLOTS = 8  # of a worker process; beside an agent in the same process, the model is left to the agent
HOUSEKEEPING_EVERY_S = 30.0
MEASURE_EVERY_S = 5.0
MAINTAIN_EVERY = timedelta(minutes=10)
COMPARE_EVERY = timedelta(hours=1)


class Processor(MemoryProcessor):
    """Runs background jobs, and the housekeeping of the stores for all processes.

    Parameters: ``write_lanes`` is the number of concurrent jobs that call no language model, ``model_lanes`` the number of
    concurrent jobs that do.
    """

    service = default_ident

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._limits = WorkerLimits(
            write_slots=int(params.get("write_lanes") or WorkerLimits().write_slots),
            model_slots=int(params.get("model_lanes") or WorkerLimits().model_slots),
            keep_dead=timedelta(days=self._store_settings.dead_letter_days),
        )
        self._models: dict[tuple[str, str], LanguageModel] = {}
        self._flows: Counter[tuple[str, str]] = Counter()
        self._tasks: list[asyncio.Task[None]] = []
        self._jobs: JobRunner | None = None
        self._leadership = Leadership(self.async_backend, housekeeping_queue)
        self._export = FactExport(self.settings.for_flow)
        self.register_specification(OptionalProducerSpec("explainability", Triples))
        self.register_specification(
            OptionalSpec(PromptClientSpec("memory-prompt-request", "memory-prompt-response"), self._join)
        )

    def operations(self, memory: MemoryServices, flow: Any) -> Operations:
        settings = self.settings.for_flow(flow.workspace, flow.name)
        return operations_of(JobOperations(self.jobs.worker, memory, settings, flow.name))

    @property
    def jobs(self) -> JobRunner:
        """Raises: EngineUnavailable (it has not started)."""
        if self._jobs is None:
            raise EngineUnavailable("the jobs service is still starting: try again in a moment")
        return self._jobs

    # ------------------------------------------------------------------------------------------------ life

    async def start(self) -> None:
        if self.memory is None:
            self.memory = await open_services(self._store_settings, self.async_backend, source=self.id)
        memory: MemoryServices = self.memory
        context = HandlerContext(core=memory, model_for=self._model_for, settings_for=self.settings.for_flow)
        self._jobs = JobRunner(memory, self.async_backend, context, self._limits)
        self.receiver_pool.watched = self._jobs.consumer.connections
        memory.notifier.subscribe(self._export.changed)
        running = (
            self._jobs.run(),
            self._keep_house(memory),
            self._compare_stores(memory),
            self._measure(self._jobs, memory),
            self._export.run(memory.facts),
            memory.stores.files.run(),
        )
        self._tasks = [asyncio.create_task(work) for work in running]
        await super().start()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._leadership.close()
        if self._jobs is not None:
            await self._jobs.consumer.close()
        await super().stop()

    async def _measure(self, jobs: JobRunner, memory: MemoryServices) -> None:
        while True:
            set_jobs_waiting(jobs.worker.admin.waiting(), jobs.worker.admin.oldest_s())
            if memory.disk is not None:
                with contextlib.suppress(OSError):  # the services refuse writes, and say why
                    disk_free.set(memory.disk.free())
            await asyncio.sleep(MEASURE_EVERY_S)

    async def _compare_stores(self, memory: MemoryServices) -> None:
        """Repair the scopes in which graph and vectors differ.  They were compared at the start, and are again every hour."""
        compared_at = memory.clock.now()

        async def compare() -> None:
            nonlocal compared_at
            if not is_ahead(compared_at + COMPARE_EVERY, memory.clock.now(), COMPARE_EVERY):
                await memory.comparison.compare()
                compared_at = memory.clock.now()
            scopes_to_repair.set(len(memory.doubtful))
            if memory.doubtful:
                leads = not memory.graph.fence.shared or await self._leadership.try_lead()
                await (memory.comparison.repair() if leads else memory.comparison.compare())
                scopes_to_repair.set(len(memory.doubtful))

        await _repeat(compare, memory.clock, "comparing the stores")

    async def _keep_house(self, memory: MemoryServices) -> None:
        """Periodically repair unfinished writes, continue a model migration, sweep erasures, end inactive conversations, sweep
        expired memories.

        Only the leader of several replicas does this.  Two at once would be harmless, because every step is idempotent.
        """
        reconciler = Reconciler(memory, fence=memory.graph.fence)
        sweeper = ErasureSweeper(memory, reconciler)
        change = MigrationScheduler(memory, memory.publisher)
        sweeps = Sweeps(memory, memory.publisher, self.settings.for_flow)
        maintained_at = memory.clock.now()

        async def keep_house() -> None:
            nonlocal maintained_at
            if memory.graph.fence.shared and not await self._leadership.try_lead():
                return
            await reconciler.repair()
            await change.tick(self._workspaces())
            await sweeper.run()
            await sweeps.end_silent_conversations(frozenset(self._flows))
            await sweeps.retain_due(frozenset(self._flows))
            if not is_ahead(maintained_at + MAINTAIN_EVERY, memory.clock.now(), MAINTAIN_EVERY):
                maintained_at = memory.clock.now()
                await memory.facts.index.maintain()
                await memory.episodes.index.maintain()

        await _repeat(keep_house, memory.clock, "housekeeping")

    # ------------------------------------------------------------------------------------------------ flows

    def _model_for(self, workspace: str, flow: str) -> LanguageModel | None:
        """The language model of the flow.  If the flow is gone, that of another flow of the workspace, else None."""
        found = self._models.get((workspace, flow))
        return found or next((model for (owner, _), model in self._models.items() if owner == workspace), None)

    async def _join(self, flow: Any, client: Any) -> Callable[[], None]:
        """Start serving a flow.  ``client``: of its prompt service, or None."""
        workspace, name = flow.workspace, flow.name
        if client is not None:
            self._models[workspace, name] = BusLanguageModel(client)
        self._export.join(workspace, name, flow.producer.get("explainability"))
        self._flows[workspace, name] += 1
        await self.jobs.consumer.add_workspace(workspace)
        return lambda: self._leave(workspace, name)

    def _leave(self, workspace: str, flow: str) -> None:
        """Stop using a flow.  The subscription stays: jobs of the workspace are processed even if no flow runs there."""
        self._models.pop((workspace, flow), None)
        self._export.leave(workspace, flow)
        self._flows[workspace, flow] -= 1
        if not self._flows[workspace, flow]:
            del self._flows[workspace, flow]

    def _workspaces(self) -> list[str]:
        return sorted({workspace for workspace, _ in self._flows})

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        MemoryProcessor.add_args(parser)
        parser.add_argument("--write-lanes", type=int, default=None, help="Concurrent jobs that call no language model")
        parser.add_argument("--model-lanes", type=int, default=MODEL_SLOTS, help="Concurrent jobs that call a language model")


async def _repeat(work: Callable[[], Awaitable[None]], clock: Clock, what: str) -> None:
    """Do the work every ``HOUSEKEEPING_EVERY_S``, until cancelled."""
    while True:
        try:
            await work()
        except MemoryServiceError as error:
            logger.warning("%s failed, will retry: %s", what, error)
        except Exception:
            # Broad because what repairs the stores must survive any single error.
            log_failure(logger, "%s failed, will retry", what)
        await clock.sleep(HOUSEKEEPING_EVERY_S)


def run() -> None:
    Processor.launch(default_ident, __doc__)
