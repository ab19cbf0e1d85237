"""The command line against processors that run elsewhere: everything over the bus, nothing on this machine."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.pulsar_lite import PulsarLite
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.processors import embedded_config

from .command import SCRIPT, ReactMem
from .conftest import PLACES

pytestmark = pytest.mark.later

SERVICES = {"agent-manager-react-mem", "agent-facts", "agent-episodes", "agent-conversations", "agent-memory-jobs"}


@pytest.fixture(scope="module", params=PLACES)
def address(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Of a bus with an agent and its memory, over a data directory of their own."""
    if request.param == "servers":
        yield request.getfixturevalue("deployment").addresses.pulsar
        return
    with ReactMem(tmp_path_factory.mktemp("elsewhere")).up(SCRIPT) as stack:
        yield stack.ready["address"]


@pytest.fixture
def far(address: str, tmp_path: Path) -> Iterator[ReactMem]:
    """A machine that knows nothing but the address; it must stay as empty as it was."""
    yield ReactMem(tmp_path, user=f"ana-{tmp_path.name}", bus=address)
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "keys").exists()


def test_a_person_asks_is_remembered_and_forgotten(far: ReactMem, tmp_path: Path) -> None:
    told = far.json("ask", "My dog Miso is allergic to chicken.", "--conversation", "dogs")
    assert told["recorded"] is True
    asked = far.json("ask", "What is my dog allergic to?", "--end")
    assert "chicken" in asked["answer"]
    assert far.json("why")["recalled"]
    assert [item["conversation_id"] for item in far.json("conversations")["conversations"]][-1] == "dogs"

    memories = far.json("memories", "list")["memories"]
    assert "My dog Miso is allergic to chicken." in [memory["content"] for memory in memories]
    (found, *_) = far.json("memories", "search", "allergies of the dog")["memories"]
    assert far.json("memories", "show", found["id"])["record"]["content"] == found["content"]
    assert far.json("memories", "show", found["id"])["history"]
    assert far.json("feedback", found["id"], "+")["rating"] == 1
    assert far.json("jobs", "wait", "--kind", "record", "--timeout", "60")["waiting"] == 0
    assert far.json("jobs", "list")["jobs"]
    assert far.json("learn", "status") is not None

    file = tmp_path / "export.jsonl"
    far.json("export", str(file))
    heir = ReactMem(tmp_path, user=far.user + "-heir", bus=far.bus)
    assert heir.json("import", "memory", str(file))["stored"] > 0
    contents = [memory["content"] for memory in heir.json("memories", "list")["memories"]]
    assert "My dog Miso is allergic to chicken." in contents
    assert heir.json("switch", "--write", "off")["write"] in ("off", "false", "False", False)

    receipt = far.json("forget", "--user", far.user, "--yes")
    assert receipt["level"] == "user"
    assert far.json("memories", "list")["memories"] == []
    assert heir.json("memories", "list")["memories"]


@pytest.mark.parametrize("address", ["embedded"], indirect=True)
@pytest.mark.parametrize(
    ("arguments", "code", "complaints"),
    [
        (
            ["memories", "list", "--flow", "night"],
            2,
            ["no flow 'night' in workspace 'default'", "tg-start-flow"],
        ),
        (["ask", "Hello", "-w", "other"], 2, ["no flow 'default' in workspace 'other'", "default of default"]),
        (["ask", "Hello", "--model", "local"], 2, ["--model local has no effect", "the deployment at "]),
        (["up"], 2, ["this command starts its own", "--attach"]),
        (["up", "--attach", "nonsense"], 2, ["'nonsense' is not a broker address"]),
        (["up", "--attach", "pulsar://127.0.0.1:1"], 4, ["pulsar://127.0.0.1:1", "is it running"]),
        (["ask", "Hello", "--bus", "localhost:6650"], 2, ["'localhost:6650' is not a broker address", "pulsar://HOST:6650"]),
        (["ask", "Hello", "--bus", "http://localhost:8080"], 2, ["is not a broker address"]),
        (["forget", "--everyone"], 2, ["Forget the workspace", "In the deployment at "]),
        (["ask", "Hello", "--bus", "pulsar://127.0.0.1:1"], 4, ["pulsar://127.0.0.1:1", "is it running"]),
        (["doctor", "--bus", "pulsar://127.0.0.1:1"], 5, ["unreachable", "check --bus"]),
        (["doctor", "--flow", "night"], 5, ["no flow 'night'", "--workspace and --flow"]),
    ],
    ids=lambda value: " ".join(map(str, value))[:40] if isinstance(value, list) else None,
)
def test_a_wrong_call_names_the_place_and_the_remedy(
    far: ReactMem, arguments: list[str], code: int, complaints: list[str]
) -> None:
    result = far.run(*arguments)
    assert result.code == code, result.out + result.err
    for complaint in complaints:
        assert complaint in result.out + result.err
    assert "Traceback" not in result.err


@pytest.mark.slow
async def test_a_broker_without_a_deployment_is_told_from_one_whose_processors_are_away(tmp_path: Path) -> None:
    broker = PulsarLite(tmp_path / "bus")
    await broker.start()
    backend = DirectBackend(broker.url)
    try:
        far = ReactMem(tmp_path, bus=broker.url)
        nothing = await asyncio.to_thread(far.run, "memories", "list")
        assert nothing.code == 4
        assert "no configuration service" in nothing.err
        assert "react-mem-config" in nothing.err

        service = embedded_config.Processor(
            id="config", path=str(tmp_path / "config.json"), backend=backend, pulsar_host=broker.url, seed=True
        )
        await service.start()
        async with await MemoryBus.connect(broker.url) as bus:
            await bus.check()
            await bus.config_put("flow", {"plain": json.dumps({"blueprint-name": "everything"})})
        stock = await asyncio.to_thread(far.run, "ask", "Hello", "--flow", "plain")
        assert stock.code == 3
        assert "has no agent-manager-react-mem" in stock.err
        assert "react-mem install" in stock.err
        away = await asyncio.to_thread(far.run, "doctor", "--json")
        states = {finding["name"]: finding for finding in away.value["findings"]}
        assert {name for name, finding in states.items() if finding["state"] == "unreachable"} == SERVICES
        assert "request:tg:agent-facts:default:default" in states["agent-facts"]["detail"]
        assert "start agent-facts" in states["agent-facts"]["remedy"]
        await service.stop()
    finally:  # a connection that is collected unclosed ends the process
        await backend.close()
        await broker.stop()
