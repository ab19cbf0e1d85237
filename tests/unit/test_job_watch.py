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


def test_a_worker_that_takes_no_messages_for_long_loses_none() -> None:
    watched = Watched()
    watched.watch.wait("default")
    watched.publish(job("a"))
    watched.watch.arrive("default", "other")  # and from here on it is busy
    watched.now += 10 * OVERDUE_S
    assert watched.watch.overdue() == 0
    watched.watch.wait("default")
    watched.now += OVERDUE_S + 1
    assert watched.watch.overdue() == 1


def test_another_workspace_that_works_hides_nothing() -> None:
    watched = Watched()
    watched.watch.wait("default")
    watched.publish(job("a"))
    for _ in range(70):
        watched.now += 1
        watched.watch.wait("busy")
        watched.publish(job("c", "busy"))
        watched.watch.arrive("busy", "c")
    assert watched.watch.overdue() == 1


def test_a_job_that_was_not_published_is_not_waited_for() -> None:
    watched = Watched()
    watched.watch.wait("default")
    with pytest.raises(EngineUnavailable), watched.watch.publish([job("a")]):
        raise EngineUnavailable("the broker is away")
    watched.now += 2 * OVERDUE_S
    assert watched.watch.overdue() == 0


async def test_it_is_reported_to_the_supervisor_of_the_broker(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trustgraph_react_mem.bus.storage.watch.CHECK_EVERY_S", 0.01)
    watched = Watched()
    watched.watch.wait("default")
    watched.publish(job("a"))
    watched.now += OVERDUE_S + 1

    class Enough(Exception):
        pass

    def report(fault: str) -> None:
        assert "1 jobs" in fault
        raise Enough

    with pytest.raises(Enough):
        await watched.watch.run(report)


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
