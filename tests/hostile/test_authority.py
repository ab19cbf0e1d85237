"""Requests for what belongs to others: other users, the workspace, other accounts of the machine, repeated messages."""

import asyncio
import json
import os
import subprocess
import uuid

import pytest

from .machine import Machine


async def test_an_erasure_sent_again(machine: Machine) -> None:
    """An old erasure under a new id erases nothing that was said later."""
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
    assert await machine.finds(ana, "second", 3), "a repeated erasure took what was said after it"


AS_ROOT = pytest.mark.skipif(os.getuid() != 0, reason="only root can run a program as another account")


@AS_ROOT
async def test_another_account_reads_files(machine: Machine) -> None:
    """Another account can read none of them."""
    await machine.tell("ana", "I keep the umbrella in the hall")
    program = (
        "import os, sys; print([f for d, _, fs in os.walk(sys.argv[1]) for f in fs if os.access(os.path.join(d, f), os.R_OK)])"
    )
    done = await asyncio.to_thread(
        subprocess.run,
        ["/usr/bin/python3", "-c", program, str(machine.data)],
        user=65534,
        group=65534,
        extra_groups=[],
        env={"PATH": "/usr/bin:/bin"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]", f"another account reads {done.stdout[:200]}"
    state = [file for file in machine.data.glob("*") if file.is_file() and file.stat().st_mode & 0o077]
    assert not state, f"files for everybody: {[file.name for file in state]}"
