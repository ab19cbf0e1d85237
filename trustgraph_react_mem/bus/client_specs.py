"""Typed clients of the memory services, and their specs for a flow.  Each is optional: a flow without the topics has none.

Two faces of one service (retrieval and storage of facts) share one connection.  A service's error becomes the exception class
of its wire type.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any, ClassVar, TypeVar

from trustgraph.base import LibrarianSpec, ProducerSpec, RequestResponseSpec
from trustgraph.base.request_response_spec import _make_impl_wrapper
from trustgraph.base.spec import Spec
from trustgraph.schema import Error

from ..errors import MemoryServiceError
from ..schema import (
    ConversationsRequest,
    ConversationsResponse,
    EpisodesRequest,
    EpisodesResponse,
    FactsRequest,
    FactsResponse,
    JobsRequest,
    JobsResponse,
)
from .rpc import Requests

DEFAULT_TIMEOUT_S = 30.0

Request = TypeVar("Request", FactsRequest, EpisodesRequest, ConversationsRequest, JobsRequest)


def error_class(wire_type: str) -> type[MemoryServiceError]:
    """The exception class of a wire type; the root for one that is not ours."""
    return next((cls for cls in _family(MemoryServiceError) if cls.wire_type == wire_type), MemoryServiceError)


def _family(cls: type[MemoryServiceError]) -> Iterator[type[MemoryServiceError]]:
    yield cls
    for child in cls.__subclasses__():
        yield from _family(child)


def raise_error(error: Error | None) -> None:
    """Raises: the class of the error's type, when there is one."""
    if error is not None:
        raise error_class(error.type)(error.message)


class ServiceClient:
    """One face of a service.  ``request`` gives the response as it came; the named methods raise its error."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    async def request(self, request: Any, timeout: float | None = None) -> Any:
        """Raises: EngineUnavailable."""
        return await self._requests.request(request, timeout=DEFAULT_TIMEOUT_S if timeout is None else timeout)

    async def _call(self, operation: str, request: Request, timeout_s: float) -> Any:
        response = await self.request(replace(request, operation=operation), timeout_s)
        raise_error(response.error)
        return response


class FactRetrievalClient(ServiceClient):
    async def retrieve(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("retrieve", request, timeout_s)
        return response

    async def get(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("get", request, timeout_s)
        return response

    async def list(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("list", request, timeout_s)
        return response

    async def history(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("history", request, timeout_s)
        return response

    async def stats(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("stats", request, timeout_s)
        return response


class FactStorageClient(ServiceClient):
    async def store(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("store", request, timeout_s)
        return response

    async def update(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("update", request, timeout_s)
        return response

    async def forget(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("forget", request, timeout_s)
        return response

    async def undo(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("undo", request, timeout_s)
        return response

    async def switch(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        """Reads (``read`` and ``write`` None) or sets; the response's ``stats`` say what holds: "on" or "off"."""
        response: FactsResponse = await self._call("switch", request, timeout_s)
        return response

    async def feedback(self, request: FactsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> FactsResponse:
        response: FactsResponse = await self._call("feedback", request, timeout_s)
        return response


class EpisodeRetrievalClient(ServiceClient):
    async def retrieve(self, request: EpisodesRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> EpisodesResponse:
        response: EpisodesResponse = await self._call("retrieve", request, timeout_s)
        return response

    async def list(self, request: EpisodesRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> EpisodesResponse:
        response: EpisodesResponse = await self._call("list", request, timeout_s)
        return response


class EpisodeStorageClient(ServiceClient):
    async def store(self, request: EpisodesRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> EpisodesResponse:
        response: EpisodesResponse = await self._call("store", request, timeout_s)
        return response

    async def forget(self, request: EpisodesRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> EpisodesResponse:
        response: EpisodesResponse = await self._call("forget", request, timeout_s)
        return response


class ConversationMemoryClient(ServiceClient):
    async def get(self, request: ConversationsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> ConversationsResponse:
        response: ConversationsResponse = await self._call("get", request, timeout_s)
        return response

    async def update(self, request: ConversationsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> ConversationsResponse:
        response: ConversationsResponse = await self._call("update", request, timeout_s)
        return response

    async def end(self, request: ConversationsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> ConversationsResponse:
        response: ConversationsResponse = await self._call("end", request, timeout_s)
        return response


class MemoryJobsClient(ServiceClient):
    async def submit(self, request: JobsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> JobsResponse:
        response: JobsResponse = await self._call("submit", request, timeout_s)
        return response

    async def get(self, request: JobsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> JobsResponse:
        response: JobsResponse = await self._call("get", request, timeout_s)
        return response

    async def list(self, request: JobsRequest, timeout_s: float = DEFAULT_TIMEOUT_S) -> JobsResponse:
        response: JobsResponse = await self._call("list", request, timeout_s)
        return response

    async def wait_idle(self, request: JobsRequest) -> JobsResponse:
        """Waits up to the request's own ``timeout_s``."""
        response: JobsResponse = await self._call("wait-idle", request, request.timeout_s + 5.0)
        return response


# ------------------------------------------------------------------------------------------------------- specs


class _MemoryClientSpec(Spec):
    """Makes the client under ``name`` when the definition has the service's two topics."""

    name: ClassVar[str]
    service: ClassVar[str]
    client: ClassVar[type[ServiceClient]]
    request_schema: ClassVar[type]
    response_schema: ClassVar[type]

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        topics = definition.get("topics", {})
        names = (f"{self.service}-request", f"{self.service}-response")
        if not all(name in topics for name in names):
            return None
        face = flow.consumer.get(names[0])
        created = None
        if face is None:
            created = await _connect(processor, topics, names, self.request_schema, self.response_schema)
            face = flow.consumer[names[0]] = ServiceClient(created)
        flow.consumer[self.name] = self.client(face._requests)
        return created


async def _connect(processor: Any, topics: dict[str, str], names: tuple[str, str], request: type, response: type) -> Requests:
    requests: Requests = await Requests.create(
        backend=processor.async_backend,
        request_topic=topics[names[0]],
        response_topic=topics[names[1]],
        request_schema=request,
        response_schema=response,
        processor_id=getattr(processor, "id", None),
        target_service=names[0],
    )
    return requests


class FactRetrievalClientSpec(_MemoryClientSpec):
    name, service, client = "fact-retrieval", "agent-facts", FactRetrievalClient
    request_schema, response_schema = FactsRequest, FactsResponse


class FactStorageClientSpec(_MemoryClientSpec):
    name, service, client = "fact-storage", "agent-facts", FactStorageClient
    request_schema, response_schema = FactsRequest, FactsResponse


class EpisodeRetrievalClientSpec(_MemoryClientSpec):
    name, service, client = "episode-retrieval", "agent-episodes", EpisodeRetrievalClient
    request_schema, response_schema = EpisodesRequest, EpisodesResponse


class EpisodeStorageClientSpec(_MemoryClientSpec):
    name, service, client = "episode-storage", "agent-episodes", EpisodeStorageClient
    request_schema, response_schema = EpisodesRequest, EpisodesResponse


class ConversationMemoryClientSpec(_MemoryClientSpec):
    name, service, client = "conversation-memory", "agent-conversations", ConversationMemoryClient
    request_schema, response_schema = ConversationsRequest, ConversationsResponse


class MemoryJobsClientSpec(_MemoryClientSpec):
    name, service, client = "memory-jobs", "agent-memory-jobs", MemoryJobsClient
    request_schema, response_schema = JobsRequest, JobsResponse


class OptionalSpec(Spec):
    """A stock client spec that a flow may lack, on our request client."""

    def __init__(self, spec: RequestResponseSpec) -> None:
        self._spec = spec

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        spec, topics = self._spec, definition.get("topics", {})
        if spec.request_name not in topics or spec.response_name not in topics:
            return None
        requests = await Requests.create(
            backend=processor.async_backend,
            request_topic=topics[spec.request_name],
            response_topic=topics[spec.response_name],
            request_schema=spec.request_schema,
            response_schema=spec.response_schema,
            processor_id=getattr(processor, "id", None),
            target_service=spec.request_name,
            default_timeout=spec.resolve_timeout(processor),
        )
        client = flow.consumer[spec.request_name] = _make_impl_wrapper(requests, spec.impl)
        return client


def optional(spec: RequestResponseSpec) -> OptionalSpec:
    """``optional(PromptClientSpec("prompt-request", "prompt-response"))``: ``flow("prompt-request")`` is a client or None."""
    return OptionalSpec(spec)


class OptionalProducerSpec(ProducerSpec):
    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        return await super().register(flow, processor, definition) if self.name in definition.get("topics", {}) else None


class OptionalLibrarianSpec(LibrarianSpec):
    """``flow.librarian`` is None where the flow names no librarian."""

    async def register(self, flow: Any, processor: Any, definition: dict[str, Any]) -> Any:
        topics = definition.get("topics", {})
        if self.request_name not in topics or self.response_name not in topics:
            return None
        await super().register(flow, processor, definition)
        return None  # the flow itself stops its librarian
