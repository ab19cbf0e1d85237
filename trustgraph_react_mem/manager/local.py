"""The memory services in this process: the operations that the services of a flow run, without a bus."""

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, TypeVar

from opentelemetry.trace import SpanKind

from ..bootstrap import MemoryServices, open_local_services
from ..bus.local.in_process import InProcessBus
from ..errors import EngineUnavailable, MemoryServiceError
from ..flow_settings import explicit_fields
from ..learning.context import HandlerContext
from ..memory.policies import DataPolicy, policy_of
from ..memory.ports import Clock, Embedder
from ..memory.requests import AnyRequest, Request
from ..memory.scope import Scope
from ..migration.reembed import move_scope
from ..models.chat import ChatModel
from ..models.embedder import open_embedding_model
from ..models.local_llm import settings_of_model
from ..processors import conversations, episodes, facts
from ..processors.job_runner import JobRunner
from ..processors.operations.jobs import JobOperations
from ..processors.service import Operation, operations_of, run_permitted
from ..schema.topics import JOBS
from ..settings import AgentMemSettings, parse_agent_mem
from ..stack_state import lock_directory
from ..store_settings import StoreSettings
from ..telemetry.metrics import observe
from ..telemetry.tracing import count_records
from .model import LocalLanguageModel, open_language_model

logger = logging.getLogger(__name__)

Response = TypeVar("Response")

FLOW = "default"
SERVED = {each.service: each.served for each in (facts.Processor, episodes.Processor, conversations.Processor)}
LOOK_EVERY_S = 0.02
CLOSE_WAIT_S = 10.0  # for running jobs; what takes longer continues when the directory is opened next


class LocalServices:
    """The open stores of a data directory, with a worker of background jobs.  Create it with ``open``.

    ``embedder``: the one that the program gave.  ``learns``: whether a language model is configured.
    """

    users = 0  # connections of managers

    embedder: Embedder | None = None
    _ending: contextlib.AsyncExitStack

    def __init__(self, directory: Path, memory: MemoryServices, bus: InProcessBus, model: LocalLanguageModel | None) -> None:
        self.directory, self._memory, self._log = directory, memory, bus.job_log()
        self.learns = model is not None
        settings = parse_agent_mem(settings_of_model(model.chat if model else None))
        self._base = explicit_fields(settings)
        context = HandlerContext(
            core=memory, model_for=lambda workspace, flow: model, settings_for=lambda workspace, flow: settings
        )
        self._jobs = JobRunner(memory, bus, context)
        bus.receive_jobs = self._jobs.consumer.add_workspace
        running = [self._jobs.run(), memory.stores.files.run(), *([memory.comparison.repair()] if memory.doubtful else [])]
        running += [self._reembed()] if memory.models.previous else []
        self._tasks = [asyncio.create_task(work) for work in running]

    @classmethod
    async def open(cls, directory: Path, *, embedder: Embedder | None, clock: Clock, model: str | ChatModel) -> Self:
        """Raises: ConfigurationError (such as: another process uses the directory), ModelUnavailable, MissingPackage."""
        async with contextlib.AsyncExitStack() as undo:
            undo.enter_context(lock_directory(directory))
            chat = await open_language_model(model)
            if chat is not None and isinstance(model, str):
                undo.push_async_callback(chat.chat.close)
            used = embedder or await open_embedding_model()
            settings = StoreSettings(home=directory, graph_url="", vector_url="")
            memory, bus = await open_local_services(settings, undo, embedder=used, source="memory-manager", clock=clock)
            self = cls(directory, memory, bus, chat)
            undo.push_async_callback(self._jobs.consumer.close)
            self.embedder = embedder
            for workspace in await self._log.workspaces():
                await self._jobs.consumer.add_workspace(workspace)
            self._ending = undo.pop_all()
        return self

    async def call(self, request: Request[Response], scope: Scope, settings: AgentMemSettings) -> Response:
        """Run the operation of the request.  Raises: the errors of the operation."""
        scope = await self._memory.names.find(scope.workspace, scope.user, scope.collection)
        of_model = {name: value for name, value in self._base.items() if name not in settings.model_fields_set}
        operation = self._operations(request, settings.model_copy(update=of_model))[type(request)]
        with observe(request, scope.workspace, kind=SpanKind.INTERNAL) as observation:
            response: Response = await run_permitted(self._memory.stores.graph, operation, scope, request)
            count_records(observation.span, request.operation, response)
        return response

    async def policy(self, scope: Scope, settings: AgentMemSettings) -> DataPolicy:
        scope = await self._memory.names.find(scope.workspace, scope.user, scope.collection)
        return await policy_of(self._memory.graph.keyring, scope, settings.personal_data)

    def _operations(self, request: AnyRequest, settings: AgentMemSettings) -> Mapping[Any, Operation]:
        if request.service == JOBS:
            return operations_of(JobOperations(self._jobs.worker, self._memory, settings, FLOW))
        return operations_of(*(each(self._memory, settings, FLOW) for each in SERVED[request.service]))

    async def _reembed(self) -> None:
        """Re-embed every scope that has vectors of a former model.  The next opening continues an interrupted run."""
        try:
            for scope in await self._memory.models.waiting():
                await move_scope(self._memory, scope)
            await self._memory.models.drop_empty()
        except MemoryServiceError as error:
            logger.warning("re-embedding failed, will retry when the memory is opened again: %s", error)

    async def close(self) -> None:
        """Wait for running jobs, and close the stores.  The next process that opens them continues with the unfinished ones."""
        with contextlib.suppress(TimeoutError, EngineUnavailable):
            async with asyncio.timeout(CLOSE_WAIT_S):
                while await self._log.workspaces():  # noqa: ASYNC110 - rows of a file
                    await asyncio.sleep(LOOK_EVERY_S)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._ending.aclose()
