"""``MemoryBus``: talk to a running flow from outside: the command line, benchmarks, tests.

async with await MemoryBus.connect("pulsar://127.0.0.1:6650") as bus:
    async for message in bus.ask(AgentRequest(question="What do you know about me?")):
        print(message.content)
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

from trustgraph.schema import (
    AgentResponse,
    ConfigKey,
    ConfigRequest,
    ConfigResponse,
    ConfigValue,
    config_request_queue,
    config_response_queue,
)

from ..errors import ConfigurationError, EngineUnavailable, NotFound
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
from ..schema import AgentRequest
from ..schema.topics import AGENT, request_queue, response_queue
from .address import BusAddress
from .client_specs import raise_error
from .pulsar_driver import DirectBackend
from .rpc import Requests

Response = TypeVar("Response")

AGENT_TIMEOUT_S = 600.0
FIRST_MESSAGE_TIMEOUT_S = 60.0  # a turn begins with an explanation, before any model is called
SERVICE_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 15.0
CHECK_TIMEOUT_S = 5.0
CHECK_TRIES = 3  # a request that is sent while the service joins its topic is lost
PROBES: Mapping[str, AnyRequest] = {
    probe.service: probe for probe in (GetFactStats(), GetEpisodeStats(), GetConversationStats(), ListJobs())
}
"""A cheap request to each service, to see whether it answers."""


class MemoryBus:
    """Made by ``connect``.  Connections to services open when first used."""

    def __init__(self, address: BusAddress, workspace: str, flow: str) -> None:
        self.address = address
        self.workspace = workspace
        self.flow = flow
        self._backend = DirectBackend.to(address, quiet=True)
        self._requests: dict[str, asyncio.Task[Requests]] = {}

    @classmethod
    async def connect(cls, address: BusAddress | str, workspace: str = "default", flow: str = "default") -> "MemoryBus":
        """``address``: with key and listener, or just ``pulsar://HOST:PORT``.

        Raises: BadRequest (no address), EngineUnavailable (nothing there within 15 s, or it refuses).
        """
        bus = cls(address if isinstance(address, BusAddress) else BusAddress(url=address), workspace, flow)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await bus._configuration()
        except TimeoutError:
            await bus.close()
            raise EngineUnavailable(f"no message broker answers at {bus.address.url}: is it running, and reachable?") from None
        except EngineUnavailable as error:
            await bus.close()
            raise EngineUnavailable(f"{bus.address.url}: {error}") from None
        return bus

    async def check(self) -> None:
        """Check that this flow exists and has memory; a flow whose services are slow passes.

        Raises: EngineUnavailable (no configuration service), NotFound (no such flow), ConfigurationError (no memory in it).
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
                f"flow {self.flow!r} of workspace {self.workspace!r} has no {', '.join(missing)}: its blueprint is one without "
                "memory; run `react-mem install`, then start a flow on the blueprint that it makes"
            )

    async def _keys(self, config_type: str) -> set[tuple[str, str]]:
        """(workspace, key) of every value of a type."""
        request = ConfigRequest(operation="getkeys-all-ws", type=config_type)
        try:
            response = await _with_retries(lambda: self._config(request, CHECK_TIMEOUT_S))
        except EngineUnavailable:
            raise EngineUnavailable(
                f"a broker answers at {self.address.url}, but no configuration service on it ({config_request_queue}): "
                "is TrustGraph's, or react-mem-config, running there?"
            ) from None
        return {(value.workspace, value.key) for value in response.values}

    async def answering(self, processor: str) -> None:
        """Check that the agent or a memory service answers requests of this flow.

        Raises: EngineUnavailable, or what the service says.
        """
        await _with_retries(
            lambda: self._agent_answers() if processor == AGENT else self.call(PROBES[processor], CHECK_TIMEOUT_S)
        )

    async def _agent_answers(self) -> None:
        async for _ in self.ask(AgentRequest(question=""), CHECK_TIMEOUT_S):  # refused at once, without a model
            return

    async def __aenter__(self) -> "MemoryBus":
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        for opening in self._requests.values():
            if opening.done() and not opening.cancelled() and opening.exception() is None:
                await opening.result().close()
            opening.cancel()
        self._requests.clear()
        await self._backend.close()

    # ------------------------------------------------------------------------------------------------ the agent

    async def ask(self, request: AgentRequest, timeout_s: float = AGENT_TIMEOUT_S) -> AsyncIterator[AgentResponse]:
        """Every message of the turn, until the end of the dialogue or an error; ``timeout_s`` is for each message.

        Raises: EngineUnavailable (no message in time).
        """
        requests = await self._service("agent", AgentRequest, AgentResponse)
        first_s = min(timeout_s, FIRST_MESSAGE_TIMEOUT_S)
        async for response in requests.request_stream(request, timeout_s, first_timeout=first_s):
            yield response
            if response.end_of_dialog or response.error:
                return

    # ---------------------------------------------------------------------------------------------- the services

    async def call(self, request: Request[Response], timeout_s: float = SERVICE_TIMEOUT_S) -> Response:
        """The answer to one operation (``memory.requests``); ``timeout_s`` counts from when the request's own waiting is over.

        Raises: the exception class of the service's error; EngineUnavailable (not sent, or no answer in time).
        """
        result: Response = await self.send(encode(request), timeout_s + request.wait_s)
        return result

    async def send(self, record: Any, timeout_s: float = SERVICE_TIMEOUT_S) -> Any:
        """The answer to a wire record as it stands, for tools that speak the wire.  Raises: as ``call``."""
        service = next(name for name, classes in SERVICES.items() if type(record) is classes[0])
        requests = await self._service(service, *SERVICES[service])
        response = await requests.request(record, timeout_s)
        raise_error(response.error)
        return response

    # ----------------------------------------------------------------------------------------- the configuration

    async def config_put(self, config_type: str, values: Mapping[str, str]) -> None:
        """Values are JSON texts by key."""
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
        return await self._opened("config", lambda: self._open(*topics, ConfigRequest, ConfigResponse))

    async def _service(self, service: str, request: type, response: type) -> Requests:
        where = (service, self.workspace, self.flow)
        topics = (request_queue(*where), response_queue(*where))
        return await self._opened(service, lambda: self._open(*topics, request, response))

    async def _opened(self, name: str, opening: Callable[[], Any]) -> Requests:
        """One connection a service, also when several callers need it first at once."""
        task = self._requests.get(name)
        if task is None or (task.done() and task.exception() is not None):
            task = self._requests[name] = asyncio.create_task(opening())
        return await asyncio.shield(task)

    async def _open(self, request_topic: str, response_topic: str, request: type, response: type) -> Requests:
        return await Requests.create(
            backend=self._backend,
            request_topic=request_topic,
            response_topic=response_topic,
            request_schema=request,
            response_schema=response,
        )


async def _with_retries(once: Callable[[], Awaitable[Response]]) -> Response:
    for left in reversed(range(CHECK_TRIES)):
        try:
            return await once()
        except EngineUnavailable:
            if not left:
                raise
    raise AssertionError("unreachable")
