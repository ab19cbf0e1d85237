"""The names of OpenMemory's MCP server.  Its address holds the user's name; here the credential decides."""

from typing import Annotated

from pydantic import Field

from ...errors import BadRequest
from ...http.access import Access
from .. import tools
from ..results import Deleted, Found, Listed, Stored
from ..statements import find_fact


async def search_memory(
    access: Access, query: Annotated[str, Field(description="What to look for.", min_length=1, max_length=4000)]
) -> Found:
    """Search the person's long-term memory. Call it every time the person asks anything, before you answer."""
    return await tools.search_memories(access, query, limit=10)


async def add_memories(access: Access, text: tools.Content) -> Stored:
    """Remember a statement about the person. Use it whenever they tell you something lasting about themselves, or ask you to
    remember something. It is kept as your statement, not as their own words."""
    return await tools.add_memory(access, content=text)


async def list_memories(access: Access) -> Listed:
    """List the newest memories of the person. Use it when they ask what you remember."""
    return await tools.get_memories(access, limit=tools.MOST_LISTED)


async def delete_memories(
    access: Access, memory_ids: Annotated[list[str], Field(description="Ids to delete.", min_length=1, max_length=100)]
) -> Deleted:
    """Delete memories by id, for good. Use it only when the person asks to forget them; search first to find the ids."""
    for record_id in memory_ids:
        if await find_fact(access, record_id) is None:
            raise BadRequest(f"no memory {record_id!r} for this user and collection: nothing was deleted")
    return await tools.erase(access, "record", ids=memory_ids)
