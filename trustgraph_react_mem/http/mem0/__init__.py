"""The interface of mem0: its platform's paths (``platform``) and those of its open-source server (``oss``).

A mem0 project is a collection here, a run is a conversation, and the user is the one of the key.  docs/http-peers.md has the
whole table.  Source: mem0ai 2.2.1 (Python), mem0ai 3.3.1 (TypeScript), and mem0's open-source server.
"""

from aiohttp import web

from . import oss, platform


def routes() -> list[web.RouteDef]:
    return [*platform.routes(), *oss.routes()]
