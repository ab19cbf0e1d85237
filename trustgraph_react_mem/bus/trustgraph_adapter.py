"""Every private part of other packages that this one uses, because no public way exists.

Each says why it is needed and what breaks when it changes.  ``tests/contract/test_trustgraph_adapter.py`` runs each of them,
against the oldest and the newest TrustGraph that is supported (``make test-stock``).
"""

from typing import Any, TypeVar

import pulsar
from prometheus_client import REGISTRY
from trustgraph.base.async_pulsar_backend import AsyncPulsarBackend

Collector = TypeVar("Collector")


def topic_address(queue: str) -> str:
    """Pulsar's address of a queue such as ``request:tg:agent:default:default``.

    Why: the rule is TrustGraph's, and both sides of a topic must follow the same one.  If it moves: no topic can be opened,
    and start-up fails with an AttributeError.  Raises: ValueError (a queue without class, space and name).
    """
    address: str = AsyncPulsarBackend._map_topic(None, queue)  # uses nothing of its object
    return address


def consumer_type(queue: str) -> pulsar.ConsumerType:
    """How TrustGraph subscribes to a queue of this class: exclusive for responses and notices, else shared.

    Why: a subscription takes consumers of one type only, and stock processors have subscribed with theirs.  If it moves: no
    topic can be subscribed to, and start-up fails with an AttributeError.
    """
    return AsyncPulsarBackend._consumer_type(None, queue)  # uses nothing of its object


def is_connected(consumer: "pulsar.asyncio.Consumer") -> bool:
    """Whether the broker serves this consumer now.

    Why: of pulsar-client's asyncio classes only the producer says so.  If it moves: no heartbeat of the process, so that
    `react-mem-health` reports it as dead, and caches are not dropped after a lost connection.
    """
    return bool(consumer._consumer.is_connected())


def registered_collector(name: str) -> Any:
    """The metric that is registered under a name in this process; None: there is none.

    Why: TrustGraph's agents register metrics of the same names when they run in this process, and prometheus-client refuses a
    second one without giving the first.  If it moves: the agent does not start beside a stock agent; alone it does.
    """
    return REGISTRY._names_to_collectors.get(name)


class ConfigClientHook:
    """Has TrustGraph's processors fetch configuration through ``config_client`` of a subclass.

    Why: the stock client stops for good at the first reply that does not decode, and its timeout cannot differ from try to
    try.  If it moves: the stock client is used, and start-up takes up to three seconds longer.
    """

    async def config_client(self) -> Any:
        raise NotImplementedError

    async def _create_config_client(self) -> Any:
        return await self.config_client()
