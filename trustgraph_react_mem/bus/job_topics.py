"""The job topics on Pulsar."""

import asyncio
from typing import TYPE_CHECKING

import pulsar
import pulsar.asyncio

from ..errors import EngineUnavailable
from ..schema import JobEnvelope
from ..schema.topics import JOBS, job_queue
from . import trustgraph_adapter

if TYPE_CHECKING:
    from .pulsar_driver import DirectBackend, DirectConsumer

SUBSCRIBE_TRIES = 8


class JobTopics:
    """The job topics, each with the one subscription of the workers, which is never removed.

    It exists before the first publish, because a Pulsar topic without one keeps nothing.
    """

    def __init__(self, backend: "DirectBackend") -> None:
        self._backend = backend
        self._known: set[str] = set()  # topics whose subscription exists
        self._lock = asyncio.Lock()

    async def open(self, workspace: str) -> None:
        """Create the subscription if no worker has done so yet.

        It is opened as exclusive, which the broker refuses while a worker is subscribed.  A second consumer of the workers'
        type (key-shared) would receive messages and delay them.

        Raises: EngineUnavailable (the broker does not answer).
        """
        topic = job_queue(workspace)
        async with self._lock:
            if topic in self._known:
                return
            try:
                consumer = await self._backend.client.subscribe(
                    trustgraph_adapter.topic_address(topic),
                    JOBS,
                    consumer_type=pulsar.ConsumerType.Exclusive,
                    initial_position=pulsar.InitialPosition.Earliest,
                    receiver_queue_size=1,
                    schema=pulsar.schema.BytesSchema(),
                )
                await consumer.close()
            except pulsar.asyncio.PulsarException as error:
                if error.error() not in (pulsar.Result.ConsumerBusy, pulsar.Result.ConsumerAssignError):
                    raise EngineUnavailable(
                        f"the message broker did not open the job subscription: {error.error().name}; is it running?"
                    ) from None
            self._known.add(topic)

    async def subscribe(self, workspace: str) -> "DirectConsumer":
        """Raises: EngineUnavailable (after some tries)."""
        topic, pause_s = job_queue(workspace), 0.1
        for left in reversed(range(SUBSCRIBE_TRIES)):
            try:
                async with self._lock:
                    consumer = await self._backend.create_consumer(
                        topic, JOBS, JobEnvelope, "earliest", consumer_type=pulsar.ConsumerType.KeyShared
                    )
                    self._known.add(topic)
                    return consumer
            except EngineUnavailable:
                # A publisher of another process may hold the subscription exclusively while it creates it.
                if not left:
                    raise
                await asyncio.sleep(pause_s)
                pause_s *= 2
        raise AssertionError("unreachable")
