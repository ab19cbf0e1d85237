"""The jobs that learn from added messages, and those that erase, as mem0's events."""

import json
from collections.abc import Mapping
from typing import Any

from ...errors import NotFound
from ...memory.ports import ENDED
from ...schema import Fact, JobStatus
from ..access import Access
from ..client_metadata import EVENT
from ..forgetting import memories_in
from ..peer_records import count_in, get_job, list_facts, status_of, visible

STATUS: Mapping[str, str] = {"running": "RUNNING", "done": "SUCCEEDED", "dead": "FAILED", "cancelled": "FAILED"}
LEARNED = ("added", "updated", "superseded", "released", "quarantined", "known")
EVENT_TYPES: Mapping[str, str] = {"understand": "ADD", "forget": "DELETE"}  # by kind of job
KEPT = "they are kept word for word, and search finds them"


def status_of_job(job: JobStatus) -> str:
    """PENDING | RUNNING | SUCCEEDED | FAILED.  A job that waits for a busy model is still pending."""
    return STATUS.get(status_of(job), "PENDING")


async def event_object(access: Access, job: JobStatus) -> dict[str, Any]:
    """With ``results`` once learning has ended: what was learned, or the messages themselves."""
    results = await _results(access, job) if job.kind == "understand" and status_of(job) in ENDED else []
    return {
        "id": job.id,
        "event_id": job.id,
        "event_type": EVENT_TYPES[job.kind],
        "status": status_of_job(job),
        "created_at": job.created_at,
        "updated_at": job.updated_at,
        **({"error": job.error} if job.error else {}),
        "results": results,
        "message": _message(job, results) if job.kind == "understand" else _message_of_deletion(job),
        "user_id": access.user,
    }


def _message(job: JobStatus, results: list[dict[str, Any]]) -> str:
    if job.status != "dead" and status_of(job) == "dead":
        return f"nothing is learned from these messages until there is a language model; {KEPT}"
    if job.status in ("dead", "cancelled"):
        return f"learning from these messages failed; {KEPT}"
    if job.status != "done":
        return f"learning from these messages continues; {KEPT}"
    if count_in(job.summary, "switched_off"):
        return "writing memory is switched off"
    learned = count_in(job.summary, *LEARNED)
    return f"{learned} memories were learned" if learned and results else f"nothing was learned from these messages; {KEPT}"


def _message_of_deletion(job: JobStatus) -> str:
    if job.status in ("dead", "cancelled"):
        return "the deletion failed: send it again"
    if job.status != "done":
        return "the deletion is running"
    count = memories_in(json.loads(job.summary))
    return f"{count} {'memory was' if count == 1 else 'memories were'} deleted"


async def _results(access: Access, job: JobStatus) -> list[dict[str, Any]]:
    """The memories that were learned, or if there are none the messages themselves."""
    facts = await list_facts(access)
    said = {fact.id for fact in facts if fact.kind == "turn" and fact.metadata.get(EVENT) == job.id}
    return [_result(fact, job) for fact in visible(fact for fact in facts if said & {fact.id, *fact.turn_ids})]


def _result(fact: Fact, job: JobStatus) -> dict[str, Any]:
    """``NONE``: the memory was known before and has one more source."""
    event = "ADD" if fact.kind == "turn" or fact.created_at >= job.created_at else "NONE"
    return {"id": fact.id, "memory": fact.content, "event": event, "data": {"memory": fact.content}}


async def get_event(access: Access, event_id: str) -> dict[str, Any]:
    """Raises: NotFound."""
    job = await get_job(access, event_id.strip())
    if job.kind not in EVENT_TYPES:
        raise NotFound(f"there is no event {event_id[:80]!r}")
    return await event_object(access, job)
