"""In-process transport: requests to a service of the same process, and their replies, bypass the broker.

Invariants:
- Only ``request:`` topics of services are served, which are not persistent.  Requests to agents, jobs and change
  notifications go through the broker.
- A service stays subscribed at the broker, so that requests from other processes are answered as well.
- Each side gets its own copy of a message.  A message that the wire would reject is rejected here too.
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
    """A request in the form of a received message, for its handler."""

    message: Any
    headers: Mapping[str, str]

    def value(self) -> Any:
        return self.message

    def properties(self) -> dict[str, str]:
        return dict(self.headers)


@dataclass(frozen=True, slots=True)
class Service:
    """The server of a topic.  ``start`` starts the work and returns at once."""

    schema: type
    start: Callable[[InProcessMessage], None]


@dataclass(frozen=True, slots=True)
class Caller:
    """The receiver of the replies to one request."""

    topic: str
    schema: type
    replies: "asyncio.Queue[Any]"


class InProcessBus:
    """The services and callers of one process."""

    def __init__(self) -> None:
        self._services: dict[str, list[Service]] = {}
        self._callers: dict[str, Caller] = {}

    def serve(self, topic: str, service: Service) -> None:
        """Register a service.  Topics other than requests to services are ignored."""
        if topic.startswith(REQUESTS) and not topic.startswith(AGENTS):
            self._services.setdefault(topic, []).append(service)

    def withdraw(self, topic: str, service: Service) -> None:
        services = self._services.get(topic, [])
        if service in services:
            services.remove(service)
        if not services:
            self._services.pop(topic, None)

    def call(self, topic: str, message: Any, headers: Mapping[str, str], caller: Caller) -> bool:
        """Pass a request to its service.  False if the service is not in this process.

        The caller must call ``forget_caller`` when it needs no more replies.
        """
        services = self._services.get(topic)
        if not services:
            return False
        service = services[0]
        self._callers[headers["id"]] = caller
        service.start(InProcessMessage(wire.copy_message(message, service.schema), headers))
        return True

    def forget_caller(self, request_id: str) -> None:
        """Drop replies that come later, and the request itself if it has not begun."""
        self._callers.pop(request_id, None)

    def is_awaited(self, request: InProcessMessage) -> bool:
        """Whether its caller still waits for a reply."""
        return request.headers["id"] in self._callers

    def reply(self, topic: str, message: Any, headers: Mapping[str, str] | None) -> bool:
        """Pass a reply to its caller.  False if the caller is not in this process."""
        caller = self._callers.get((headers or {}).get("id", ""))
        if caller is None or caller.topic != topic:
            return False
        caller.replies.put_nowait(wire.copy_message(message, caller.schema))
        return True
