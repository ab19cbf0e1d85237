"""Who calls, according to their credential."""

from dataclasses import dataclass
from typing import Literal

from aiohttp import web

from ..errors import BadRequest
from ..memory.scope import Scope

KeyKind = Literal["user", "service", "admin"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Principal:
    """The holder of a credential.

    Attributes:
        key_id: public name of the key, for logs, rate limits and lists.  It is not a secret.  ``iam:`` and the id of the user
            for a credential of TrustGraph's identity service.
        kind: ``user``: one person.  ``service``: names a user in each request, for gateways.  ``admin``: any scope.
        user: of a user key.  "" for the other kinds.
        collections: those that the key may use.  Empty: all.
        writes: whether it may change memories.
    """

    key_id: str
    kind: KeyKind
    workspace: str = "default"
    user: str = ""
    collections: tuple[str, ...] = ()
    writes: bool = True


PRINCIPAL: web.RequestKey[Principal] = web.RequestKey("principal", Principal)
"""Of a request, once its principal is known."""
SCOPE: web.RequestKey[Scope] = web.RequestKey("scope", Scope)
"""Whose memory a request reaches, once that is known."""


def named_collection(request: web.Request) -> str:
    """The collection that the header names; "" if it names none.  Raises: BadRequest (it comes several times)."""
    named = set(request.headers.getall("X-Memory-Collection", ()))
    if len(named) > 1:
        raise BadRequest("the header X-Memory-Collection names several collections: send one")
    return named.pop() if named else ""
