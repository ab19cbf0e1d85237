"""What must not be shown is shown through no interface, whichever wrote it.

A canary is a sentence with a word that nothing else has.  The first test sees that the owner is shown the canaries: a reader
that is shown nothing at all would pass the others.
"""

import asyncio
from dataclasses import replace

import pytest
import pytest_asyncio
from mcp import MCPError

from tests.integration.http.served import Caller
from tests.integration.mcp.conftest import MODES, over_http
from trustgraph_react_mem.http.access import Access
from trustgraph_react_mem.memory.requests import ListFacts, SwitchMemory

from . import interfaces as _registered  # noqa: F401
from .choir import Choir, refine
from .interface import INTERFACES, MANY, Interface, Owner
from .served import Proxy, Served

pytestmark = pytest.mark.asyncio(loop_scope="module")

COMMANDS = "command line"  # each command takes a second
QUICK = sorted(set(INTERFACES) - {COMMANDS, "store"})  # the store sees only what it wrote
readers = pytest.mark.parametrize(
    "reader",
    [pytest.param(name, marks=() if name == "rest" else pytest.mark.later) for name in (*QUICK, "store", COMMANDS)],
)
"""One of them in ``make test``."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def choir(interfaces: dict[str, Interface]) -> Choir:
    """A canary written through each interface."""
    made = Choir(interfaces)
    for writer in interfaces:
        await made.write(writer)
    return made


@readers
async def test_the_owner_is_shown_what_was_written_through_any_interface(choir: Choir, reader: str) -> None:
    assert await choir.heard(reader) == choir.expected(reader)


@readers
async def test_no_other_user_and_no_other_collection_is_shown_it(choir: Choir, reader: str) -> None:
    user = choir.owner.user
    for stranger in (Owner(f"{user}x"), Owner(user.upper()), Owner(""), Owner(user, "default.stores")):
        if stranger.user or choir.interfaces[reader].serves_shared:
            assert await choir.heard(reader, stranger) == set(), stranger


@pytest.mark.later
@pytest.mark.parametrize("leak", ["user", "collection"])
@pytest.mark.parametrize("reader", sorted(name for name, kind in INTERFACES.items() if issubclass(kind, Served)))
async def test_a_planted_leak_is_heard_through_every_interface_of_the_listener(
    choir: Choir, reader: str, leak: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So the test above can fail: an access that reaches beyond its user or its collection shows the canaries."""
    owner, call, ask = choir.owner, Access.call, Access.ask

    def wider(access: Access) -> Access:
        beyond = access.scope.user != owner.user if leak == "user" else access.scope.collection != owner.collection
        return replace(access, user=owner.user, collection=owner.collection) if beyond else access

    monkeypatch.setattr(Access, "call", lambda self, *rest, **more: call(wider(self), *rest, **more))
    monkeypatch.setattr(Access, "ask", lambda self, request: ask(wider(self), request))
    stranger = Owner(f"{owner.user}x") if leak == "user" else Owner(owner.user, "default.stores")
    assert await choir.heard(reader, stranger)


@readers
async def test_no_other_user_reaches_it_by_its_id(choir: Choir, reader: str) -> None:
    request = ListFacts(user=choir.owner.user, limit=MANY)
    before = (await choir.interfaces[reader].scene.bus.call(request)).facts
    stranger = Owner(f"{choir.owner.user}y")
    for fact in [fact for fact in before if any(word in fact.content for word in choir.words)]:
        shown = await choir.interfaces[reader].seize(stranger, fact.id)
        assert not [word for word in choir.words if word in shown]
    assert (await choir.interfaces[reader].scene.bus.call(request)).facts == before


@readers
async def test_no_other_user_reaches_it_by_the_name_of_its_owner(choir: Choir, reader: str) -> None:
    shown = await choir.interfaces[reader].pretend(Owner(f"{choir.owner.user}z"), choir.owner)
    assert not [word for word in choir.words if word in shown]
    assert await choir.heard("bus") == choir.expected("bus")


@readers
async def test_while_reading_is_switched_off_none_is_shown(choir: Choir, reader: str) -> None:
    bus = choir.interfaces[reader].scene.bus
    await bus.call(SwitchMemory(user=choir.owner.user, read=False))
    try:
        assert await choir.heard(reader) == set()
    finally:
        await bus.call(SwitchMemory(user=choir.owner.user, read=True))
    assert await choir.heard(reader) == choir.expected(reader)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def erased(interfaces: dict[str, Interface]) -> Choir:
    """Each interface erased what was written through another one."""
    made = Choir(interfaces)
    names = [name for name, each in interfaces.items() if each.shows_all]
    erasers = dict(zip(names, [*names[1:], names[0]], strict=True))
    texts = [(erasers.get(writer, writer), await made.write(writer)) for writer in interfaces]
    for reader in QUICK:
        assert await made.heard(reader) == made.expected(reader), reader
    for eraser, text in texts:
        await interfaces[eraser].erase(made.owner, text)
    return made


@pytest.mark.later
@readers
async def test_what_one_interface_erased_none_shows(erased: Choir, reader: str) -> None:
    assert await erased.heard(reader) == set()


@pytest.mark.later
@pytest.mark.parametrize("eraser", [*QUICK, COMMANDS])
async def test_a_collection_that_one_interface_cleared_is_shown_by_none(interfaces: dict[str, Interface], eraser: str) -> None:
    choir = Choir(interfaces)
    neighbour = Owner(choir.owner.user, "default.stores")
    for writer in ("python", "rest", "proxy", "mcp", "store"):
        await choir.write(writer)
    await interfaces["rest"].write(neighbour, choir.text())
    choir.words[choir.newest] = "rest"
    await interfaces[eraser].clear(choir.owner)
    for reader in QUICK:
        assert await choir.heard(reader) == set(), reader
    assert await choir.heard("rest", neighbour), "it erased another collection"


async def eventually_gone(caller: Caller, path: str) -> None:
    """Kept answers follow the announcement of an erasure."""
    async with asyncio.timeout(60):
        while (await caller("GET", path)).status != 404:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


@pytest.mark.later
@pytest.mark.parametrize("eraser", QUICK)
async def test_a_kept_answer_goes_with_its_memory(interfaces: dict[str, Interface], eraser: str) -> None:
    choir, proxy = Choir(interfaces), interfaces["proxy"]
    assert isinstance(proxy, Proxy)
    text = choir.text()
    path = await proxy.keep(choir.owner, text)
    own, other = proxy.scene.caller(choir.owner.user), proxy.scene.caller(f"{choir.owner.user}x")
    assert [(await call("GET", path)).status for call in (own, other)] == [200, 404]
    await interfaces[eraser].erase(choir.owner, text)
    await eventually_gone(own, path)


@pytest.mark.later
@readers
async def test_a_refinement_is_shown_by_no_memory_and_to_no_other_user(interfaces: dict[str, Interface], reader: str) -> None:
    choir = Choir(interfaces)
    own, other = (interfaces["rest"].scene.caller(name) for name in (choir.owner.user, f"{choir.owner.user}x"))
    text = choir.text()
    choir.words[text.split()[2]] = "refinement"
    uri = f"resource://sessions/{await refine(own, text)}/run_log"
    for stranger in (choir.owner, Owner(f"{choir.owner.user}x"), Owner(choir.owner.user, "default.stores")):
        assert await choir.heard(reader, stranger) == set(), stranger
    async with over_http(other.url, other.key, MODES["legacy"]) as client:
        with pytest.raises(MCPError):
            await client.read_resource(uri)
    async with over_http(own.url, own.key, MODES["legacy"]) as client:
        assert text in str(await client.read_resource(uri))


@pytest.mark.later
@pytest.mark.parametrize("eraser", QUICK)
async def test_a_refinement_goes_with_its_collection(interfaces: dict[str, Interface], eraser: str) -> None:
    choir = Choir(interfaces)
    own = interfaces["rest"].scene.caller(choir.owner.user)
    session = await refine(own, choir.text())
    await interfaces["rest"].write(choir.owner, choir.text())  # some interfaces clear what they list
    await interfaces[eraser].clear(choir.owner)
    async with over_http(own.url, own.key, MODES["legacy"]) as client:
        with pytest.raises(MCPError):
            await client.read_resource(f"resource://sessions/{session}/run_log")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def poisoned(interfaces: dict[str, Interface]) -> Choir:
    """Sentences that were handed to each interface as the words of a tool, a document or the assistant."""
    made, held = Choir(interfaces), set[str]()
    for name, each in interfaces.items():
        for way in (*each.held, *each.dropped):
            text = made.text()
            await each.poison(made.owner, text, way)
            made.words[text.split()[2]] = f"{name}: {way}"
            held |= {text} if way in each.held else set()
    request = ListFacts(user=made.owner.user, status="quarantined", limit=MANY)
    stored = (await interfaces["bus"].scene.bus.call(request)).facts
    assert {fact.content for fact in stored} >= held, "they were not stored, so that nothing is seen by their absence"
    return made


@pytest.mark.later
@readers
async def test_what_only_others_say_is_shown_by_none(poisoned: Choir, reader: str) -> None:
    assert await poisoned.heard(reader) == set()
