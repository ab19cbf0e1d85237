"""Sessions over the bus: reading one, and appending an event to it."""

from ...errors import RefinementError
from ...http.access import Access
from ...memory.requests import AppendRefinement, GetRefinement, ListRefinements
from ...refine.machine import apply
from ...refine.records import RefinementEvent, Session, check_session_id
from ...refine.wire import session_from_wire, to_wire

MOST_SESSIONS = 50  # that are counted in metrics


async def load_session(access: Access, session_id: str, *, needed: bool = True) -> Session:
    """The session of this user and collection.  Not ``needed``: empty if there is none.

    Raises: RefinementError (invalid_session: there is none, the id is not a UUID, or reading is switched off).
    """
    check_session_id(session_id)
    response = await access.call(GetRefinement(session_id=session_id))
    if response.stats.get("read") == "off":
        raise RefinementError("reading memory is switched off, so no session is shown: switch it on", code="invalid_session")
    if needed and not response.success:
        raise RefinementError("there is no such session here: begin one with a draft", code="invalid_session")
    return session_from_wire(session_id, response.events)


async def list_sessions(access: Access) -> list[Session]:
    """The newest sessions."""
    listed = await access.call(ListRefinements(limit=MOST_SESSIONS))
    return [await load_session(access, each.session_id, needed=False) for each in listed.refinements]


async def append(access: Access, session: Session, event: RefinementEvent, *, confirm: bool) -> Session:
    """Store an event.  Returns the session after it.  Raises: RefinementError, Conflict (the session has changed since)."""
    apply(session, event, confirm=confirm)
    request = AppendRefinement(event=to_wire(event), expected=session.events, confirm=confirm)
    return session_from_wire(session.id, (await access.call(request)).events)
