"""What is erased with a record: all that was derived from it, and what it replaced.

What it will replace only on a later day still holds, and stays.
"""

from collections.abc import Collection, Sequence
from datetime import datetime

from ..memory.former import former_since
from ..memory.records import Fact, dependency_ids, provenance_ids


def split_dependents(found: Sequence[Fact], ids: Collection[str], now: datetime) -> tuple[set[str], list[Fact]]:
    """Of the dependents of these records (``FactGraph.dependents_of``): the ids of those that are erased with them, and the
    facts that hold although what is to replace them goes."""
    gone = set(ids)
    while going := {fact.id for fact in found if fact.id not in gone and _goes_with(fact, gone, now)}:
        gone |= going
    freed = [fact for fact in found if fact.id not in gone and fact.superseded_by in gone]
    return gone & {fact.id for fact in found}, freed


def _goes_with(fact: Fact, gone: Collection[str], now: datetime) -> bool:
    holds = fact.status == "active" and former_since(fact, now) is None
    return any(each in gone for each in (provenance_ids(fact) if holds else dependency_ids(fact)))
