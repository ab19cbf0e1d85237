"""Erasing through the listener: every interface erases with a job and returns its receipt."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..erasure.receipt import Level
from ..memory import requests
from .access import Access

WAIT_S = 60.0  # for the receipt; the erasure goes on after it


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """``job_id``: of the erasure.  ``receipt``: counts by place; empty while it is not finished."""

    job_id: str
    receipt: Mapping[str, Any] = field(default_factory=dict)

    @property
    def found(self) -> int:
        """Number of entries that were found in all places."""
        return sum(int(place.get("found", 0)) for place in self.receipt.get("places", {}).values())


def memories_in(receipt: Mapping[str, Any]) -> int:
    return int(receipt.get("places", {}).get("graph.facts", {}).get("found", 0))


def erased_records(**counts: int) -> Erasure:
    """An erasure that needed no job.  ``counts``: of records, by store."""
    places = {f"graph.{store}": {"found": count, "removed": count} for store, count in counts.items()}
    return Erasure(job_id="", receipt={"level": "record", "places": places})


async def erase(access: Access, level: Level, *, ids: Sequence[str] = (), conversation_id: str = "") -> Erasure:
    """Erase records, a conversation, the collection, or all collections of the user, and wait for the receipt.

    Raises: NotPermitted, and the errors of the job.
    """
    response = await access.call(requests.erase(level, ids, conversation_id, timeout_s=WAIT_S))
    return Erasure(job_id=response.job_id, receipt=json.loads(response.data) if response.data else {})
