"""The memory as the agent uses it: recall over the bus, the person's switches, the record job."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from ...bus.embedder import BusEmbedder
from ...bus.model import BusLanguageModel
from ...errors import MemoryServiceError
from ...memory.ports import Clock, Job, JobPublisher, Switches
from ...memory.records import derived_id
from ...memory.requests import SwitchMemory
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...recall.pipeline import ContextBuilder, RecallRequest
from ...schema import MemoryOptions
from ...settings import AgentMemSettings
from ...turn.ports import PublishTurn, Recall
from ...turn.record import RecalledContext, TurnRecord

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
    """One a process; ``flow`` arguments are TrustGraph's running flows.  ``shared``: as of ``ContextBuilder``."""

    def __init__(self, *, embedder: BusEmbedder, publisher: JobPublisher, clock: Clock, shared: bool = False) -> None:
        self._shared = shared
        self._embedder = embedder
        self._publisher = publisher
        self._clock = clock

    async def switches(self, flow: Callable[[str], Any], scope: Scope, conversation_id: str) -> Switches:
        """What the person allows.  When nobody can say, both: the services check again before they read or write."""
        client = flow("fact-storage")
        if client is None:
            return Switches()
        request = SwitchMemory(user=scope.user, collection=scope.collection, conversation_id=conversation_id)
        try:
            async with asyncio.timeout(SWITCHES_TIMEOUT_S):
                stats = (await client.call(request, timeout_s=SWITCHES_TIMEOUT_S)).stats
        except (TimeoutError, MemoryServiceError) as error:
            logger.warning("reading the memory switches failed, memory is used: %s: %s", type(error).__name__, error)
            return Switches()
        return Switches(read=stats.get("read") != "off", write=stats.get("write") != "off")

    def recall(
        self,
        flow: Any,
        scope: Scope,
        *,
        question: str,
        conversation_id: str,
        asked_at: datetime,
        speaker: str,
        settings: AgentMemSettings,
        options: MemoryOptions | None,
    ) -> Recall:
        model = flow("memory-prompt-request") or flow("prompt-request")
        gatherer = ContextBuilder(
            embedder=self._embedder,
            facts=flow("fact-retrieval"),
            episodes=flow("episode-retrieval"),
            conversations=flow("conversation-memory"),
            model=BusLanguageModel(model) if model is not None else None,
            clock=self._clock,
            shared=self._shared,
        )
        request = RecallRequest(
            scope=scope,
            question=question,
            conversation_id=conversation_id,
            asked_at=asked_at,
            speaker=speaker,
            settings=settings,
            options=options,
        )

        async def gather() -> RecalledContext:
            with self._embedder.serving(flow.workspace, flow.name):
                return await gatherer.gather(request)

        return gather

    def publish(self, scope: Scope) -> PublishTurn:
        async def publish(record: TurnRecord) -> str:
            for what, text in (("question", record.question), ("answer", record.answer)):
                check_size(f"its {what}", text)
            job = Job(
                id=derived_id("record", scope.key, record.invocation_id),
                kind="record",
                scope=scope,
                payload=record.payload(),
                created_at=self._clock.now(),
            )
            await self._publisher.publish([job])
            return job.id

        return publish
