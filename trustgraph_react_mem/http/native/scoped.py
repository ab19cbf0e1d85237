"""What the handlers share: whose memory a request concerns, and pages."""

from dataclasses import fields
from typing import Any, TypeVar

from aiohttp import web

from ...errors import BadRequest
from ...memory.requests import AnyRequest
from ..access import Access
from ..client_metadata import TAKEN, pack_value
from ..peer_records import reach as noting_access
from .models import Model

Operation = TypeVar("Operation", bound=AnyRequest)


async def reach(request: web.Request, query: Model | None, body: Model | None = None) -> Access:
    """The memory that the request names in its query or its body.  The answer says if reading is off.

    Raises: as ``access_of``, BadRequest (they differ).
    """
    named: dict[str, str] = {}
    for field in ("user_id", "collection"):
        given = {value for part in (query, body) if (value := getattr(part, field, ""))}
        if len(given) > 1:
            raise BadRequest(f"{field} differs between the query and the body: give it once")
        named[field] = given.pop() if given else ""
    return await noting_access(request, user=named["user_id"], collection=named["collection"])


def copy_fields(operation: type[Operation], given: Model, **more: Any) -> Operation:
    """The operation with the fields that a query or body has under the same names, and ``more``."""
    names = {each.name for each in fields(operation)} - {"user", "collection", "operator"} - more.keys()
    return operation(**{name: value for name, value in given if name in names}, **more)


def texts(metadata: dict[str, Any]) -> dict[str, str]:
    """As records store it.  Raises: BadRequest (a name that records use themselves)."""
    if taken := TAKEN & metadata.keys():
        raise BadRequest(f"metadata has the name {min(taken)!r}, which records use themselves: choose another name")
    return {name: pack_value(value) for name, value in metadata.items()}
