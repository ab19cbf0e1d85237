"""What every interface to memory can do in the eyes of the canaries, and the table of the interfaces.

A further interface is one class: inherit from ``Interface``, register it with ``@interface``, and it takes part in every test.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

import aiohttp

from tests.integration.http.served import Caller, Served
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.manager import MemoryManager
from trustgraph_react_mem.memory.requests import SubmitJob
from trustgraph_react_mem.testing import ScriptedModel

MANY = 100


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memory."""

    user: str
    collection: str = "default"


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """A running stack with its listener, and clients that are open on it.

    ``endpoint``: the address of the stand-in that models are passed through to.  ``model``: of the stack's agent.
    """

    home: Path
    bus: MemoryBus
    manager: MemoryManager
    served: Served
    endpoint: str
    model: ScriptedModel
    callers: dict[str, Caller] = field(default_factory=dict)

    def caller(self, user: str) -> Caller:
        """Sends requests with a key of the user."""
        if user not in self.callers:
            self.callers[user] = self.served.user(user)
        return self.callers[user]

    @property
    def session(self) -> aiohttp.ClientSession:
        return self.served.session


class Interface(ABC):
    """One way to memory.  Every method acts as a client of that interface would, and waits until its work is done."""

    #: Whether it shows what was written through the others, too, and whether it serves the shared memory (no user).
    shows_all: ClassVar[bool] = True
    serves_shared: ClassVar[bool] = True
    #: Ways to hand it what somebody else than the user says: stored until the user confirms it, or not stored at all.
    held: ClassVar[tuple[str, ...]] = ()
    dropped: ClassVar[tuple[str, ...]] = ()

    def __init__(self, scene: Scene) -> None:
        self.scene = scene

    @abstractmethod
    async def write(self, owner: Owner, text: str) -> None: ...

    @abstractmethod
    async def read(self, owner: Owner, question: str) -> str:
        """Everything that the interface shows the owner for a question, as one text."""

    @abstractmethod
    async def erase(self, owner: Owner, text: str) -> None:
        """Erase the memory with exactly this text."""

    async def clear(self, owner: Owner) -> None:
        """Erase all memories of the collection."""
        payload = json.dumps({"level": "collection"})
        request = SubmitJob(kind="forget", payload=payload, timeout_s=120, user=owner.user, collection=owner.collection)
        assert (await self.scene.bus.call(request, 150)).data

    async def poison(self, owner: Owner, text: str, way: str) -> None:
        """Hand over a text that the user did not say.  ``way``: one of ``held`` or ``dropped``."""
        raise NotImplementedError(way)

    async def seize(self, stranger: Owner, record_id: str) -> str:
        """Read, change and erase another user's record by its id, as far as the interface lets it.  Returns what it shows."""
        return ""

    async def pretend(self, stranger: Owner, owner: Owner) -> str:
        """Name the owner in requests with the stranger's key, which must be refused.  Returns what is shown."""
        return ""


INTERFACES: dict[str, type[Interface]] = {}


def interface(name: str) -> Callable[[type[Interface]], type[Interface]]:
    def register(kind: type[Interface]) -> type[Interface]:
        INTERFACES[name] = kind
        return kind

    return register


def records(value: Any) -> Iterator[dict[str, Any]]:
    """All objects inside a JSON value that have an id."""
    if isinstance(value, dict):
        if "id" in value:
            yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from records(each)
