"""Jobs that cannot be done, messages that are no jobs, and clocks that jump."""

import asyncio
import contextlib
import json

from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.requests import GetJob, ListJobs, ReplayJob, SubmitJob

from .machine import Machine, eventually

DAY_S = 86_400.0


async def test_a_job_that_ends_its_process(machine: Machine) -> None:
    """A job that ends its process three times is a dead letter, and no other job is lost."""
    await machine.tell("eve", "I keep the zyxdeadly umbrella in the hall")
    await machine.tell("bob", "I keep the bicycle in the yard")
    machine.direct(background_kills=["zyxdeadly"])
    jobs = [
        SubmitJob(user=user, kind="understand", id=f"read-{user}", payload=json.dumps({"conversation_id": f"talk-{user}"}))
        for user in ("bob", "eve")
    ]
    await asyncio.gather(*(machine.call(job, 10) for job in jobs), return_exceptions=True)
    deaths = 0

    async def dead_of_eve() -> list[str]:
        return [job.id for job in (await machine.call(ListJobs(user="eve", status="dead", limit=10))).jobs]

    async def ended() -> bool:
        return machine.stack is not None and machine.stack.process.returncode is not None

    async def over() -> bool:
        try:
            return bool(await ended() or await dead_of_eve())
        except (RuntimeError, MemoryServiceError):  # it ends while it is asked
            return False

    while await eventually(over, 60) and await ended():
        deaths += 1
        assert deaths <= 3, "the job ended its process a fourth time"
        with contextlib.suppress(RuntimeError):  # it ended while it was starting
            await machine.up()
    assert deaths == 3, f"the process ended {deaths} times: {machine.log[-300:]}"
    assert await dead_of_eve() == ["read-eve"], "the job is no dead letter"
    assert not await machine.unfinished("bob", kind=""), "the job of another person never ends"
    found = (await machine.call(GetJob(user="bob", id="read-bob"))).jobs[0]
    assert found.status == "done", f"the job of another person is {found.status}"
    await machine.tell("eve", "I keep the second umbrella in the car")
    machine.direct(background_kills=[])
    await machine.call(ReplayJob(user="eve", id="read-eve"))

    async def replayed() -> bool:
        return (await machine.call(GetJob(user="eve", id="read-eve"))).jobs[0].status == "done"

    assert await eventually(replayed, 40, 1), "replayed, it is not done"


async def test_an_erasure_with_the_clock_ahead(machine: Machine) -> None:
    """What is deferred by a clock that is behind an erasure is not lost, and not brought back."""
    machine.direct(clock_off_s=DAY_S)
    await machine.tell("ana", "the first umbrella is in the hall")
    receipt = await machine.forget("ana", level="collection")
    assert receipt.get("complete"), f"erased with the clock ahead: {receipt}"
    machine.direct(clock_off_s=0.0, background_away=True)
    await machine.tell("ana", "the second umbrella is in the car")
    job = await machine.call(SubmitJob(user="ana", kind="understand", payload='{"conversation_id": "talk-ana"}'))
    await asyncio.sleep(3)
    assert (await machine.call(GetJob(user="ana", id=job.job_id))).jobs, "the job that was put off is gone"
    machine.direct(background_away=False)
    assert not any("first" in fact.content for fact in await machine.facts("ana")), "what was erased is there again"
    assert await machine.finds("ana", "second"), "what was said after the erasure is lost"


async def test_old_work_of_short_runs(machine: Machine) -> None:
    """Done work is pruned on time, also for a stack that ran a moment only."""
    for number in range(6):
        await machine.tell("ana", f"umbrella {number} is in the hall")
    before = {job.id for job in await machine.jobs("ana")}
    assert len(before) >= 6, f"only {len(before)} jobs are listed"
    machine.direct(clock_off_s=30 * DAY_S)
    await machine.kill()
    await machine.up()

    async def pruned() -> bool:
        return before.isdisjoint({job.id for job in await machine.jobs("ana")})

    assert await eventually(pruned, 45, 3), "a month later done jobs are kept"
