"""Base class of the memory services: decodes a request, checks the memory switches, runs the operation and replies."""

import asyncio
import logging
import uuid
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from functools import cache, cached_property
from typing import Any, ClassVar, TypeVar

from trustgraph.base import ConsumerSpec, FlowProcessor, ProducerSpec
from trustgraph.schema import Error

from ..bootstrap import MemoryServices, open_services
from ..bus.embedder import FLOW
from ..bus.processor_mixin import DirectBus
from ..bus.rpc import check_awaited
from ..errors import BadRequest, EngineUnavailable, MemoryServiceError, ScopeChanged, TooLarge
from ..failure_log import log_failure
from ..flow_settings import TYPE, FlowSettings, add_settings_args, pop_base_settings
from ..memory.fencing import SETTLED_S, obtain_token, run_fenced, with_token
from ..memory.policies import DataPolicy, policy_of
from ..memory.ports import GraphPorts, Job
from ..memory.requests import SERVICES, AnyRequest, decode
from ..memory.requests.authority import PURPOSE, Authority
from ..memory.scope import Scope
from ..settings import AgentMemSettings
from ..store_settings import add_store_args, store_settings
from ..telemetry.metrics import observe
from ..telemetry.tracing import count_records

logger = logging.getLogger(__name__)

WAIT_S = SETTLED_S + 1.0  # how long a write waits for a running erasure of its scope
#: Fields of responses that hold memories.
RECORDS = ("facts", "rules", "history", "episodes", "conversations", "events", "refinements")

Operation = Callable[[Scope, Any], Awaitable[Any]]
Operations = Mapping[type[AnyRequest], Operation]
Method = TypeVar("Method", bound=Callable[..., Awaitable[Any]])


class FlowOperations:
    """Operations for one flow with its ``settings``."""

    def __init__(self, memory: MemoryServices, settings: AgentMemSettings, flow: str) -> None:
        self._memory, self._settings, self._flow = memory, settings, flow

    async def _policy(self, scope: Scope) -> DataPolicy:
        """The policy for personal data and secrets, from the flow's settings."""
        return await policy_of(self._memory.graph.keyring, scope, personal_data=self._settings.personal_data)


def serves(request: type[AnyRequest]) -> Callable[[Method], Method]:
    """Decorator: the method is the operation for requests of this class."""

    def mark(method: Method) -> Method:
        method.served = request  # type: ignore[attr-defined]
        return method

    return mark


def operations_of(*objects: object) -> Operations:
    """The methods of these objects that ``serves`` marks, by the class of request."""
    kinds: list[tuple[object, Any]] = [(each, type(each)) for each in objects]  # to mypy a class of Any is not hashable
    return {request: getattr(each, name) for each, kind in kinds for request, name in _find_served(kind).items()}


@cache
def _find_served(kind: Any) -> Mapping[type[AnyRequest], str]:
    """Class of request -> name of its method: looked up once, because each request asks for it."""
    return {method.served: name for name, method in vars(kind).items() if hasattr(method, "served")}


class MemoryProcessor(DirectBus, FlowProcessor):
    """A subclass names its ``service`` and the classes whose methods are its operations.

    Invariant: what the request may do and the person's memory switches are checked here, once for each request, and nowhere
    else in the services.
    """

    service: ClassVar[str]
    served: ClassVar[tuple[type[FlowOperations], ...]] = ()

    def __init__(self, **params: Any) -> None:
        self.settings = FlowSettings(pop_base_settings(params))
        super().__init__(**params)
        self._store_settings = store_settings(params)
        self._record, self._response = SERVICES[self.service]
        self.register_config_handler(self.settings.on_config, types=[TYPE])
        self.register_specification(ConsumerSpec("request", self._record, self.on_request))
        self.register_specification(ProducerSpec("response", self._response))

    async def start(self) -> None:
        if self.memory is None:
            self.memory = self.opened = await open_services(self._store_settings, self.async_backend, source=self.id)
        self.register_specification(self.memory.embedder.spec())
        self.register_config_handler(self.memory.embedder.on_flow_records, types=[FLOW])
        await super().start()

    @cached_property
    def _authority(self) -> Authority:
        return Authority(self.memory.graph.derived_key(PURPOSE))

    def operations(self, memory: MemoryServices, flow: Any) -> Operations:
        """The function for each class of request, with the settings of ``flow``."""
        settings = self.settings.for_flow(flow.workspace, flow.name)
        return operations_of(*(each(memory, settings, flow.name) for each in self.served))

    async def on_request(self, message: Any, consumer: Any, flow: Any) -> None:
        """Every request gets a reply while the broker can take one, because its caller waits for it."""
        headers = {"id": message.properties().get("id", "")}
        try:
            check_awaited(message.properties())
            response = await self._answer(message.value(), flow)
        except asyncio.CancelledError:
            stopping = self._error_response(EngineUnavailable.wire_type, f"the {self.service} service is stopping: try again")
            await flow("response").send(stopping, properties=headers)
            raise
        except MemoryServiceError as error:
            response = self._error_response(error.wire_type, str(error))
        except Exception as error:
            response = self._explain_unexpected(error, flow)
        try:
            await flow("response").send(response, properties=headers)
        except TooLarge as error:
            refusal = self._error_response(error.wire_type, f"{error} (limit, top_k, fewer ids)")
            await flow("response").send(refusal, properties=headers)
        except TypeError as error:  # a value that the wire cannot hold
            await flow("response").send(self._explain_unexpected(error, flow), properties=headers)

    async def _answer(self, record: Any, flow: Any) -> Any:
        """The response to a wire record.  Raises: MemoryServiceError (the record is not a valid request)."""
        if self.memory is None:
            raise EngineUnavailable(f"the {self.service} service is still starting: try again in a moment")
        request = decode(record)
        self._authority.check(request, record, flow.workspace)
        scope = await self.memory.names.find(flow.workspace, request.user, request.collection)
        name = request.operation
        with observe(request, flow.workspace) as observation, self.memory.embedder.serving(flow.workspace, flow.name):
            try:
                operation = self.operations(self.memory, flow)[type(request)]
                if request.access == "write" and self.memory.disk is not None:
                    self.memory.disk.check(f"{self.service}: {name}")
                response = await run_permitted(self.memory.graph, operation, scope, request)
                count_records(observation.span, name, response)
                return response
            except MemoryServiceError as error:
                observation.error = error.wire_type
                if error.blame != "caller":
                    logger.warning("%s: %s failed in flow %s of %s: %s", self.id, name, flow.name, flow.workspace, error)
                return self._error_response(error.wire_type, str(error))
            except Exception as error:
                # Broad because every caller must get a reply.
                observation.error = "memory-error"
                return self._explain_unexpected(error, flow, name)

    def _explain_unexpected(self, error: Exception, flow: Any, operation: str = "a request") -> Any:
        """Only the type of an unexpected error is sent: its text may hold data that the caller may not read."""
        log_failure(logger, "%s: %s failed in flow %s of %s", self.id, operation, flow.name, flow.workspace)
        return self._error_response(
            "memory-error", f"the {self.service} service failed ({type(error).__name__}); its log says more"
        )

    def _error_response(self, wire_type: str, text: str) -> Any:
        return self._response(error=Error(type=wire_type, message=text))

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        FlowProcessor.add_args(parser)
        DirectBus.add_args(parser)
        add_store_args(parser)
        add_settings_args(parser)


async def run_permitted(graph: GraphPorts, operation: Operation, scope: Scope, request: AnyRequest) -> Any:
    """Run the operation if the memory switches permit it.  While reading is off, the response holds no records.

    Raises: the errors of the operation; BadRequest (writing is switched off).
    """
    # The switches are those of the conversation that the request comes from, else of the one whose records it names.
    conversation_id = str(getattr(request, "conversation_id", "") or getattr(request, "source", ""))

    async def write() -> Any:
        may = await graph.switches.get(scope, conversation_id) if request.access == "write" else None
        if may is not None and not may.write:
            raise BadRequest("writing memory is switched off for this user or conversation: switch write on first")
        response = await operation(scope, request)
        # The reply to a write may show stored data: an update of one field returns the whole fact.  So it needs "read".
        records: dict[str, Any] = {name: [] for name in RECORDS if getattr(response, name, None)}
        if not records or (may or await graph.switches.get(scope, conversation_id)).read:
            return response
        return replace(response, **records)

    match request.access:
        case "none":
            return await operation(scope, request)
        case "read":
            # Concurrently, because reading is nearly always allowed, and then checking the switches adds no latency.
            may, found = await asyncio.gather(
                graph.switches.get(scope, conversation_id), operation(scope, request), return_exceptions=True
            )
            if isinstance(may, BaseException):
                raise may
            said = {"read": "on" if may.read else "off", "write": "on" if may.write else "off"}
            if not may.read:
                return request.response(stats=said)
            if isinstance(found, BaseException):
                raise found
            # Report the switches, so that an agent need not request them again to decide whether to record its turn.
            return replace(found, stats={**said, **found.stats})
        case "write" | "change":
            return await run_fenced(graph.fence, scope, write, wait_s=WAIT_S)


async def publish_and_remove(memory: MemoryServices, job: Job, remove: Callable[[], Awaitable[object]]) -> None:
    """Publish a forget job, then do the part that the caller waits for.  The job may finish first, which is harmless.

    The job is published before anything is removed: if the broker fails, nothing has changed and a retry is safe.

    Raises: EngineUnavailable (if the broker failed, nothing was removed).
    """
    fence = memory.graph.fence
    claim = await obtain_token(fence, job.scope, WAIT_S)
    await memory.publisher.publish([job])
    try:
        with with_token(claim):
            await remove()
    except ScopeChanged:
        await run_fenced(fence, job.scope, remove, wait_s=WAIT_S)


def embedding_timeout_s(deadline_ms: int) -> float:
    """Seconds to wait for an embedding, so that there is time left to answer without it.  0: no limit.

    Raises: BadRequest (negative deadline).
    """
    if deadline_ms < 0:
        raise BadRequest(f"deadline_ms {deadline_ms} must not be below 0 (0 = none)")
    return 0.7 * deadline_ms / 1000


def new_id() -> str:
    return str(uuid.uuid4())
