"""Documents of programs beside a scope: they are erased with the memories whose words they repeat.

A person finds memories, not the history that a framework keeps of the same conversation.
"""

from collections.abc import Collection

from ..memory.records import FACT_STATUSES
from ..memory.scope import Scope, documents_of, has_documents
from ..repositories.core import MemoryCore
from ..repositories.pages import read_pages

PLACE = "documents"  # in a receipt


async def find_documents(core: MemoryCore, scope: Scope, ids: Collection[str], conversation_id: str) -> list[str]:
    """Ids of the documents that repeat one of the records, or belong to the conversation ("": none)."""
    if not has_documents(scope):
        return []
    beside, graph = documents_of(scope), core.facts.graph
    found = {fact.id for fact in await graph.dependents_of(beside, sorted(ids), tombstoned=True)}
    if conversation_id:
        async for page in read_pages(graph.listing, beside, statuses=FACT_STATUSES, source=conversation_id):
            found |= {fact.id for fact in page}
    return sorted(found)


async def forget_documents(core: MemoryCore, scope: Scope, ids: Collection[str]) -> None:
    if ids:
        await core.facts.forget(documents_of(scope), list(ids))
