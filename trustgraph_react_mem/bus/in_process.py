"""Requests whose service runs in the same process: they and their replies go past the broker.

Invariants: only ``request:`` topics of services, which keep nothing; an agent's requests and answers, jobs and notices go
through the broker.  A service is still subscribed, so whoever asks from outside is answered as ever.  Each side gets its own
copy of a message, and what the wire would refuse is refused here.
"""

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from trustgraph.schema.core.topic import queue

from . import wire

REQUESTS = "request:"
AGENTS = f"{queue('agent', cls='request')}:"


@dataclass(frozen=True, slots=True)
class InProcessMessage:
    """A request as its handler sees it; stands in for a received one."""

    message: Any
    headers: Mapping[str, str]

    def value(self) -> Any:
        return self.message

    def properties(self) -> dict[str, str]:
        return dict(self.headers)


@dataclass(frozen=True, slots=True)
class Service:
    """Who answers a topic: ``take`` starts the work and returns at once."""

    schema: type
    take: Callable[[InProcessMessage], None]


@dataclass(frozen=True, slots=True)
class Caller:
    """Who waits for the replies to one request."""

    topic: str
    schema: type
    replies: "asyncio.Queue[Any]"


class InProcessBus:
    """The services and callers of one process."""

    def __init__(self) -> None:
        self._services: dict[str, list[Service]] = {}
        self._callers: dict[str, Caller] = {}

    def serve(self, topic: str, service: Service) -> None:
        if topic.startswith(REQUESTS) and not topic.startswith(AGENTS):
            self._services.setdefault(topic, []).append(service)

    def withdraw(self, topic: str, service: Service) -> None:
        services = self._services.get(topic, [])
        if service in services:
            services.remove(service)
        if not services:
            self._services.pop(topic, None)

    def call(self, topic: str, message: Any, headers: Mapping[str, str], caller: Caller) -> bool:
        """Hand a request to its service; False: there is none here.  ``hung_up`` must follow."""
        services = self._services.get(topic)
        if not services:
            return False
        service = services[0]
        self._callers[headers["id"]] = caller
        service.take(InProcessMessage(wire.copied(message, service.schema), headers))
        return True

    def hung_up(self, request_id: str) -> None:
        self._callers.pop(request_id, None)

    def reply(self, topic: str, message: Any, headers: Mapping[str, str] | None) -> bool:
        """Hand a reply to its caller; False: nobody here waits for it."""
        caller = self._callers.get((headers or {}).get("id", ""))
        if caller is None or caller.topic != topic:
            return False
        caller.replies.put_nowait(wire.copied(message, caller.schema))
        return True
