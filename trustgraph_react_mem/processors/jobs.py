"""Background work: what is learned after a turn, once, in order per scope."""

import asyncio
import contextlib
import logging
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from typing import Any, ClassVar

from trustgraph.base import PromptClientSpec
from trustgraph.base.spec import Spec
from trustgraph.schema import Triples

from ..bootstrap import MemoryCore, open_services
from ..bus.client_specs import OptionalProducerSpec, optional
from ..bus.jobs import JobConsumer
from ..bus.model import BusLanguageModel
from ..erasure.reconcile import Reconciler
from ..erasure.sweep import ErasureSweeper
from ..errors import EngineUnavailable, MemoryServiceError
from ..jobs.delivery import Handler, JobOutcome
from ..jobs.payload import flow_of
from ..jobs.worker import JobWorker, WorkerLimits
from ..learning.context import HandlerContext
from ..learning.handlers import build_handlers
from ..learning.inactivity import InactivityTrigger
from ..learning.reward import RewardHandler
from ..learning.reward_log import citation_of
from ..memory.ports import Job, LanguageModel
from ..memory.scope import Scope
from ..migration.reembed import MigrationScheduler
from ..schema import JobsRequest, JobsResponse
from ..telemetry import count_job_failure, record_reward
from .operations.fact_export import FactExport
from .operations.jobs import JobOperations
from .service import MemoryProcessor, Operation

logger = logging.getLogger(__name__)

default_ident = "agent-memory-jobs"

TEND_EVERY_S = 30.0
MAINTAIN_EVERY = timedelta(hours=6)


class Processor(MemoryProcessor):
    """``write_lanes`` and ``model_lanes``: jobs at once that do not and that do call a language model."""

    service = default_ident
    request_schema = JobsRequest
    response_schema = JobsResponse
    reading: ClassVar[frozenset[str]] = frozenset()
    writing: ClassVar[frozenset[str]] = frozenset()  # what jobs write, they write under claims of their own

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._limits = WorkerLimits(
            write_lanes=int(params.get("write_lanes") or WorkerLimits().write_lanes),
            model_lanes=int(params.get("model_lanes") or WorkerLimits().model_lanes),
        )
        self._models: dict[tuple[str, str], LanguageModel] = {}
        self._workspaces: Counter[str] = Counter()
        self._tasks: list[asyncio.Task[None]] = []
        self._worker: JobWorker | None = None
        self._consumer: JobConsumer | None = None
        self._export = FactExport(self.settings.of)
        self.register_specification(OptionalProducerSpec("explainability", Triples))
        self.register_specification(_FlowOfJobs(self))

    def operations(self, memory: MemoryCore, flow: Any) -> Mapping[str, Operation]:
        if self._worker is None:
            raise EngineUnavailable("the jobs service is still starting: try again in a moment")
        settings = self.settings.of(flow.workspace, flow.name)
        return JobOperations(self._worker, memory.clock, settings, flow.name, memory.backfill.models).table()

    # ------------------------------------------------------------------------------------------------ life

    async def start(self) -> None:
        if self.memory is None:
            self.memory = await open_services(self._store_settings, self.async_backend, source=self.id)
        memory: MemoryCore = self.memory
        await self._take_up(memory)
        memory.notifier.subscribe(self._export.changed)
        running = (self._working(memory), self._tending(memory), self._export.run(memory.facts))
        self._tasks = [asyncio.create_task(work) for work in running]
        await super().start()

    async def stop(self) -> None:
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self._consumer is not None:
            await self._consumer.close()
        await super().stop()

    def _built(self, memory: MemoryCore, consumer: JobConsumer) -> JobWorker:
        graph = memory.stores.graph
        reward = RewardHandler(
            weights=graph.weights,
            index=memory.stores.fact_index,
            embedder=memory.embedder,
            clock=memory.clock,
            notifier=memory.notifier,
            models=memory.backfill.models,
            on_reward=lambda scope, row: record_reward(citation_of(row), row),
        )
        context = HandlerContext(
            facts=memory.facts,
            episodes=memory.episodes,
            conversations=graph.conversations,
            switches=graph.switches,
            weights=graph.weights,
            job_store=graph.job_store,
            keyring=graph.keyring,
            fence=graph.fence,
            notifier=memory.notifier,
            clock=memory.clock,
            model_for=self._model_for,
            settings_for=self.settings.of,
            scopes_of=graph.scopes.scopes,
            quiet=self._quiet,
            paused=self._paused,
            reward=reward,
            backfill=memory.backfill,
        )
        handlers = {kind: self._served(handler, memory) for kind, handler in build_handlers(context).items()}
        return JobWorker(
            source=consumer,
            handlers=handlers,
            job_store=graph.job_store,
            publisher=memory.publisher,
            keyring=graph.keyring,
            fence=graph.fence,
            clock=memory.clock,
            limits=self._limits,
        )

    def _served(self, handler: Handler, memory: MemoryCore) -> Handler:
        """Embeddings of a job come from the flow that published it."""

        async def serve(job: Job) -> JobOutcome:
            with memory.embedder.serving(job.scope.workspace, flow_of(job)):
                try:
                    return await handler(job)
                except Exception as error:
                    # Counted only: the worker decides what becomes of the job.
                    count_job_failure(job.kind, error.wire_type if isinstance(error, MemoryServiceError) else "memory-error")
                    raise

        return serve

    def _quiet(self, scope: Scope) -> contextlib.AbstractAsyncContextManager[object]:
        if self._worker is None:
            raise EngineUnavailable("the jobs service is still starting: try again in a moment")
        return self._worker.quiet(scope)

    def _paused(self, scope: Scope) -> contextlib.AbstractAsyncContextManager[object]:
        if self._worker is None:
            raise EngineUnavailable("the jobs service is still starting: try again in a moment")
        return self._worker.paused(scope)

    async def _take_up(self, memory: MemoryCore) -> None:
        """A new consumer and worker; the broker hands out again whatever an earlier one left unacknowledged."""
        self._consumer = JobConsumer(self.async_backend, memory.stores.graph.keyring)
        self._worker = self._built(memory, self._consumer)
        for workspace in sorted(self._workspaces):
            await self._consumer.add_workspace(workspace)

    async def _working(self, memory: MemoryCore) -> None:
        while True:
            try:
                if self._worker is not None:
                    await self._worker.run()
            except Exception:
                # Broad because work must go on whatever fault of ours stopped it: nothing in hand was acknowledged.
                logger.exception("the job worker stopped and starts again")
            if self._consumer is not None:
                await self._consumer.close()
            await asyncio.sleep(1.0)
            with contextlib.suppress(EngineUnavailable):
                await self._take_up(memory)

    async def _tending(self, memory: MemoryCore) -> None:
        """From time to time: end what fell silent, repair what a crash left half done, optimise the indexes."""
        inactivity = InactivityTrigger(
            conversations=memory.stores.graph.conversations,
            publisher=memory.publisher,
            clock=memory.clock,
            settings_for=lambda workspace: self.settings.of(workspace, "default"),
        )
        graph = memory.stores.graph
        reconciler = Reconciler(memory.facts, memory.episodes, fence=graph.fence)
        aftercare = ErasureSweeper(graph.fence, reconciler, graph.job_store, memory.clock)
        change = MigrationScheduler(memory.backfill, graph.job_store, memory.publisher, memory.clock)
        maintained_at = memory.clock.now()
        while True:
            try:
                await reconciler.repair()
                await change.tend(sorted(self._workspaces))
                await aftercare.run()
                await inactivity.end_silent(frozenset(self._workspaces))
                if memory.clock.now() - maintained_at > MAINTAIN_EVERY:
                    maintained_at = memory.clock.now()
                    await memory.stores.fact_index.maintain()
                    await memory.stores.episode_index.maintain()
            except MemoryServiceError as error:
                logger.warning("housekeeping waits", extra={"cause": error.wire_type})
            except Exception:
                # Housekeeping must outlive any single fault: it is what repairs them.
                logger.exception("housekeeping failed")
            await memory.clock.sleep(TEND_EVERY_S)

    # ------------------------------------------------------------------------------------------------ flows

    def _model_for(self, workspace: str, flow: str) -> LanguageModel | None:
        """The flow's own; another flow of the workspace may stand in for one that is gone."""
        found = self._models.get((workspace, flow))
        return found or next((model for (owner, _), model in self._models.items() if owner == workspace), None)

    async def join(self, workspace: str, flow: str, client: Any, triples: Any = None) -> None:
        """``client`` of the flow's prompt service and producer of ``triples``, each where the flow has it."""
        if client is not None:
            self._models[workspace, flow] = BusLanguageModel(client)
        self._export.join(workspace, flow, triples)
        self._workspaces[workspace] += 1
        if self._consumer is not None:
            await self._consumer.add_workspace(workspace)

    async def leave(self, workspace: str, flow: str) -> None:
        """The subscription stays: jobs of the workspace are worked off whether or not a flow runs there."""
        self._models.pop((workspace, flow), None)
        self._export.leave(workspace, flow)
        self._workspaces[workspace] -= 1
        if not self._workspaces[workspace]:
            del self._workspaces[workspace]

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        MemoryProcessor.add_args(parser)
        parser.add_argument("--write-lanes", type=int, default=None, help="Jobs at once that call no model")
        parser.add_argument("--model-lanes", type=int, default=None, help="Jobs at once that call a language model")


class _FlowOfJobs(Spec):  # type: ignore[misc]
    """Brings each flow's language model and its workspace's job topic to the processor."""

    def __init__(self, processor: Processor) -> None:
        self._processor = processor
        self._inner = optional(PromptClientSpec("memory-prompt-request", "memory-prompt-response"))

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        client = await self._inner.register(flow, processor, definition)
        await self._processor.join(flow.workspace, flow.name, client, flow.producer.get("explainability"))
        return _Joined(self._processor, flow.workspace, flow.name, client)


class _Joined:
    def __init__(self, processor: Processor, workspace: str, flow: str, client: Any) -> None:
        self._processor, self._workspace, self._flow, self._client = processor, workspace, flow, client

    async def unregister(self) -> None:
        await self._processor.leave(self._workspace, self._flow)
        if self._client is not None:
            await self._client.close()


def run() -> None:
    Processor.launch(default_ident, __doc__)
