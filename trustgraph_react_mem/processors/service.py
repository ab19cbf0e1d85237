"""A memory service as a TrustGraph processor: decode, one call, reply."""

import asyncio
import logging
import uuid
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Mapping
from datetime import datetime
from typing import Any, ClassVar, TypeVar

from trustgraph.base import ConsumerSpec, FlowProcessor, ProducerSpec
from trustgraph.schema import Error

from ..bootstrap import MemoryServices, open_services
from ..bus.embedder import EmbedderSpec
from ..bus.processor_mixin import DirectBus
from ..errors import BadRequest, EngineUnavailable, MemoryServiceError, ScopeChanged, TooLarge
from ..memory.fencing import SETTLED_S, obtain_token, run_fenced, with_token
from ..memory.ports import Job, Switches
from ..memory.scope import Scope
from ..memory.timefmt import parse_time
from ..telemetry import observe
from .flow_settings import TYPE, FlowSettings
from .store_arguments import add_store_args, store_settings

logger = logging.getLogger(__name__)

WAIT_S = SETTLED_S + 1.0  # for a forgetting that is being done

T = TypeVar("T")
Operation = Callable[[Scope, Any], Awaitable[Any]]


class MemoryProcessor(DirectBus, FlowProcessor):
    """A subclass names its schemas and gives the calls by the request's ``operation``."""

    service: ClassVar[str]
    request_schema: ClassVar[type]
    response_schema: ClassVar[type]
    reading: ClassVar[frozenset[str]]  # operations that answer with what is remembered
    writing: ClassVar[frozenset[str]]  # operations that write what they read, or more than once

    def __init__(self, **params: Any) -> None:
        super().__init__(**params)
        self._store_settings = store_settings(params)
        self._owns_memory = self.memory is None
        self.settings = FlowSettings()
        self.register_config_handler(self.settings.on_config, types=[TYPE])
        self.register_specification(ConsumerSpec("request", self.request_schema, self.on_request))
        self.register_specification(ProducerSpec("response", self.response_schema))

    async def start(self) -> None:
        if self.memory is None:
            self.memory = await open_services(self._store_settings, self.async_backend, source=self.id)
        self.register_specification(EmbedderSpec(self.memory.embedder))
        await super().start()

    async def stop(self) -> None:
        await super().stop()
        if self._owns_memory and self.memory is not None:
            await self.memory.close()

    def operations(self, memory: MemoryServices, flow: Any) -> Mapping[str, Operation]:
        raise NotImplementedError

    async def on_request(self, message: Any, consumer: Any, flow: Any) -> None:
        try:
            response = await self._answer(message.value(), flow)
        except MemoryServiceError as error:
            response = self._refusal(error.wire_type, str(error))
        headers = {"id": message.properties().get("id", "")}
        try:
            await flow("response").send(response, properties=headers)
        except TooLarge as error:
            refusal = self._refusal(error.wire_type, f"{error} (limit, top_k, fewer ids)")
            await flow("response").send(refusal, properties=headers)

    async def _answer(self, request: Any, flow: Any) -> Any:
        """Raises: MemoryServiceError (the request names nothing that can be done)."""
        if self.memory is None:
            raise EngineUnavailable(f"the {self.service} service is still starting: try again in a moment")
        operations = self.operations(self.memory, flow)
        operation = operations.get(request.operation)
        if operation is None:
            raise BadRequest(f"{self.service} has no operation {request.operation!r}: one of {', '.join(operations)}")
        scope = Scope(workspace=flow.workspace, user=request.user, collection=request.collection)
        with observe(self.service, request.operation) as observation, self.memory.embedder.serving(flow.workspace, flow.name):
            try:
                graph = self.memory.stores.graph
                if request.operation in self.reading:
                    switches = graph.switches.get(scope, conversation_of(request))
                    found = await allowed(switches, operation(scope, request))
                    return self.response_schema(stats={"read": "off"}) if found is None else found
                if request.operation in self.writing:
                    return await run_fenced(graph.fence, scope, lambda: operation(scope, request), wait_s=WAIT_S)
                return await operation(scope, request)
            except MemoryServiceError as error:
                observation.failed(error.wire_type)
                if error.blame != "caller":
                    logger.warning("a request failed", extra={"service": self.service, "cause": str(error)})
                return self._refusal(error.wire_type, str(error))
            except Exception as error:
                # The one broad except of a service: whoever waits gets a reply, without the text of an unforeseen error,
                # which may hold what is not theirs to read.
                observation.failed("memory-error")
                logger.exception("a request failed unexpectedly", extra={"service": self.service})
                return self._refusal(
                    "memory-error", f"the {self.service} service failed ({type(error).__name__}); its log says more"
                )

    def _refusal(self, wire_type: str, text: str) -> Any:
        return self.response_schema(error=Error(type=wire_type, message=text))

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        FlowProcessor.add_args(parser)
        DirectBus.add_args(parser)
        add_store_args(parser)


def conversation_of(request: Any) -> str:
    """In which it is asked, or whose records are asked for."""
    return str(getattr(request, "conversation_id", "") or getattr(request, "source", ""))


async def allowed(switches: Awaitable[Switches], reading: Awaitable[T]) -> T | None:
    """What is read, or None where the person switched reading off.  Both are asked for at once: nearly always it is allowed."""
    may, found = await asyncio.gather(switches, reading, return_exceptions=True)
    if isinstance(may, BaseException):
        raise may
    if not may.read:
        return None
    if isinstance(found, BaseException):
        raise found
    return found


async def removed_beside(memory: MemoryServices, job: Job, remove: Callable[[], Awaitable[object]]) -> None:
    """Publish a forgetting, and do the part that is waited for at once; when the job is quicker, it has done that part.

    Raises: EngineUnavailable (nothing was removed, when the broker refused).
    """
    fence = memory.stores.graph.fence
    claim = await obtain_token(fence, job.scope, WAIT_S)
    await memory.publisher.publish([job])
    try:
        with with_token(claim):
            await remove()
    except ScopeChanged:
        await run_fenced(fence, job.scope, remove, wait_s=WAIT_S)


def patience_s(deadline_ms: int) -> float:
    """How long to wait for an embedding, so that there is time left to answer without it; 0: for ever.  Raises: BadRequest."""
    if deadline_ms < 0:
        raise BadRequest(f"deadline_ms {deadline_ms} must not be below 0 (0 = none)")
    return 0.7 * deadline_ms / 1000


def new_id() -> str:
    return str(uuid.uuid4())


def checked_time(name: str, text: str) -> datetime | None:
    """None for an empty text.  Raises: BadRequest."""
    if not text:
        return None
    at = parse_time(text)
    if at is None:
        raise BadRequest(f"{name} = {text[:40]!r} is not a time: use ISO 8601, such as 2026-01-31T09:00:00Z")
    return at
