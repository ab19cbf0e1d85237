"""The container files held to their published schemas, and the image's Python part built without a container engine.

    python docker/check.py FOLDER        # keeps its environments there; needs the package index

Compose files: the Compose specification's schema (check-jsonschema carries it).  Kubernetes: the published API schemas
(kubernetes-validate).  The image: the pip commands of the Dockerfile's first stage in a fresh environment; every console script
of the package then starts, and the list of parts (CycloneDX) names what was installed, each part under a permissive licence or
under MPL-2.0, which binds changed files of that part alone.
"""

import json
import re
import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
DOCKER = ROOT / "docker"
LINTERS = ("check-jsonschema>=0.31,<1", "kubernetes-validate>=1.31,<2")
# SPDX identifiers, and the classifiers that older packages give instead.
PUBLIC_DOMAIN = {"CC0-1.0", "Unlicense"}
PERMISSIVE = {
    "MIT-CMU",
    "0BSD",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "MIT",
    "MIT-0",
    "PSF-2.0",
    "Python-2.0",
    "Zlib",
}
ACCEPTED = PERMISSIVE | PUBLIC_DOMAIN | {"MPL-2.0"}
CLASSIFIERS = {
    f"License :: {name}"
    for name in (
        "OSI Approved :: Apache Software License",
        "OSI Approved :: BSD License",
        "OSI Approved :: ISC License (ISCL)",
        "OSI Approved :: MIT License",
        "OSI Approved :: Mozilla Public License 2.0 (MPL 2.0)",
        "OSI Approved :: Python Software Foundation License",
        "Public Domain",
    )
}
# Parts whose metadata name none in a form the list takes: from TrustGraph's repository and the licence texts in the others.
LOOKED_UP = {
    "trustgraph-base": "Apache-2.0",
    "trustgraph-flow": "Apache-2.0",
    "pulsar-client": "Apache-2.0",
    "protobuf": "BSD-3-Clause",
    "promql-parser": "MIT",
}
FOREIGN_KINDS = ("ScaledObject", "Kustomization")  # KEDA's and kustomize's: not in Kubernetes' own schemas


def run(*command: str | Path, cwd: Path = ROOT) -> str:
    done = subprocess.run([str(part) for part in command], cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(map(str, command))}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def environment(folder: Path, *packages: str) -> Path:
    """The programs of an environment with these packages, made when it is not there."""
    if not (folder / "complete").exists():
        venv.create(folder, with_pip=True, clear=True)
        run(folder / "bin" / "python", "-m", "pip", "install", "-q", *packages)
        (folder / "complete").touch()
    return folder / "bin"


def check_schemas(folder: Path) -> None:
    tools = environment(folder / "lint", *LINTERS)
    files = sorted(DOCKER.glob("compose*.yaml"))
    run(tools / "check-jsonschema", "--builtin-schema", "vendor.compose-spec", *files)
    made = [each for each in manifests() if each["kind"] not in FOREIGN_KINDS]
    merged = folder / "manifests.yaml"
    merged.write_text(yaml.safe_dump_all(made), "utf-8")
    run(tools / "kubernetes-validate", "--strict", merged)
    print(f"{len(files)} compose files and {len(made)} manifests are as their schemas say")


def manifests() -> list[Any]:
    """As kustomize makes them: the common part merged into the Deployments that its patch is for, without the secrets."""
    common = yaml.safe_load((DOCKER / "k8s" / "common.yaml").read_text("utf-8"))
    del common["metadata"]
    kustomization = yaml.safe_load((DOCKER / "k8s" / "kustomization.yaml").read_text("utf-8"))
    resources, (patch,) = kustomization["resources"], kustomization["patches"]
    found = [each for name in resources for each in yaml.safe_load_all((DOCKER / "k8s" / name).read_text("utf-8"))]
    return [merge(each, common) if is_target(each, patch["target"]) else each for each in found]


def is_target(resource: Any, target: dict[str, str]) -> bool:
    """Whether a patch of kustomize is for this resource; ``name`` is a pattern for the whole name."""
    return bool(resource["kind"] == target["kind"] and re.fullmatch(target["name"], resource["metadata"]["name"]))


def merge(base: Any, patch: Any) -> Any:
    """Kubernetes' strategic merge, as far as it is needed: objects by key, lists of named things by name."""
    if isinstance(base, dict) and isinstance(patch, dict):
        return {
            key: merge(base[key], patch[key]) if key in base and key in patch else base.get(key, patch.get(key))
            for key in {**base, **patch}
        }
    if isinstance(base, list) and isinstance(patch, list):
        named = {each["name"]: each for each in patch}
        return [merge(each, named.pop(each["name"], {})) for each in base] + list(named.values())
    return patch


def check_image(folder: Path) -> None:
    """The RUN lines of the first stage, as they stand, with the folders of this machine."""
    target, tool = folder / "image", folder / "sbom"
    stage = re.split(r"^FROM ", (DOCKER / "Dockerfile").read_text("utf-8"), flags=re.MULTILINE)[1]
    commands = [line[4:] for line in re.sub(r"\\\n", "", stage).splitlines() if line.startswith("RUN ")]
    for command in commands:
        for inside, here in (("/opt/react-mem", target), ("/tmp/sbom", tool)):
            command = command.replace(inside, str(here))
        run("bash", "-euc", re.sub(r"(?<!/)\bpython -m venv", f"{sys.executable} -m venv --clear", command))
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
    for script in set(scripts) - {"react-mem-gateway"}:  # runs in the image of TrustGraph's gateway
        run(target / "bin" / script, "--help", cwd=folder)
    run(target / "bin" / "python", "-c", "import trustgraph.agent.orchestrator", cwd=folder)
    parts = json.loads((target / "sbom.cdx.json").read_text("utf-8"))["components"]
    names = {part["name"].lower().replace("_", "-") for part in parts}
    missing = {
        "trustgraph-react-mem",
        "trustgraph-base",
        "trustgraph-flow",
        "pulsar-client",
        "qdrant-client",
        "neo4j",
        "onnxruntime",
    } - names
    if missing:
        raise SystemExit(f"the list of parts does not name {', '.join(sorted(missing))}")
    refused = refused_licences(parts)
    if refused:
        raise SystemExit("these parts of the image have no licence that is accepted:\n" + "\n".join(refused))
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file() and not path.is_symlink())
    print(f"the image's environment: {size / 1e6:.0f} MB, {len(parts)} parts, {len(scripts)} programs that start")


def refused_licences(parts: list[dict[str, Any]]) -> list[str]:
    """``name: licences`` of each part (CycloneDX components) that states none, or one that is not accepted."""
    refused = []
    for part in parts:
        name = part["name"].lower().replace("_", "-")
        stated = [licence_text(entry) for entry in part.get("licenses", [])] or [LOOKED_UP.get(name, "")]
        if not all(is_accepted(licence) for licence in stated):
            refused.append(f"{name}: {'; '.join(stated) or 'states none'}")
    return refused


def licence_text(entry: dict[str, Any]) -> str:
    licence = entry.get("license", {})
    return str(entry.get("expression") or licence.get("id") or licence.get("name") or "")


def is_accepted(licence: str) -> bool:
    """A classifier, or an SPDX expression: with AND each licence is accepted, with OR one side, with brackets each one."""
    if licence in CLASSIFIERS:
        return True
    if "(" in licence:
        return {name.strip() for name in re.split(r"\bAND\b|\bOR\b|[()]", licence)} - {""} <= ACCEPTED
    return any(set(choice.split(" AND ")) <= ACCEPTED for choice in licence.split(" OR "))


def main() -> int:
    folder = Path(sys.argv[1]).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    check_schemas(folder)
    check_image(folder)
    return 0


if __name__ == "__main__":
    sys.exit(main())
