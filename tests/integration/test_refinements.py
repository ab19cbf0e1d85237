"""Refinement sessions as a client meets them: stored, listed and erased over a real broker and the embedded engines."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio

from tests.integration.test_memory_services import a_stack
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import Conflict, RefinementError
from trustgraph_react_mem.memory.requests import AppendRefinement, GetRefinement, ListRefinements
from trustgraph_react_mem.refine.machine import fold
from trustgraph_react_mem.refine.records import RefinementEvent, Session
from trustgraph_react_mem.refine.wire import from_wire, to_wire

pytestmark = pytest.mark.asyncio(loop_scope="module")

BEGAN = datetime(2026, 11, 1, 9, tzinfo=UTC)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedStack]:
    async with a_stack(tmp_path_factory.mktemp("stack")) as stack:
        yield stack


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def bus(stack: EmbeddedStack) -> AsyncIterator[MemoryBus]:
    async with await MemoryBus.connect(stack.pulsar_url) as bus:
        yield bus


@pytest.fixture
def user(request: pytest.FixtureRequest) -> str:
    """A scope of its own for each test."""
    return str(request.node.name)[:100]


def event(session: str, phase: str, text: str, number: int = 0, **more: Any) -> RefinementEvent:
    values: dict[str, Any] = {"query": "Why is the sky blue?"} if phase == "draft" else {}
    values |= {"session_id": session, "phase": phase, "text": text, "at": BEGAN + timedelta(minutes=number)}
    return RefinementEvent(**{"id": f"e{number}", **values, **more})


async def append(bus: MemoryBus, user: str, event: RefinementEvent, expected: int, **more: Any) -> Any:
    return await bus.call(AppendRefinement(user=user, event=to_wire(event), expected=expected, **more))


async def run(bus: MemoryBus, user: str, session: str, **more: Any) -> None:
    steps = [("draft", "It scatters"), ("critique", "Say which light"), ("revise", "Blue light scatters most")]
    for number, (phase, text) in enumerate(steps):
        await append(bus, user, event(session, phase, text, number, **more), number)


async def read(bus: MemoryBus, user: str, session: str) -> Session | None:
    found = await bus.call(GetRefinement(user=user, session_id=session))
    return fold(session, [from_wire(each) for each in found.events]) if found.success else None


async def test_a_session_comes_back_whole_and_only_in_its_scope(bus: MemoryBus, user: str) -> None:
    session = str(uuid4())
    await run(bus, user, session, companion_type="strategy", conversation_id="talk")
    whole = await read(bus, user, session)
    assert whole is not None
    assert whole.slot is not None
    assert (whole.slot.draft, whole.slot.critique, whole.slot.revision) == (
        "It scatters", ("Say which light",), ("Blue light scatters most",),
    )  # fmt: skip
    assert (whole.companion_type, whole.conversation_id, whole.created_at) == ("strategy", "talk", BEGAN)
    assert await read(bus, "somebody else", session) is None
    listed = await bus.call(ListRefinements(user=user))
    assert [(each.session_id, each.events, each.companion_type) for each in listed.refinements] == [(session, 3, "strategy")]
    assert (await bus.call(ListRefinements(user=user, conversation_id="other"))).refinements == []
    assert len((await bus.call(ListRefinements(user=user, conversation_id="talk"))).refinements) == 1
    assert (await bus.call(ListRefinements(user="somebody else"))).refinements == []


async def test_of_two_writers_one_is_refused_and_a_repeated_event_changes_nothing(bus: MemoryBus, user: str) -> None:
    session = str(uuid4())
    await append(bus, user, event(session, "draft", "It scatters"), 0)
    critiques = [event(session, "critique", f"critique {n}", n) for n in (1, 2)]
    done = await asyncio.gather(*(append(bus, user, each, 1) for each in critiques), return_exceptions=True)
    assert [type(each) for each in done if isinstance(each, BaseException)] == [Conflict]
    (first,) = [each for each in done if not isinstance(each, BaseException)]
    assert first.success
    stored = next(each for each in critiques if each.text == first.events[-1].text)
    again = await append(bus, user, replace(stored, text="another text"), 99)
    assert (again.success, again.count, again.events[-1].text) == (False, 2, stored.text)


async def test_a_step_out_of_order_is_refused_by_name_and_stores_nothing(bus: MemoryBus, user: str) -> None:
    session = str(uuid4())
    for phase, code in (("critique", "no_draft"), ("revise", "no_draft")):
        with pytest.raises(RefinementError, match=rf"^{code}: ") as refused:
            await append(bus, user, event(session, phase, "too early"), 0)
        assert refused.value.code == code
    assert await read(bus, user, session) is None
    await append(bus, user, event(session, "draft", "It scatters"), 0)
    with pytest.raises(RefinementError, match=r"^no_critique: "):
        await append(bus, user, event(session, "revise", "too early", 1), 1)
    whole = await read(bus, user, session)
    assert whole is not None
    assert whole.events == 1
