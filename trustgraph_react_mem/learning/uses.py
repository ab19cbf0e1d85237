"""Counting uses: a memory that an answer cites was of use; ``retain`` keeps it longer, and ranking may learn from it."""

from collections.abc import Sequence
from datetime import datetime

from ..memory.scope import Scope
from ..repositories.facts import FactMemory
from ..rerank.citations import asks_for_citation


async def count_uses(facts: FactMemory, scope: Scope, ids: Sequence[str], *, at: datetime) -> None:
    """``at``: when the citing answer was given; the same answer counts once, however often its job runs.

    A memory that asks to be cited gains nothing: it could make itself unforgettable.
    """
    cited = await facts.graph.get(scope, ids) if ids else []
    useful = [fact.id for fact in cited if not asks_for_citation(fact.content)]
    if useful:
        await facts.touch(scope, useful, at=at)
