"""Counts how often memories are cited.  ``retain`` keeps cited memories longer, and ranking has a feature for it."""

from collections.abc import Sequence
from datetime import datetime

from ..memory.scope import Scope
from ..repositories.facts import FactMemory
from ..rerank.citations import imitates_citation


async def count_uses(facts: FactMemory, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
    """Count one use of each memory that an answer cited.

    ``at``: time of the answer.  An answer is counted once, even if its job is repeated.  Memories whose own text
    imitates a citation are not counted, because they could otherwise protect themselves from being forgotten.
    """
    cited = await facts.graph.get(scope, ids) if ids else []
    useful = [fact.id for fact in cited if not imitates_citation(fact.content)]
    if useful:
        await facts.touch(scope, useful, at=at)
