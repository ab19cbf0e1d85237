"""Whose memories a request of a mem0 client concerns: its four ids, and the account fields of older clients."""

from collections.abc import Mapping
from typing import Any

from ...errors import BadRequest
from ...memory.json_object import json_type
from ..request_body import quote_value

ID_FIELDS = ("user_id", "agent_id", "app_id", "run_id")
#: Sent by clients before 2.0.  The key decides both, so they are read over.
ACCOUNT_FIELDS = ("org_id", "project_id", "org_name", "project_name", "output_format", "version", "api_version")
MOST_CHARS = 256

Ids = Mapping[str, str]
"""The ids that a request names, by field."""


def read_ids(body: Mapping[str, Any]) -> Ids:
    """The ids at the top of a body or query, or in its plain ``filters``.  Raises: BadRequest (differing, or not texts)."""
    filters = body.get("filters")
    inside: Mapping[str, Any] = filters if isinstance(filters, Mapping) else {}
    found: dict[str, str] = {}
    for name in ID_FIELDS:
        plain = inside.get(name)
        here, there = read_id(name, body.get(name)), "" if isinstance(plain, list | dict) else read_id(name, plain)
        if here and there and here != there:
            raise BadRequest(f"{name} is {quote_value(here)} and in filters {quote_value(there)}: send one of them")
        if here or there:
            found[name] = here or there
    return found


def read_id(name: str, value: object) -> str:
    """The id without white space around it; "" for None.  Raises: BadRequest."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRequest(f"{name} {quote_value(value)} is of type {json_type(value)}: send a text")
    text = str(value).strip()
    if value != "" and not text:
        raise BadRequest(f"{name} {quote_value(value)} has only white space: leave it out, or send a name")
    if len(text) > MOST_CHARS:
        raise BadRequest(f"{name} has {len(text)} characters: use at most {MOST_CHARS}")
    return text
