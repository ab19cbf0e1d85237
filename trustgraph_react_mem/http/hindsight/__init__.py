"""What Hindsight's clients and integrations need of its interface: banks, retain, recall, reflect, memories, operations.

A bank is a collection of the key's user.  docs/http-peers.md has the whole table.  Source: hindsight-client 1.1.0.
"""

from aiohttp import web

from . import banks, memories, operations, recall, retain
from .replies import Handler, answered

BANK = "/v1/default/banks/{bank}"


def routes() -> list[web.RouteDef]:
    table: list[tuple[str, str, Handler]] = [
        ("GET", "/version", banks.version),
        ("GET", "/health", banks.health),
        ("GET", "/v1/default/banks", banks.list_banks),
        ("PUT", BANK, banks.write),
        ("PATCH", BANK, banks.write),
        ("DELETE", BANK, banks.delete),
        ("GET", BANK + "/profile", banks.read),
        ("POST", BANK + "/memories", retain.retain),
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
    return [web.route(method, path, answered(handler)) for method, path, handler in table]
