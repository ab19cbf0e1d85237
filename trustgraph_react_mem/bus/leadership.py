"""Leader election between processes, for work that only one of them needs to do."""

from ..errors import EngineUnavailable
from .port import Bus, Receiver


class Leadership:
    """The leader is the process that holds the exclusive subscription of ``topic``.

    The broker releases the subscription when the connection of that process ends.
    """

    def __init__(self, backend: Bus, topic: str) -> None:
        self._backend, self._topic = backend, topic
        self._consumer: Receiver | None = None

    async def try_lead(self) -> bool:
        """Whether this process is the leader.  It becomes the leader if there is none.  False while the broker is down."""
        if self._consumer is not None and self._consumer.is_connected():
            return True
        await self.close()  # the connection was lost, so another process may be the leader by now
        try:
            self._consumer = await self._backend.create_consumer(self._topic, "leader", dict, exclusive=True)
        except EngineUnavailable:
            return False
        return True

    async def close(self) -> None:
        if self._consumer is not None:
            await self._consumer.close()
            self._consumer = None
