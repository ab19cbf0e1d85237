"""``MemoryBus``: talk to a running flow from outside: the command line, benchmarks, tests.

async with await MemoryBus.connect("pulsar://127.0.0.1:6650") as bus:
    async for message in bus.ask(AgentRequest(question="What do you know about me?")):
        print(message.content)
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
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
from trustgraph.schema.core.topic import queue

from ..errors import EngineUnavailable
from ..schema import (
    AgentRequest,
    ConversationsRequest,
    ConversationsResponse,
    EpisodesRequest,
    EpisodesResponse,
    FactsRequest,
    FactsResponse,
    JobsRequest,
    JobsResponse,
)
from ..schema.topics import CONVERSATIONS, EPISODES, FACTS, JOBS
from .clients import raise_error
from .connection import DirectBackend
from .requests import Requests

Response = TypeVar("Response")

AGENT_TIMEOUT_S = 600.0
SERVICE_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 15.0


class MemoryBus:
    """Made by ``connect``.  Connections to services open when first used."""

    def __init__(self, backend: DirectBackend, workspace: str, flow: str) -> None:
        self.workspace = workspace
        self.flow = flow
        self._backend = backend
        self._requests: dict[str, asyncio.Task[Requests]] = {}

    @classmethod
    async def connect(cls, pulsar_url: str, workspace: str = "default", flow: str = "default") -> "MemoryBus":
        """Raises: EngineUnavailable (nothing there within 15 s)."""
        bus = cls(DirectBackend(pulsar_url), workspace, flow)
        try:
            async with asyncio.timeout(CONNECT_TIMEOUT_S):
                await bus._service("agent", AgentRequest, AgentResponse)
        except TimeoutError:
            await bus.close()
            raise EngineUnavailable(f"no message broker answers at {pulsar_url}: is the stack up?") from None
        except EngineUnavailable:
            await bus.close()
            raise
        return bus

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
        async for response in requests.request_stream(request, timeout_s):
            yield response
            if response.end_of_dialog or response.error:
                return

    # ---------------------------------------------------------------------------------------------- the services

    async def facts(self, request: FactsRequest, timeout_s: float = SERVICE_TIMEOUT_S) -> FactsResponse:
        """Raises: the class of the service's error; EngineUnavailable."""
        return await self._call(FACTS, request, FactsResponse, timeout_s)

    async def episodes(self, request: EpisodesRequest, timeout_s: float = SERVICE_TIMEOUT_S) -> EpisodesResponse:
        """Raises: the class of the service's error; EngineUnavailable."""
        return await self._call(EPISODES, request, EpisodesResponse, timeout_s)

    async def conversations(self, request: ConversationsRequest, timeout_s: float = SERVICE_TIMEOUT_S) -> ConversationsResponse:
        """Raises: the class of the service's error; EngineUnavailable."""
        return await self._call(CONVERSATIONS, request, ConversationsResponse, timeout_s)

    async def jobs(self, request: JobsRequest, timeout_s: float = SERVICE_TIMEOUT_S) -> JobsResponse:
        """``timeout_s`` counts from when the request's own is over.  Raises: the class of the service's error."""
        return await self._call(JOBS, request, JobsResponse, timeout_s + request.timeout_s)

    async def _call(self, service: str, request: Any, response: type[Response], timeout_s: float) -> Response:
        requests = await self._service(service, type(request), response)
        answer: Any = await requests.request(request, timeout_s)
        raise_error(answer.error)
        result: Response = answer
        return result

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

    async def _config(self, request: ConfigRequest) -> Any:
        topics = (config_request_queue, config_response_queue)
        requests = await self._opened("config", lambda: self._open(*topics, ConfigRequest, ConfigResponse))
        response = await requests.request(request, SERVICE_TIMEOUT_S)
        raise_error(response.error)
        return response

    # ------------------------------------------------------------------------------------------------ connections

    async def _service(self, service: str, request: type, response: type) -> Requests:
        suffix = f"{self.workspace}:{self.flow}"
        topics = (f"{queue(service, cls='request')}:{suffix}", f"{queue(service, cls='response')}:{suffix}")
        return await self._opened(service, lambda: self._open(*topics, request, response))

    async def _opened(self, name: str, opening: Callable[[], Any]) -> Requests:
        """One connection a service, also when several callers need it first at once."""
        task = self._requests.get(name)
        if task is None or (task.done() and task.exception() is not None):
            task = self._requests[name] = asyncio.create_task(opening())
        return await asyncio.shield(task)

    async def _open(self, request_topic: str, response_topic: str, request: type, response: type) -> Requests:
        requests: Requests = await Requests.create(
            backend=self._backend,
            request_topic=request_topic,
            response_topic=response_topic,
            request_schema=request,
            response_schema=response,
        )
        return requests
