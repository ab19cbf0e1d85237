"""Jobs that cannot be done, messages that are no jobs, and clocks that jump."""

import asyncio
import contextlib
import json
import uuid
from datetime import UTC, datetime
from typing import Any

from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import (
    GetJob,
    ReplayJob,
    SubmitJob,
)

from .attack import Harm, attack, require
from .machine import Machine, eventually

DAY_S = 86_400.0


def envelope(**fields: Any) -> dict[str, Any]:
    """An envelope of a job of a user called Mallory, whose payload nobody can open."""
    return {
        "specversion": "1.0",
        "id": uuid.uuid4().hex,
        "source": "mallory",
        "type": "org.trustgraph.memory.record",
        "subject": "default/mallory/default",
        "time": datetime.now(UTC).isoformat(),
        "data": "AAAA",
        "kind": "record",
        "workspace": "default",
        "user": "mallory",
        "collection": "default",
        "attempt": 1,
        "trigger": "turn",
        "parent": "",
        **fields,
    }


@attack(
    on="job topic, over a restart",
    holds="what is no job does not block the start, and can be seen and dropped",
    own=True,
    limit_s=150,
)
async def malformed_messages_over_a_restart(machine: Machine) -> None:
    await machine.up()
    for message in (b"not json", json.dumps(envelope(time=5)).encode(), json.dumps(envelope(kind=[])).encode(), b"[" * 200_000):
        await machine.foreign.publish_job(message)
    await asyncio.sleep(2)
    await machine.kill()
    await machine.up()
    await machine.still_records()

    async def seen() -> bool:
        return len(await machine.jobs(everyone=True, status="dead")) >= 4

    require(
        await eventually(seen, 20, 2),
        f"of 4 dead letters, jobs list --all shows {len(await machine.jobs(everyone=True, status='dead'))}",
    )
    for job in await machine.jobs(everyone=True, status="dead"):
        owner = ["--collection", job.collection] if job.collection != "default" else []
        await machine.command(job.user).run("jobs", "drop", job.id, *owner)
    require(not await machine.jobs(everyone=True, status="dead"), "dropped dead letters are still listed")


@attack(
    on="process of the worker",
    holds="a job that ends its process three times is a dead letter, and no other job is lost",
    own=True,
    limit_s=240,
)
async def a_job_that_ends_its_process(machine: Machine) -> None:
    await machine.up()
    await machine.tell("eve", "I keep the zyxdeadly umbrella in the hall")
    await machine.tell("bob", "I keep the bicycle in the yard")
    machine.direct(background_kills=["zyxdeadly"])
    jobs = [
        SubmitJob(user=user, kind="understand", id=f"read-{user}", payload=json.dumps({"conversation_id": f"talk-{user}"}))
        for user in ("bob", "eve")
    ]
    await asyncio.gather(*(machine.call(job, 10) for job in jobs), return_exceptions=True)
    deaths = 0

    async def ended() -> bool:
        return machine.end_of_stack() is not None

    async def over() -> bool:
        try:
            return bool(await ended() or await machine.dead("eve"))
        except (Harm, MemoryServiceError):  # it ends while it is asked
            return False

    while await eventually(over, 60) and await ended():
        deaths += 1
        require(deaths <= 3, "the job ended its process a fourth time")
        with contextlib.suppress(RuntimeError):  # it ended while it was starting
            await machine.up()
    require(deaths == 3, f"the process ended {deaths} times: {machine.log[-300:]}")
    require([job.id for job in await machine.dead("eve")] == ["read-eve"], "the job is no dead letter")
    require(not await machine.unfinished("bob", kind=""), "the job of another person never ends")
    found = (await machine.call(GetJob(user="bob", id="read-bob"))).jobs[0]
    require(found.status == "done", f"the job of another person is {found.status}")
    await machine.tell("eve", "I keep the second umbrella in the car")
    machine.direct(background_kills=[])
    await machine.call(ReplayJob(user="eve", id="read-eve"))

    async def replayed() -> bool:
        return (await machine.call(GetJob(user="eve", id="read-eve"))).jobs[0].status == "done"

    require(await eventually(replayed, 40, 1), "replayed, it is not done")


@attack(
    on="clock, erasure",
    holds="what is deferred by a clock that is behind an erasure is not lost, and not brought back",
    own=True,
    limit_s=150,
)
async def an_erasure_with_the_clock_ahead(machine: Machine) -> None:
    await machine.up()
    machine.direct(clock_off_s=DAY_S)
    await machine.tell("ana", "the first umbrella is in the hall")
    receipt = await machine.forget("ana", level="collection")
    require(receipt.get("complete"), f"erased with the clock ahead: {receipt}")
    machine.direct(clock_off_s=0.0, background_away=True)
    await machine.tell("ana", "the second umbrella is in the car")
    job = await machine.call(SubmitJob(user="ana", kind="understand", payload='{"conversation_id": "talk-ana"}'))
    await asyncio.sleep(3)
    require((await machine.call(GetJob(user="ana", id=job.job_id))).jobs, "the job that was put off is gone")
    machine.direct(background_away=False)
    require(not any("first" in fact.content for fact in await machine.facts("ana")), "what was erased is there again")
    require(await machine.finds("ana", "second"), "what was said after the erasure is lost")


@attack(on="job store", holds="done work is pruned on time, also for a stack that ran a moment only", own=True, limit_s=120)
async def old_work_of_short_runs(machine: Machine) -> None:
    await machine.up()
    for number in range(6):
        await machine.tell("ana", f"umbrella {number} is in the hall")
    before = len(await machine.jobs("ana"))
    require(before >= 6, f"only {before} jobs are listed")
    machine.direct(clock_off_s=30 * DAY_S)
    await machine.kill()
    await machine.up()

    async def pruned() -> bool:
        return len(await machine.jobs("ana")) < 2

    require(await eventually(pruned, 45, 3), f"a month later {len(await machine.jobs('ana'))} of {before} done jobs are kept")
