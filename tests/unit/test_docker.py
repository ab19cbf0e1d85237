"""The container files without a container engine: every command in them is one of ours and takes its arguments."""

import argparse
import importlib
import json
import re
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[2]
DOCKER = ROOT / "docker"
SCRIPTS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
OURS = "trustgraph-react-mem"


def compose(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((DOCKER / name).read_text("utf-8"))
    return loaded


def commands() -> list[tuple[str, list[str]]]:
    found = []
    for name in ("compose.yaml", "compose.trustgraph.yaml"):
        for service, definition in compose(name)["services"].items():
            if definition.get("image", "").startswith(OURS):
                found.append((f"{name}:{service}", definition["command"]))
    for document in yaml.safe_load_all((DOCKER / "k8s" / "processors.yaml").read_text("utf-8")):
        container = document["spec"]["template"]["spec"]["containers"][0]
        found.append((f"k8s:{document['metadata']['name']}", container["args"]))
    return found


@pytest.mark.parametrize(("where", "command"), commands(), ids=[where for where, _ in commands()])
def test_a_command_is_one_of_ours_and_its_arguments_are_taken(where: str, command: list[str]) -> None:
    program, *arguments = command
    assert program in SCRIPTS, f"{where}: {program} is no console script of the package"
    module = importlib.import_module(SCRIPTS[program].split(":")[0])
    parser = argparse.ArgumentParser(prog=program)
    parser.add_argument("--id")
    module.Processor.add_args(parser)
    parsed = vars(parser.parse_args(arguments))
    assert parsed["pulsar_host"] == "pulsar://pulsar:6650"


def test_the_images_own_command_is_a_console_script() -> None:
    text = (DOCKER / "Dockerfile").read_text("utf-8")
    command = json.loads(re.findall(r"^CMD (\[.*\])$", text, re.MULTILINE)[-1])
    assert command[0] in SCRIPTS
    assert re.search(r"^USER (?!root|0\b)", text, re.MULTILINE), "the image runs as root"


@pytest.mark.parametrize("name", ["compose.yaml", "compose.trustgraph.yaml"])
def test_whatever_a_service_waits_for_or_mounts_is_there(name: str) -> None:
    document = compose(name)
    outside = {"pulsar", "qdrant"} if name == "compose.trustgraph.yaml" else set()
    for service, definition in document["services"].items():
        waits = definition.get("depends_on", {})
        assert set(waits) <= set(document["services"]) | outside, service
        for needed, condition in waits.items() if isinstance(waits, dict) else ():
            if condition["condition"] == "service_healthy":
                health = document["services"][needed].get("healthcheck")
                assert health or document["services"][needed].get("image", "").startswith(OURS), f"{needed} has no health check"
        for volume in definition.get("volumes", []):
            assert volume.split(":")[0] in document["volumes"], f"{service}: {volume}"


def test_every_processor_has_a_container_in_each_deployment() -> None:
    memory = {"agent-manager-react-mem", "agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs"}
    for where in ("compose.yaml:", "compose.trustgraph.yaml:", "k8s:"):
        assert memory <= {command[0] for name, command in commands() if name.startswith(where)}, where


def test_settings_in_the_container_files_are_known() -> None:
    from trustgraph_react_mem.bootstrap import StoreSettings

    known = {f"REACT_MEM_{name.upper()}" for name in StoreSettings.model_fields} | {"REACT_MEM_MODELS"}
    for path in [*DOCKER.glob("compose*.yaml"), *DOCKER.glob("k8s/*.yaml"), DOCKER / "Dockerfile"]:
        named = set(re.findall(r"REACT_MEM_[A-Z_]+", path.read_text("utf-8")))
        assert named <= known, f"{path.name}: {sorted(named - known)}"


@pytest.mark.parametrize("text", ["", "change-me", "c2hvcnQ="])
def test_a_master_key_from_the_environment_must_be_one(text: str) -> None:
    from trustgraph_react_mem.errors import ConfigurationError
    from trustgraph_react_mem.stores.keyring import master_key_from

    with pytest.raises(ConfigurationError, match="32 random bytes") as refused:
        master_key_from(text)
    assert not text or text not in str(refused.value)
