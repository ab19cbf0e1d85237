"""What must not be shown is shown through no interface, whichever wrote it.

A canary is a sentence with a word that nothing else has.  Every test first sees that its owner is shown it: a reader that is
shown nothing at all would pass otherwise.
"""

import itertools
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.manager import MemoryManager
from trustgraph_react_mem.memory.requests import StoreFact, SwitchMemory
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing import HashedEmbedder

from .interfaces import INTERFACES, Interface, Owner, Scene

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

QUESTION = "Which canary sings at the harbour?"  # without the word, because an interface may repeat the question
_number = itertools.count(1)
writers = pytest.mark.parametrize("writer", sorted(INTERFACES))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def interfaces(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[dict[str, Interface]]:
    home: Path = tmp_path_factory.mktemp("canaries")
    keys = home / "keys"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACT_MEM_KEYS", str(keys))
        async with (
            EmbeddedStack(home / "data", model="none", embeddings=HashedEmbedder(), settings=StoreSettings(keys=keys)) as stack,
            await MemoryBus.connect(stack.pulsar_url) as bus,
            MemoryManager.open(home / "data", user="someone") as manager,
        ):
            scene = Scene(home=home, bus=bus, manager=manager)
            yield {name: kind(scene) for name, kind in INTERFACES.items()}


class Canary:
    """A sentence of one owner, written through one interface."""

    def __init__(self, interfaces: dict[str, Interface], writer: str) -> None:
        number = next(_number)
        self.interfaces = interfaces
        self.writer = writer
        self.word = f"zyxq{number}w"
        self.text = f"The canary {self.word} sings at the harbour."
        self.owner = Owner(user=f"ann{number}")

    async def sing(self) -> None:
        await self.interfaces[self.writer].write(self.owner, self.text)
        assert await self.heard(self.owner) == self.listeners()

    def listeners(self) -> list[str]:
        return sorted(name for name, each in self.interfaces.items() if each.shows_all or name == self.writer)

    async def heard(self, owner: Owner) -> list[str]:
        """The interfaces through which the owner is shown the canary."""
        asked = {name: each for name, each in self.interfaces.items() if owner.user or each.serves_shared}
        return sorted([name for name, each in asked.items() if self.word in await each.read(owner, QUESTION)])


@writers
async def test_no_other_user_and_no_other_collection_is_shown_it(interfaces: dict[str, Interface], writer: str) -> None:
    canary = Canary(interfaces, writer)
    await canary.sing()
    user = canary.owner.user
    for stranger in (Owner(f"{user}x"), Owner(user.upper()), Owner(""), Owner(user, "default.stores")):
        assert await canary.heard(stranger) == [], stranger


@writers
async def test_what_one_interface_erases_none_shows(interfaces: dict[str, Interface], writer: str) -> None:
    for eraser in sorted({writer, "python"}):
        canary = Canary(interfaces, writer)
        await canary.sing()
        await interfaces[eraser].erase(canary.owner, canary.text)
        assert await canary.heard(canary.owner) == [], eraser


@writers
async def test_while_reading_is_switched_off_none_shows_it(interfaces: dict[str, Interface], writer: str) -> None:
    canary = Canary(interfaces, writer)
    await canary.sing()
    bus = interfaces[writer].scene.bus
    await bus.call(SwitchMemory(user=canary.owner.user, read=False))
    assert await canary.heard(canary.owner) == []
    await bus.call(SwitchMemory(user=canary.owner.user, read=True))
    assert await canary.heard(canary.owner) == canary.listeners()


@pytest.mark.parametrize("trust", ["tool", "document", "assistant"])
async def test_what_only_others_say_is_shown_by_none(interfaces: dict[str, Interface], trust: str) -> None:
    canary = Canary(interfaces, "bus")
    bus = interfaces["bus"].scene.bus
    await bus.call(StoreFact(user=canary.owner.user, content=canary.text, trust=trust))
    assert await canary.heard(canary.owner) == []
