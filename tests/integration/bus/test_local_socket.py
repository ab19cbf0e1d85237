"""Who reaches the bus of an embedded stack: programs of its account, by the socket, and what they may do there."""

import asyncio
import json
import os
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest
import pytest_asyncio

from tests.integration.conftest import plain_stack
from trustgraph_react_mem.bootstrap import operator_key
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.bus.local.local_socket import LONGEST_PATH, SocketBus
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.errors import EngineUnavailable, NotPermitted
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.requests import ForgetScope, GetJobStats, ListFacts, ListJobs, StoreFact, SubmitJob
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.schema.topics import FACTS, job_queue, request_queue
from trustgraph_react_mem.stack_state import running_stack
from trustgraph_react_mem.store_settings import StoreSettings

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]

FACT = "The harbour key is under the blue pot."


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("private")


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def stack(home: Path) -> AsyncIterator[EmbeddedStack]:
    async with plain_stack(home) as stack, await MemoryBus.connect(stack.url) as bus:
        await bus.call(StoreFact(user="ana", content=FACT, id="fact"))
        yield stack


def socket_of(stack: EmbeddedStack) -> Path:
    path = stack.address.socket
    assert path is not None
    return path


async def is_disconnected(reader: asyncio.StreamReader) -> bool:
    try:
        return await reader.read() == b""
    except ConnectionResetError:  # not all that was sent was read
        return True


STRANGER = """
import os, pwd, socket, sys
nobody = pwd.getpwnam("nobody")
os.setgroups([])
os.setgid(nobody.pw_gid)
os.setuid(nobody.pw_uid)
try:
    socket.socket(socket.AF_UNIX).connect(sys.argv[1])
except PermissionError:
    print("refused")
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another account")
async def test_another_account_cannot_connect(stack: EmbeddedStack) -> None:
    command = [sys.executable, "-c", STRANGER, str(socket_of(stack))]
    done = await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=60, check=False)
    assert done.stdout.strip() == "refused", done.stderr


async def test_the_socket_and_the_file_that_names_it_are_the_owners(stack: EmbeddedStack) -> None:
    assert stat.S_IMODE(socket_of(stack).stat().st_mode) == 0o600
    assert stat.S_IMODE((stack.home / "stack.json").stat().st_mode) == 0o600
    info = running_stack(stack.home)
    assert info is not None
    async with await MemoryBus.connect(info.address) as bus:
        await bus.check()


async def test_a_directory_with_a_long_name_is_served_too(tmp_path: Path) -> None:
    home = tmp_path / ("long" * LONGEST_PATH)[:LONGEST_PATH]
    async with plain_stack(home) as stack, await MemoryBus.connect(stack.url) as bus:
        folder = socket_of(stack).parent
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        assert (await bus.call(ListFacts(user="ana"))).facts == []
    assert not folder.exists()


async def test_neither_jobs_nor_the_requests_of_others_are_served_there(stack: EmbeddedStack) -> None:
    far = SocketBus(socket_of(stack))
    with pytest.raises(EngineUnavailable, match="by the process of the stack"):
        await far.create_job_consumer("default")
    frames: list[dict[str, object]] = [
        {"do": "subscribe", "topic": request_queue(FACTS, "default", "default"), "number": 1},
        {"do": "subscribe", "topic": job_queue("default"), "number": 1},
        {"do": "send", "topic": job_queue("default"), "headers": {}},
        {"do": "unsubscribe", "number": 7},
        {"topic": []},
    ]
    for frame in frames:
        reader, writer = await asyncio.open_unix_connection(socket_of(stack))
        writer.write(json.dumps(frame).encode() + b"\n")
        assert await is_disconnected(reader), frame
        writer.close()
    await far.close()
    async with await MemoryBus.connect(stack.url) as bus:
        assert (await bus.call(GetJobStats(user="ana"))).stats["queued"] == "0"


async def test_what_is_no_frame_ends_its_connection_alone(stack: EmbeddedStack) -> None:
    async with await MemoryBus.connect(stack.url) as bus:
        for sent in (b"\n", b"\xff\xfe\n", b"[]\n", b'{"size": 99999999}\n', b"x" * 2_000_000, b'{"size": "many"}\n'):
            reader, writer = await asyncio.open_unix_connection(socket_of(stack))
            writer.write(sent)
            writer.write_eof()
            assert await is_disconnected(reader)
            writer.close()
        assert [fact.content for fact in (await bus.call(ListFacts(user="ana"))).facts] == [FACT]


async def test_a_message_that_does_not_decode_is_answered_and_harms_nothing(stack: EmbeddedStack) -> None:
    async with await MemoryBus.connect(stack.url) as bus:
        sender = await bus._backend.create_producer(request_queue(FACTS, "default", "default"), JobEnvelope)
        await sender.send_bytes(b"\xff not json", {"id": "x"})
        assert [fact.content for fact in (await bus.call(ListFacts(user="ana"))).facts] == [FACT]


async def test_a_workspace_is_erased_and_its_jobs_are_listed_for_an_operator_alone(stack: EmbeddedStack, home: Path) -> None:
    async with await MemoryBus.connect(stack.url) as bus:
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
    pending = stack.processors["agent-memory-jobs"].jobs.worker.pending

    async def keep(_: object, jobs: Sequence[Job]) -> None:
        published.extend(jobs)

    monkeypatch.setattr(type(pending), "publish", keep)
    async with await MemoryBus.connect(stack.url) as bus:
        if operator:
            bus.find_operator_key = lambda: operator_key(StoreSettings(keys=home / "keys"))
        payload = '{"settings": {"personal-data": "keep", "daily-token-budget": 10}, "flow": "another"}'
        await bus.call(SubmitJob(user="ana", kind="consolidate", payload=payload))
    job = published[0]
    settings = job.payload["settings"]
    assert isinstance(settings, dict)
    assert ("daily-token-budget" in settings) is operator
    assert job.payload["flow"] == ("another" if operator else "default")
