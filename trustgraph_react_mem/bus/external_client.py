"""``MemoryBus``: client for a running flow from outside of TrustGraph, for the command line, benchmarks and tests.

async with await MemoryBus.connect("pulsar://127.0.0.1:6650") as bus:
    async for message in bus.ask(AgentRequest(question="What do you know about me?")):
        print(message.content)
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import AsyncExitStack
from typing import Any, TypeVar

from tenacity import retry, retry_if_exception_type, stop_after_attempt
from trustgraph.schema import (
    AgentResponse,
    ConfigKey,
    ConfigRequest,
    ConfigResponse,
    ConfigValue,
    EmbeddingsRequest,
    EmbeddingsResponse,
    IamRequest,
    IamResponse,
    TextCompletionRequest,
    TextCompletionResponse,
    config_request_queue,
    config_response_queue,
    iam_request_queue,
    iam_response_queue,
)

from ..errors import BadRequest, ConfigurationError, EngineUnavailable, ModelUnavailable, NotFound
from ..memory.requests import (
    SERVICES,
    AnyRequest,
    GetConversationStats,
    GetEpisodeStats,
    GetFactStats,
    ListJobs,
    Request,
    encode,
)
from ..memory.requests.authority import operator_token, profits_from_operator
from ..schema import AgentRequest
from ..schema.topics import AGENT, request_queue, response_queue
from ..telemetry.propagation import headers_of
from ..telemetry.tracing import agent_call, error_type, fail
from .address import BusAddress
from .client_specs import ServiceClient, error_class, raise_error, read_agent_error
from .port import Bus
from .rpc import Requests

Response = TypeVar("Response")

AGENT_TIMEOUT_S = 600.0
FIRST_MESSAGE_TIMEOUT_S = 60.0  # short: the first message of a turn comes before any model is called
SERVICE_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 15.0
CHECK_TIMEOUT_S = 5.0
SUPERVISOR = "supervisor"  # the pattern that stands for those of TrustGraph's orchestrator
PROBES: Mapping[str, AnyRequest] = {
    probe.service: probe for probe in (GetFactStats(), GetEpisodeStats(), GetConversationStats(), ListJobs())
}
"""A cheap request to each service, used as a health check."""


def open_bus(address: BusAddress) -> Bus:
    """Raises (at its first use): EngineUnavailable."""
    if address.socket is not None:
        from .local.local_socket import SocketBus

        return SocketBus(address.socket)
    if address.is_rabbitmq:
        from .rabbitmq_driver import RabbitBus

        return RabbitBus.to(address)
    from .pulsar_driver import DirectBackend  # here: Pulsar's client takes long to load

    return DirectBackend.to(address, quiet=True)


class MemoryBus:
    """Create with ``connect``.  The connection to a service opens at its first use."""

    def __init__(self, address: BusAddress, workspace: str, flow: str, backend: Bus | None = None) -> None:
        self.address = address
        self.workspace = workspace
        self.flow = flow
        self.find_loss: Callable[[], str] = lambda: ""
        """Says why no reply can come any more, such as that the process of the stack ended.  "" while one can."""
        self.find_operator_key: Callable[[], bytes] = lambda: b""
        """The key of an operator (``bootstrap.operator_key``), for requests that reach beyond the own memory.  Empty: none."""
        self._backend = backend or open_bus(address)
        self._requests: dict[str, asyncio.Task[Requests]] = {}

    @classmethod
    async def connect(
        cls,
        address: BusAddress | str,
        workspace: str = "default",
        flow: str = "default",
        backend: Bus | None = None,
    ) -> "MemoryBus":
        """Connect to a bus.  ``address`` is a URL (``pulsar://HOST:PORT``), or a ``BusAddress`` with key and listener.

        ``backend``: a connection of this process to that bus (``EmbeddedStack.lease``).  Default: a new one.

        Raises: BadRequest (no such address), EngineUnavailable (no answer within 15 s, or access denied).
        """
        bus = cls(address if isinstance(address, BusAddress) else BusAddress(url=address), workspace, flow, backend)
        try:
            async with AsyncExitStack() as unfinished:
                unfinished.push_async_callback(bus.close)
                async with asyncio.timeout(CONNECT_TIMEOUT_S):
                    await bus._configuration()
                unfinished.pop_all()
        except TimeoutError:
            raise EngineUnavailable(f"no message broker answers at {bus.address.url}: is it running, and reachable?") from None
        except EngineUnavailable as error:
            raise EngineUnavailable(f"{bus.address.url}: {error}") from None
        return bus

    @property
    def is_lost(self) -> bool:
        """Whether the connection to a stack of this machine has ended.  One to a broker is restored by itself."""
        return not getattr(self._backend, "is_connected", True)

    async def check(self) -> None:
        """Check in the configuration that this flow exists and has memory.  The services themselves are not called.

        Raises: EngineUnavailable (no configuration service), NotFound (no such flow), ConfigurationError (no memory).
        """
        flows = await self._keys("flow")
        if (self.workspace, self.flow) not in flows:
            there = ", ".join(f"{flow} of {workspace}" for workspace, flow in sorted(flows)) or "none"
            raise NotFound(
                f"there is no flow {self.flow!r} in workspace {self.workspace!r} at {self.address.url} (flows: {there}): "
                "name another, or start it with tg-start-flow"
            )
        wanted = (AGENT, *SERVICES)
        configured = await asyncio.gather(*(self._keys(f"processor:{name}") for name in wanted))
        here = (self.workspace, self.flow)
        missing = [name for name, flows_with_it in zip(wanted, configured, strict=True) if here not in flows_with_it]
        if missing:
            raise ConfigurationError(
                f"flow {self.flow!r} of workspace {self.workspace!r} has no {', '.join(missing)}: its blueprint has no "
                "memory; run `react-mem install`, then start a flow from the blueprint that it creates"
            )

    async def _keys(self, config_type: str) -> set[tuple[str, str]]:
        """(workspace, key) of each value of a configuration type."""
        request = ConfigRequest(operation="getkeys-all-ws", type=config_type)
        try:
            response = await _repeat(self._config, request, CHECK_TIMEOUT_S)
        except EngineUnavailable:
            raise EngineUnavailable(
                f"a broker answers at {self.address.url}, but no configuration service on it ({config_request_queue}): "
                "is TrustGraph's, or react-mem-config, running there?"
            ) from None
        return {(value.workspace, value.key) for value in response.values}

    async def check_service(self, processor: str) -> None:
        """Check that the agent or a memory service answers requests of this flow.

        Raises: EngineUnavailable, or the error that the service reports.
        """
        if processor == AGENT:
            await _repeat(self._agent_answers)
        else:
            await _repeat(self.call, PROBES[processor], CHECK_TIMEOUT_S)

    async def find_missing_pattern(self) -> str:
        """Why the agent cannot run TrustGraph's patterns, or "".  Raises: EngineUnavailable (it does not answer)."""
        async for response in self.ask(AgentRequest(question="", pattern=SUPERVISOR), CHECK_TIMEOUT_S):
            if response.error:
                return str(response.error.message) if response.error.type == ConfigurationError.wire_type else ""
        return ""

    async def _agent_answers(self) -> None:
        async for _ in self.ask(AgentRequest(question=""), CHECK_TIMEOUT_S):  # refused before any model is called
            return

    async def __aenter__(self) -> "MemoryBus":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        opening, self._requests = list(self._requests.values()), {}
        for task in opening:
            task.cancel()
        for opened in await asyncio.gather(*opening, return_exceptions=True):
            if isinstance(opened, Requests):
                await opened.close()
        await self._backend.close()

    # ------------------------------------------------------------------------------------------------ the agent

    async def ask(self, request: AgentRequest, timeout_s: float = AGENT_TIMEOUT_S) -> AsyncIterator[AgentResponse]:
        """Yield every message of the turn until the dialogue ends or an error comes.

        ``timeout_s``: maximum seconds between two messages.

        A client that leaves does not end a turn that has begun: the bus does not tell the agent.  Nor does it tell the client
        that an agent of a deployment ended.

        Raises: EngineUnavailable (no message in time, or the broker or the stack ended).
        """
        requests = await self._service("agent", AgentRequest, AgentResponse)
        first_s = min(timeout_s, FIRST_MESSAGE_TIMEOUT_S)
        span = agent_call(AGENT)
        headers = headers_of(span)
        try:
            async for message in requests.request_stream(request, timeout_s, headers, first_timeout=first_s):
                response = read_agent_error(message)
                if response.error:
                    fail(span, response.error.type)
                yield response
                if response.end_of_dialog or response.error:
                    return
        except BaseException as error:
            if not isinstance(error, GeneratorExit):  # a client that leaves is no failure
                fail(span, error_type(error))
            raise
        finally:
            span.end()

    async def complete(self, system: str, prompt: str, timeout_s: float = AGENT_TIMEOUT_S) -> TextCompletionResponse:
        """Put a prompt to the language model of the flow (its service ``text-completion``).

        Raises: ModelUnavailable (the flow has none, or it does not answer), EngineUnavailable, and what the model refuses.
        """
        no_model = "language model: configure one (OPENAI_BASE_URL, or REACT_MEM_MODEL=local)"
        requests = await self._interface("text-completion", TextCompletionRequest, TextCompletionResponse, no_model)
        response: TextCompletionResponse = await requests.request(
            TextCompletionRequest(system=system, prompt=prompt), timeout_s
        )
        if response.error:
            refused = error_class(response.error.type)
            known = issubclass(refused, ModelUnavailable | BadRequest | ConfigurationError)
            raise (refused if known else ModelUnavailable)(response.error.message)
        return response

    async def embed(self, texts: Sequence[str], timeout_s: float = SERVICE_TIMEOUT_S) -> list[list[float]]:
        """Vectors of the flow's embeddings service, as it gives them.

        Raises: ModelUnavailable (the flow has none, or it fails), EngineUnavailable (it does not answer).
        """
        requests = await self._interface("embeddings", EmbeddingsRequest, EmbeddingsResponse, "embeddings service")
        response: EmbeddingsResponse = await requests.request(EmbeddingsRequest(texts=list(texts)), timeout_s)
        if response.error:
            raise ModelUnavailable(response.error.message)
        vectors: list[list[float]] = response.vectors
        return vectors

    async def ask_identity_service(self, request: IamRequest, timeout_s: float) -> Any:
        """The answer of TrustGraph's identity service, which may be an error.  Raises: EngineUnavailable (there is none)."""
        topics = (iam_request_queue, iam_response_queue)
        requests = await self._connect_once("iam", lambda: self._open(*topics, IamRequest, IamResponse))
        return await requests.request(request, timeout_s)

    async def _interface(self, service: str, request: type, response: type, what: str) -> Requests:
        """Connect to the topics of a service that the record of the flow names for clients: no other would answer.

        ``what``: the service, for the error.
        """

        async def opening() -> Requests:
            definition = (await self.config_get("flow")).get(self.flow, "{}")
            topics: dict[str, str] = json.loads(definition).get("interfaces", {}).get(service) or {}
            if not topics:
                raise ModelUnavailable(f"flow {self.flow!r} of workspace {self.workspace!r} has no {what}")
            return await self._open(topics["request"], topics["response"], request, response)

        return await self._connect_once(service, opening)

    # ---------------------------------------------------------------------------------------------- the services

    async def call(self, request: Request[Response], timeout_s: float = SERVICE_TIMEOUT_S) -> Response:
        """Send one request of ``memory.requests`` and return its response.

        ``timeout_s``: seconds to wait for the response, added to the time that the operation itself may wait.

        Raises: the exception that the service reported; EngineUnavailable (not sent, or no response in time).
        """
        record = encode(request)
        if profits_from_operator(request) and (key := self.find_operator_key()):
            record.operator = operator_token(key, record, self.workspace)
        result: Response = await self.send(record, timeout_s + request.wait_s)
        return result

    async def send(self, record: Any, timeout_s: float = SERVICE_TIMEOUT_S) -> Any:
        """Send a wire record unchanged and return its response, for tools that work on wire records.  Raises: as ``call``."""
        service = next(name for name, classes in SERVICES.items() if type(record) is classes[0])
        requests = await self._service(service, *SERVICES[service])
        return await ServiceClient(requests, self.workspace).send(service, record, timeout_s)

    # ----------------------------------------------------------------------------------------- the configuration

    async def config_put(self, config_type: str, values: Mapping[str, str]) -> None:
        """Store ``values`` (key -> JSON text) in this workspace."""
        entries = [ConfigValue(type=config_type, key=key, value=value) for key, value in values.items()]
        await self._config(ConfigRequest(operation="put", workspace=self.workspace, values=entries))

    async def config_get(self, config_type: str) -> dict[str, str]:
        response = await self._config(ConfigRequest(operation="getvalues", workspace=self.workspace, type=config_type))
        return {value.key: value.value for value in response.values}

    async def config_delete(self, config_type: str, keys: Sequence[str]) -> None:
        entries = [ConfigKey(type=config_type, key=key) for key in keys]
        await self._config(ConfigRequest(operation="delete", workspace=self.workspace, keys=entries))

    async def _config(self, request: ConfigRequest, timeout_s: float = SERVICE_TIMEOUT_S) -> Any:
        requests = await self._configuration()
        response = await requests.request(request, timeout_s)
        raise_error(response.error)
        return response

    # ------------------------------------------------------------------------------------------------ connections

    async def _configuration(self) -> Requests:
        topics = (config_request_queue, config_response_queue)
        return await self._connect_once("config", lambda: self._open(*topics, ConfigRequest, ConfigResponse))

    async def _service(self, service: str, request: type, response: type) -> Requests:
        where = (service, self.workspace, self.flow)
        topics = (request_queue(*where), response_queue(*where))
        return await self._connect_once(service, lambda: self._open(*topics, request, response))

    async def _connect_once(self, name: str, opening: Callable[[], Any]) -> Requests:
        """The connection called ``name``.  Opened once, even if several callers need it at the same time."""
        task = self._requests.get(name)
        if task is None or (task.done() and task.exception() is not None):
            task = self._requests[name] = asyncio.create_task(opening())
        return await asyncio.shield(task)

    async def _open(self, request_topic: str, response_topic: str, request: type, response: type) -> Requests:
        requests = await Requests.create(
            backend=self._backend,
            request_topic=request_topic,
            response_topic=response_topic,
            request_schema=request,
            response_schema=response,
        )
        requests.find_loss = lambda: self.find_loss()
        return requests


@retry(retry=retry_if_exception_type(EngineUnavailable), stop=stop_after_attempt(3), reraise=True)
async def _repeat(call: Callable[..., Awaitable[Response]], *given: Any) -> Response:
    """Call up to three times: a request is lost if it is sent while the service subscribes to its topic."""
    return await call(*given)
