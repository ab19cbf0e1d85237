"""Requests for what belongs to others: other users, the workspace, other accounts of the machine, repeated messages."""

import asyncio
import json
import os
import sys
import uuid
from typing import Any

from tests.crash.rounds import ROOT
from trustgraph_react_mem.memory.requests import ListFacts

from .attack import NotRun, attack, require
from .machine import Machine, as_nobody


@attack(on="repeated messages", holds="an old erasure under a new id erases nothing that was said later", limit_s=150)
async def an_erasure_sent_again(machine: Machine) -> None:
    ana = machine.person("ana")
    await machine.tell(ana, "The first umbrella is in the hall")
    await machine.forget(ana, level="conversation", conversation_id=f"talk-{ana}")
    [erasure] = [each for each in await machine.foreign.jobs() if each.heads(kind="forget", user=ana)][:1]
    await machine.tell(ana, "The second umbrella is in the car")
    later = erasure.envelope["time"].replace("2026", "2027")
    for fields in ({"id": uuid.uuid4().hex}, {}, {"id": uuid.uuid4().hex, "time": later}, {"time": later}):
        data = erasure.changed(**fields)
        await machine.foreign.publish_job(data, erasure.key, str(json.loads(data)["id"]))
    await machine.still_records()
    await asyncio.sleep(3)
    require(await machine.finds(ana, "second", 3), "a repeated erasure took what was said after it")


@attack(on="sealed payloads", holds="the payload of one kind, scope or time is refused as another", limit_s=150)
async def payloads_under_another_head(machine: Machine) -> None:
    ana, bob = machine.person("ana"), machine.person("bob")
    await machine.tell(ana, "The canary Qzxmoved is in the hall")
    await machine.tell(bob, "I keep the bicycle in the yard")
    record = next(each for each in await machine.foreign.jobs() if each.heads(kind="record", user=ana))
    heads: list[dict[str, Any]] = [
        {"user": bob, "subject": f"default/{bob}/default"},
        {"user": "", "subject": "default//default"},
        {"collection": "other", "subject": f"default/{ana}/other"},
        {"kind": "reward"},
        {"kind": "forget"},
        {"kind": "understand"},
        {},
        {"time": "2020-01-01T00:00:00Z"},
    ]
    for head in heads:
        name = uuid.uuid4().hex
        await machine.foreign.publish_job(record.changed(id=name, **head), record.key, name)
    await machine.still_records()
    await asyncio.sleep(3)
    for user, collection in ((bob, "default"), ("", "default"), (ana, "other")):
        facts = (await machine.call(ListFacts(user=user, collection=collection, limit=100))).facts
        require(
            not any("Qzxmoved" in fact.content for fact in facts), f"a payload was moved to {user or 'everyone'}/{collection}"
        )
    turns = [fact for fact in await machine.facts(ana, kinds=["turn"]) if "Qzxmoved" in fact.content]
    require(len(turns) == 1, f"a repeated record stored the turn {len(turns)} times")
    require(await machine.finds(bob, "bicycle", 3), "bob's memory was changed")


AS_NOBODY = """
import asyncio, json, os, sys
import trustgraph_react_mem.bus.external_client as client
import trustgraph_react_mem.bus.local.local_socket  # while the modules can be read
from trustgraph_react_mem.memory.requests import ListFacts, StoreFact
os.setgroups([]); os.setgid(65534); os.setuid(65534)
"""
READ = (
    AS_NOBODY
    + """
async def main():
    async with await client.MemoryBus.connect(sys.argv[1]) as bus:
        print("connected", flush=True)
        await bus.call(StoreFact(user="ana", content="planted by another account"), timeout_s=8)
        print(json.dumps([fact.content for fact in (await bus.call(ListFacts(user="ana"), timeout_s=8)).facts]))
asyncio.run(main())
"""
)


async def _other_account(url: str, program: str, *arguments: str) -> str:
    """What the program prints, run as another account that knows the address only."""
    if os.getuid():
        raise NotRun("no program can be run as another account here: run as root")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", program, url, *arguments, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, cwd=ROOT
    )
    out, error = await process.communicate()
    text = out.decode("utf-8", "replace")
    require("connected" in text or b"EngineUnavailable" in error, f"the control fails: {error[-200:]!r}")
    return text


@attack(on="another account of the machine", holds="it reads and writes nothing through the bus", limit_s=120)
async def another_account_asks(machine: Machine) -> None:
    await machine.tell("ana", "I keep the canary Qzxaccount in the hall")
    said = await _other_account(machine.address.url, READ)
    require("Qzxaccount" not in said, "another account lists the memories")
    require(not any("planted" in fact.content for fact in await machine.facts("ana")), "another account stored a memory")


@attack(
    on="files of the data directory",
    holds="another account can read none of them",
    limit_s=60,
)
async def another_account_reads_files(machine: Machine) -> None:
    await machine.tell("ana", "I keep the umbrella in the hall")
    program = (
        "import os, sys; print([f for d, _, fs in os.walk(sys.argv[1]) for f in fs if os.access(os.path.join(d, f), os.R_OK)])"
    )
    if os.getuid():
        raise NotRun("no program can be run as another account here: run as root")
    done = await asyncio.to_thread(as_nobody, ["/usr/bin/python3", "-c", program, str(machine.data)], {"PATH": "/usr/bin:/bin"})
    require(done.stdout.strip() == "[]", f"another account reads {done.stdout[:200]}")
    state = [file for file in machine.data.glob("*") if file.is_file() and file.stat().st_mode & 0o077]
    require(not state, f"files for everybody: {[file.name for file in state]}")
