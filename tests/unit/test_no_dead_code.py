"""Nothing in the package is unused: no code, no method of a port, no setting.

What looks unused and is not is recognised by a rule (who calls it), never by a list of names.
"""

import ast
import dataclasses
import functools
import importlib
import inspect
import pkgutil
import re
import sys
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatch
from pathlib import Path
from types import ModuleType

import pytest
from pydantic import BaseModel
from vulture import Vulture
from vulture.core import Item

import trustgraph_react_mem
import trustgraph_react_mem.testing
from trustgraph_react_mem.settings import AgentMemSettings

pytestmark = pytest.mark.structure

NAME = "trustgraph_react_mem"
PACKAGE = Path(__file__).parents[2] / NAME
PUBLIC_MODULES: tuple[ModuleType, ...] = (trustgraph_react_mem, trustgraph_react_mem.testing)
CONFIDENCE = 60

# A decorator that registers a function is its caller: typer, the tables of job handlers and routes, pydantic.
REGISTERING = [
    "@command",
    "@*.command",
    "@*.callback",
    "@job_handler",
    "@ROUTES.route",
    "@field_validator",
    "@model_validator",
    "@field_serializer",
]
READ_BY_OTHERS = ["model_config", "__*__"]  # by pydantic; by Python itself

ADAPTERS = {
    PACKAGE / "frameworks" / "langgraph.py",  # LangGraph calls it, and is not installed here: tests/frameworks checks it
    PACKAGE / "http" / "trustgraph" / "gateway.py",  # for TrustGraph's gateway, in which tests/stock runs it
}

Function = (ast.FunctionDef, ast.AsyncFunctionDef)


# -- code ---------------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What is unused in the package and a module with one dead method: in one scan, which takes seconds."""
    planted = tmp_path_factory.mktemp("planted") / "planted.py"
    planted.write_text("class Planted:\n    def asked_by_no_one(self) -> int:\n        return 1\n\n\nPlanted()\n")
    return unused([*sources(PACKAGE), planted])


def test_nothing_in_the_package_is_unused(found: list[str]) -> None:
    assert [line for line in found if not line.startswith("planted.py")] == []


def test_a_dead_method_is_found(found: list[str]) -> None:
    assert "planted.py:2: unused method 'asked_by_no_one'" in found


def test_a_method_is_not_used_by_a_variable_of_its_name(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text(
        "class Planted:\n    read: int\n    def dead(self) -> int:\n        return self.read\n\n\n"
        "dead = Planted()\nprint(dead)\n"
    )
    assert unused(sources(tmp_path)) == ["planted.py:3: unused method 'dead'"]


def test_a_name_that_is_only_exported_is_unused(tmp_path: Path) -> None:
    (tmp_path / "planted.py").write_text("from .inner import dead\n\n__all__ = ['dead']\n")
    (tmp_path / "inner.py").write_text("def dead() -> None: ...\n")
    assert unused(sources(tmp_path)) == ["inner.py:1: unused function 'dead'"]


def sources(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.py"))


@functools.cache
def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@functools.cache
def nodes_of(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(parsed(path)))


def unused(paths: Sequence[Path]) -> list[str]:
    vulture = Vulture(ignore_names=READ_BY_OTHERS, ignore_decorators=REGISTERING)
    for path in paths:
        vulture.scan(without_exports(path), filename=path)
    found = [*vulture.get_unused_code(min_confidence=CONFIDENCE), *unread_members(paths)]
    lines = (f"{place(item.filename)}:{item.first_lineno}: {item.message}" for item in found if not has_a_reader(item))
    return list(dict.fromkeys(lines))


def unread_members(paths: Iterable[Path]) -> Iterator[Item]:
    """Methods, fields and attributes that no expression reads: vulture takes a variable of the same name for a use."""
    nodes = [(path, node) for path in paths for node in nodes_of(path)]
    read = {name for _, node in nodes for name in names_read(node)}
    for path, node in nodes:
        for name, kind, line in members(node):
            if name not in read and not name.startswith("__"):
                yield Item(name, kind, path, line, line, f"unused {kind} {name!r}", CONFIDENCE)


def names_read(node: ast.AST) -> list[str]:
    match node:
        case ast.Attribute(attr=name, ctx=ast.Load()):
            return [name]
        case ast.Call(func=ast.Name(id="getattr" | "hasattr"), args=[_, ast.Constant(value=str(name)), *_]):
            return [name]
        case ast.MatchClass(kwd_attrs=names):
            return names
    return []


def members(node: ast.AST) -> Iterator[tuple[str, str, int]]:
    """Name, kind and line of what a class defines, and of what is set on ``self``."""
    if isinstance(node, ast.ClassDef):
        for member in node.body:
            if isinstance(member, Function) and not is_registered(member):
                yield member.name, "method", member.lineno
            elif isinstance(member, ast.AnnAssign) and isinstance(member.target, ast.Name):
                yield member.target.id, "variable", member.lineno
    elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node.value) == "self":
        yield node.attr, "attribute", node.lineno


def is_registered(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    names = (ast.unparse(item.func if isinstance(item, ast.Call) else item) for item in function.decorator_list)
    return any(fnmatch(f"@{name}", pattern) for name in names for pattern in REGISTERING)


def without_exports(path: Path) -> str:
    """To be exported by a package is no use; only what the public modules export has readers elsewhere."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in parsed(path).body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__" and node.end_lineno:
            lines[node.lineno - 1 : node.end_lineno] = [""] * (node.end_lineno - node.lineno + 1)
    return "\n".join(lines)


def place(path: Path) -> Path:
    return path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else Path(path.name)


def has_a_reader(item: Item) -> bool:
    if item.typ == "import":
        return True  # ruff looks at imports
    if not item.filename.is_relative_to(PACKAGE):
        return False
    if item.filename.is_relative_to(PACKAGE / "schema"):  # wire records: the other side reads them
        return True
    if item.typ == "attribute" and sets_foreign_attribute(item):
        return True
    if item.filename in ADAPTERS:
        return not item.name.startswith("_")
    defined_in = class_around(item)
    if defined_in is None:
        return (module_of(item.filename), item.name) in public_functions()
    if defined_in.__name__ == item.name:
        return defined_in in public_classes()
    if item.name in vars(defined_in).get("__annotations__", {}) and issubclass(defined_in, BaseModel):  # pydantic checks it
        return True
    is_public = defined_in in public_classes() and not item.name.startswith("_")
    return is_public or defined_in in returned_records() or is_called_by_a_framework(defined_in, item.name)


def sets_foreign_attribute(item: Item) -> bool:
    """``options.n_ctx = 1``: the library that made the object reads it.  What is set on ``self`` is ours to read."""
    return any(
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and (node.attr, node.lineno) == (item.name, item.first_lineno)
        and ast.unparse(node.value) != "self"
        for node in nodes_of(item.filename)
    )


def class_around(item: Item) -> type | None:
    """The class that an item belongs to, or is."""
    for node in nodes_of(item.filename):
        if isinstance(node, ast.ClassDef) and node.end_lineno and node.lineno <= item.last_lineno <= node.end_lineno:
            found: type = getattr(importlib.import_module(module_of(item.filename)), node.name)
            return found
    return None


def module_of(path: Path) -> str:
    return ".".join([NAME, *path.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")


def is_ours(kind: type) -> bool:
    return kind.__module__.split(".")[0] == NAME


@functools.cache
def all_modules() -> None:
    """Import every module, so that each class knows its subclasses."""
    outside = set(map(module_of, ADAPTERS))
    for module in pkgutil.walk_packages([str(PACKAGE)], f"{NAME}."):
        if module.name not in outside:
            importlib.import_module(module.name)


def subclasses(kind: type) -> Iterator[type]:
    yield kind
    direct: list[type] = kind.__subclasses__()
    for each in direct:
        yield from subclasses(each)


def is_called_by_a_framework(kind: type, name: str) -> bool:
    """Whether a class of another package has that method, or calls it by name as it does with its ``on_`` handlers.

    The class may be a mixin: what it overrides is then found in those that mix it in.
    """
    all_modules()
    for each in subclasses(kind):
        for base in each.__mro__[each.__mro__.index(kind) + 1 :]:
            if is_ours(base) or base.__module__ == "builtins":
                continue
            if name in vars(base):
                return True
            if name.startswith("on_") and re.search(rf"\b{name}\b", inspect.getsource(sys.modules[base.__module__])):
                return True
    return False


@functools.cache
def public_objects() -> tuple[object, ...]:
    return tuple(getattr(module, name) for module in PUBLIC_MODULES for name in module.__all__)


def public_functions() -> set[tuple[str, str]]:
    return {(item.__module__, item.__name__) for item in public_objects() if inspect.isfunction(item)}


@functools.cache
def public_classes() -> frozenset[type]:
    """With those of ours that they inherit from."""
    return frozenset(base for item in public_objects() if isinstance(item, type) for base in item.__mro__ if is_ours(base))


@functools.cache
def returned_records() -> frozenset[type]:
    """Records that public methods return, with those inside them: their fields are for programs to read."""
    found: set[type] = set()
    for kind in public_classes():
        for name, member in vars(kind).items():
            function = member.fget if isinstance(member, property) else inspect.unwrap(getattr(member, "__func__", member))
            if not name.startswith("_") and inspect.isfunction(function):
                collect_records(typing.get_type_hints(function).get("return"), found)
    return frozenset(found)


def collect_records(hint: object, found: set[type]) -> None:
    for argument in typing.get_args(hint):
        collect_records(argument, found)
    if not isinstance(hint, type) or not is_ours(hint) or hint in found:
        return
    if dataclasses.is_dataclass(hint) or issubclass(hint, BaseModel):
        found.add(hint)
        for field in typing.get_type_hints(hint).values():
            collect_records(field, found)


# -- settings -----------------------------------------------------------------------------------------------------


def test_every_setting_is_read() -> None:
    assert unread(AgentMemSettings.model_fields, sources(PACKAGE)) == []


@pytest.mark.parametrize("name", ["a_planted_setting", "deferrals"])  # the second is read, of another object
def test_an_unread_setting_is_found(name: str) -> None:
    assert unread({**AgentMemSettings.model_fields, name: None}, sources(PACKAGE)) == [name]


def unread(fields: Mapping[str, object], paths: Iterable[Path]) -> list[str]:
    """Settings that nothing reads from an expression whose last name ends with ``settings``."""
    read = {
        node.attr
        for path in paths
        for node in nodes_of(path)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load) and last_name(node.value).endswith("settings")
    }
    return [name for name in fields if name not in read]


def last_name(node: ast.AST) -> str:
    """``stores`` of ``self._stores``, ``(await stores())`` and ``stores[key]``: the name by which a thing is held."""
    while isinstance(node, ast.Await | ast.Call | ast.Subscript):
        node = node.func if isinstance(node, ast.Call) else node.value
    name = node.attr if isinstance(node, ast.Attribute) else node.id if isinstance(node, ast.Name) else ""
    return name.strip("_")
