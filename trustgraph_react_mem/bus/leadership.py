"""Choosing one of several processes for work that only one of them needs to do."""

import pulsar

from ..errors import EngineUnavailable
from .pulsar_driver import DirectBackend, DirectConsumer


class Leadership:
    """The process that holds the topic's exclusive subscription leads.  The broker ends it with the process's connection."""

    def __init__(self, backend: DirectBackend, topic: str) -> None:
        self._backend, self._topic = backend, topic
        self._consumer: DirectConsumer | None = None

    async def leads(self) -> bool:
        """Try to lead if no other process does.  False also while the broker does not answer."""
        if self._consumer is not None and self._consumer.is_connected():
            return True
        await self.close()  # without a connection another process may lead by now
        try:
            self._consumer = await self._backend.create_consumer(
                self._topic, "leader", dict, consumer_type=pulsar.ConsumerType.Exclusive
            )
        except EngineUnavailable:
            return False
        return True

    async def close(self) -> None:
        if self._consumer is not None:
            await self._consumer.close()
            self._consumer = None
