"""Who is served by the embedded stack: the holders of its secret, and no other account or program of the machine."""

import asyncio
import logging
import os
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pulsar
import pytest
import pytest_asyncio

from trustgraph_react_mem.bootstrap import job_publisher, open_graph_stores, operator_key
from trustgraph_react_mem.bus import wire
from trustgraph_react_mem.bus.broker import EmbeddedBroker
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.private.topics import TopicSecrets
from trustgraph_react_mem.bus.pulsar_driver import DirectBackend
from trustgraph_react_mem.embedded import PRIVATE_JOBS, EmbeddedStack
from trustgraph_react_mem.erasure.forget import forget_job
from trustgraph_react_mem.errors import NotPermitted
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.requests import (
    ForgetScope,
    GetJob,
    ListFacts,
    ListJobs,
    StoreFact,
    SubmitJob,
    WaitUntilIdle,
    encode,
)
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.schema.topics import FACTS, request_queue
from trustgraph_react_mem.stack_state import running_stack
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]

FACT = "The harbour key is under the blue pot."
STRANGERS = ["a process without the secret", *(["another account"] if os.geteuid() == 0 else [])]
"""An account cannot be changed without root.  The first variant always runs."""


def a_stack(home: Path, *, open_bus: bool = False) -> EmbeddedStack:
    return EmbeddedStack(
        home / "data", model="none", embeddings=HashedEmbedder(), settings=StoreSettings(keys=home / "keys"), open_bus=open_bus
    )


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("private")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(home: Path) -> AsyncIterator[EmbeddedStack]:
    async with a_stack(home) as stack, await MemoryBus.connect(stack.pulsar_url) as bus:
        await bus.call(StoreFact(user="ana", content=FACT, id="fact"))
        yield stack


STRANGER = """
import asyncio, encodings.idna, os, pwd, sys, uuid
import pulsar.asyncio
from pathlib import Path
from trustgraph.schema import ConfigRequest
from trustgraph_react_mem.bus.address import BusAddress
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.requests import ExportFacts, ForgetScope, ListFacts, ListJobs, SwitchMemory

url, home, account = sys.argv[1:]
if account == "another account":  # after the imports, because the interpreter may be in root's home
    nobody = pwd.getpwnam("nobody")
    os.setgroups([])
    os.setgid(nobody.pw_gid)
    os.setuid(nobody.pw_uid)
    assert os.getuid() == os.geteuid() == nobody.pw_uid

async def attempt(name, call):
    try:
        print("SERVED", name, await call)
    except EngineUnavailable:
        print("refused", name)
    except Exception as error:
        print("failed", name, repr(error))

async def main():
    if account == "another account":
        try:
            print("SERVED the file of the secret", Path(home, "data", "stack.json").read_text())
        except PermissionError:
            print("refused the file of the secret")
    async with await MemoryBus.connect(BusAddress(url=url)) as bus:
        await asyncio.gather(
            attempt("list", bus.call(ListFacts(user="ana"), 3)),
            attempt("export", bus.call(ExportFacts(user="ana"), 3)),
            attempt("erase", bus.call(ForgetScope(user="ana", level="user"), 3)),
            attempt("erase all", bus.call(ForgetScope(level="workspace"), 3)),
            attempt("switch off", bus.call(SwitchMemory(user="ana", write=False), 3)),
            attempt("jobs", bus.call(ListJobs(user="ana", all_scopes=True), 3)),
            attempt("configuration", bus._config(ConfigRequest(operation="config"), 3)),
        )

asyncio.run(main())
sys.stdout.flush()
os._exit(0)  # threads of the native client may crash a normal exit
"""


@pytest.mark.parametrize("stranger", STRANGERS)
async def test_who_does_not_have_the_secret_is_not_served(stack: EmbeddedStack, home: Path, stranger: str) -> None:
    done = await asyncio.to_thread(
        subprocess.run,
        [sys.executable, "-c", STRANGER, stack.pulsar_url, str(home), stranger],
        capture_output=True,
        text=True,
        timeout=120,
        cwd="/",
        env={**os.environ, "HOME": "/nonexistent", "REACT_MEM_HOME": "/nonexistent"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    assert len(lines) == 7 + (stranger == "another account")
    assert [line for line in lines if not line.startswith("refused")] == []
    async with await MemoryBus.connect(stack.pulsar_url) as bus:
        assert [fact.content for fact in (await bus.call(ListFacts(user="ana"))).facts] == [FACT]


async def test_the_secret_is_in_a_file_that_only_its_owner_can_read(stack: EmbeddedStack) -> None:
    file = stack.home / "stack.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    info = running_stack(stack.home)
    assert info is not None
    assert info.secret in file.read_text("utf-8")
    assert info.secret not in repr(info)
    assert info.secret not in repr(info.address)
    async with await MemoryBus.connect(info.address) as bus:
        await bus.check()


async def test_a_message_without_the_mac_is_dropped_even_if_it_reaches_the_topic(
    stack: EmbeddedStack, caplog: pytest.LogCaptureFixture
) -> None:
    """The names of topics may leak, such as into a trace of the network.  They are of no use without the secret."""
    topic = request_queue(FACTS, "default", "default")
    guard = TopicSecrets(start=bytes.fromhex(stack.address.secret)).guard(topic)
    async with await MemoryBus.connect(stack.pulsar_url) as bus:
        raw = await bus._backend.client.create_producer(guard.address, schema=pulsar.schema.BytesSchema())
        request = wire.encode(encode(ForgetScope(user="ana", level="user")))
        with caplog.at_level(logging.WARNING):
            await raw.send(request, properties={"id": "forged"})
            await raw.send(request, properties={"id": "forged", "mac": "0" * 64})
            await raw.send(b"\xff not json", properties={"mac": "\u00e9"})
            await bus.call(ListFacts(user="ana"))
        await raw.close()
        assert (await bus.call(ListFacts(user="ana"))).count == 1
        assert (await bus.call(ListJobs(user="ana"))).jobs == []
    dropped = [record.getMessage() for record in caplog.records if "without the secret" in record.getMessage()]
    assert len(dropped) == 3
    assert topic in dropped[0]
    assert guard.address not in dropped[0]


@pytest.mark.slow
async def test_jobs_in_the_public_topic_of_an_earlier_version_are_found_in_their_order(tmp_path: Path) -> None:
    settings = StoreSettings(home=tmp_path / "data", keys=tmp_path / "keys")
    async with a_stack(tmp_path) as stack, await MemoryBus.connect(stack.pulsar_url) as bus:
        for number in range(3):
            await bus.call(StoreFact(user="ana", content=f"{FACT} {number}", id=f"f{number}"))
        await bus.call(WaitUntilIdle(user="ana"))
    (tmp_path / "data" / "bus" / PRIVATE_JOBS).unlink()
    scope = Scope(workspace="default", user="ana", collection="default")
    jobs = [forget_job(scope, "record", at=SystemClock().now(), ids=[f"f{number}"]) for number in range(3)]
    graph = await open_graph_stores(settings)
    async with EmbeddedBroker(tmp_path / "data" / "bus") as broker:
        backend = DirectBackend(broker.url)
        publisher = job_publisher(backend, graph.keyring, "test")
        await publisher.publish(jobs)
        await publisher.close()
        await backend.close()
    await graph.close()
    for _ in range(2):  # the second start has nothing to move, and finds them done
        async with a_stack(tmp_path) as stack, await MemoryBus.connect(stack.pulsar_url) as bus:
            await bus.call(WaitUntilIdle(user="ana"))
            states = [(await bus.call(GetJob(user="ana", id=job.id))).jobs[0].status for job in jobs]
            assert states == ["done"] * 3
            assert (await bus.call(ListFacts(user="ana"))).facts == []
    assert (tmp_path / "data" / "bus" / PRIVATE_JOBS).exists()


async def test_a_workspace_is_erased_and_its_jobs_are_listed_for_an_operator_alone(stack: EmbeddedStack, home: Path) -> None:
    async with await MemoryBus.connect(stack.pulsar_url) as bus:
        with pytest.raises(NotPermitted, match="REACT_MEM_MASTER_KEY"):
            await bus.call(ForgetScope(user="eve", level="workspace"))
        with pytest.raises(NotPermitted, match="REACT_MEM_MASTER_KEY"):
            await bus.call(ListJobs(user="eve", all_scopes=True))
        assert (await bus.call(ListFacts(user="ana"))).count == 1
        bus.find_operator_key = lambda: operator_key(StoreSettings(keys=home / "nowhere"))
        with pytest.raises(NotPermitted):
            await bus.call(ListJobs(user="eve", all_scopes=True))
        bus.find_operator_key = lambda: operator_key(StoreSettings(keys=home / "keys"))
        await bus.call(ListJobs(user="eve", all_scopes=True))


@pytest.mark.parametrize("operator", [False, True])
async def test_the_settings_of_the_flow_win_over_those_of_a_submitted_job_except_for_an_operator(
    stack: EmbeddedStack, home: Path, operator: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    published: list[Job] = []
    pending = stack.processors["agent-memory-jobs"]._running_worker().pending

    async def keep(_: object, jobs: Sequence[Job]) -> None:
        published.extend(jobs)

    monkeypatch.setattr(type(pending), "publish", keep)
    async with await MemoryBus.connect(stack.pulsar_url) as bus:
        if operator:
            bus.find_operator_key = lambda: operator_key(StoreSettings(keys=home / "keys"))
        payload = '{"settings": {"personal-data": "keep", "daily-token-budget": 10}, "flow": "another"}'
        await bus.call(SubmitJob(user="ana", kind="consolidate", payload=payload))
    job = published[0]
    settings = job.payload["settings"]
    assert isinstance(settings, dict)
    assert ("daily-token-budget" in settings) is operator
    assert job.payload["flow"] == ("another" if operator else "default")
