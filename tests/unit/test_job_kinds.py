"""The kinds of jobs and what their handlers declare."""

from datetime import UTC, datetime
from typing import Any, cast
from unittest.mock import AsyncMock, MagicMock

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.jobs.registry import is_barrier, is_long, partition_key, queue_of
from trustgraph_react_mem.learning.handler_table import build_handlers, job_types
from trustgraph_react_mem.memory.ports import Job, JobKind, Switches
from trustgraph_react_mem.memory.requests import SubmitJob
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors.operations.jobs import SUBMITTABLE, JobOperations
from trustgraph_react_mem.settings import AgentMemSettings

FORMER = {"extract", "reflect", "promote", "profile"}  # published by versions before 0.2
MODEL = {"understand", "episode", "consolidate", "insight", "compact"} | FORMER


def test_every_kind_that_is_no_barrier_has_a_handler() -> None:
    handlers = build_handlers(cast(Any, MagicMock()))
    assert set(handlers) == {each.kind for each in job_types() if not is_barrier(each.kind)}


def test_the_jobs_that_call_a_model_never_take_a_slot_from_recording() -> None:
    kinds = {each.kind for each in job_types() if not is_barrier(each.kind)}
    assert {kind for kind in kinds if queue_of(kind) == "model"} == MODEL
    assert {kind for kind in kinds if is_long(kind)} == MODEL | {"reembed"}


def test_who_may_submit_which_kind() -> None:
    by_hand = {"understand", "extract", "consolidate", "insight", "compact", "retain", "reembed"}
    assert {each.kind for each in job_types() if each.submit == "person"} == by_hand
    assert set(SUBMITTABLE) == by_hand | {"forget", "reward", "record", "noop"}


LEARN_FROM_WHAT_WAS_SAID: tuple[JobKind, ...] = ("record", "understand", "extract", "episode", "reflect", "promote")


def test_the_jobs_that_learn_from_what_was_said_obey_the_switch() -> None:
    assert {each.kind for each in job_types() if each.obeys_switch} == set(LEARN_FROM_WHAT_WAS_SAID)


@pytest.mark.parametrize("kind", LEARN_FROM_WHAT_WAS_SAID)
async def test_a_job_has_no_effect_while_storing_is_switched_off(kind: JobKind) -> None:
    context = MagicMock()
    context.core.graph.switches.get = AsyncMock(return_value=Switches(write=False))
    scope = Scope(workspace="w", user="ann", collection="default")
    at = datetime(2026, 3, 1, tzinfo=UTC)
    job = Job(id="x", kind=kind, scope=scope, payload={"conversation_id": "c"}, created_at=at)
    outcome = await build_handlers(context)[kind](job)
    assert outcome.counts == {"switched_off": 1}
    context.core.graph.switches.get.assert_awaited_once_with(scope, "c")


@pytest.mark.parametrize(
    ("kind", "payload", "missing"),
    [
        ("understand", "", "conversation_id"),
        ("understand", '{"conversation_id": ""}', "conversation_id"),
        ("compact", '{"conversation_id": 3}', "conversation_id"),
        ("record", '{"conversation_id": "c", "invocation_id": "i"}', "question"),
    ],
)
async def test_the_service_refuses_a_job_without_what_its_kind_needs(kind: str, payload: str, missing: str) -> None:
    worker = AsyncMock()
    operations = JobOperations(worker, cast(Any, MagicMock()), AgentMemSettings(), "default")
    scope = Scope(workspace="w", user="ann", collection="default")
    with pytest.raises(BadRequest, match=f"kind '{kind}' needs '{missing}'"):
        await operations.submit(scope, SubmitJob(kind=kind, payload=payload))
    worker.pending.submit.assert_not_called()


def test_jobs_of_a_kind_of_a_newer_version_hold_up_no_others() -> None:
    at = datetime(2026, 3, 1, tzinfo=UTC)
    scope = Scope(workspace="w", user="ann", collection="default")
    jobs = [
        Job(id="x", kind=cast(Any, kind), scope=scope, payload={}, created_at=at) for kind in ("dance", "record", "understand")
    ]
    assert len({partition_key(job) for job in jobs}) == 3
