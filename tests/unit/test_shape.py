"""The shape of the package: small modules, small folders, small constructors."""

import ast
from collections import Counter
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "trustgraph_react_mem"
MOST_LINES, MOST_MODULES, MOST_PARAMETERS = 400, 20, 8
MOST_LINES_OF_ALL = 60_000  # with schema and config; it only ever goes down, the aim is 52,000

RECORDS = {"settings", "limits"}  # parameters that are records themselves
MODULES = sorted(PACKAGE.rglob("*.py"))  # rglob does not follow the links to schema and config


def test_no_module_is_long() -> None:
    lines = {path: len(path.read_text("utf-8").splitlines()) for path in MODULES}
    assert {str(path.relative_to(PACKAGE)): count for path, count in lines.items() if count > MOST_LINES} == {}


def test_the_whole_is_no_longer_than_it_was() -> None:
    modules = [*MODULES, *(path for folder in ("schema", "config") for path in (PACKAGE.parent / folder).rglob("*.py"))]
    assert sum(len(path.read_text("utf-8").splitlines()) for path in modules) <= MOST_LINES_OF_ALL


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


# -- names of functions --------------------------------------------------------------------------------------------------

# Verbs that end like a participle.
VERBS = {"embed", "feed", "need", "proceed", "reembed", "seed", "succeed"}
IRREGULAR = {
    "begun", "bound", "broken", "brought", "built", "caught", "chosen", "cut", "done", "drawn", "driven", "forgotten", "found",
    "given", "gone", "grown", "held", "hidden", "kept", "known", "left", "lent", "lost", "made", "met", "paid", "said", "seen",
    "sent", "shown", "sold", "spent", "spoken", "taken", "taught", "thought", "told", "understood", "written", "worn",
}  # fmt: skip
PARTICLES = {
    "again", "all", "alone", "as", "at", "by", "down", "each", "else", "first", "for", "from", "in", "into", "of", "off", "on",
    "once", "only", "otherwise", "out", "since", "so", "to", "up", "with",
}  # fmt: skip
# ``MemoryManager.shared`` is the name in docs/python.md.
ESTABLISHED = {"shared"}


def _is_participle(word: str) -> bool:
    return word in IRREGULAR or (word.endswith("ed") and word not in VERBS)


def participles(source: str) -> list[str]:
    """Functions that are named by a participle, such as ``filled`` or ``_changed_by``, instead of a verb.

    Not meant: an event, which says that something has happened and returns nothing; a predicate, which is true or false; a
    property, which is a value; a context manager, which is a state that holds in its block.
    """
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) or node.name in ESTABLISHED:
            continue
        first, *others = node.name.strip("_").split("_")
        returns = ast.unparse(node.returns) if node.returns else ""
        decorators = " ".join(map(ast.unparse, node.decorator_list))
        if (
            _is_participle(first)
            and all(word in PARTICLES or _is_participle(word) for word in others)
            and returns not in ("None", "bool")
            and "contextmanager" not in decorators
            and "ContextManager" not in returns
            and "property" not in decorators
        ):
            found.append(node.name)
    return found


def test_functions_are_named_by_verbs() -> None:
    found = {str(path.relative_to(PACKAGE)): names for path in MODULES if (names := participles(path.read_text("utf-8")))}
    assert found == {}
