"""Which of several processes does the housekeeping."""

from typing import Any, cast

from trustgraph_react_mem.bus.leadership import Leadership
from trustgraph_react_mem.bus.port import Bus
from trustgraph_react_mem.errors import EngineUnavailable


class Broker:
    """Gives a topic's exclusive subscription to one at a time; each connection can be cut."""

    def __init__(self) -> None:
        self.owner: Subscription | None = None

    async def create_consumer(self, topic: str, subscription: str, schema: type, **options: Any) -> "Subscription":
        if self.owner is not None:
            raise EngineUnavailable("ConsumerBusy")
        self.owner = Subscription(self)
        return self.owner


class Subscription:
    def __init__(self, broker: Broker) -> None:
        self.broker = broker

    def is_connected(self) -> bool:
        return self.broker.owner is self

    async def close(self) -> None:
        if self.broker.owner is self:
            self.broker.owner = None


async def test_one_leads_at_a_time_and_another_takes_over_when_its_connection_ends() -> None:
    broker = Broker()
    first, second = [Leadership(cast(Bus, broker), "topic") for _ in range(2)]
    assert [await first.try_lead(), await second.try_lead(), await first.try_lead()] == [True, False, True]
    broker.owner = None  # the first one's connection is lost
    assert [await second.try_lead(), await first.try_lead()] == [True, False]
    await second.close()
    assert await first.try_lead()
