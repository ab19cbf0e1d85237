"""Typed access to the payload of a job.  Wrong types are a BadRequest: such a job can never succeed."""

from datetime import datetime

from ..errors import BadRequest
from ..memory.ports import Job, JsonValue
from ..memory.timefmt import parse_time


def read_flow(job: Job) -> str:
    return str(job.payload.get("flow") or "default")


def read_text(job: Job, key: str, *, needed: bool = False) -> str:
    """A string of the payload, "" if it is missing.  Raises BadRequest: not a string, or missing although ``needed``."""
    value = job.payload.get(key)
    if value is None or value == "":
        if needed:
            raise BadRequest(f"a job of kind {job.kind!r} needs {key!r} in its payload")
        return ""
    if not isinstance(value, str):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a string, not {type(value).__name__}")
    return value


def read_int(job: Job, key: str, default: int) -> int:
    """A whole number of the payload.  Raises BadRequest: not a whole number."""
    value = job.payload.get(key, default)
    if isinstance(value, bool) or not isinstance(value, int):
        raise BadRequest(f"{key!r} of a job of kind {job.kind!r} must be a whole number, not {type(value).__name__}")
    return value


def read_time(job: Job, key: str) -> datetime:
    """A time of the payload; the job's creation time if it is missing or not a valid time."""
    return parse_time(job.payload.get(key)) or job.created_at


def inherit_payload(job: Job) -> dict[str, JsonValue]:
    """The payload keys that are copied to every follow-up job."""
    return {key: job.payload[key] for key in ("flow", "settings") if key in job.payload}
