"""Find the refinement events of exchanges, which are erased and undone with them."""

from collections.abc import AsyncIterator, Sequence

from ..memory.ports import GraphPorts
from ..memory.records import Conversation, Invocation
from ..memory.scope import Scope
from ..refine.stored import events_of_exchanges

PAGE = 200


async def session_pages(graph: GraphPorts, scope: Scope, *, of: str = "") -> AsyncIterator[list[Conversation]]:
    """Pages of all refinement sessions of a scope, or of one conversation, without their events."""
    read = 0
    while page := await graph.refinements.listing(scope, of=of, limit=PAGE, offset=read):
        yield page
        read += len(page)


async def find_events(graph: GraphPorts, scope: Scope, exchanges: Sequence[Invocation]) -> list[Invocation]:
    """The stored events that are part of these exchanges, undone ones included."""
    found: list[Invocation] = []
    ids = [each.id for each in exchanges]
    for conversation_id in sorted({each.conversation_id for each in exchanges}):
        async for page in session_pages(graph, scope, of=conversation_id):
            sessions = [await graph.conversations.get(scope, each.id, undone=True) for each in page]
            found += events_of_exchanges([each for each in sessions if each is not None], ids)
    return found
