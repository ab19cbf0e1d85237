"""The documentation is true: commands exist, generated parts are current, nothing is missing."""

import functools
import json
import re
import runpy
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import typer

from bench import servers
from bench.__main__ import measurements
from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.settings import AgentMemSettings

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")


@functools.cache
def generated_pages() -> dict[Path, str]:
    pages: dict[Path, str] = runpy.run_path(str(ROOT / "docs" / "generate.py"))["pages"]()
    return pages


def shell_commands() -> list[list[str]]:
    """Words of each ``react-mem`` call in the README's shell blocks."""
    blocks = re.findall(r"```sh\n(.*?)```", README, re.DOTALL)
    calls = [call.split("#")[0] for block in blocks for line in block.splitlines() for call in re.split(r"[;&]+", line)]
    return [call.split()[1:] for call in calls if call.strip().startswith("react-mem")]


@pytest.mark.parametrize("path", sorted(generated_pages()), ids=lambda path: path.name)
def test_generated_pages_are_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == generated_pages()[path], "run make docs"


def test_every_setting_is_documented_with_a_meaning() -> None:
    page = (ROOT / "docs" / "settings.md").read_text(encoding="utf-8")
    for name, field in AgentMemSettings.model_fields.items():
        assert f"`{name.replace('_', '-')}`" in page
        assert field.description, name


@pytest.mark.parametrize("name", ["bench", "bench-servers"])
def test_a_measured_row_is_one_that_the_benchmarks_measure(name: str) -> None:
    file = ROOT / "docs" / f"{name}.json"
    rows = json.loads(file.read_text(encoding="utf-8")) if file.exists() else []
    known = {each for module in measurements() for each in module.NAMES} | set(servers.NAMES)
    assert {row["name"] for row in rows} <= known
    assert all(row["ratio"] == pytest.approx(row["value"] / row["baseline"], rel=0.01) for row in rows if row["baseline"])


def test_each_figure_is_measured_in_one_place() -> None:
    counts = Counter(name for module in measurements() for name in module.NAMES)
    assert counts
    assert [name for name, count in counts.items() if count > 1] == []


@functools.cache
def command_tree() -> Any:
    return typer.main.get_command(app)


@pytest.mark.parametrize("words", shell_commands(), ids=" ".join)
def test_a_command_of_the_readme_exists_with_its_options(words: list[str]) -> None:
    tree = command_tree()
    path: list[str] = []
    for word in words:
        if word not in getattr(tree, "commands", {}):
            break
        tree = tree.commands[word]
        path.append(word)
    assert path, f"react-mem {words[0]} is no command"
    options = {name for parameter in tree.params for name in parameter.opts}
    assert not hasattr(tree, "commands"), f"react-mem {' '.join(path)} needs a subcommand"
    assert {word for word in words if word.startswith("--")} <= options


NAMES_COMMANDS = sorted(  # the changelog also names commands that are gone
    {*(ROOT / "docs").rglob("*.md"), *(ROOT / "docker").rglob("*.y*ml"), *(ROOT / "plugins").rglob("*.md"), *ROOT.glob("*.md")}
    - {ROOT / "CHANGELOG.md"}
)


@pytest.mark.parametrize("document", NAMES_COMMANDS, ids=lambda path: str(path.relative_to(ROOT)))
def test_commands_in_a_text_exist_with_their_options(document: Path) -> None:
    for line in re.findall(r"(?:`|^)react-mem ([a-z][^`#|\n]*)", document.read_text(encoding="utf-8"), re.MULTILINE):
        tree = command_tree()
        words = line.split()
        while words and hasattr(tree, "commands") and not words[0].startswith("-"):
            assert words[0] in tree.commands or tree.invoke_without_command, f"react-mem {line}"
            tree = tree.commands.get(words.pop(0), tree)
        options = {name for parameter in tree.params for name in (*parameter.opts, *parameter.secondary_opts)} | {"--help"}
        unknown = {word for word in words if re.fullmatch("--[a-z-]+", word)} - options
        assert not unknown or hasattr(tree, "commands"), f"react-mem {line} has no {unknown}"


def test_make_targets_of_the_documents_exist() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for document in ("README.md", "CONTRIBUTING.md"):
        text = (ROOT / document).read_text(encoding="utf-8")
        for target in re.findall(r"(?:`|^)make ([a-z-]+)\b(?!/)", text, re.MULTILINE):
            assert target in targets, f"{document} names make {target}"


DOCUMENTS = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_links_of_a_document_lead_somewhere(document: Path) -> None:
    prose = re.sub(r"`[^`\n]*`", "", document.read_text(encoding="utf-8"))
    for target, _, heading in re.findall(r"\]\(([^)#:]*)(#([^)]+))?\)", prose):
        linked = document.parent / target if target else document
        assert linked.exists(), f"links to {target}"
        if heading:
            headings = re.findall(r"^#+ (.+)$", linked.read_text(encoding="utf-8"), re.MULTILINE)
            assert heading in [re.sub(r"[^\w -]", "", each).strip().lower().replace(" ", "-") for each in headings], heading


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
WHERE_TO_ADD = ARCHITECTURE.split("## Where to add\n")[1].split("\n## ")[0]
PACKAGE = ROOT / "trustgraph_react_mem"


def test_every_package_is_in_the_architecture() -> None:
    for folder in [*PACKAGE.iterdir(), ROOT / "schema", ROOT / "config"]:
        if (folder / "__init__.py").exists():
            assert f"| `{folder.name}/` |" in ARCHITECTURE, folder.name


@pytest.mark.parametrize("package", sorted(each.name for each in PACKAGE.iterdir() if (each / "__init__.py").exists()))
def test_the_folders_of_a_package_are_in_its_row(package: str) -> None:
    row = ARCHITECTURE.split(f"\n| `{package}/` |")[1].split("\n")[0]
    folders = {each.parent.name for each in (PACKAGE / package).glob("*/__init__.py")}
    assert {each.split("/")[0] for each in re.findall(r"`([\w/]+)/`", row)} == folders


@pytest.mark.parametrize("place", sorted(set(re.findall(r"`([a-z_]+/[\w/.]*|[a-z_]+\.py)`", WHERE_TO_ADD))))
def test_a_place_to_add_something_exists(place: str) -> None:
    assert (PACKAGE / place).exists() or (ROOT / place).exists()


@pytest.mark.parametrize("name", sorted(set(re.findall(r"`@?(\w*[A-Z]\w*)(?:\._\w+)?`", WHERE_TO_ADD))))
def test_a_name_to_add_something_to_exists(name: str) -> None:
    assert re.search(rf"^(?:class )?{name}\b", sources(), re.MULTILINE)


@functools.cache
def sources() -> str:
    return "\n".join(path.read_text("utf-8") for path in [*PACKAGE.rglob("*.py"), *(ROOT / "tests").rglob("*.py")])


def test_the_readme_lists_every_page() -> None:
    for path in (ROOT / "docs").glob("*.md"):
        assert f"(docs/{path.name})" in README, f"{path.name} is in no list"
