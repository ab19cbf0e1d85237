"""Nothing in the package is unused: no function, method or class, and no setting."""

import ast
from collections.abc import Iterable
from pathlib import Path

import pytest
from vulture import Vulture

from trustgraph_react_mem.settings import AgentMemSettings

pytestmark = pytest.mark.structure

PACKAGE = Path(__file__).parents[2] / "trustgraph_react_mem"
KINDS = {"function", "method", "class", "property"}  # fields of records are for others to read
# A decorator that registers a function is its caller: typer, the tables of job handlers, routes and operations, pydantic.
REGISTERING = [
    "@command",
    "@*.command",
    "@*.callback",
    "@job_handler",
    "@learns",
    "@ROUTES.route",
    "@serves",
    "@field_validator",
    "@model_validator",
    "@field_serializer",
]
# Called by TrustGraph, asyncio, aiohttp, logging, and by programs that use the bus.
CALLED_BY_OTHERS = [
    "__*__",
    "on_*",
    "_create_config_client",
    "connection_made",
    "handle_error",
    "log_exception",
    "handleError",
    "config_delete",
]
# LangGraph and TrustGraph's gateway call these.
ADAPTERS = {PACKAGE / "frameworks" / "langgraph.py", PACKAGE / "http" / "trustgraph" / "gateway.py"}


def test_nothing_in_the_package_is_unused() -> None:
    assert unused([path for path in PACKAGE.rglob("*.py") if not path.is_relative_to(PACKAGE / "schema")]) == []


def test_a_dead_method_is_found(tmp_path: Path) -> None:
    planted = tmp_path / "planted.py"
    planted.write_text("class Planted:\n    def asked_by_no_one(self) -> int:\n        return 1\n\n\nPlanted()\n")
    assert unused([planted]) == ["planted.py:2: unused method 'asked_by_no_one'"]


def unused(paths: Iterable[Path]) -> list[str]:
    vulture = Vulture(ignore_names=CALLED_BY_OTHERS, ignore_decorators=REGISTERING)
    for path in paths:
        vulture.scan(path.read_text("utf-8"), filename=path)
    return [
        f"{item.filename.name}:{item.first_lineno}: {item.message}"
        for item in vulture.get_unused_code()
        if item.typ in KINDS and item.filename not in ADAPTERS
    ]


def test_every_setting_is_read() -> None:
    """From an expression whose last name ends with ``settings``."""
    read = {
        node.attr
        for path in PACKAGE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text("utf-8")))
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and last_name(node.value).endswith("settings")
    }
    assert set(AgentMemSettings.model_fields) <= read


def last_name(node: ast.AST) -> str:
    """``stores`` of ``self._stores``, ``(await stores())`` and ``stores[key]``: the name by which a thing is held."""
    while isinstance(node, ast.Await | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.strip("_")
