"""The container files without a container engine: what they start is ours and takes its arguments, what they set is known."""

import argparse
import importlib
import json
import os
import re
import runpy
import shlex
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import typer
import yaml

from tests.servers.fetching import VERSION as SERVER_VERSION
from tests.servers.qdrant_openapi import VERSION as QDRANT_VERSION
from trustgraph_react_mem import __version__
from trustgraph_react_mem.bootstrap import open_graph_stores
from trustgraph_react_mem.bus.processor_mixin import CLOSE_TIMEOUT_S, SHUTDOWN_GRACE_S
from trustgraph_react_mem.cli.commands import app
from trustgraph_react_mem.http.proxy.settings import ProxySettings
from trustgraph_react_mem.http.settings import HttpSettings
from trustgraph_react_mem.memory.embedding import PROFILES
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.memory.scope_names import ScopeNames
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


@pytest.mark.parametrize("name", COMPOSE[:2])
def test_a_person_asks_over_the_same_broker(name: str) -> None:
    asking = compose(name)["services"]["react-mem"]
    assert asking["entrypoint"] == ["react-mem"]
    assert asking["profiles"] == ["cli"]  # not among what `up` starts
    addresses = {command[command.index("--pulsar-host") + 1] for where, command, _ in CONTAINERS if "--pulsar-host" in command}
    assert addresses == {asking["environment"]["REACT_MEM_BUS"]}
    text = (DOCKER / name).read_text("utf-8")
    (shown, *_) = re.findall(r"run --rm react-mem (.+?)(?:  +#.*)?$", text, re.MULTILINE)
    group: Any = typer.main.get_command(app)
    command, *arguments = shlex.split(shown)
    group.commands[command].make_context(command, arguments)  # takes them


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


@pytest.mark.parametrize(("where", "environment"), [(c[0], c[2]) for c in CONTAINERS], ids=[c[0] for c in CONTAINERS])
def test_a_container_as_it_is_shipped_names_a_model_whose_vectors_are_known(
    where: str, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in os.environ if name.startswith("REACT_MEM_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, re.sub(r"\$\{\w+(?::-([^}]*)|:\?[^}]*)?\}", lambda found: found[1] or "", value))
    profile = StoreSettings().profile
    assert profile == PROFILES[profile.name]
    if where.startswith(("k8s:", "compose.trustgraph.yaml:")) and not where.endswith((":react-mem", ":react-mem-http")):
        assert profile.name == "all-MiniLM-L6-v2", "beside TrustGraph: what its embeddings service runs"


def test_the_group_file_runs_each_memory_processor_under_the_name_of_its_script() -> None:
    listed = yaml.safe_load((ROOT / "config" / "processor-group.yaml").read_text("utf-8"))["processors"]
    found = {}
    for entry in listed:
        module, _, name = entry["class"].rpartition(".")
        processor = getattr(importlib.import_module(module), name)
        parser = argparse.ArgumentParser()
        processor.add_args(parser)
        assert set(entry["params"]) - {"id"} <= set(vars(parser.parse_args([])))
        found[entry["params"]["id"]] = f"{module}:run"
    assert found == {script: target for script, target in SCRIPTS.items() if script.startswith("agent-")}
    page = (ROOT / "docs" / "migration.md").read_text("utf-8")
    assert "processor-group -c config/processor-group.yaml" in page


@pytest.mark.parametrize("text", ["", "change-me", "c2hvcnQ="])
def test_a_master_key_from_the_environment_must_be_one(text: str) -> None:
    from trustgraph_react_mem.errors import ConfigurationError
    from trustgraph_react_mem.stores.keys.master import master_key_from

    with pytest.raises(ConfigurationError, match="32 random bytes") as refused:
        master_key_from(text)
    assert not text or text not in str(refused.value)


# ---------------------------------------------------------------------------------------------------- order and servers


@pytest.mark.parametrize("name", COMPOSE[:2])
def test_whatever_a_service_waits_for_or_mounts_is_there(name: str) -> None:
    document = compose(name)
    services = document["services"]
    outside = {"pulsar"} if name == "compose.trustgraph.yaml" else set()
    for service, definition in services.items():
        waits = definition.get("depends_on", {})
        assert set(waits) <= set(services) | outside, service
        for needed, condition in waits.items() if isinstance(waits, dict) else ():
            if condition["condition"] == "service_healthy":
                health = services[needed].get("healthcheck", {})
                assert "test" in health or services[needed].get("image", "").startswith(OURS), f"{needed} has no health check"
                assert not health.get("disable")
        for volume in definition.get("volumes", []):
            assert volume.split(":")[0] in document["volumes"], f"{service}: {volume}"
    assert set(document["volumes"]) == {
        volume.split(":")[0] for definition in services.values() for volume in definition.get("volumes", [])
    }


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


def test_only_what_opens_a_store_may_connect_to_it() -> None:
    policies = [document for document in manifests() if document["kind"] == "NetworkPolicy"]
    to = {policy["spec"]["podSelector"]["matchLabels"]["app"]: policy["spec"]["ingress"] for policy in policies}
    assert set(to) == {"react-mem", "react-mem-http", "neo4j", "qdrant"}
    labels = {name: document["spec"]["template"]["metadata"]["labels"] for name, document in deployments().items()}
    for store, secret in (("neo4j", "REACT_MEM_GRAPH_PASSWORD"), ("qdrant", "REACT_MEM_VECTOR_API_KEY")):
        (rule,) = to[store]
        (source,) = rule["from"]
        allowed = {name for name, given in labels.items() if selects(source["podSelector"], given)}
        assert allowed == {name for name, opened in OPENED.items() if secret in opened}, store


def selects(selector: dict[str, Any], labels: dict[str, str]) -> bool:
    """As Kubernetes does, with the one operator that is used."""
    excluded = {each["key"]: each["values"] for each in selector.get("matchExpressions", [])}
    assert all(each["operator"] == "NotIn" for each in selector.get("matchExpressions", []))
    return selector["matchLabels"].items() <= labels.items() and not any(
        labels.get(key) in values for key, values in excluded.items()
    )


@pytest.mark.asyncio
async def test_the_agent_opens_the_graph_and_no_vector_store(tmp_path: Path) -> None:
    settings = StoreSettings(home=tmp_path / "home", keys=tmp_path / "keys", vector_url="http://127.0.0.1:1")
    stores = await open_graph_stores(settings)
    scope = Scope(workspace="default", user="ana", collection="default")
    try:
        assert await ScopeNames(stores.scopes).find(scope.workspace, scope.user, scope.collection) == scope
    finally:
        await stores.close()
    source = (ROOT / "trustgraph_react_mem" / "processors" / "agent" / "processor.py").read_text("utf-8")
    assert set(re.findall(r"open_\w*(?:stores|services|index)", source)) == {"open_graph_stores"}


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


def test_the_image_has_the_orchestrator_of_the_patterns() -> None:
    installed = [text for word, text in instructions("Dockerfile") if word == "RUN" and "pip install" in text]
    assert any("-r locks/orchestrator.txt" in text for text in installed)


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


# ---------------------------------------------------------------------------------------------------- other programs' commands


# ---------------------------------------------------------------------------------------------------- the image


def test_the_image_runs_one_of_ours_as_nobody_special_and_says_whether_it_is_at_work() -> None:
    found = instructions("Dockerfile")
    last_stage = found[max(place for place, (word, _) in enumerate(found) if word == "FROM") :]
    given = dict(last_stage)
    assert json.loads(given["CMD"])[0] in SCRIPTS
    assert given["USER"].split(":")[0] not in ("root", "0")
    options, command = given["HEALTHCHECK"].split("CMD ")
    assert json.loads(command) == ["react-mem-health"]
    assert "react-mem-health" in SCRIPTS
    assert {"--interval", "--timeout", "--start-period", "--retries"} == set(re.findall(r"--[a-z-]+", options))
    assert not [text for word, text in last_stage if word == "RUN" and "pip" in text], "the image's last stage installs"
    for _, environment in [step for step in last_stage if step[0] == "ENV"]:
        homes = [value for name, value in (pair.split("=", 1) for pair in environment.split()) if name.startswith("REACT_MEM_")]
        made = next(text for word, text in last_stage if word == "RUN")
        assert all(home in made for home in homes)


@pytest.mark.parametrize(
    ("name", "licences", "accepted"),
    [
        ("click", [{"license": {"id": "BSD-3-Clause"}}], True),
        ("aiosignal", [{"license": {"name": "License :: OSI Approved :: Apache Software License"}}], True),
        ("tqdm", [{"expression": "MPL-2.0 AND MIT"}], True),
        ("one", [{"expression": "GPL-3.0-only OR MIT"}], True),
        ("one", [{"expression": "GPL-3.0-only AND MIT"}], False),
        ("one", [{"expression": "(MIT OR ISC) AND BSD-2-Clause"}], True),
        ("one", [{"expression": "(MIT OR ISC) AND GPL-3.0-only"}], False),
        ("one", [{"license": {"id": "MIT"}}, {"license": {"id": "LGPL-2.1-only"}}], False),
        ("one", [{"license": {"name": "Commercial"}}], False),
        ("one", [{"license": {"id": "BUSL-1.1"}}], False),
        ("one", [{"license": {}}], False),
        ("one", [], False),
        ("pulsar_client", [], True),
        ("pulsar-client", [{"license": {"id": "SSPL-1.0"}}], False),
    ],
)
def test_a_part_of_the_image_has_a_licence_that_is_accepted(name: str, licences: list[dict[str, Any]], accepted: bool) -> None:
    refused = runpy.run_path(str(DOCKER / "check.py"))["refused_licences"]([{"name": name, "licenses": licences}])
    assert (refused == []) is accepted
    assert accepted or name in refused[0]


@pytest.mark.parametrize("name", ["Dockerfile", "Dockerfile.test"])
def test_what_an_image_copies_is_there_and_the_extras_that_it_installs_too(name: str) -> None:
    ignored = (ROOT / ".dockerignore").read_text("utf-8").split()
    for word, text in instructions(name):
        if word == "COPY" and not text.startswith("--from"):
            for source in text.split()[:-1]:
                assert (ROOT / source).exists(), source
                assert source not in ignored
        for extras in re.findall(r"'\.\[([a-z,]+)\]'", text):
            assert set(extras.split(",")) <= set(PROJECT["optional-dependencies"])


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


def test_kustomize_reads_every_file_and_sets_a_full_version() -> None:
    files = {*kustomization()["resources"], *(patch["path"] for patch in kustomization()["patches"])}
    assert files == {path.name for path in (DOCKER / "k8s").glob("*.yaml")} - {"kustomization.yaml"}
    (image,) = kustomization()["images"]
    assert {container["image"].split(":")[0] for pod in pods().values() for container in pod["containers"]} == {image["name"]}
    assert image["newName"].endswith(f"/{OURS}")
    assert image["newTag"] == __version__, "latest would be asked for at each start of a pod"


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


def test_the_listener_is_reached_by_its_service_on_the_port_that_it_binds() -> None:
    (service,) = [document for document in manifests() if document["kind"] == "Service"]
    (container,) = pods()["react-mem-http"]["containers"]
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    (port,) = service["spec"]["ports"]
    assert ports[port["targetPort"]] == port["port"] == HttpSettings.model_fields["port"].default
    given = {each["name"]: each["value"] for each in container["env"]}
    assert given["REACT_MEM_HTTP_METRICS_PORT"] == str(ports["metrics"])
    assert service["metadata"]["name"] in given["REACT_MEM_HTTP_HOSTS"].split(",")
    assert given["REACT_MEM_BUS"] in container_argument("agent-facts", "--pulsar-host")


def container_argument(deployment: str, option: str) -> str:
    (container,) = pods()[deployment]["containers"]
    arguments: list[str] = container["args"]
    return arguments[arguments.index(option) + 1]


def deployments() -> dict[str, dict[str, Any]]:
    return {document["metadata"]["name"]: document for document in manifests() if document["kind"] == "Deployment"}


# ---------------------------------------------------------------------------------------------------- Compose


@pytest.mark.parametrize("name", COMPOSE[:2])
def test_every_container_has_a_memory_limit_and_ours_have_no_privileges(name: str) -> None:
    for service, definition in compose(name)["services"].items():
        if definition.get("profiles") != ["ollama"]:  # as much as its model needs
            assert re.fullmatch(r"\d+[mg]", definition["mem_limit"]), service
        if definition.get("image", "").startswith(OURS):
            assert definition["read_only"] is True, service
            assert definition["cap_drop"] == ["ALL"], service
            assert definition["security_opt"] == ["no-new-privileges:true"], service
        elif "react-mem" in service:
            assert definition["healthcheck"]["test"], service


def test_the_overlay_changes_nothing_of_the_file_that_it_is_laid_over() -> None:
    overlay = compose("compose.trustgraph.yaml")
    for part in ("services", "volumes"):
        assert all(name.startswith("react-mem") for name in overlay[part]), part
    assert {name for name in overlay if not name.startswith("x-")} == {"services", "volumes"}
    published = [port for definition in overlay["services"].values() for port in definition.get("ports", [])]
    assert all(port.startswith("127.0.0.1:") for port in published)


def test_a_container_is_given_the_time_that_its_running_turns_get() -> None:
    needed_s = SHUTDOWN_GRACE_S + CLOSE_TIMEOUT_S
    assert StoreSettings.model_fields["shutdown_grace"].default == SHUTDOWN_GRACE_S
    pod = yaml.safe_load((DOCKER / "k8s" / "common.yaml").read_text("utf-8"))["spec"]["template"]["spec"]
    assert pod["terminationGracePeriodSeconds"] > needed_s
    for name in ("compose.yaml", "compose.trustgraph.yaml"):
        processor = yaml.safe_load((DOCKER / name).read_text("utf-8"))["x-processor"]
        assert int(processor["stop_grace_period"].removesuffix("s")) > needed_s


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
