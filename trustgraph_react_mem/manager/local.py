"""The memory services in this process: the operations that the services of a flow run, without a bus."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Self, TypeVar

from opentelemetry.trace import SpanKind

from ..bootstrap import MemoryServices, Stores, fact_search, job_publisher, open_in_process_bus, open_stores
from ..bus.jobs import JobConsumer
from ..bus.local.in_process import InProcessBus
from ..bus.local.job_log import JobLog
from ..errors import EngineUnavailable
from ..failure_log import log_failure
from ..flow_settings import explicit_fields
from ..jobs.pause_hooks import PauseHooks
from ..jobs.worker import JobWorker
from ..learning.context import HandlerContext
from ..learning.handler_table import build_handlers
from ..memory.clock import SystemClock
from ..memory.policies import DataPolicy, policy_of
from ..memory.ports import Clock, Embedder
from ..memory.requests import AnyRequest, Request
from ..memory.scope import Scope
from ..migration.reembed import move_scope
from ..models.chat import ChatModel
from ..models.embedder import open_embedding_model
from ..models.local_llm import settings_of_model
from ..processors import conversations, episodes, facts
from ..processors.operations.jobs import JobOperations
from ..processors.service import Operation, operations_of, run_permitted
from ..repositories.core import MemoryCore
from ..retrieval.local_notifier import LocalNotifier
from ..schema.topics import JOBS
from ..settings import AgentMemSettings, parse_agent_mem
from ..stack_state import lock_directory
from ..store_settings import StoreSettings
from ..telemetry.metrics import observe
from ..telemetry.tracing import count_records
from .model import LocalLanguageModel, open_language_model

Response = TypeVar("Response")

logger = logging.getLogger(__name__)

FLOW = "default"
SERVED = {each.service: each.served for each in (facts.Processor, episodes.Processor, conversations.Processor)}
LOOK_EVERY_S = 0.02
RESTART_S = 1.0  # before background jobs that failed start again
CLOSE_WAIT_S = 10.0  # for running jobs; what takes longer continues when the directory is opened next


@dataclass(frozen=True, slots=True)
class _WorkerClock:
    """The time of the caller's clock, and real pauses: the worker must not spin if a test's clock does not wait."""

    clock: Clock

    def now(self) -> datetime:
        return self.clock.now()

    async def sleep(self, seconds: float) -> None:
        await SystemClock().sleep(seconds)


class LocalServices:
    """The open stores of a data directory, with a worker of background jobs.  Create it with ``open``."""

    def __init__(self, services: MemoryServices, jobs: JobConsumer, log: JobLog, model: LocalLanguageModel | None) -> None:
        self._services = services
        self._jobs, self._log = jobs, log
        self._ending = contextlib.AsyncExitStack()
        self.learns = model is not None  # whether a language model is configured
        settings = parse_agent_mem(settings_of_model(model.chat if model else None))
        self._base = explicit_fields(settings)
        context = HandlerContext(
            core=services,
            model_for=lambda workspace, flow: model,
            settings_for=lambda workspace, flow: settings,
            pauses=PauseHooks(
                drain=lambda scope: self._worker.gate.drain(scope), suspend=lambda scope: self._worker.gate.suspend(scope)
            ),
        )
        graph = services.stores.graph
        self._worker = JobWorker(
            source=jobs,
            handlers=build_handlers(context),
            job_store=graph.job_store,
            publisher=services.publisher,
            keyring=graph.keyring,
            fence=graph.fence,
            clock=_WorkerClock(services.clock),
        )
        self._running = asyncio.create_task(self._work(), name="background jobs of a memory manager")
        self._rewriting = asyncio.create_task(services.stores.files.run(), name="rewriting of files after erasures")
        self._repairing: asyncio.Task[object] | None = None

    @classmethod
    async def open(cls, directory: Path, *, embedder: Embedder | None, clock: Clock, model: str | ChatModel) -> Self:
        """Raises: ConfigurationError (such as: another process uses the directory), ModelUnavailable, MissingPackage."""
        async with contextlib.AsyncExitStack() as undo:
            undo.enter_context(lock_directory(directory))
            chat = await open_language_model(model)
            if chat is not None and isinstance(model, str):
                undo.push_async_callback(chat.chat.close)
            used = embedder or await open_embedding_model()
            stores = await open_stores(StoreSettings(home=directory, graph_url="", vector_url=""), used.profile, clock)
            undo.push_async_callback(stores.close)
            bus, log = await open_in_process_bus(directory, stores, undo)
            self = cls(*_connect(stores, bus, used, clock), log, chat)
            bus.receive_jobs = self._jobs.add_workspace
            for workspace in await log.workspaces():
                await self._jobs.add_workspace(workspace)
            if await self._services.comparison.compare():
                self._repairing = asyncio.create_task(self._services.comparison.repair(), name="repair of the stores")
            self._ending = undo.pop_all()
        return self

    async def _work(self) -> None:
        while True:
            try:
                await self._worker.run()
            except Exception:
                # Broad because a bug must not stop background work for the rest of the program.
                log_failure(logger, "background jobs failed, will restart")
            await asyncio.sleep(RESTART_S)
            workspaces = await self._jobs.close()
            for workspace in workspaces:
                await self._jobs.add_workspace(workspace)

    async def call(self, request: Request[Response], scope: Scope, settings: AgentMemSettings) -> Response:
        """Run the operation of the request.  Raises: the errors of the operation."""
        scope = await self._services.names.find(scope.workspace, scope.user, scope.collection)
        await self._jobs.add_workspace(scope.workspace)
        of_model = {name: value for name, value in self._base.items() if name not in settings.model_fields_set}
        operation = self._operations(request, settings.model_copy(update=of_model))[type(request)]
        with observe(request, scope.workspace, kind=SpanKind.INTERNAL) as observation:
            response: Response = await run_permitted(self._services.stores.graph, operation, scope, request)
            count_records(observation.span, request.operation, response)
        return response

    async def policy(self, scope: Scope, settings: AgentMemSettings) -> DataPolicy:
        scope = await self._services.names.find(scope.workspace, scope.user, scope.collection)
        keyring = self._services.graph.keyring
        return await policy_of(keyring, scope, settings.personal_data)

    def _operations(self, request: AnyRequest, settings: AgentMemSettings) -> Mapping[Any, Operation]:
        if request.service == JOBS:
            return operations_of(JobOperations(self._worker, self._services, settings, FLOW))
        return operations_of(*(each(self._services, settings, FLOW) for each in SERVED[request.service]))

    async def reembed(self) -> int:
        """Re-embed every scope that has vectors of a former model.  Returns the number of scopes."""
        models = self._services.models
        waiting = await models.waiting()
        for scope in waiting:
            await move_scope(self._services, scope)
        await models.drop_empty()
        return len(waiting)

    async def close(self) -> None:
        """Wait for running jobs, and close the stores.  The next process that opens them continues with the unfinished ones."""
        with contextlib.suppress(TimeoutError, EngineUnavailable):
            async with asyncio.timeout(CLOSE_WAIT_S):
                while await self._log.workspaces():  # noqa: ASYNC110 - rows of a file
                    await asyncio.sleep(LOOK_EVERY_S)
        ending = [task for task in (self._running, self._rewriting, self._repairing) if task is not None]
        for task in ending:
            task.cancel()
        await asyncio.gather(*ending, return_exceptions=True)
        await self._jobs.close()
        await self._services.delayed_reindexer.close()
        await self._ending.aclose()


def _connect(stores: Stores, bus: InProcessBus, embedder: Embedder, clock: Clock) -> tuple[MemoryServices, JobConsumer]:
    notices = LocalNotifier()
    core = MemoryCore.over(stores.graph, stores.models(embedder), notices, clock, stores.files)
    retriever = fact_search(core, stores.graph.owner_seal)
    notices.retriever = retriever
    publisher = job_publisher(bus, core.graph.keyring, "memory-manager")
    return MemoryServices.around(core, stores, publisher, retriever), JobConsumer(bus, core.graph.keyring)
