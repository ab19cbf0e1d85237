"""A RabbitMQ of its own for tests that do something to it."""

import asyncio
from pathlib import Path

from tests.servers.servers import kill, rabbitmqctl, start
from trustgraph_react_mem.bus.rabbitmq_driver import RabbitBus


class RabbitBroker:
    """``async with RabbitBroker(directory) as broker: broker.url``, as ``PulsarLite``."""

    def __init__(self, directory: Path) -> None:
        self.directory, self.url = directory, ""
        self.buses: list[RabbitBus] = []

    async def __aenter__(self) -> "RabbitBroker":
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await asyncio.gather(*(bus.close() for bus in self.buses))
        await self.stop()

    async def start(self) -> None:
        self.url = (await asyncio.to_thread(start, "rabbitmq", self.directory))["TEST_RABBITMQ_URL"]

    async def stop(self) -> None:
        await asyncio.sleep(1)  # RabbitMQ 3.10 writes which quorum queues there are half a second after it declared them
        await asyncio.to_thread(kill, self.directory)

    async def kill(self) -> None:
        """Kill -9, and a new start."""
        await self.stop()
        await self.start()

    async def control(self, *command: str) -> None:
        await asyncio.to_thread(rabbitmqctl, self.directory, *command)

    def connect(self, url: str = "") -> RabbitBus:
        """As another process."""
        self.buses.append(RabbitBus(url or self.url))
        return self.buses[-1]
