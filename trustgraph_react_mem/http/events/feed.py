"""Events: what they say, and the latest of each scope that a client follows.

Invariants:
- An event has ids, kinds and counts.  It has no text of a memory, a question or an answer.
- A client reads only the ring of its own scope.
- Memory is bounded: so many rings, each with so many events.  A client that reads too slowly is told that events are missing.
- A cursor is valid in the ring that made it.  After a restart, or once a ring was dropped, an old cursor counts as lost.
"""

import asyncio
import contextlib
import secrets
from collections import OrderedDict, deque
from collections.abc import AsyncIterator, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Literal, get_args

from ...errors import BadRequest
from ...memory.scope import Scope

MemoryKind = Literal["memory.created", "memory.updated", "memory.superseded", "memory.forgotten"]
JobKind = Literal["job.queued", "job.running", "job.deferred", "job.succeeded", "job.failed", "job.cancelled"]
Kind = Literal[MemoryKind, JobKind, "lost"]
KINDS: tuple[Kind, ...] = get_args(Kind)
LOST: Kind = "lost"
"""Events before this one are missing: read the state again.  Sent whatever kinds a client asks for."""
GROUPS: Mapping[str, frozenset[Kind]] = {
    "memory": frozenset(get_args(MemoryKind)),
    "job": frozenset(get_args(JobKind)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """``cursor``: its place among the events of the scope.  ``at``: ISO 8601, UTC.  ``details``: ids, kinds and counts."""

    cursor: str
    kind: Kind
    at: str
    details: Mapping[str, Any]

    def as_json(self) -> dict[str, Any]:
        return {"cursor": self.cursor, "kind": self.kind, "at": self.at, **self.details}


def read_kinds(names: Iterable[str]) -> frozenset[Kind]:
    """The kinds that a client asks for: names of kinds, or of groups.  None named: all.  Raises: BadRequest."""
    chosen: set[Kind] = set()
    for name in names:
        if name not in GROUPS and name not in KINDS:
            raise BadRequest(f"kinds has {name[:60]!r}: use {', '.join([*KINDS, *GROUPS])}")
        chosen |= GROUPS.get(name) or {name}  # type: ignore[arg-type]  # it is one of KINDS
    return frozenset(chosen or KINDS) | {LOST}


MOST_EVENTS = 512  # in a ring
MOST_RINGS = 1_000


def now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Ring:
    """The latest events of one scope."""

    def __init__(self, most: int = MOST_EVENTS) -> None:
        self.began_at = datetime.now(UTC)
        self.followers = 0
        self.ended = False
        self.seen: OrderedDict[str, object] = OrderedDict()  # record or job -> its last known state
        self._name = secrets.token_hex(4)
        self._events: deque[Event] = deque(maxlen=most)
        self._number = 0  # of the latest event
        self._grown = asyncio.Event()

    @property
    def cursor(self) -> str:
        """Of the latest event."""
        return f"{self._name}-{self._number}"

    def publish(self, kind: Kind, details: Mapping[str, Any]) -> None:
        self._number += 1
        self._events.append(Event(cursor=self.cursor, kind=kind, at=now(), details=details))
        self._wake()

    def end(self) -> None:
        """Nothing follows: those that wait go on."""
        self.ended = True
        self._wake()

    def _wake(self) -> None:
        grown, self._grown = self._grown, asyncio.Event()
        grown.set()

    def remember(self, record: str, state: object) -> object:
        """Note the state of a record.  Returns the state before, None if it is not known."""
        before = self.seen.pop(record, None)
        self.seen[record] = state
        while len(self.seen) > 4 * MOST_EVENTS:
            self.seen.popitem(last=False)
        return before

    def after(self, cursor: str) -> list[Event]:
        """The events after a cursor.  If some are gone, the first is ``lost`` and all that are kept follow."""
        name, _, number = cursor.partition("-")
        place = int(number) if number.isascii() and number.isdecimal() else -1
        known = name == self._name and 0 <= place <= self._number
        first = self._number - len(self._events)  # number of the event before the first that is here
        if known and place >= first:
            return list(self._events)[place - first :]
        reason = "events after this cursor are no longer kept" if known else "the server does not know this cursor"
        lost = Event(cursor=f"{self._name}-{first}", kind=LOST, at=now(), details={"reason": reason, "after": cursor})
        return [lost, *self._events]

    async def events(self, cursor: str) -> AsyncIterator[Event]:
        """All events after the cursor, waiting for new ones until the ring ends."""
        while not self.ended:
            for event in self.after(cursor):
                yield event
                cursor = event.cursor
            while cursor == self.cursor and not self.ended:
                await self._grown.wait()


class Rings:
    """The rings of all scopes that a client follows, or followed lately."""

    def __init__(self, most: int = MOST_RINGS) -> None:
        self._most = most
        self._rings: OrderedDict[Scope, Ring] = OrderedDict()
        self._ended = False

    def find(self, scope: Scope) -> Ring | None:
        return self._rings.get(scope)

    def in_use(self) -> list[tuple[Scope, Ring]]:
        """Those with a client."""
        return [(scope, ring) for scope, ring in self._rings.items() if ring.followers]

    def publish_lost(self, reason: str) -> None:
        """Tell all clients that events may be missing."""
        for ring in self._rings.values():
            ring.publish(LOST, {"reason": reason})

    def end(self) -> None:
        """End all rings, also those that a client follows from now on."""
        self._ended = True
        for ring in self._rings.values():
            ring.end()

    @contextlib.contextmanager
    def follow(self, scope: Scope) -> Iterator[Ring]:
        ring = self._rings.pop(scope, None) or Ring()
        self._rings[scope] = ring
        ring.ended = self._ended
        ring.followers += 1
        unused = [other for other, each in self._rings.items() if not each.followers]
        for other in unused[: max(0, len(self._rings) - self._most)]:
            del self._rings[other]
        try:
            yield ring
        finally:
            ring.followers -= 1
