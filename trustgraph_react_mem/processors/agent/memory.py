"""The memory as the agent uses it: recall over the bus, the person's switches, the record job."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import Any

from ...bus.embedder import BusEmbedder
from ...bus.model import BusLanguageModel
from ...errors import MemoryServiceError
from ...memory.ports import Clock, Job, JobPublisher, Switches
from ...memory.records import derived_id
from ...memory.requests import SwitchMemory
from ...memory.sizes import check_size
from ...recall.pipeline import ContextBuilder
from ...recall.records import Recalled
from ...turn.record import TurnRecord
from ...turn.request import TurnRequest

logger = logging.getLogger(__name__)

SWITCHES_TIMEOUT_S = 1.0


class LazyPublisher:
    """Opens what it publishes with at the first job, so that an agent starts and answers while the graph is away."""

    def __init__(self, open_publisher: Callable[[], Awaitable[JobPublisher]]) -> None:
        self._open = open_publisher
        self._publisher: JobPublisher | None = None
        self._opening = asyncio.Lock()

    async def publish(self, jobs: Sequence[Job]) -> None:
        """Raises: EngineUnavailable, ConfigurationError."""
        async with self._opening:
            if self._publisher is None:
                self._publisher = await self._open()
        await self._publisher.publish(jobs)


class AgentMemory:
    """One a process; ``flow`` arguments are TrustGraph's running flows.  ``shared``: as of ``ContextBuilder``.

    The services read the person's switches with each request, and return nothing where reading is off: no client can pass
    them by.  So the agent clears nothing beforehand.  It takes from their replies what holds, and asks only where none of them
    reports it; the switch for writing decides whether a record leaves the agent at all.
    """

    def __init__(self, *, embedder: BusEmbedder, publisher: JobPublisher, clock: Clock, shared: bool = False) -> None:
        self._shared = shared
        self._embedder = embedder
        self._publisher = publisher
        self._clock = clock

    async def recall(self, request: TurnRequest, flow: Any) -> Recalled:
        """What the services give for ``request``, with the person's switches."""
        model = flow("memory-prompt-request") or flow("prompt-request")
        builder = ContextBuilder(
            embedder=self._embedder,
            facts=flow("fact-retrieval"),
            episodes=flow("episode-retrieval"),
            conversations=flow("conversation-memory"),
            model=BusLanguageModel(model) if model is not None else None,
            shared=self._shared,
        )
        with self._embedder.serving(flow.workspace, flow.name):
            recalled = await builder.gather(request)
        # The services know the conversation as the client named it; without a name, the session's may have switches too.
        if recalled.switches is None or request.recorded_conversation_id != request.conversation_id:
            recalled = replace(recalled, switches=await self.read_switches(request, flow))
        return recalled

    async def read_switches(self, request: TurnRequest, flow: Callable[[str], Any]) -> Switches:
        """What the person allows.  Both when that cannot be read: services and jobs check again before they read or write."""
        client = flow("fact-storage")
        if client is None:
            return Switches()
        scope = request.scope
        wanted = SwitchMemory(user=scope.user, collection=scope.collection, conversation_id=request.recorded_conversation_id)
        try:
            async with asyncio.timeout(SWITCHES_TIMEOUT_S):
                stats = (await client.call(wanted, timeout_s=SWITCHES_TIMEOUT_S)).stats
        except (TimeoutError, MemoryServiceError) as error:
            logger.warning("reading the memory switches failed, memory is used: %s: %s", type(error).__name__, error)
            return Switches()
        return Switches(read=stats.get("read") != "off", write=stats.get("write") != "off")

    async def publish(self, record: TurnRecord) -> str:
        """The job's id; the same record gives the same one.  Raises: TooLarge, EngineUnavailable, ConfigurationError."""
        for what, text in (("question", record.request.question), ("answer", record.answer)):
            check_size(f"its {what}", text)
        scope = record.request.scope
        job = Job(
            id=derived_id("record", scope.key, record.request.invocation_id),
            kind="record",
            scope=scope,
            payload=record.payload(),
            created_at=self._clock.now(),
        )
        await self._publisher.publish([job])
        return job.id
