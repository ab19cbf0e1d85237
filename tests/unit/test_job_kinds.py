"""The kinds of jobs and what their handlers declare."""

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any, cast

import pytest

from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.jobs.registry import is_barrier, is_long, partition_key, queue_of
from trustgraph_react_mem.learning.handler_table import job_types
from trustgraph_react_mem.memory.ports import Job, JobKind, Switches
from trustgraph_react_mem.memory.requests import SubmitJob
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.processors.operations.jobs import SUBMITTABLE, JobOperations
from trustgraph_react_mem.settings import AgentMemSettings

FORMER = {"extract", "reflect", "promote", "profile"}  # published by versions before 0.2
MODEL = {"understand", "episode", "consolidate", "insight", "compact"} | FORMER
SCOPE = Scope(workspace="w", user="ann", collection="default")


def a_job(kind: Any, **payload: str) -> Job:
    return Job(id="x", kind=kind, scope=SCOPE, payload=dict(payload), created_at=datetime(2026, 3, 1, tzinfo=UTC))


def test_every_kind_that_is_no_barrier_has_a_handler() -> None:
    assert all((each.create is None) == is_barrier(each.kind) for each in job_types())


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
    asked: list[tuple[Scope, str]] = []

    async def get(scope: Scope, conversation_id: str) -> Switches:
        asked.append((scope, conversation_id))
        return Switches(write=False)

    switches = SimpleNamespace(get=get)
    context = SimpleNamespace(core=SimpleNamespace(graph=SimpleNamespace(switches=switches)))
    (create,) = [each.create for each in job_types() if each.kind == kind]
    assert create is not None
    outcome = await create(context)(a_job(kind, conversation_id="c"))
    assert outcome.counts == {"switched_off": 1}
    assert asked == [(SCOPE, "c")]


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
    worker: Any = None  # to which nothing is published
    operations = JobOperations(worker, cast(Any, SimpleNamespace(clock=None)), AgentMemSettings(), "default")
    with pytest.raises(BadRequest, match=f"kind '{kind}' needs '{missing}'"):
        await operations.submit(SCOPE, SubmitJob(kind=kind, payload=payload))


def test_jobs_of_a_kind_of_a_newer_version_hold_up_no_others() -> None:
    assert len({partition_key(a_job(kind)) for kind in ("dance", "record", "understand")}) == 3
