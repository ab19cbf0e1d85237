"""What people see of jobs that could not be decoded, and what ``stats`` says of records without a vector."""

import pytest

from tests.integration.jobs_support import ANN, Memory, open_memory
from trustgraph_react_mem.errors import BadRequest, NotFound
from trustgraph_react_mem.jobs.entries import entry_from_job
from trustgraph_react_mem.memory.ports import UNDECODABLE, Job
from trustgraph_react_mem.memory.requests import DropJob, GetJob, GetJobStats, ListJobs, ReplayJob
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors.operations.jobs import JobOperations


def operations(memory: Memory) -> JobOperations:
    return JobOperations(memory.worker, memory.core, memory.settings, "default")


async def test_a_message_that_could_not_be_decoded_is_listed_and_can_be_dropped() -> None:
    nobody = Scope(workspace=ANN.workspace, user="", collection=UNDECODABLE)
    async with open_memory() as memory:
        at = memory.clock.now()
        job = Job(id="u", kind="noop", scope=nobody, payload={}, created_at=at, trigger="undecodable")
        await memory.stores.job_store.save([entry_from_job(job, "dead", at=at, error="bad-request: no job", sealed="aGVsbG8=")])
        jobs = operations(memory)
        assert [each.id for each in (await jobs.list(ANN, ListJobs(status="dead"))).jobs] == ["u"]
        assert (await jobs.get(ANN, GetJob(id="u"))).jobs[0].trigger == "undecodable"
        with pytest.raises(BadRequest, match="drop it"):
            await jobs.replay(ANN, ReplayJob(id="u"))
        await jobs.drop(ANN, DropJob(id="u"))
        assert (await jobs.list(ANN, ListJobs(status="dead"))).jobs == []
        with pytest.raises(NotFound):
            await jobs.drop(ANN, DropJob(id="none"))


async def test_stats_count_records_without_a_vector() -> None:
    async with open_memory() as memory:
        assert (await operations(memory).stats(ANN, GetJobStats())).stats["records_without_vector"] == "0"
