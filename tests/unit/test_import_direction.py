"""The import direction (docs/adr/0013): each package imports only what is listed for it here."""

import ast
import functools
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = "trustgraph_react_mem"
PACKAGE = ROOT / NAME

INNER = {"errors", "extras", "settings", "telemetry", "failure_log"}
RULES = {"schema", "memory", *INNER}
MAY_IMPORT: dict[str, set[str]] = {
    "schema": set(),
    "memory": {"schema", "errors", "telemetry"},
    "rerank": {"memory", *INNER},
    "refine": {"indexing", "rerank", *RULES},
    "indexing": RULES,
    "retrieval": {"indexing", "rerank", *RULES},
    "recall": {"rerank", "indexing", *RULES},
    "turn": {"recall", "rerank", *RULES},
    "repositories": {"directories", "indexing", *RULES},
    "jobs": RULES,
    "transfer": {"repositories", "indexing", "rerank", "refine", *RULES},
    "erasure": {"directories", "jobs", "repositories", "indexing", "rerank", "refine", *RULES},
    "migration": {"jobs", "repositories", "indexing", *RULES},
    "learning": {"jobs", "erasure", "migration", "repositories", "retrieval", "recall", "indexing", "rerank", *RULES},
    "stores": {"batch", "memory", "indexing", "directories", "disk", *INNER},
    "bus": {"allocator", "batch", "directories", "disk", "identity", *RULES},
    # testing: the scripted model can be chosen like any other
    "models": {"memory", "config", "testing", "local_url", *INNER},
    "testing": {"memory", "models", *INNER},
    "allocator": set(),
    "batch": set(),
    "errors": set(),
    "failure_log": {"errors"},
    "extras": {"errors"},
    "directories": {"errors"},
    "disk": {"errors"},
    "identity": set(),
    "local_url": set(),
    "telemetry": {"errors"},
    "settings": {"errors", "indexing"},
    "flow_settings": {"errors", "settings"},
    "install": {"config", "bus", "__version__", *RULES},
    "transcripts": {"errors", "schema", "memory"},
    "turn_trace": {"schema"},
    "health": set(),
    "config": {"errors", "schema"},
}
#: What puts the others together.  Each may import all of the above, and of one another only these.
UPPER: dict[str, set[str]] = {
    "store_settings": set(),
    "stored_settings": set(),
    "stack_state": set(),
    "bootstrap": {"store_settings"},
    "processors": {"bootstrap", "store_settings"},
    "embedded": {"bootstrap", "processors", "stack_state", "store_settings"},
    "manager": {"bootstrap", "processors", "stack_state", "store_settings"},
    "frameworks": {"manager"},
    "mcp": {"http", "processors"},
    "http": {"bootstrap", "mcp", "processors", "store_settings", "stored_settings"},  # mcp: served at /mcp
    "cli": {"bootstrap", "embedded", "http", "mcp", "stack_state", "store_settings", "stored_settings"},
}
ONLY_IN: dict[str, set[str]] = {
    "ladybug": {"stores"},
    "neo4j": {"stores"},
    "qdrant_client": {"stores"},
    "qdrant_edge": {"stores"},
    "onnxruntime": {"models"},
    "xllamacpp": {"models"},
    "pulsar": {"bus", "processors"},
    "trustgraph": {"schema", "bus", "processors", "http", "turn_trace"},
}
PURE = [
    *("rerank", "refine/records.py", "refine/machine.py"),
    *("turn/machine.py", "turn/events.py", "turn/parse.py", "turn/working.py"),
]


def sources(area: str) -> list[Path]:
    """The modules of a package, or the one module of that name."""
    base = ROOT / "schema" if area == "schema" else PACKAGE / area
    return sorted(base.rglob("*.py")) if base.is_dir() else [base.with_suffix(".py")]


@functools.cache
def imports(path: Path, area: str) -> tuple[str, ...]:
    """Absolute dotted names of what is imported, symbols included; names of this package as ``.area.module``."""
    inside = path.relative_to(ROOT if area == "schema" else PACKAGE).parts
    return tuple(imported_names(path.read_text("utf-8"), (NAME, *inside[:-1])))


def imported_names(text: str, package: tuple[str, ...]) -> Iterator[str]:
    """``package``: of the module with that text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) + 1 - node.level] if node.level else ()
            module = ".".join([*base, *([node.module] if node.module else [])])
            found = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in found:
            yield name.removeprefix(NAME) if name.split(".")[0] == NAME else name


def test_every_package_has_a_rule() -> None:
    no_code = {"py", "ui"}  # the mark of types; the files of the web page
    packages = {path.stem for path in PACKAGE.iterdir() if not path.name.startswith(("_", "."))} - no_code
    assert packages == {*MAY_IMPORT, *UPPER}


@pytest.mark.parametrize("area", sorted(MAY_IMPORT))
def test_an_area_imports_only_what_lies_beneath_it(area: str) -> None:
    wrong = [
        f"{path.relative_to(ROOT)}: {name}"
        for path in sources(area)
        for name in imports(path, area)
        if name.startswith(".") and name.split(".")[1] not in MAY_IMPORT[area] | {area}
    ]
    assert not wrong


def test_the_runtime_of_jobs_imports_no_handler() -> None:
    """Handlers register with ``jobs.registry``, so a new kind of job changes nothing in ``jobs/``."""
    handlers = {"learning", "erasure", "migration"}
    assert MAY_IMPORT["jobs"].isdisjoint(handlers)
    assert "job_handler" in (PACKAGE / "jobs" / "registry.py").read_text("utf-8")
    decorators = ("\n@job_handler(", "\n@learns(")
    decorated = [path for path in PACKAGE.rglob("*.py") if any(each in path.read_text("utf-8") for each in decorators)]
    assert {path.relative_to(PACKAGE).parts[0] for path in decorated} == handlers


@pytest.mark.parametrize("library", sorted(ONLY_IN))
def test_a_driver_is_imported_in_one_place(library: str) -> None:
    wrong = []
    for path in [*PACKAGE.rglob("*.py"), *(ROOT / "schema").rglob("*.py")]:
        area = "schema" if path.is_relative_to(ROOT / "schema") else path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        names = {name.split(".")[0] for name in imports(path, area)}
        if library in names and area not in ONLY_IN[library]:
            wrong.append(str(path.relative_to(ROOT)))
    assert not wrong


@pytest.mark.parametrize("place", PURE)
def test_logic_without_input_and_output_has_no_async(place: str) -> None:
    target = PACKAGE / place
    for path in [target] if target.suffix else sorted(target.rglob("*.py")):
        found = [
            node.lineno
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.AsyncFunctionDef | ast.Await)
        ]
        assert not found, f"{path.relative_to(ROOT)} lines {found}"


def test_repositories_are_built_by_the_composition_root_alone() -> None:
    repositories = {"FactMemory", "EpisodeMemory"}
    found = {
        (str(path.relative_to(ROOT)), node.func.id)
        for folder in (PACKAGE, ROOT / "tests", ROOT / "bench")
        for path in folder.rglob("*.py")
        if any(f"{name}(" in (text := path.read_text("utf-8")) for name in repositories)
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in repositories
    }
    assert found == {("trustgraph_react_mem/repositories/core.py", name) for name in repositories}
