"""What Hindsight's clients and integrations need of its interface: banks, retain, recall, reflect, memories, operations.

A bank is a collection of the key's user.  docs/http-peers.md has the whole table.  Source: hindsight-client 1.1.0.
"""

from aiohttp import web

from ..application import credential
from ..guards import Handler, errors_as
from ..limits import once
from . import banks, memories, operations, recall, retain
from .replies import failure

BANK = "/v1/default/banks/{bank}"


def routes() -> list[web.RouteDef]:
    table: list[tuple[str, str, Handler]] = [
        ("GET", "/health", credential("on-network")(banks.health)),
        ("GET", "/v1/default/banks", banks.list_banks),
        ("PUT", BANK, banks.write),
        ("PATCH", BANK, banks.write),
        ("DELETE", BANK, banks.delete),
        ("GET", BANK + "/profile", banks.read),
        ("POST", BANK + "/memories", once(retain.retain)),
        ("DELETE", BANK + "/memories", memories.clear),
        ("POST", BANK + "/memories/recall", recall.recall),
        ("POST", BANK + "/reflect", recall.reflect),
        ("GET", BANK + "/memories/list", memories.list_page),
        ("GET", BANK + "/memories/{id}", memories.get),
        ("PATCH", BANK + "/memories/{id}", memories.update),
        ("DELETE", BANK + "/memories/{id}", memories.delete),
        ("GET", BANK + "/memories/{id}/history", memories.history),
        ("GET", BANK + "/operations", operations.list_page),
        ("GET", BANK + "/operations/{id}", operations.get),
        ("DELETE", BANK + "/operations/{id}", operations.cancel),
        ("POST", BANK + "/operations/{id}/retry", operations.retry),
        ("*", BANK + "/{rest:.+}", banks.not_supported),
    ]
    return [web.route(method, path, errors_as(failure)(handler)) for method, path, handler in table]
