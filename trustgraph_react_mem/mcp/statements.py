"""Statements of the assistant: how text that a model composed is stored.

A tool call shows what a model wrote, not what the person said: a web page can make a model write anything.  So the text is
stored as an utterance of the assistant, as an answer of the flow's agent is.  It is recalled as the assistant's, it is never a
rule, and the person's own words take precedence over it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from ..errors import BadRequest
from ..http.access import Access
from ..http.client_metadata import VERBATIM
from ..learning.invocation import ASSISTANT
from ..memory.digest import content_digest
from ..memory.records import derived_id
from ..memory.requests import GetFacts, ImportTurns, UpdateFact
from ..schema import Fact, Turn


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """``at``: when it was said, ISO 8601; "" = now."""

    text: str
    at: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """``first``, ``last``: positions of the statements in their conversation."""

    ids: tuple[str, ...]
    new: int
    first: int
    last: int


def current_source() -> str:
    """The conversation of statements that name none: one a day, so that none grows without bound."""
    return f"mcp-{datetime.now(UTC):%Y-%m-%d}"


async def keep(access: Access, source: str, statements: Sequence[Statement]) -> Kept:
    """Store statements of the assistant in the conversation ``source``.  The same text again adds nothing.

    Raises: BadRequest, TooLarge, NotPermitted.
    """
    for statement in statements:
        if not statement.text.strip():
            raise BadRequest("content is empty: write what is to be remembered")
    now = datetime.now(UTC).isoformat(timespec="seconds")
    turns = [
        Turn(
            id=_name(statement),
            speaker=ASSISTANT,
            role="assistant",
            text=statement.text,
            said_at=statement.at or now,
            metadata={VERBATIM: "true"},  # a memory, so that lists of other interfaces show it, not an answer in a chat
        )
        for statement in statements
    ]
    done = await access.call(ImportTurns(source=source, turns=turns))
    ids = tuple(derived_id("turn", access.scope.key, source, turn.id) for turn in turns)
    for record_id, statement in zip(ids, statements, strict=True):
        if statement.metadata:
            await access.call(UpdateFact(id=record_id, metadata=statement.metadata))
    return Kept(ids=ids, new=done.count, first=int(done.stats["first"]), last=int(done.stats["last"]))


def _name(statement: Statement) -> str:
    return content_digest(statement.text)


async def find_fact(access: Access, record_id: str) -> Fact | None:
    """The record with this id, or None if this user and collection have none."""
    found = await access.call(GetFacts(ids=[record_id]))
    return found.facts[0] if found.facts else None
