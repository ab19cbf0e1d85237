"""The lock files, the licences of what they name, and the commands that check and pin what is fetched."""

import importlib.metadata
import re
import runpy
import tomllib
from pathlib import Path
from typing import Any

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
EXTRAS: dict[str, list[str]] = {"image.txt": ["image"], "dev.txt": ["local", "llm", "dev"]}
LOCKS = (*EXTRAS, "build.txt", "sbom.txt", "orchestrator.txt")
CHECK = runpy.run_path(str(DOCKER / "check.py"))


def locked(name: str) -> list[tuple[Requirement, list[str]]]:
    """(requirement with its version, hashes) of each entry."""
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / "locks" / name).read_text("utf-8").strip())
    return [
        (Requirement(entry.split(" \\\n")[0]), re.findall(r"--hash=sha256:([0-9a-f]{64})(?: |$)", entry, re.MULTILINE))
        for entry in entries
    ]


@pytest.mark.parametrize("name", LOCKS)
def test_a_lock_has_exact_versions_with_hashes_and_no_index(name: str) -> None:
    text = (ROOT / "locks" / name).read_text("utf-8")
    assert "://" not in text
    assert "--index" not in text
    for requirement, hashes in locked(name):
        assert [each.operator for each in requirement.specifier] == ["=="], requirement
        assert hashes, requirement


@pytest.mark.parametrize("name", ["image.txt", "dev.txt"])
def test_a_lock_has_what_the_package_requires(name: str) -> None:
    stated = [*PROJECT["dependencies"], *(one for extra in EXTRAS[name] for one in PROJECT["optional-dependencies"][extra])]
    versions: dict[str, set[str]] = {}
    for requirement, _ in locked(name):
        versions.setdefault(requirement.name, set()).add(str(requirement.specifier).removeprefix("=="))
    for wanted in map(Requirement, [*stated, *_inputs("build.in")]):
        found = versions.get(wanted.name.lower().replace("_", "-"), set())
        assert found, f"{wanted} is not in locks/{name}: run make lock"
        assert all(wanted.specifier.contains(version) for version in found), f"{wanted} is locked at {found}: run make lock"


def _inputs(name: str) -> list[str]:
    return [line for line in (ROOT / "locks" / name).read_text("utf-8").splitlines() if line and not line.startswith("#")]


def test_every_package_that_is_installed_from_a_lock_has_an_accepted_licence() -> None:
    parts = []
    for name in ("image.txt", "dev.txt"):
        for requirement, _ in locked(name):
            if requirement.marker is not None and not requirement.marker.evaluate():
                continue
            try:
                found = importlib.metadata.metadata(requirement.name)
            except importlib.metadata.PackageNotFoundError:
                continue  # of another extra than those installed here
            parts.append({"name": requirement.name, "licenses": _licences(found)})
    assert len(parts) > 80
    assert CHECK["refused_licences"](parts) == []


def _licences(found: Any) -> list[dict[str, Any]]:
    """As the list of parts has them: the expression, else the classifiers, else the text of the field."""
    if found.get("License-Expression"):
        return [{"expression": found["License-Expression"]}]
    classifiers = [each for each in found.get_all("Classifier") or [] if each.startswith("License ::")]
    if classifiers:
        return [{"license": {"name": each}} for each in classifiers if each != "License :: OSI Approved"]
    text = found.get("License") or ""
    # A free text is either an SPDX expression, or the package is one that check.py names with its licence.
    return [{"expression": text}] if text and found["Name"].lower().replace("_", "-") not in CHECK["LOOKED_UP"] else []
