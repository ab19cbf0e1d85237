"""Converts turns of a transcript to facts.

A turn that is stored already is recognised by its id and its text, so importing a transcript twice adds nothing, and a turn of
another transcript that has the same id is stored.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from ...errors import BadRequest
from ...memory.digest import content_digest
from ...memory.policies import DataPolicy
from ...memory.ports import FactGraph
from ...memory.records import Fact, derived_id
from ...memory.scope import Scope
from ...memory.sizes import check_size
from ...memory.timefmt import read_time
from ...schema import Turn

LAST_POSITION = 2**31 - 1
ROLES = ("user", "assistant", "")  # the words of tools and of pages are no turns: recall could not tell them from a speaker's


async def to_turn_facts(
    graph: FactGraph, scope: Scope, conversation_id: str, turns: Sequence[Turn], policy: DataPolicy, now: datetime
) -> list[Fact | None]:
    """The fact of each turn, with positions after the turns that the conversation already has.  None: nothing to store.

    A turn that is stored already, active or undone, is returned as stored.

    Raises: BadRequest (not an ISO 8601 time, no turn with text, or a role that is not a speaker's), TooLarge.
    """
    for number, turn in enumerate(turns, start=1):
        if turn.role not in ROLES:
            raise BadRequest(
                f"turn {number} of {conversation_id[:60]!r} has the role {turn.role[:40]!r}: "
                "use user or assistant, and leave out what no speaker said"
            )
        check_size(f"turn {number} of {conversation_id!r} ({turn.id or turn.speaker or turn.role})", turn.text)
    policy.check_id("the source", conversation_id)
    for turn in turns:
        policy.check_id("the id of a turn", turn.id)
    turns = [replace(turn, speaker=policy.screen_name(turn.speaker)) for turn in turns]
    stored = await _StoredTurns.load(graph, scope, conversation_id, turns)
    position = stored.next_position
    said_before: Counter[tuple[str, str, str]] = Counter()
    facts: list[Fact | None] = []
    for turn in turns:
        screened = await policy.screen_async(turn.text)
        if screened.dropped or not screened.text.strip():
            facts.append(None)
            continue
        what = (turn.speaker, turn.said_at, turn.text)
        said_before[what] += 1
        name = turn.id or f"{'|'.join(what)}#{said_before[what]}"
        known, record_id = await stored.find(turn, name, screened.text)
        if known is not None:
            facts.append(known)
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
                valid_to=read_time("valid_to", turn.valid_to),
                metadata=(await policy.screen_map_async(turn.metadata | _names(turn))).fields,
            )
        )
        position += 1
    if not any(facts):
        raise BadRequest("none of the turns has a text that may be stored")
    return facts


def _names(turn: Turn) -> dict[str, str]:
    return {key: value for key, value in (("turn", turn.id), ("role", turn.role), ("session", turn.session)) if value}


@dataclass(frozen=True, slots=True)
class _StoredTurns:
    """The turns of a conversation that are stored, undone ones included, and those stored under former ids."""

    graph: FactGraph
    scope: Scope
    conversation_id: str
    by_id: Mapping[str, Fact]
    next_position: int

    @classmethod
    async def load(cls, graph: FactGraph, scope: Scope, conversation_id: str, turns: Sequence[Turn]) -> "_StoredTurns":
        here = await graph.turns_near(scope, conversation_id, 0, LAST_POSITION)
        here += await graph.listing(scope, kinds=["turn"], statuses=["undone"], source=conversation_id, limit=LAST_POSITION)
        former = [derived_id("turn", scope.key, name) for turn in turns for name in turn.former]
        known = {fact.id: fact for fact in [*here, *(await graph.get(scope, former) if former else ())]}
        return cls(graph, scope, conversation_id, known, 1 + max((fact.position for fact in here), default=-1))

    async def find(self, turn: Turn, name: str, text: str) -> tuple[Fact | None, str]:
        """The stored turn with this id or a former one and this text, and the id of a turn that is not stored yet."""
        own = derived_id("turn", self.scope.key, self.conversation_id, name)
        for record_id in (own, *(derived_id("turn", self.scope.key, former) for former in turn.former)):
            found = self.by_id.get(record_id)
            if found is not None and found.speaker == turn.speaker and await self._said(found, text):
                return found, own
        if own not in self.by_id:
            return None, own
        another = derived_id("turn", self.scope.key, self.conversation_id, name, content_digest(text, turn.speaker))
        return self.by_id.get(another), another

    async def _said(self, fact: Fact, text: str) -> bool:
        """Whether the fact has this text, or had it before it was corrected."""
        if fact.content == text:
            return True
        return fact.version > 1 and any(entry.content == text for entry in await self.graph.history(self.scope, fact.id))
