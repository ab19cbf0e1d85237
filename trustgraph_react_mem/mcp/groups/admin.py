"""Group ``admin``: what concerns many memories at once."""

from collections import Counter
from typing import Annotated

from mcp_types import CallToolResult
from pydantic import BaseModel, Field

from ...errors import BadRequest
from ...http.access import Access
from ...memory.requests import ListFacts, UndoChange
from ..results import Deleted, Done, Finished, answer
from ..tools import Id, erase

MOST_SCANNED = 5_000


class EntityCount(BaseModel):
    name: str
    memories: int


class Entities(BaseModel):
    """``scanned``: how many memories were looked at, the newest first."""

    entities: list[EntityCount]
    scanned: int


Listed = Annotated[CallToolResult, Entities]


async def delete_all_memories(
    access: Access,
    confirm: Annotated[str, Field(description="The name of the collection, as the person typed it.", max_length=200)],
) -> Deleted:
    """Delete everything remembered about the person in this collection, for good. Use it only when the person asks for exactly
    that and has typed the name of the collection."""
    if confirm != access.collection:
        raise BadRequest(
            f"confirm {confirm!r} is not the name of this collection: nothing was deleted; let the person type its name"
        )
    return await erase(access, "collection")


async def undo_memory(access: Access, id: Id) -> Finished:
    """Undo the newest change of a memory. Use it when the person says that a change was wrong."""
    done = await access.call(UndoChange(id=id))
    return answer(Done(success=True, message=f"{done.count} records changed"), f"Undone: {done.count} records changed.")


async def list_entities(
    access: Access, limit: Annotated[int, Field(ge=1, le=200, description="Maximum number of names.")] = 50
) -> Listed:
    """List the people, places and things that memories mention most. Use it when the person asks what topics are remembered."""
    found = await access.call(ListFacts(limit=MOST_SCANNED))
    counts = Counter(name for fact in found.facts for name in dict.fromkeys(fact.entities))
    entities = [EntityCount(name=name, memories=number) for name, number in counts.most_common(limit)]
    text = "\n".join(f"- {each.name}: {each.memories}" for each in entities) or "No entities."
    return answer(Entities(entities=entities, scanned=len(found.facts)), text)
