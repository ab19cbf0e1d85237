"""Events and lists of sessions to and from their wire records."""

import json
from collections.abc import Iterable
from dataclasses import fields

from .. import schema
from ..errors import BadRequest, RefinementError
from ..memory.json_object import read_json_object
from ..memory.timefmt import parse_time
from .machine import fold
from .records import RefinementEvent, Session


def to_wire(event: RefinementEvent) -> schema.RefinementEvent:
    values = event.as_dict()
    values["sampling"] = json.dumps(values["sampling"], ensure_ascii=False) if values["sampling"] else ""
    return schema.RefinementEvent(timestamp=str(values.pop("at")), **values)  # type: ignore[arg-type]  # the same names


def from_wire(record: schema.RefinementEvent) -> RefinementEvent:
    """Raises: RefinementError (validation_error or invalid_session)."""
    values = {each.name: getattr(record, each.name) for each in fields(record)}
    try:
        values["sampling"] = read_json_object(values["sampling"], "sampling") if values["sampling"] else None
    except BadRequest as error:
        raise RefinementError(str(error), code="validation_error") from None
    return RefinementEvent.from_dict({**values, "at": values.pop("timestamp")})


def session_from_wire(session_id: str, records: Iterable[schema.RefinementEvent]) -> Session:
    """The session of this log.  Raises: as ``from_wire``."""
    return fold(session_id, map(from_wire, records))


def summary_from_wire(record: schema.RefinementSession) -> Session:
    """The session without its slots."""
    return Session(
        id=record.session_id,
        conversation_id=record.conversation_id,
        companion_type=record.companion_type,  # type: ignore[arg-type]  # as it was checked before it was stored
        created_at=parse_time(record.created_at),
        last_at=parse_time(record.last_at),
        events=record.events,
    )
