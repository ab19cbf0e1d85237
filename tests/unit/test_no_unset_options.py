"""An optional parameter that no call sets is a constant: in the package, the tests and the benches."""

import ast
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import pytest

import trustgraph_react_mem
import trustgraph_react_mem.testing

pytestmark = pytest.mark.structure

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "trustgraph_react_mem"
# LangGraph calls these modules, and sets what it likes.
ADAPTERS = PACKAGE / "frameworks"
# What others may call: programs (docs/python.md), and TrustGraph, which adds its own consumers to our pool.
CALLED_BY_OTHERS = {*trustgraph_react_mem.__all__, *trustgraph_react_mem.testing.__all__, "add_consumer"}
# Clocks are arguments everywhere, so that a test can set each.
ALWAYS = {"now", "clock"}

Function = ast.FunctionDef | ast.AsyncFunctionDef
PLAIN = {"staticmethod", "classmethod", "contextmanager", "asynccontextmanager", "property"}  # others register the function


def test_every_option_is_set_by_a_call() -> None:
    callers = [path for folder in ("tests", "bench", "docs", "examples", "docker") for path in (ROOT / folder).rglob("*.py")]
    assert unset(sorted(PACKAGE.rglob("*.py")), callers) == []


def unset(defined: Sequence[Path], callers: Iterable[Path]) -> list[str]:
    calls: dict[str, list[ast.Call]] = defaultdict(list)
    references: Counter[str] = Counter()
    for path in [*defined, *callers]:
        for name, call in _calls(ast.parse(path.read_text("utf-8"))):
            if call is None:
                references[name] += 1
            else:
                calls[name].append(call)
    found = []
    for path in defined:
        if path.is_relative_to(ADAPTERS):
            continue
        for function, owner in _functions(ast.parse(path.read_text("utf-8"))):
            name = owner if function.name == "__init__" else function.name
            is_reference = function.name != "__init__" and references[name]
            if not calls[name] or is_reference or name in CALLED_BY_OTHERS:
                continue
            for option, position in _options(function, is_method=bool(owner)):
                if option not in ALWAYS and not any(_sets(call, option, position) for call in calls[name]):
                    place = path.relative_to(PACKAGE) if path.is_relative_to(PACKAGE) else path.name
                    found.append(f"{place}:{function.lineno}: {name}({option})")
    return found


def _calls(tree: ast.Module) -> Iterator[tuple[str, ast.Call | None]]:
    """The calls, by the last name of what is called; None for a function that is passed on instead."""
    called: set[ast.expr] = set()
    classes = {inner: outer.name for outer in ast.walk(tree) if isinstance(outer, ast.ClassDef) for inner in ast.walk(outer)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            function, call = node.func, node
            if _last_name(function) in ("partial", "to_thread") and node.args:
                called.add(function)
                function, call = node.args[0], ast.Call(func=node.args[0], args=node.args[1:], keywords=node.keywords)
            called.add(function)
            name = _last_name(function)
            yield classes.get(node, name) if name == "cls" else name, call
    for node in ast.walk(tree):
        if isinstance(node, ast.Name | ast.Attribute) and isinstance(node.ctx, ast.Load) and node not in called:
            yield _last_name(node), None


def _last_name(node: ast.expr) -> str:
    return node.id if isinstance(node, ast.Name) else node.attr if isinstance(node, ast.Attribute) else ""


def _functions(tree: ast.Module) -> Iterator[tuple[Function, str]]:
    """The functions that calls alone reach, each with the name of its class, or ""."""
    owners = {method: node.name for node in ast.walk(tree) if isinstance(node, ast.ClassDef) for method in node.body}
    for node in ast.walk(tree):
        if not isinstance(node, Function) or not PLAIN.issuperset(map(_last_name, node.decorator_list)):
            continue
        if node.name == "__init__" or not node.name.startswith("__"):
            yield node, owners.get(node, "")


def _options(function: Function, *, is_method: bool) -> Iterator[tuple[str, int | None]]:
    """The optional parameters, each with its place in a call if it has one."""
    arguments = [*function.args.posonlyargs, *function.args.args]
    is_static = "staticmethod" in map(_last_name, function.decorator_list)
    skipped = 1 if is_method and not is_static else 0
    for place in range(len(arguments) - len(function.args.defaults), len(arguments)):
        yield arguments[place].arg, place - skipped
    for argument, default in zip(function.args.kwonlyargs, function.args.kw_defaults, strict=True):
        if default is not None:
            yield argument.arg, None


def _sets(call: ast.Call, option: str, position: int | None) -> bool:
    return (
        any(keyword.arg in (None, option) for keyword in call.keywords)
        or any(isinstance(argument, ast.Starred) for argument in call.args)
        or (position is not None and len(call.args) > position)
    )
