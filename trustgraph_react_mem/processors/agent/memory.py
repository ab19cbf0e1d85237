"""The agent's access to memory: recall over the bus, the person's memory switches, and the record job."""

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

#: Publishes the record of a turn.  Returns the job id.  Raises: MemoryServiceError.
PublishTurn = Callable[[TurnRecord], Awaitable[str]]


class LazyPublisher:
    """Asks for its publisher at each job, so that an agent starts and answers while the graph store is down."""

    def __init__(self, open_publisher: Callable[[], Awaitable[JobPublisher]]) -> None:
        self._open = open_publisher

    async def publish(self, jobs: Sequence[Job]) -> None:
        """Raises: EngineUnavailable, ConfigurationError."""
        await (await self._open()).publish(jobs)


class AgentMemory:
    """One per process.  ``flow`` arguments are TrustGraph's running flows.  ``shared``: as in ``ContextBuilder``.

    The services check the person's memory switches with each request and return no records while reading is off, so no
    client can bypass them.  The agent need not ask beforehand: it takes the switches from their responses, and requests
    them only if no response has them.  The write switch decides whether the agent publishes a record.
    """

    def __init__(self, *, embedder: BusEmbedder, publisher: JobPublisher, clock: Clock, shared: bool = False) -> None:
        self._shared = shared
        self._embedder = embedder
        self._publisher = publisher
        self._clock = clock

    async def recall(self, request: TurnRequest, flow: Any) -> Recalled:
        """Recall for ``request``, with the person's memory switches.  Parts that fail are listed in the result."""
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
        where = request.conversation_id or recalled.conversation_id or request.recorded_conversation_id
        recalled = replace(recalled, conversation_id=where)
        # The services saw the client's conversation id.  If the client gave none, the turn is recorded under another id,
        # which may have its own switches.
        if recalled.switches is None or where != request.conversation_id:
            recalled = replace(recalled, switches=await self.read_switches(request, flow, where))
        return recalled

    async def read_switches(self, request: TurnRequest, flow: Callable[[str], Any], conversation_id: str = "") -> Switches:
        """The person's memory switches.  Both are on if the request fails: services and jobs check them again anyway.

        ``conversation_id``: the conversation that records the turn, if the request does not say.
        """
        client = flow("fact-storage")
        if client is None:
            return Switches()
        scope = request.scope
        where = conversation_id or request.recorded_conversation_id
        wanted = SwitchMemory(user=scope.user, collection=scope.collection, conversation_id=where)
        try:
            async with asyncio.timeout(SWITCHES_TIMEOUT_S):
                stats = (await client.call(wanted, timeout_s=SWITCHES_TIMEOUT_S)).stats
        except (TimeoutError, MemoryServiceError) as error:
            logger.warning(
                "reading the memory switches failed, assuming that memory is allowed: %s: %s", type(error).__name__, error
            )
            return Switches()
        return Switches(read=stats.get("read") != "off", write=stats.get("write") != "off")

    async def publish(self, record: TurnRecord) -> str:
        """Publish the record job of a turn and return its id, which depends only on the turn (so a retry is not a duplicate).

        Raises:
            TooLarge, ConfigurationError.
            EngineUnavailable: it was not published; or it was, but the broker does not deliver what it confirms.
        """
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
