"""Refinement sessions as a client meets them: stored, listed and erased over a real broker and the embedded engines."""

import asyncio
import signal
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import Conflict, TooLarge
from trustgraph_react_mem.memory.requests import (
    AppendRefinement,
    GetRefinement,
    ListRefinements,
)
from trustgraph_react_mem.processors.operations import refinements
from trustgraph_react_mem.refine.machine import fold
from trustgraph_react_mem.refine.records import RefinementEvent, Session
from trustgraph_react_mem.refine.stopping import similarity
from trustgraph_react_mem.refine.wire import from_wire, to_wire

pytestmark = pytest.mark.asyncio(loop_scope="module")

BEGAN = datetime(2026, 11, 1, 9, tzinfo=UTC)


def event(session: str, phase: str, text: str, number: int = 0, **more: Any) -> RefinementEvent:
    values: dict[str, Any] = {"query": "Why is the sky blue?"} if phase == "draft" else {}
    values |= {"session_id": session, "phase": phase, "text": text, "at": BEGAN + timedelta(minutes=number)}
    return RefinementEvent(**{"id": f"e{number}", **values, **more})


async def append(bus: MemoryBus, user: str, event: RefinementEvent, expected: int, **more: Any) -> Any:
    request = AppendRefinement(user=user, event=to_wire(event), expected=expected, **more)
    return await bus.call(request, timeout_s=120)


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
    assert whole.slot.similarity == similarity("It scatters", "Blue light scatters most")
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


async def test_secrets_are_not_stored_and_a_session_is_bounded(
    bus: MemoryBus, user: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refinements, "MOST_SESSION_BYTES", 3_000)
    session, key = str(uuid4()), "sk-ant-api03-" + "Ab1" * 30
    stored = await append(bus, user, event(session, "draft", f"the key is {key}"), 0)
    assert key not in stored.events[0].text
    for number, phase in enumerate(("critique", "revise", "critique"), start=1):
        await append(bus, user, event(session, phase, "word " * 160, number), number)
    with pytest.raises(TooLarge, match="begin another session"):
        await append(bus, user, event(session, "revise", "word " * 160, 4), 4)
    assert (await read(bus, user, session)) is not None


@pytest.mark.slow
async def test_after_kill_9_every_acknowledged_step_is_there(tmp_path: Path) -> None:
    program = (
        "import asyncio, sys\n"
        "from pathlib import Path\n"
        "from uuid import UUID\n"
        "from tests.integration.conftest import plain_stack\n"
        "from tests.integration.test_refinements import append, event\n"
        "from trustgraph_react_mem.bus.external_client import MemoryBus\n"
        "async def main():\n"
        "    async with plain_stack(Path(sys.argv[1])) as stack, await MemoryBus.connect(stack.url) as bus:\n"
        "        for number in range(10_000):\n"
        "            session, step = str(UUID(int=number // 3)), number % 3\n"
        "            phase = ('draft', 'critique', 'revise')[step]\n"
        "            await append(bus, 'ann', event(session, phase, f'text {number}', step), step)\n"
        "            print(number, flush=True)\n"
        "asyncio.run(main())\n"
    )
    child = await asyncio.create_subprocess_exec(sys.executable, "-c", program, str(tmp_path), stdout=subprocess.PIPE)
    assert child.stdout is not None
    for _ in range(20):
        acknowledged = int(await asyncio.wait_for(child.stdout.readline(), 120))
    child.send_signal(signal.SIGKILL)
    rest = (await child.stdout.read()).decode().splitlines()
    acknowledged = max([acknowledged, *(int(line) for line in rest if line.isdecimal())])
    await child.wait()
    async with plain_stack(tmp_path) as stack, await MemoryBus.connect(stack.url) as bus:
        for number in range(acknowledged + 1):
            session = await read(bus, "ann", str(UUID(int=number // 3)))
            assert session is not None
            assert session.slot is not None
            texts = [each.text for each in session.slot.events]
            assert texts == [f"text {number // 3 * 3 + step}" for step in range(len(texts))]
            assert len(texts) > number % 3
