"""The container files without a container engine: what they start is ours and takes its arguments, what they set is known."""

import argparse
import importlib
import re
import runpy
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from tests.servers.fetching import VERSION as SERVER_VERSION
from tests.servers.qdrant_openapi import VERSION as QDRANT_VERSION
from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.http.proxy.resources import ProxySettings
from trustgraph_react_mem.http.settings import HttpSettings
from trustgraph_react_mem.store_settings import StoreSettings

pytestmark = pytest.mark.later

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
SCRIPTS: dict[str, str] = PROJECT["scripts"]
OURS = "trustgraph-react-mem"
COMPOSE = ("compose.yaml", "compose.trustgraph.yaml", "compose.test.yaml")


def compose(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DOCKER / name).read_text("utf-8"))
    return loaded


def manifests(*chosen: str) -> list[dict[str, Any]]:
    """As kustomize makes them, without the secrets that the operator's files hold.  ``chosen``: more files, as they are."""
    made: list[dict[str, Any]] = runpy.run_path(str(DOCKER / "check.py"))["manifests"]()
    return [*made, *(each for name in chosen for each in yaml.safe_load_all((DOCKER / "k8s" / name).read_text("utf-8")))]


def kustomization() -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DOCKER / "k8s" / "kustomization.yaml").read_text("utf-8"))
    return loaded


def secrets_of() -> dict[str, set[str]]:
    """Secret -> the variables that the comment in kustomization.yaml wants in its file."""
    text = (DOCKER / "k8s" / "kustomization.yaml").read_text("utf-8")
    wanted = {
        name: set(re.findall(r"REACT_MEM_[A-Z_]+", rest)) for name, rest in re.findall(r"^#   (\S+\.env): (.*)$", text, re.M)
    }
    return {secret["name"]: wanted[file] for secret in kustomization()["secretGenerator"] for file in secret["envs"]}


def pods() -> dict[str, dict[str, Any]]:
    """Deployment -> its pod."""
    return {each["metadata"]["name"]: each["spec"]["template"]["spec"] for each in manifests() if each["kind"] == "Deployment"}


def ours() -> Iterator[tuple[str, list[str], dict[str, Any]]]:
    """(where, command, environment) of every container of our image, Kubernetes' from its ConfigMap and Secret."""
    for name in COMPOSE[:2]:
        for service, definition in compose(name)["services"].items():
            if definition.get("image", "").startswith(OURS):
                command = [*definition.get("entrypoint", []), *definition["command"]]
                yield f"{name}:{service}", command, definition.get("environment", {})
    data = {each["metadata"]["name"]: each["data"] for each in manifests() if each["kind"] == "ConfigMap"}
    data |= {name: dict.fromkeys(variables, "") for name, variables in secrets_of().items()}
    for name, pod in pods().items():
        (container,) = pod["containers"]
        given = {each["name"]: each.get("value", "") for each in container.get("env", [])}
        for source in container["envFrom"]:
            given |= data[next(iter(source.values()))["name"]]
        yield f"k8s:{name}", [*container.get("command", []), *container["args"]], given


CONTAINERS = list(ours())
STORE_SECRETS = {"REACT_MEM_GRAPH_PASSWORD", "REACT_MEM_VECTOR_API_KEY"}
# Program -> the passwords of the stores that it opens.
OPENED = dict.fromkeys(("agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs"), STORE_SECRETS) | {
    "agent-manager-react-mem": {"REACT_MEM_GRAPH_PASSWORD"}
}


def instructions(name: str) -> list[tuple[str, str]]:
    """(instruction, its text) of a Dockerfile, lines joined."""
    text = re.sub(r"^\s*#.*\n", "", (DOCKER / name).read_text("utf-8"), flags=re.MULTILINE).replace("\\\n", " ")
    return [(word, rest.strip()) for word, _, rest in (line.partition(" ") for line in text.splitlines() if line.strip())]


# ---------------------------------------------------------------------------------------------------- what is started


@pytest.mark.parametrize(
    ("where", "command"), [(where, command) for where, command, _ in CONTAINERS], ids=[c[0] for c in CONTAINERS]
)
def test_a_command_is_one_of_ours_and_its_arguments_are_taken(where: str, command: list[str]) -> None:
    program, *arguments = command
    assert program in SCRIPTS, f"{where}: {program} is no console script of the package"
    if program == "react-mem":
        group: Any = typer.main.get_command(app)
        assert arguments[0] in group.commands
        return
    module = importlib.import_module(SCRIPTS[program].split(":")[0])
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("--id")
    module.Processor.add_args(parser)
    parsed = vars(parser.parse_args(arguments))
    assert parsed["pulsar_host"] == "pulsar://pulsar:6650"


def test_every_processor_has_a_container_in_each_deployment() -> None:
    memory = {"agent-manager-react-mem", "agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs"}
    for where in ("compose.yaml:", "compose.trustgraph.yaml:", "k8s:"):
        assert memory <= {command[0] for name, command, _ in CONTAINERS if name.startswith(where)}, where


# ---------------------------------------------------------------------------------------------------- what is set


def known_variables() -> set[str]:
    named = {f"REACT_MEM_{name.upper()}" for name in StoreSettings.model_fields}
    named |= {f"REACT_MEM_HTTP_{name.upper()}" for name in HttpSettings.model_fields}
    named |= {f"REACT_MEM_PROXY_{name.upper()}" for name in ProxySettings.model_fields}
    waiting: list[Any] = [typer.main.get_command(app)]
    while waiting:
        command = waiting.pop()
        waiting += list(getattr(command, "commands", {}).values())
        named |= {parameter.envvar for parameter in command.params if getattr(parameter, "envvar", None)}
    sources = "".join(path.read_text("utf-8") for path in (ROOT / "trustgraph_react_mem").rglob("*.py"))
    return named | set(re.findall(r'"((?:REACT_MEM|OPENAI|OTEL)_[A-Z_]+)"', sources))


def test_every_variable_of_our_containers_is_known_to_the_code() -> None:
    known = known_variables()
    for where, _, environment in CONTAINERS:
        assert set(environment) <= known, f"{where}: {sorted(set(environment) - known)}"
    for path in [*DOCKER.glob("compose*.yaml"), *DOCKER.glob("k8s/*.yaml"), DOCKER / "Dockerfile"]:
        named = set(re.findall(r"(?:REACT_MEM|OPENAI)_[A-Z_]+", path.read_text("utf-8")))
        assert named <= known, f"{path.name}: {sorted(named - known)}"


# ---------------------------------------------------------------------------------------------------- order and servers


@pytest.mark.parametrize("name", COMPOSE[:2])
def test_a_container_has_the_passwords_and_keys_of_what_it_opens_and_no_others(name: str) -> None:
    text = (DOCKER / name).read_text("utf-8")
    set_ = re.findall(r"^ .*?(?:GRAPH_PASSWORD|NEO4J_AUTH|VECTOR_API_KEY|SERVICE__API_KEY): (.*)$", text, re.MULTILINE)
    assert len(set_) == 4
    assert all("${NEO4J_PASSWORD:?" in value or "${QDRANT_API_KEY:?" in value for value in set_), set_
    for service, definition in compose(name)["services"].items():
        if not definition.get("image", "").startswith(OURS):
            continue
        program = (definition.get("entrypoint") or definition["command"])[0]
        assert STORE_SECRETS & set(definition.get("environment", {})) == OPENED.get(program, set()), service
        mounts = [volume.split(":")[1:] for volume in definition.get("volumes", []) if volume.split(":")[0].endswith("keys")]
        master, scopes = "/var/lib/react-mem-keys", "/var/lib/react-mem-scope-keys"
        if program in OPENED:
            assert sorted(mounts) == [[master], [scopes]], service
            assert definition["environment"]["REACT_MEM_SCOPE_KEYS"] == scopes
        else:  # what proves who asks, and no key of a scope
            assert mounts == ([[master, "ro"]] if program == "react-mem" else []), service
    folders = [text for word, text in instructions("Dockerfile") if word == "RUN" and "install -d" in text]
    assert all(place in folders[0].split() for place in (master, scopes)), "a volume would belong to root"


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.test"])
def test_an_image_is_built_from_versions_with_hashes_on_a_base_with_a_full_version(name: str) -> None:
    installs = [
        text for word, text in instructions(name) if word == "RUN" for text in text.split("&&") if "pip install" in text
    ]
    assert installs
    for text in installs:
        assert ("--require-hashes" in text and "-r locks/" in text) or "--no-deps --no-build-isolation" in text, text
    bases = re.findall(r"^(?:FROM |ARG PYTHON=)(\S+)", (DOCKER / name).read_text("utf-8"), re.MULTILINE)
    assert re.search(r"\d+\.\d+\.\d+", bases[0]), bases


def test_the_servers_are_those_that_the_tests_run_on() -> None:
    images = [
        definition["image"]
        for name in COMPOSE[:2]
        for definition in compose(name)["services"].values()
        if "image" in definition
    ]
    for image in images:
        image = image.partition("@")[0]  # the digest, if docker/pin_images.py wrote one
        assert image.count(":") == 1, f"{image} has no version"
        program, version = image.split("/")[-1].split(":")
        if program == "qdrant":
            assert version == f"v{QDRANT_VERSION}"
        elif program == "pulsar":
            assert version == SERVER_VERSION["pulsar"]
        elif program == "neo4j":
            assert version.split("-")[0] == SERVER_VERSION["neo4j"]


# ---------------------------------------------------------------------------------------------------- Kubernetes


def test_a_deployment_selects_its_own_pods_which_are_bounded_watched_and_unprivileged() -> None:
    for document in manifests():
        if document["kind"] != "Deployment":
            continue
        name, labels = document["metadata"]["name"], document["spec"]["template"]["metadata"]["labels"]
        assert document["spec"]["selector"]["matchLabels"] == labels
        assert name in labels.values()
        pod = document["spec"]["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"]
        assert pod["automountServiceAccountToken"] is False
        (container,) = pod["containers"]
        assert container["resources"]["limits"]["memory"]
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert {"startupProbe", "readinessProbe", "livenessProbe"} <= set(container), name
        assert container["readinessProbe"]["exec"]["command"][0] in SCRIPTS
        # A broker or a store that is away is no reason to restart.
        alive = container["livenessProbe"]
        assert "tcpSocket" in alive or alive["exec"]["command"] == ["react-mem-health", "--alive"]
        known = {each["metadata"]["name"] for each in manifests() if each["kind"] == "ConfigMap"} | set(secrets_of())
        assert {next(iter(source.values()))["name"] for source in container["envFrom"]} <= known
        claims = {each["metadata"]["name"] for each in manifests() if each["kind"] == "PersistentVolumeClaim"}
        assert {each["persistentVolumeClaim"]["claimName"] for each in pod["volumes"] if "emptyDir" not in each} <= claims
        assert {each["name"] for each in container["volumeMounts"]} == {each["name"] for each in pod["volumes"]}


def test_kubernetes_has_no_default_password_and_the_listener_has_no_password_of_a_store() -> None:
    assert not [document for document in manifests() if document["kind"] == "Secret"]
    given = {where.removeprefix("k8s:"): set(environment) for where, _, environment in CONTAINERS if where.startswith("k8s:")}
    assert secrets_of()["react-mem-stores"] == STORE_SECRETS
    for name, variables in given.items():
        assert variables & STORE_SECRETS == OPENED.get(name, set()), name
    for name, pod in pods().items():
        for variable in pod["containers"][0].get("env", []):
            if variable["name"] in STORE_SECRETS:
                assert variable["valueFrom"]["secretKeyRef"] == {"name": "react-mem-stores", "key": variable["name"]}, name
    with_keys = {name for name, pod in pods().items() if any(volume["name"] == "keys" for volume in pod["volumes"])}
    assert with_keys == set(given) - {"react-mem-http"}
    ignored = (ROOT / ".gitignore").read_text("utf-8").split()
    assert "docker/k8s/*.env" in ignored


def test_one_agent_runs_unless_several_are_chosen() -> None:
    name = "agent-manager-react-mem"
    (agent,) = [each for each in manifests() if (each["kind"], each["metadata"]["name"]) == ("Deployment", name)]
    assert agent["spec"]["replicas"] == 1, "the pattern supervisor works with one alone"
    targets = {each["spec"]["scaleTargetRef"]["name"] for each in manifests() if "scaleTargetRef" in each.get("spec", {})}
    assert name not in targets
    many = yaml.safe_load((DOCKER / "k8s" / "many-agents" / "kustomization.yaml").read_text("utf-8"))
    assert many["resources"] == ["scaling.yaml"]
    scaling, disruption = manifests("many-agents/scaling.yaml")[len(manifests()) :]
    assert scaling["spec"]["scaleTargetRef"]["name"] == name
    assert disruption["spec"]["selector"]["matchLabels"]["processor"] == name
    for file, service in (("compose.yaml", "agent"), ("compose.trustgraph.yaml", "react-mem-agent")):
        named = compose(file)["services"][service]["container_name"]  # so that Compose refuses to scale it
        assert named.startswith("${COMPOSE_PROJECT_NAME:-"), "two projects of one machine would share the name"
    (patch,) = many["patches"]
    assert patch["target"] == {"kind": "Deployment", "name": name}
    assert yaml.safe_load(patch["patch"]) == [{"op": "remove", "path": "/spec/replicas"}]


def test_on_rabbitmq_every_processor_is_told_so_in_each_deployment() -> None:
    base, overlay = compose("compose.yaml")["services"], compose("compose.rabbitmq.yaml")["services"]
    on_the_bus = {name for name, each in base.items() if "pulsar://pulsar:6650" in str(each)}
    assert {
        name for name, each in overlay.items() if each.get("environment", {}).get("PUBSUB_BACKEND") == "rabbitmq"
    } == on_the_bus
    component = yaml.safe_load((DOCKER / "k8s" / "rabbitmq" / "kustomization.yaml").read_text("utf-8"))
    for patch in component["patches"]:
        target = patch["target"]
        assert any(
            each["kind"] == target["kind"] and re.fullmatch(target["name"], each["metadata"]["name"]) for each in manifests()
        )
    (http,) = [each for each in manifests() if each["metadata"]["name"] == "react-mem-http" and each["kind"] == "Deployment"]
    assert http["spec"]["template"]["spec"]["containers"][0]["env"][0]["name"] == "REACT_MEM_BUS"  # which a patch replaces
