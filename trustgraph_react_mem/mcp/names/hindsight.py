"""The names and arguments of Hindsight's MCP server.  Arguments without a counterpart here are left out."""

from typing import Annotated

from pydantic import Field

from ...http.access import Access
from .. import tools
from ..groups import agent
from ..results import Event, Found, Listed, Stored

CHARS_PER_RESULT = 800  # of the budget in tokens, to a number of results


async def recall(
    access: Access,
    query: Annotated[str, Field(description="What to recall.", min_length=1, max_length=4000)],
    max_tokens: Annotated[int, Field(ge=100, le=10_000, description="About how much to return.")] = 2000,
) -> Found:
    """Recall what is remembered about the person. Use it first, before you answer anything that may depend on who they are,
    what they said before, or how earlier tasks went."""
    limit = min(tools.MOST_RESULTS, max(1, max_tokens * 4 // CHARS_PER_RESULT))
    return await tools.search_memories(access, query, limit=limit)


async def retain(
    access: Access,
    content: tools.Content,
    context: Annotated[str, Field(description="The kind of information, such as career or hobbies.", max_length=200)] = "",
    document_id: Annotated[str, Field(description="Document that says it, if the person does not.", max_length=200)] = "",
    metadata: tools.Metadata = None,
) -> Stored:
    """Retain a lasting fact, preference or decision that the person stated, for later conversations. It is kept as your
    statement; what a document says waits until the person confirms it."""
    more = {**(metadata or {}), **({"context": context} if context else {})}
    return await tools.add_memory(access, content=content, source=document_id, metadata=more)


async def list_memories(
    access: Access,
    limit: Annotated[int, Field(ge=1, le=tools.MOST_LISTED, description="Maximum number of results.")] = 100,
    offset: Annotated[int, Field(ge=0, le=10**8, description="Number of memories to skip.")] = 0,
) -> Listed:
    """List memories, newest first. Use it when the person asks what you remember, or to find an id."""
    return await tools.get_memories(access, limit=limit, cursor=str(offset) if offset else "")


async def get_operation(
    access: Access, operation_id: Annotated[str, Field(description="As retain returned it.", min_length=1, max_length=200)]
) -> Event:
    """Say how far the work of retain in the background is."""
    return await tools.get_event_status(access, operation_id)


async def reflect(
    access: Access,
    query: Annotated[str, Field(description="A complete question.", min_length=1, max_length=8000)],
    refine: agent.Refine = None,
) -> agent.Answered:
    """Let the memory's own agent answer a question from everything it remembers, with citations. Use it for questions that need
    several memories put together; recall is faster."""
    return await agent.ask_agent(access, query, refine=refine)
