"""Banks.  A bank is a collection: it is there as soon as something is in it, and has no configuration."""

from typing import Any

from aiohttp import web

from ...errors import NotFound
from ..application import access_of, principal_of
from ..forgetting import erase
from ..peer_records import reply
from ..request_body import text_of
from .replies import bank_and_body, bank_erased, bank_of, find_set, refuse_narrowing


async def health(request: web.Request) -> web.Response:
    return reply({"status": "healthy"})


async def list_banks(request: web.Request) -> web.Response:
    """The collections that the key names, else the default one: which others exist is not listed to one user."""
    principal = await principal_of(request)
    access = await access_of(request)
    return reply({"banks": [_profile(name, {}) for name in principal.collections or (access.collection,)]})


async def write(request: web.Request) -> web.Response:
    access, body = await bank_and_body(request)
    return reply(_profile(access.collection, body), [name for name in find_set(body, body) if name not in ("name", "user_id")])


async def read(request: web.Request) -> web.Response:
    return reply(_profile((await bank_of(request)).collection, {}))


async def delete(request: web.Request) -> web.Response:
    refuse_narrowing(request)
    access = await bank_of(request)
    return bank_erased(access, await erase(access, "collection"))


async def not_supported(request: web.Request) -> web.Response:
    await bank_of(request)
    raise NotFound(f"{request.path[:80]} is not part of this server: see the list of what is in its documentation")


def _profile(bank: str, body: dict[str, Any]) -> dict[str, Any]:
    return {
        "bank_id": bank,
        "name": text_of(body, "name") or bank,
        "disposition": {"skepticism": 3, "literalism": 3, "empathy": 3},
        "mission": "",
        "background": None,
    }
