"""``If-Match``: a change of a memory only if it still has the version that the client read."""

import asyncio
from weakref import WeakValueDictionary

from aiohttp import web

from ...schema import Fact
from ..access import Access
from ..problems import PreconditionFailed

_locks: WeakValueDictionary[tuple[str, str], asyncio.Lock] = WeakValueDictionary()


def changing(request: web.Request, access: Access) -> asyncio.Lock:
    """One change of a memory at a time through this listener, so that none comes between the check and the change."""
    name = (access.scope.key, request.match_info["id"])
    lock = _locks.get(name)
    if lock is None:
        lock = _locks[name] = asyncio.Lock()
    return lock


def check_version(request: web.Request, fact: Fact) -> None:
    """Raises: PreconditionFailed."""
    wanted = request.headers.get("If-Match", "*")
    if wanted != "*" and f'"{fact.version}"' not in [one.strip() for one in wanted.split(",")]:
        raise PreconditionFailed(f'the memory is of version "{fact.version}", not {wanted[:40]}: read it again')
