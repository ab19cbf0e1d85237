"""Clients of the memory services, and the specs that add them to a flow.

Every client is optional: a flow whose definition lacks the topics gets none.  Two clients of one service (retrieval and
storage of facts) share one connection.
"""

from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from opentelemetry.trace import SpanKind
from trustgraph.base import LibrarianSpec, ProducerSpec, RequestResponseSpec
from trustgraph.base.spec import Spec
from trustgraph.schema import AgentResponse, Error

from ..errors import MemoryServiceError
from ..memory.requests import SERVICES, Request, encode
from ..schema.topics import CONVERSATIONS, EPISODES, FACTS
from ..telemetry.tracing import count_records, memory_call
from .rpc import Requests
from .trustgraph_adapter import client_timeout

DEFAULT_TIMEOUT_S = 30.0
AGENT_ERROR = "Error: "  # begins the text of an agent's error, which TrustGraph's clients show as an answer

Response = TypeVar("Response")
Join = Callable[[Any, Any], Awaitable[Callable[[], None]]]


def error_class(wire_type: str) -> type[MemoryServiceError]:
    """The exception class of an error's wire type.  ``MemoryServiceError`` for an unknown type."""
    classes: list[type[MemoryServiceError]] = [MemoryServiceError]
    for cls in classes:  # which grows
        classes += cls.__subclasses__()
    return next((cls for cls in classes if cls.wire_type == wire_type), MemoryServiceError)


def raise_error(error: Error | None) -> None:
    """Raise the exception that belongs to ``error``.  None raises nothing."""
    if error is not None:
        raise error_class(error.type)(error.message)


def read_agent_error(response: AgentResponse) -> AgentResponse:
    """The agent's response with the text of its error in ``error`` and not in the answer.  Others are unchanged."""
    if response.error is None:
        return response
    text = response.error.message or response.content.strip().removeprefix(AGENT_ERROR)
    return replace(response, message_type="error", content=text, error=Error(type=response.error.type, message=text))


class ServiceClient:
    """Calls one memory service in ``workspace``."""

    def __init__(self, requests: Requests, workspace: str = "") -> None:
        self._requests = requests
        self._workspace = workspace

    async def call(self, request: Request[Response], timeout_s: float = DEFAULT_TIMEOUT_S) -> Response:
        """Send one request and return its response.

        ``timeout_s``: seconds to wait for the response, added to the time that the operation itself may wait.

        Raises: the exception that the service reported; EngineUnavailable (not sent, or no response in time).
        """
        response: Response = await self.send(request.service, encode(request), timeout_s + request.wait_s)
        return response

    async def send(self, service: str, record: Any, timeout_s: float) -> Any:
        """Send a wire record unchanged, and return its response.  Raises: as ``call``."""
        with memory_call(service, self._workspace, record, kind=SpanKind.CLIENT) as span:
            response = await self._requests.request(record, timeout_s)
            raise_error(response.error)
            count_records(span, record.operation, response)
        return response


# ------------------------------------------------------------------------------------------------------- specs


class _MemoryClientSpec(Spec):
    """Makes ``flow(name)`` a ``ServiceClient`` if the flow's definition has both topics of the service, else None."""

    name: ClassVar[str]
    service: ClassVar[str]

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        record, response = SERVICES[self.service]
        spec = RequestResponseSpec(f"{self.service}-request", record, f"{self.service}-response", response)
        created = None
        if flow.consumer.get(spec.request_name) is None:
            created = await _connect(spec, processor, definition)
            if created is None:
                return None
            flow.consumer[spec.request_name] = ServiceClient(created, flow.workspace)
        flow.consumer[self.name] = flow.consumer[spec.request_name]
        return created


async def _connect(spec: RequestResponseSpec, processor: Any, definition: dict[str, Any]) -> Requests | None:
    """None: the definition lacks a topic."""
    topics = definition.get("topics", {})
    if spec.request_name not in topics or spec.response_name not in topics:
        return None
    return await Requests.create(
        backend=processor.async_backend,
        request_topic=topics[spec.request_name],
        response_topic=topics[spec.response_name],
        request_schema=spec.request_schema,
        response_schema=spec.response_schema,
        processor_id=getattr(processor, "id", None),
        target_service=spec.request_name,
        default_timeout=client_timeout(spec, processor),
    )


# Class names as in the agentic memory specification, section "Client Specifications".


class FactRetrievalClientSpec(_MemoryClientSpec):
    name, service = "fact-retrieval", FACTS


class FactStorageClientSpec(_MemoryClientSpec):
    name, service = "fact-storage", FACTS


class EpisodeRetrievalClientSpec(_MemoryClientSpec):
    name, service = "episode-retrieval", EPISODES


class EpisodeStorageClientSpec(_MemoryClientSpec):
    name, service = "episode-storage", EPISODES


class ConversationMemoryClientSpec(_MemoryClientSpec):
    name, service = "conversation-memory", CONVERSATIONS


class StockClient:
    """Transport for a stock client class such as ``PromptClient``: it provides the ``request`` method that the class calls."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def request(self, request: Any, timeout: float | None = None, recipient: Any = None) -> Any:
        """Return the reply.  With a ``recipient``, pass it every reply until it returns true, and return the last one."""
        if recipient is None:
            return await self._requests.request(request, timeout=timeout)
        async for reply in self._requests.request_stream(request, timeout):
            if await recipient(reply):
                return reply
        return None

    async def close(self) -> None:
        await self._requests.close()


class OptionalSpec(Spec):
    """A stock client spec made optional, with ``Requests`` as its transport: ``flow("prompt-request")`` is a client or None.

    ``join`` is called with each flow and its client, and what it returns when the flow ends.
    """

    def __init__(self, spec: RequestResponseSpec, join: Join | None = None) -> None:
        self._spec, self._join = spec, join

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> "StockClient | _Joined | None":
        spec = self._spec
        requests = await _connect(spec, processor, definition)
        client = type(spec.impl.__name__, (StockClient, spec.impl), {})(requests) if requests is not None else None
        if client is not None:
            flow.consumer[spec.request_name] = client
        return client if self._join is None else _Joined(await self._join(flow, client), client)


class _Joined:
    def __init__(self, leave: Callable[[], None], client: StockClient | None) -> None:
        self._leave, self._client = leave, client

    async def unregister(self) -> None:
        self._leave()
        if self._client is not None:
            await self._client.close()


class OptionalProducerSpec(ProducerSpec):
    """Makes ``flow.producer[name]`` only if the flow's definition has the topic."""

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        return await super().register(flow, processor, definition) if self.name in definition.get("topics", {}) else None


class OptionalLibrarianSpec(LibrarianSpec):
    """Leaves ``flow.librarian`` None if the flow's definition has no librarian topics."""

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        topics = definition.get("topics", {})
        if self.request_name not in topics or self.response_name not in topics:
            return None
        await super().register(flow, processor, definition)
        return None  # the flow itself stops its librarian
