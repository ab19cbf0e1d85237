"""Whose memories a request of a mem0 client concerns: its four ids, and the account fields of older clients."""

from collections.abc import Mapping, Sequence
from typing import Any

from aiohttp import web

from ...errors import BadRequest
from ..access import Access
from ..application import principal_of
from ..peer_records import reach
from ..request_body import quote

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
        named = {read_id(name, body.get(name)), "" if isinstance(plain, list | dict) else read_id(name, plain)} - {""}
        if len(named) > 1:
            raise BadRequest(f"{name} differs between the body and its filters: send one of them")
        if named:
            found[name] = named.pop()
    return found


def read_id(name: str, value: object) -> str:
    """The id without white space around it; "" for None.  Raises: BadRequest."""
    if value is None:
        return ""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise BadRequest(f"{name} = {quote(value)}: send a text")
    text = str(value).strip()
    if value != "" and not text:
        raise BadRequest(f"{name} has only white space: leave it out, or send a name")
    if len(text) > MOST_CHARS:
        raise BadRequest(f"{name} has {len(text)} characters: use at most {MOST_CHARS}")
    return text


async def access_for(request: web.Request, *users: str) -> Access:
    """The memory of the one user that a request names.  ``*`` names none.

    Raises: as ``access_of``; BadRequest (several users).
    """
    named, principal = set(users) - {"", "*"}, await principal_of(request)
    if len(named) > 1 and principal.kind != "user":
        raise BadRequest(f"the request names {len(named)} users: send one request for each")
    return await reach(request, user=min(named - {principal.user}, default=""))


def refuse_unknown(request: web.Request, allowed: Sequence[str], outcome: str = "") -> None:
    """``outcome``: what did not happen.  Raises: BadRequest (a parameter has no meaning here or comes twice: it may narrow)."""
    for name in sorted(request.query):
        if name not in allowed:
            raise BadRequest(f"the query has an unknown parameter {name[:60]!r}{outcome}: use one of {', '.join(allowed)}")
        if len(request.query.getall(name)) > 1:
            raise BadRequest(f"the query has {name[:60]!r} twice{outcome}: give it once")
