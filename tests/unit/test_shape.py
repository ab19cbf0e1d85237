"""The shape of the package: small modules, small folders, small constructors."""

import ast
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "trustgraph_react_mem"
MOST_LINES, MOST_MODULES, MOST_PARAMETERS = 400, 20, 8

RECORDS = {"settings", "limits"}  # parameters that are records themselves
MODULES = sorted(PACKAGE.rglob("*.py"))  # rglob does not follow the links to schema and config


def test_no_module_is_long() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {str(path.relative_to(PACKAGE)): count for path, count in lines.items() if count > MOST_LINES} == {}


def test_no_folder_has_many_modules() -> None:
    counts = Counter(path.parent for path in MODULES if path.name != "__init__.py")
    assert {str(folder.relative_to(PACKAGE)): count for folder, count in counts.items() if count > MOST_MODULES} == {}


def test_no_constructor_has_many_parameters() -> None:
    """``self`` does not count; dataclasses are records, whose fields are named where they are made."""
    found = {}
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.FunctionDef) and node.name == "__init__":
                names = {each.arg for each in (*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs)}
                count = len(names - {"self"} - RECORDS)
                if count > MOST_PARAMETERS:
                    found[f"{path.relative_to(PACKAGE)}:{node.lineno}"] = count
    assert found == {}
