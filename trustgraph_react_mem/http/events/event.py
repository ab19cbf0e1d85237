"""What an event says, and which kinds a client asks for.

Invariant: an event has ids, kinds and counts.  It has no text of a memory, a question or an answer.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, get_args

from ...errors import BadRequest

Kind = Literal[
    "memory.created",
    "memory.updated",
    "memory.superseded",
    "memory.forgotten",
    "job.queued",
    "job.running",
    "job.deferred",
    "job.succeeded",
    "job.failed",
    "job.cancelled",
    "lost",
]
KINDS: tuple[Kind, ...] = get_args(Kind)
LOST: Kind = "lost"
"""Events before this one are missing: read the state again.  Sent whatever kinds a client asks for."""
GROUPS: Mapping[str, frozenset[Kind]] = {
    "memory": frozenset(kind for kind in KINDS if kind.startswith("memory.")),
    "job": frozenset(kind for kind in KINDS if kind.startswith("job.")),
    "learned": frozenset({"memory.created"}),
    "updated": frozenset({"memory.updated"}),
    "superseded": frozenset({"memory.superseded"}),
    "forgotten": frozenset({"memory.forgotten"}),
}
MOST_KINDS = 40  # in one request


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """``cursor``: its place among the events of the scope.  ``at``: ISO 8601, UTC.  ``details``: ids, kinds and counts."""

    cursor: str
    kind: Kind
    at: str
    details: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        return {"cursor": self.cursor, "kind": self.kind, "at": self.at, **self.details}


def read_kinds(named: Iterable[object]) -> frozenset[Kind]:
    """The kinds that a client asks for: names of kinds, or of groups.  None named: all.  Raises: BadRequest."""
    names = list(named)
    if len(names) > MOST_KINDS:
        raise BadRequest(f"kinds has {len(names)} names: use at most {MOST_KINDS}")
    chosen: set[Kind] = set()
    for name in names:
        group = GROUPS.get(name) if isinstance(name, str) else None
        if group is None and name not in KINDS:
            raise BadRequest(f"kinds has {str(name)[:60]!r}: use {', '.join([*KINDS, *GROUPS])}")
        chosen |= group if group is not None else {name}  # type: ignore[arg-type]  # it is one of KINDS
    return frozenset(chosen or KINDS) | {LOST}
