"""Refinement sessions are erased, undone, expired, exported and imported with what they are part of."""

import json
from uuid import UUID

from tests.integration.jobs_support import ANN, BOB, Memory, open_memory
from tests.integration.test_forgetting import QUIET
from tests.integration.test_job_attacks import everything
from tests.unit.refine.events import PHASES
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.records import derived_id, refinement_name
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.refine.machine import fold
from trustgraph_react_mem.refine.records import RefinementEvent, Sampling, Session
from trustgraph_react_mem.refine.stored import metadata_of, to_events, to_invocation
from trustgraph_react_mem.transfer import ScopeExport, ScopeImport

WORD = "zanzibar"


def session_id(name: str) -> str:
    return str(UUID(derived_id("test", name)))


async def refine(memory: Memory, name: str, *, of: str = "", exchange: str = "", word: str = WORD, scope: Scope = ANN) -> str:
    """A whole round that repeats the word in every text."""
    session = session_id(name)
    for number, phase in enumerate(PHASES):
        event = RefinementEvent(
            id=f"{exchange}-{number}",
            session_id=session,
            conversation_id=of,
            phase=phase,
            query=f"What is {word}?" if phase == "draft" else "",
            text=f"{phase} {word}",
            variant="small",
            sampling=Sampling(stop_sequences=(word,)),
            at=memory.clock.now(),
            invocation_id=exchange,
        )
        stored = to_invocation(event)
        await memory.stores.refinements.append(scope, [stored], of=of, metadata=metadata_of(stored))
    return session


async def read(memory: Memory, session: str, scope: Scope = ANN) -> Session:
    return fold(session, to_events(await memory.stores.conversations.get(scope, refinement_name(session))))


async def test_a_forgotten_exchange_takes_the_words_of_its_refinement_along() -> None:
    async with open_memory(settings=QUIET) as memory:
        await memory.say("My cat is called Minka.", "A nice name.")
        await memory.record(f"My PIN is {WORD}.", "I keep quiet.")
        first = await refine(memory, "first", of="c1", exchange="c1-0", word="Minka")
        second = await refine(memory, "second", of="c1", exchange="c1-1")
        assert (await everything(memory)).count(WORD) > 9
        (turn,) = [turn for turn in await memory.turns() if WORD in turn.content]
        places = (await memory.forget("record", ids=[turn.id]))["places"]
        assert places["graph.refinements"] == {"found": 3, "removed": 3, "left": 0}
        assert places["graph.invocations"] == {"found": 1, "removed": 1, "left": 0}
        assert WORD not in await everything(memory)
        gone, kept = await read(memory, second), await read(memory, first)
        assert gone.slot is not None
        assert kept.slot is not None
        assert (gone.slot.draft, gone.slot.critique, gone.slot.revision) == ("[forgotten]", ("[forgotten]",), ("[forgotten]",))
        assert (kept.slot.draft, kept.slot.sampling.stop_sequences) == ("draft Minka", ("Minka",))


async def test_sessions_travel_with_an_export_and_are_imported_once() -> None:
    async with open_memory(settings=QUIET) as memory:
        await memory.record(f"My PIN is {WORD}.", "I keep quiet.")
        session = await refine(memory, "own", of="c1", exchange="c1-0")
        alone = await refine(memory, "alone", word="Minka")
        (turn,) = [turn for turn in await memory.turns() if WORD in turn.content]
        undone = await memory.undo.undo(ANN, turn.id)
        exporter, importer = ScopeExport(memory.core), ScopeImport(memory.core)
        lines, cursor = list[str](), ""
        while True:
            page, cursor = await exporter.page(ANN, cursor, 2)
            lines += page
            if not cursor:
                break
        assert sum(json.loads(line)["type"] == "refinement" for line in lines) == 6
        assert len(lines) == len({*lines})
        text = "".join(line + "\n" for line in lines)
        assert await importer.lines(BOB, text, DataPolicy()) >= 6
        assert await importer.lines(BOB, text, DataPolicy()) == 0
        assert (await read(memory, session, BOB)).events == 0  # undone there, too
        assert (await read(memory, alone, BOB)) == (await read(memory, alone))
        assert [each.id for each in await memory.stores.refinements.listing(BOB, of="c1")] == [refinement_name(session)]
        await memory.stores.conversations.mark_undone(BOB, [f"{refinement_name(session)}|c1-0-{n}" for n in range(3)], None, "")
        await memory.undo.undo(ANN, undone.operation)
        assert (await read(memory, session, BOB)) == (await read(memory, session))
