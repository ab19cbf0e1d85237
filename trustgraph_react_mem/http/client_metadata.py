"""The metadata of other products' clients, any JSON, as the metadata of our records, which is text.

- A text is stored as it is; any other value as ``json:`` and its JSON.
- A name that this product gives a meaning to is stored with the prefix ``client.``, so that a client's ``language`` or
  ``sources`` changes nothing but what the client reads back.
"""

import json
from collections.abc import Mapping
from typing import Any

from ..errors import BadRequest
from ..memory.json_object import json_type
from ..memory.records import CALLS, COUNTED, FORM, HARMFUL, HELPFUL, KEPT_BY, KEPT_FROM, LESSON, TOPIC
from .request_body import parse_json

AGENT, APP, CATEGORIES, EVENT, VERBATIM = "agent_id", "app_id", "categories", "event_id", "verbatim"
OWN = frozenset({AGENT, APP, CATEGORIES, EVENT, VERBATIM, "updated_at"})
"""Names under which the interfaces store what is not a client's metadata.  Earlier versions stored the time of a change."""

#: Names that the services read or write.
TAKEN = frozenset(
    [
        *("condition", "flow", "graph", "instruction", "invocation_id", "key", "language", "last_at", "name", "of", "only_in"),
        *("original", "profile", "read", "role", "sentences", "session", "sources", "speaker", "states", "status", "succeeded"),
        *("summary", "summary_upto", "told_by", "turn", "turns", "value", "verified", "withheld_lessons"),
    ]
)
#: Names that records have which were learned from words.  Others may have them from a client.
LEARNED = frozenset({CALLS, COUNTED, FORM, HARMFUL, HELPFUL, KEPT_BY, KEPT_FROM, LESSON, TOPIC})
_PREFIX, _JSON = "client.", "json:"
MOST_NAMES = 100


def pack(metadata: object, what: str = "metadata") -> dict[str, str]:
    """A client's metadata as it is stored.  None: no metadata.  Raises: BadRequest (not an object, or too many names)."""
    if metadata is None:
        return {}
    if not isinstance(metadata, Mapping):
        raise BadRequest(f'{what} is of type {json_type(metadata)}: send an object such as {{"topic": "food"}}')
    if len(metadata) > MOST_NAMES:
        raise BadRequest(f"{what} has {len(metadata)} names: use at most {MOST_NAMES}")
    own = {name: _PREFIX for name in map(str, metadata) if _is_taken(name) or name in LEARNED or name.startswith(_PREFIX)}
    return {own.get(str(name), "") + str(name): pack_value(value) for name, value in metadata.items()}


def pack_value(value: Any) -> str:
    if isinstance(value, str) and not value.startswith(_JSON):
        return value
    return _JSON + json.dumps(value, ensure_ascii=False)


def unpack(stored: Mapping[str, str]) -> dict[str, Any]:
    """The client's part of a record's metadata."""
    return readable({name: value for name, value in stored.items() if not _is_taken(name)})


def readable(stored: Mapping[str, str]) -> dict[str, Any]:
    """All metadata of a record, each value as its client sent it, under the name that its client gave it."""
    of_clients_last = sorted(stored, key=lambda name: name.startswith(_PREFIX))
    return {name.removeprefix(_PREFIX): unpack_value(stored[name]) for name in of_clients_last}


def unpack_value(stored: str) -> Any:
    if not stored.startswith(_JSON):
        return stored
    try:
        return parse_json(stored.removeprefix(_JSON))
    except ValueError:  # the data policy replaced a part of it, or another program stored a number that JSON has not
        return stored.removeprefix(_JSON)


def unpack_list(stored: Mapping[str, str], name: str) -> list[str]:
    """A list of texts that an interface stored under one of its own names."""
    found = unpack_value(stored.get(name, ""))
    return [str(each) for each in found] if isinstance(found, list) else []


def _is_taken(name: str) -> bool:
    return name in TAKEN or name in OWN
