"""Published jobs that do not come back are noticed, and only those."""

from datetime import UTC, datetime
from typing import Any

import pytest

from trustgraph_react_mem.bus.storage.watch import OVERDUE_S, JobWatch
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.ports import Job
from trustgraph_react_mem.memory.scope import Scope


def job(name: str, workspace: str = "default") -> Job:
    scope = Scope(workspace=workspace, user="ann", collection="default")
    return Job(id=name, kind="record", scope=scope, payload={}, created_at=datetime(2026, 1, 1, tzinfo=UTC))


class Watched:
    def __init__(self) -> None:
        self.now = 100.0
        self.watch = JobWatch(lambda: self.now)

    def publish(self, *jobs: Job) -> None:
        with self.watch.publish(jobs):
            pass


def test_a_job_that_does_not_come_back_while_the_worker_waits_is_counted() -> None:
    watched = Watched()
    watched.watch.wait("default")
    watched.publish(job("a"), job("b"))
    watched.now += OVERDUE_S - 1
    assert watched.watch.overdue() == 0
    watched.now += 2
    assert watched.watch.overdue() == 2
    assert "2 jobs were confirmed" in watched.watch.describe()
    assert "react-mem repair bus" in watched.watch.describe()
    watched.watch.arrive("default", "a")
    watched.watch.arrive("default", "b")
    assert watched.watch.describe() == ""


async def test_a_turn_is_told_that_it_may_not_be_remembered() -> None:
    from trustgraph_react_mem.processors.agent.memory import AgentMemory

    watched = Watched()
    published: list[Job] = []

    class Publisher:
        async def publish(self, jobs: Any) -> None:
            published.extend(jobs)
            watched.publish(*jobs)

    class Record:
        answer = "An answer."

        class request:
            question, invocation_id = "A question?", "i1"
            scope = Scope(workspace="default", user="ann", collection="default")

        def payload(self) -> dict[str, Any]:
            return {}

    class Clock:
        def now(self) -> datetime:
            return datetime(2026, 1, 1, tzinfo=UTC)

    unused: Any = None
    memory = AgentMemory(embedder=unused, publisher=Publisher(), clock=Clock(), watch=watched.watch)  # type: ignore[arg-type]
    record: Any = Record()
    watched.watch.wait("default")
    await memory.publish(record)
    watched.now += OVERDUE_S + 1
    with pytest.raises(EngineUnavailable, match="1 jobs were confirmed by the message broker and not delivered"):
        await memory.publish(record)
    assert len(published) == 2, "it is stored all the same: it will be remembered if the broker delivers it later"
