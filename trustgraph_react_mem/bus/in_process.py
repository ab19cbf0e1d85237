"""Requests to a service of the same process: they and their replies bypass the broker.

Invariants: only ``request:`` topics of services, which are not persistent; an agent's requests and answers, jobs and notices go
through the broker.  A service stays subscribed, so that requests from other processes are answered as well.  Each side gets its
own copy of a message, and what the wire would refuse is refused here.
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
    """A request as its handler sees it, in place of a received message."""

    message: Any
    headers: Mapping[str, str]

    def value(self) -> Any:
        return self.message

    def properties(self) -> dict[str, str]:
        return dict(self.headers)


@dataclass(frozen=True, slots=True)
class Service:
    """What answers a topic: ``take`` starts the work and returns at once."""

    schema: type
    take: Callable[[InProcessMessage], None]


@dataclass(frozen=True, slots=True)
class Caller:
    """Where the replies to one request go."""

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
        """Hand a request to its service; False: it is not in this process.  ``hung_up`` must follow."""
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
        """Hand a reply to its caller; False: the caller is not in this process."""
        caller = self._callers.get((headers or {}).get("id", ""))
        if caller is None or caller.topic != topic:
            return False
        caller.replies.put_nowait(wire.copied(message, caller.schema))
        return True
