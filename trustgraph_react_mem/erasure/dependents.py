"""What is erased with a record: all that was derived from it, what it replaced, and documents that repeat it.

- What it will replace only on a later day still holds, and stays.
- Documents of programs are kept beside the scope.  A person finds memories, not the history that a framework keeps of the same
  conversation.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from ..memory.former import former_since
from ..memory.records import FACT_STATUSES, Fact, dependency_ids, provenance_ids
from ..memory.scope import Scope, documents_of, has_documents
from ..repositories.core import MemoryCore
from ..repositories.pages import read_pages

DOCUMENTS = "documents"  # their place in a receipt


def split_dependents(found: Sequence[Fact], ids: Collection[str], now: datetime) -> tuple[set[str], list[Fact]]:
    """Of the dependents of these records (``FactGraph.dependents_of``): the ids of those that are erased with them, and the
    facts that hold although what is to replace them goes."""
    gone = set(ids)
    while going := {fact.id for fact in found if fact.id not in gone and _goes_with(fact, gone, now)}:
        gone |= going
    freed = [fact for fact in found if fact.id not in gone and fact.superseded_by in gone]
    return gone & {fact.id for fact in found}, freed


async def find_documents(core: MemoryCore, scope: Scope, ids: Collection[str], conversation_id: str) -> list[str]:
    """Ids of the documents of programs that repeat one of the records, or belong to the conversation ("": none)."""
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


def _goes_with(fact: Fact, gone: Collection[str], now: datetime) -> bool:
    holds = fact.status == "active" and former_since(fact, now) is None
    return any(each in gone for each in (provenance_ids(fact) if holds else dependency_ids(fact)))
