"""Every processor is started as TrustGraph starts its own."""

import importlib
import os
import re
import subprocess
import sys
import tomllib
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
import yaml

from trustgraph_react_mem import cli
from trustgraph_react_mem.bus.processor_mixin import CONCURRENCY, CONFIG_TIMEOUT_S, WRONG_SETUP
from trustgraph_react_mem.errors import ConfigurationError
from trustgraph_react_mem.processors.agent.processor import PROMPT_TIMEOUT_S
from trustgraph_react_mem.schema.topics import CONVERSATIONS, EPISODES, FACTS, JOBS

pytestmark = pytest.mark.later

ROOT = Path(__file__).parents[2]
SCRIPTS: dict[str, str] = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["scripts"]
PROCESSORS = sorted(set(SCRIPTS) - {"react-mem", "react-mem-health", "react-mem-gateway"})
AGENT_AND_SERVICES = ("agent-manager-react-mem", FACTS, EPISODES, CONVERSATIONS, JOBS)


@pytest.mark.parametrize("name", PROCESSORS)
def test_each_processor_takes_trustgraphs_own_arguments(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Metrics and Loki are on in TrustGraph, so that two processors of one machine need to be told otherwise."""
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit) as left:
        EntryPoint(name, SCRIPTS[name], "console_scripts").load()()
    assert left.value.code == 0
    shown = capsys.readouterr().out
    for option in ("--id", "--pulsar-host", "--concurrency", "--metrics-port", "--no-metrics", "--no-loki-enabled"):
        assert option in shown, f"{name} has no {option}"
    defaults = {"--concurrency": CONCURRENCY, "--config-timeout": CONFIG_TIMEOUT_S}
    if name == "agent-manager-react-mem":
        defaults["--prompt-timeout"] = PROMPT_TIMEOUT_S
    for option, default in defaults.items():
        (described,) = re.findall(rf"^  {option} \S+\s+(.+?)^(?:  -|$)", shown, re.DOTALL | re.MULTILINE)
        assert f"(default: {default})" in " ".join(described.split()), f"the help of {name} names another default"


@pytest.mark.parametrize("name", AGENT_AND_SERVICES)
def test_the_defaults_of_the_settings_reach_the_agent_and_every_service(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    entry = EntryPoint(name, SCRIPTS[name], "console_scripts")
    with pytest.raises(SystemExit):
        entry.load()()
    assert "--agent-mem JSON" in capsys.readouterr().out
    if name != "agent-manager-react-mem":
        processor = importlib.import_module(entry.module).Processor(id=name, agent_mem='{"personal-data": "redact"}')
        assert processor.settings.for_flow("some workspace", "some flow").personal_data == "redact"
        processor.async_backend.client.shutdown()
        with pytest.raises(ConfigurationError, match=r"--agent-mem.*'burn'"):
            importlib.import_module(entry.module).Processor(id=name, agent_mem='{"personal-data": "burn"}')


@pytest.mark.parametrize(
    ("option", "wrong", "named"),
    [
        ("id", "", "--id is ''"),
        ("pubsub_backend", "", r"--pubsub-backend \(or PUBSUB_BACKEND\) is ''"),
        ("pulsar_host", "", r"--pulsar-host \(or PULSAR_HOST\) is ''.* such as pulsar://HOST:6650"),
        ("pulsar_host", "localhost:6650", "--pulsar-host.* 'localhost:6650'"),
        ("pulsar_host", "pulsar://h:port", "--pulsar-host.* 'pulsar://h:port'"),
        ("concurrency", "4", "--concurrency is '4'"),  # as the file of a processor group may hold it
        ("config_push_queue", "queue", "--config-push-queue is 'queue'"),
        ("graph_url", "bolt://h:port", "--graph-url = 'bolt://h:port': must begin with bolt://"),
        ("graph_url", "http://h", "--graph-url = 'http://h': must begin with bolt://"),
        ("vector_url", "http://", "--vector-url = 'http://': must begin with http:// or https://, and name a server"),
        ("embedding_dimension", "1.5", "--embedding-dimension = '1.5'"),
        ("embedding_profile", "", "embedding model '' is unknown: one of"),
        ("keys", "", "--keys = '': is empty"),
    ],
)
def test_a_value_that_cannot_work_is_refused_at_the_start_with_the_option_and_the_value(
    option: str, wrong: str, named: str
) -> None:
    processor = importlib.import_module("trustgraph_react_mem.processors.facts").Processor
    given = {"id": "agent-facts", "pulsar_host": "pulsar://127.0.0.1:1", option: wrong}
    with pytest.raises(ConfigurationError, match=named):
        processor(**given)._store_settings.profile.name.strip()


WRONG_SETUPS: dict[str, tuple[str, list[str], dict[str, str], str]] = {
    "broker by option": (FACTS, ["--pubsub-backend", "kafka"], {"PUBSUB_BACKEND": "pulsar"}, "--pubsub-backend"),
    "broker by variable": (FACTS, [], {"PUBSUB_BACKEND": "kafka"}, "--pubsub-backend"),
    "option": (FACTS, ["--agent-mem", '{"colour": 1}'], {}, "--agent-mem"),
    "variable": (FACTS, [], {"REACT_MEM_EMBEDDING_DIMENSION": "many"}, "REACT_MEM_EMBEDDING_DIMENSION = 'many'"),
    "grace": ("react-mem-prompt", [], {"REACT_MEM_SHUTDOWN_GRACE": "long"}, "REACT_MEM_SHUTDOWN_GRACE is 'long'"),
    "directory": (FACTS, ["--home", "/dev/null/home"], {}, "/dev/null/home cannot be created"),
    "former model": (FACTS, ["--former-embeddings", "e6"], {}, "--former-embeddings) is 'e6'"),
    "chat model": ("react-mem-text-completion", ["--model-source", "nonsense"], {}, "--model-source is 'nonsense'"),
    "script": ("react-mem-text-completion", [], {"REACT_MEM_MODEL": "scriptedX"}, "REACT_MEM_MODEL is 'scriptedX'"),
    "endpoint": ("react-mem-embeddings", ["--model-source", "openai:m"], {"OPENAI_BASE_URL": "host"}, "OPENAI_BASE_URL='host'"),
    "embedding model": ("react-mem-embeddings", ["--model-source", "nonsense"], {}, "--model-source is 'nonsense'"),
    "configuration": ("react-mem-config", ["--path", "/dev"], {}, "/dev cannot be read"),
    "port": (FACTS, ["--metrics", "--metrics-port", "99999"], {}, "--metrics-port"),
}


@pytest.mark.parametrize("case", WRONG_SETUPS)
def test_a_process_that_is_set_up_wrong_ends_with_one_sentence(case: str, tmp_path: Path) -> None:
    name, arguments, variables, named = WRONG_SETUPS[case]
    module = EntryPoint(name, SCRIPTS[name], "console_scripts").module
    places = {"REACT_MEM_HOME": str(tmp_path / "home"), "REACT_MEM_KEYS": str(tmp_path / "keys")}
    options = ["--no-metrics", "--no-loki-enabled", "--pulsar-host", "pulsar://127.0.0.1:1", *arguments]
    started = subprocess.run(
        [sys.executable, "-c", f"from {module} import run; run()", *options],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **places, **variables},
        timeout=300,
    )
    assert started.returncode == WRONG_SETUP, started.stderr
    errors = [line for line in started.stderr.splitlines() if line.startswith("error: ")]
    assert len(errors) == 1
    assert named in errors[0]
    assert "Traceback" not in started.stderr


def test_no_container_waits_for_a_loki() -> None:
    """A TrustGraph deployment brings its own, so the overlay on one uses it."""
    commands: list[list[str]] = []
    for path in {*(ROOT / "docker").rglob("*.yaml")} - {ROOT / "docker" / "compose.trustgraph.yaml"}:
        for document in yaml.safe_load_all(path.read_text("utf-8")):
            commands += _commands(document)
    ours = [command for command in commands if command and command[0] in PROCESSORS]
    assert ours
    assert [command for command in ours if "--no-loki-enabled" not in command] == []


def _commands(node: object) -> list[list[str]]:
    """Every list under ``command`` or ``args``, wherever it stands."""
    if isinstance(node, list):
        return [command for item in node for command in _commands(item)]
    if not isinstance(node, dict):
        return []
    here = [node[key] for key in ("command", "args") if isinstance(node.get(key), list)]
    return [list(map(str, command)) for command in here] + [command for item in node.values() for command in _commands(item)]


def test_commands_leave_past_the_interpreters_ending(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bus client's threads may abort it, after everything was done and said."""
    codes: list[int] = []
    monkeypatch.setattr("os._exit", codes.append)
    monkeypatch.setattr(sys, "argv", ["react-mem", "--version"])
    cli.main()
    monkeypatch.setattr(sys, "argv", ["react-mem", "no-such-command"])
    cli.main()
    assert codes == [0, 2]
