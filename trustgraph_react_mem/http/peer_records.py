"""What the interfaces share: reading all records of a scope, storing, and erasing with a job that returns its receipt."""

import asyncio
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ..erasure.receipt import Level
from ..errors import BadRequest, NoModel, NotFound, NotPermitted
from ..memory import requests
from ..memory.records import HELD_STATUSES, is_by_assistant
from ..schema import Fact, FactsResponse, JobStatus, Turn
from .access import Access
from .client_metadata import AGENT, VERBATIM

PAGE = 2000
CHANGE_TIMEOUT_S = 120.0
MOST_FORGOTTEN_AT_ONCE = 5000
HISTORIES_AT_ONCE = 16
MOST_HISTORIES = 5000
WAIT_S = 60.0  # for the receipt; the erasure goes on after it


async def list_facts(access: Access, *, status: str = "active") -> list[Fact]:
    """All facts of the scope with that status, newest first."""
    found: list[Fact] = []
    while True:
        request = requests.ListFacts(status=status, limit=PAGE, offset=len(found))
        facts = (await access.call(request)).facts
        found += facts
        if len(facts) < PAGE:
            return found


async def list_held(access: Access) -> list[Fact]:
    """All facts of the scope that are stored and not undone: active, superseded and quarantined ones."""
    return [fact for status in HELD_STATUSES for fact in await list_facts(access, status=status)]


def visible(facts: Iterable[Fact]) -> list[Fact]:
    """The memories among ``facts``, as other products count them.

    What was said is not one if a fact was learned from it, nor is what the assistant answered, unless a client stored it as a
    memory or as one of a named agent.
    """
    facts = list(facts)
    sources = {turn for fact in facts if fact.kind != "turn" for turn in fact.turn_ids}
    own = {fact.id for fact in facts if fact.metadata.get(VERBATIM) == "true" or fact.metadata.get(AGENT)}
    hidden = sources | {fact.id for fact in facts if fact.id not in own and is_by_assistant(fact.trust, fact.metadata)}
    return [fact for fact in facts if fact.kind != "turn" or fact.id not in hidden]


async def get_fact(access: Access, record_id: str) -> Fact:
    """Raises: NotFound, also for another user's record."""
    record_id = record_id.strip()
    found = (await access.call(requests.GetFacts(ids=[record_id]))).facts if record_id else []
    if not found or found[0].status == "undone":
        raise NotFound(f"there is no memory {record_id[:80]!r}")
    return found[0]


async def changes(access: Access, facts: Iterable[Fact]) -> dict[str, str]:
    """When the facts that have changed since they were stored were changed last.  Raises: BadRequest (too many have)."""
    ids = [fact.id for fact in facts if fact.version > 1]
    if len(ids) > MOST_HISTORIES:
        raise BadRequest(f"{len(ids)} memories have changed, too many to compare updated_at: leave it out, or use created_at")
    slots = asyncio.Semaphore(HISTORIES_AT_ONCE)

    async def last_change(record_id: str) -> tuple[str, str]:
        async with slots:
            entries = (await access.call(requests.GetFactHistory(id=record_id))).history
        return record_id, entries[0].at if entries else ""

    return dict(await asyncio.gather(*map(last_change, ids)))


def event_of(stored: FactsResponse) -> str:
    """What storing did to the memory, in mem0's words: the same text is one memory."""
    return {"updated": "UPDATE", "none": "NONE"}.get(stored.stats.get("change", ""), "ADD")


async def forget(access: Access, facts: Sequence[Fact]) -> int:
    """Erase these facts, at once for every reader, and what they were learned from.  Returns how many were erased."""
    ids = await with_sources(access, facts)
    for start in range(0, len(ids), MOST_FORGOTTEN_AT_ONCE):
        await access.call(requests.ForgetFacts(ids=ids[start : start + MOST_FORGOTTEN_AT_ONCE]), CHANGE_TIMEOUT_S)
    return len(facts)


async def with_sources(access: Access, facts: Sequence[Fact]) -> list[str]:
    """The ids of the facts and of the words that only they were learned from.

    Words from which another memory was learned too stay stored for its sake, and are not recalled any more from now on.
    """
    ids = [fact.id for fact in facts]
    sources = {turn for fact in facts if fact.kind != "turn" for turn in fact.turn_ids} - set(ids)
    if not sources:
        return ids
    others = [fact for fact in await list_held(access) if fact.kind != "turn" and fact.id not in ids]
    shared = sources & {turn for fact in others for turn in fact.turn_ids}
    turns = (await access.call(requests.GetFacts(ids=sorted(shared)))).facts if shared else []
    for turn in turns:
        if turn.status == "active":
            await access.call(requests.UpdateFact(id=turn.id, status="quarantined"))
    return [*ids, *sorted(sources - shared)]


async def import_and_learn(access: Access, source: str, turns: Sequence[Turn], job_id: str = "") -> str:
    """Store the turns in the conversation ``source``, and submit the job that learns from them.  Returns its id.

    ``job_id``: to be used; "" = any.
    """
    stats = (await access.call(requests.ImportTurns(source=source, turns=turns), CHANGE_TIMEOUT_S)).stats
    learning = requests.learn_from(source, int(stats["first"]), int(stats["last"]))
    return (await access.call(replace(learning, id=job_id))).job_id


async def get_job(access: Access, job_id: str) -> JobStatus:
    """Raises: NotFound."""
    job: JobStatus = (await access.call(requests.GetJob(id=job_id))).jobs[0]
    return job


def status_of(job: JobStatus) -> str:
    """The status as its client sees it.

    Without a language model a job waits, maybe for ever, so for its client it has failed.  It runs once there is a model.
    """
    return "dead" if job.status == "deferred" and job.error.startswith(f"{NoModel.wire_type}:") else job.status


@dataclass(frozen=True, slots=True, kw_only=True)
class Erasure:
    """``job_id``: of the erasure.  ``receipt``: counts by place; empty while it is not finished."""

    job_id: str
    receipt: Mapping[str, Any] = field(default_factory=dict)

    @property
    def found(self) -> dict[str, int]:
        """Place -> number of entries that were found in it."""
        return {name: int(place.get("found", 0)) for name, place in self.receipt.get("places", {}).items()}


async def erase(access: Access, level: Level, *, ids: Sequence[str] = (), conversation_id: str = "") -> Erasure:
    """Erase records, a conversation, the collection, or all collections of the user, and wait for the receipt.

    Raises: NotPermitted (the key may not use all of it), and the errors of the job.
    """
    if level not in ("record", "conversation", "collection") and access.principal.collections:
        raise NotPermitted(
            f"the key {access.principal.key_id} may use some collections only: forget each of them, or use a key for all"
        )
    response = await access.call(requests.erase(level, ids, conversation_id, timeout_s=WAIT_S))
    return Erasure(job_id=response.job_id, receipt=json.loads(response.data) if response.data else {})
