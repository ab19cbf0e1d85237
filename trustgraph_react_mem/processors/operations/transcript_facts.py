"""Converts turns of a transcript to facts.  Ids derive from the turns, so importing a transcript twice adds nothing."""

from collections import Counter
from collections.abc import Sequence
from datetime import datetime

from ...errors import BadRequest
from ...memory.policies import DataPolicy
from ...memory.ports import FactGraph
from ...memory.records import Fact, derived_id
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...schema import Turn
from ..service import read_time

LAST_POSITION = 2**31 - 1


async def to_turn_facts(
    graph: FactGraph, scope: Scope, conversation_id: str, turns: Sequence[Turn], policy: DataPolicy, now: datetime
) -> list[Fact]:
    """Facts in the order of ``turns``, with positions after the turns that the conversation already has.

    Empty turns are skipped.  A turn that is stored already, active or undone, is returned as stored.

    Raises: BadRequest (not an ISO 8601 time, or no turn with text), TooLarge.
    """
    for number, turn in enumerate(turns, start=1):
        check_size(f"turn {number} of {conversation_id!r} ({turn.id or turn.speaker or turn.role})", turn.text)
    there = {fact.id: fact for fact in await graph.turns_near(scope, conversation_id, 0, LAST_POSITION)}
    undone = await graph.listing(scope, kinds=["turn"], statuses=["undone"], source=conversation_id, limit=LAST_POSITION)
    there |= {fact.id: fact for fact in undone}
    position = max((fact.position for fact in there.values()), default=-1) + 1
    said_before: Counter[tuple[str, str, str]] = Counter()
    facts = []
    for turn in turns:
        screened = policy.screen(turn.text)
        if screened.dropped or not screened.text.strip():
            continue
        what = (turn.speaker, turn.said_at, turn.text)
        said_before[what] += 1
        name = turn.id or f"{'|'.join(what)}#{said_before[what]}"
        record_id = derived_id("turn", scope.key, conversation_id, name)
        if record_id in there:
            facts.append(there[record_id])
            continue
        facts.append(
            Fact(
                id=record_id,
                scope=scope,
                kind="turn",
                content=screened.text,
                created_at=now,
                trust="import",
                speaker=turn.speaker,
                source=conversation_id,
                position=position,
                said_at=read_time("said_at", turn.said_at),
                metadata={
                    key: value for key, value in (("turn", turn.id), ("role", turn.role), ("session", turn.session)) if value
                },
            )
        )
        position += 1
    if not facts:
        raise BadRequest("none of the turns has a text that may be stored")
    return facts
