"""Sessions over the bus: reading one, and appending an event to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from ... import schema
from ...errors import RefinementError
from ...http.access import Access
from ...memory.requests import AppendRefinement, GetRefinement, ListRefinements
from ...refine.machine import apply, fold
from ...refine.records import RefinementEvent, Session, check_session_id
from ...refine.wire import from_wire, to_wire

MOST_SESSIONS = 50  # that are counted in metrics


@dataclass(frozen=True, slots=True, kw_only=True)
class Loaded:
    """A session with its log.  ``found``: whether it is stored."""

    session: Session
    events: tuple[RefinementEvent, ...] = ()
    found: bool = True


async def load_session(access: Access, session_id: str) -> Loaded:
    """The session of this user and collection, empty if there is none.

    Raises: RefinementError (invalid_session: the id is not a UUID, or reading is switched off).
    """
    check_session_id(session_id)
    response = await access.call(GetRefinement(session_id=session_id))
    if response.stats.get("read") == "off":
        raise RefinementError("reading memory is switched off, so no session is shown: switch it on", code="invalid_session")
    return _load(session_id, response.events, found=response.success)


async def find_session(access: Access, session_id: str) -> Loaded:
    """Raises: RefinementError (invalid_session: this user and collection have none)."""
    loaded = await load_session(access, session_id)
    if not loaded.found:
        raise RefinementError("there is no such session here: begin one with a draft", code="invalid_session")
    return loaded


async def list_sessions(access: Access) -> list[Session]:
    """The newest sessions."""
    listed = await access.call(ListRefinements(limit=MOST_SESSIONS))
    return [(await load_session(access, each.session_id)).session for each in listed.refinements]


async def append(access: Access, loaded: Loaded, event: RefinementEvent, *, confirm: bool) -> Session:
    """Store an event.  Returns the session after it.  Raises: RefinementError, Conflict (the session has changed since)."""
    apply(loaded.session, event, confirm=confirm)
    request = AppendRefinement(event=to_wire(event), expected=loaded.session.events, confirm=confirm)
    response = await access.call(request)
    return _load(event.session_id, response.events, found=True).session


def _load(session_id: str, records: Sequence[schema.RefinementEvent], *, found: bool) -> Loaded:
    events = tuple(map(from_wire, records))
    return Loaded(session=fold(session_id, events), events=events, found=found)
