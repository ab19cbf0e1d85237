"""Statements of the assistant: how text that a model composed is stored.

A tool call shows what a model wrote, not what the person said: a web page can make a model write anything.  So the text is
stored as an utterance of the assistant, as an answer of the flow's agent is.  It is recalled as the assistant's, it is never a
rule, and the person's own words take precedence over it.
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from ..http.access import Access
from ..http.client_metadata import VERBATIM
from ..learning.invocation import ASSISTANT
from ..memory.digest import content_digest
from ..memory.records import derived_id
from ..memory.requests import GetFacts, ImportTurns, UpdateFact
from ..schema import Fact, FactsResponse, Turn


def current_source() -> str:
    """The conversation of statements that name none: one a day, so that none grows without bound."""
    return f"mcp-{datetime.now(UTC):%Y-%m-%d}"


async def keep(
    access: Access, source: str, said: Sequence[tuple[str, str]], metadata: Mapping[str, str]
) -> tuple[list[str], FactsResponse]:
    """Store statements of the assistant in the conversation ``source``.  The same text again adds nothing.

    ``said``: each text with its time, ISO 8601; "" = now.  Returns the ids, and the response to the import.

    Raises: BadRequest, TooLarge, NotPermitted.
    """
    now = datetime.now(UTC).isoformat(timespec="seconds")
    verbatim = {VERBATIM: "true"}  # a memory, so that lists of other interfaces show it, not an answer in a chat
    turns = [
        Turn(id=content_digest(text), speaker=ASSISTANT, role="assistant", text=text, said_at=at or now, metadata=verbatim)
        for text, at in said
    ]
    done = await access.call(ImportTurns(source=source, turns=turns))
    ids = [derived_id("turn", access.scope.key, source, turn.id) for turn in turns]
    for record_id in ids if metadata else ():
        await access.call(UpdateFact(id=record_id, metadata=metadata))
    return ids, done


async def find_fact(access: Access, record_id: str) -> Fact | None:
    """The record with this id, or None if this user and collection have none."""
    found = await access.call(GetFacts(ids=[record_id]))
    return found.facts[0] if found.facts else None
