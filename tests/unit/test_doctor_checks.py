"""What `doctor` finds in a deployment: settings that no processor uses, and jobs that do not come back."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.cli.doctor import (
    check_configuration,
    check_contents,
    check_dead_letters,
    check_embedding_model,
    check_embeddings_service,
)
from trustgraph_react_mem.cli.options import Options
from trustgraph_react_mem.errors import EngineUnavailable
from trustgraph_react_mem.memory.embedding import PROFILES, EmbeddingProfile
from trustgraph_react_mem.memory.requests import AnyRequest, GetJobStats, ListJobs, WaitUntilIdle
from trustgraph_react_mem.schema import JobStatus

HERE = cast(Options, SimpleNamespace(user="ann", collection="default", workspace="zoo", flow="mem"))


@dataclass
class Deployment:
    settings: Mapping[str, str] = field(default_factory=dict)
    open_jobs: int = 0
    stats: Mapping[str, str] = field(default_factory=dict)
    flows: Mapping[str, str] = field(default_factory=dict)
    dead: Sequence[JobStatus] = ()
    agent_is_away: bool = False
    embeddings: EmbeddingProfile | None = None  # what the embeddings service runs; None: it does not answer

    async def config_get(self, config_type: str) -> Mapping[str, str]:
        return {"agent-mem": self.settings, "flow": self.flows}.get(config_type, {})

    async def embed(self, texts: Sequence[str], timeout_s: float) -> list[list[float]]:
        if self.embeddings is None:
            raise EngineUnavailable(f"no response in {timeout_s:g} s")
        assert all(text.startswith(self.embeddings.passage_prefix) for text in texts)
        return [[0.1] * self.embeddings.dimension for _ in texts]

    async def find_missing_pattern(self) -> str:
        if self.agent_is_away:
            raise EngineUnavailable("no response in 5 s")
        return ""

    async def call(self, request: AnyRequest, timeout_s: float = 0.0) -> Any:
        if isinstance(request, GetJobStats):
            return SimpleNamespace(stats=self.stats)
        if isinstance(request, ListJobs):
            assert request.status == "dead"
            return SimpleNamespace(jobs=list(self.dead))
        assert isinstance(request, WaitUntilIdle)
        assert timeout_s > request.timeout_s
        return SimpleNamespace(count=self.open_jobs)


def bus(**values: Any) -> MemoryBus:
    return cast(MemoryBus, Deployment(**values))


async def test_settings_that_another_program_stored_are_checked() -> None:
    stored = {
        "default": '{"rerank": "off"}',
        "night": '{"rerank": "sideways"}',
        "day": "[]",
        "eve": '{"colour": 1}',
        "odd": "{",
    }
    found = [each async for each in check_configuration(bus(settings=stored))]
    assert [finding.state for finding in found] == ["wrong"] * 4
    for flow, finding in zip(["day", "eve", "night", "odd"], found, strict=True):
        assert f"agent-mem/{flow}" in finding.detail
        assert "react-mem settings" in finding.remedy


def flow_with(model: str) -> str:
    return json.dumps({"blueprint-name": "everything-mem", "parameters": {"embeddings-model": model}})


async def test_a_flow_with_another_embedding_model_is_named() -> None:
    flows = {
        "mem": flow_with("BAAI/bge-small-en-v1.5"),
        "old": flow_with("snowflake/snowflake-arctic-embed-xs"),
        "own": "{}",
        "torn": "{",
    }
    checking = check_embedding_model(bus(stats={"embedding": "bge-small-en-v1.5"}, flows=flows), HERE)
    model, old = [each async for each in checking]
    assert (model.state, old.state) == ("limited", "wrong")
    assert "flow old runs snowflake/snowflake-arctic-embed-xs" in old.detail
    assert "REACT_MEM_EMBEDDING_PROFILE" in old.remedy


@pytest.mark.parametrize(
    ("runs", "state", "told"),
    [
        (PROFILES["e5-small-v2"], "ok", "responds"),
        (None, "unreachable", "by keyword only"),
        (replace(PROFILES["e5-small-v2"], dimension=512), "wrong", "512 numbers"),
    ],
)
async def test_the_embeddings_service_of_the_flow_is_asked(runs: EmbeddingProfile | None, state: str, told: str) -> None:
    checking = check_embeddings_service(bus(stats={"embedding": "e5-small-v2"}, embeddings=runs), HERE)
    (found,) = [each async for each in checking]
    assert found.state == state
    assert told in found.detail
    assert (found.state == "ok") != bool(found.remedy)


async def test_messages_that_could_not_be_read_and_jobs_that_failed_for_good_are_found() -> None:
    assert [each async for each in check_dead_letters(bus(), HERE)] == []
    failed = JobStatus(kind="extract", trigger="invocation", error="bad-request: the answer is no JSON")
    dead = [failed, JobStatus(kind="noop", trigger="undecodable")]
    topic, jobs = [each async for each in check_dead_letters(bus(dead=dead), HERE)]
    assert (topic.name, topic.state) == ("job topic", "wrong")
    assert "1 message of the job topic of workspace zoo" in topic.detail
    assert jobs.state == "limited", "one failed job is no failure of the set-up"
    assert "last extract: bad-request: the answer is no JSON" in jobs.detail
    assert "react-mem jobs replay" in jobs.remedy


@pytest.mark.parametrize("all_respond", [True, False])
async def test_a_check_that_fails_is_reported_once_and_stops_no_other(all_respond: bool) -> None:
    away = bus(agent_is_away=True, open_jobs=2, settings={"odd": "{"})
    found = {finding.name: finding for finding in await check_contents(away, HERE, all_respond=all_respond)}
    assert (found["settings"].state, found["jobs"].state) == ("wrong", "wrong")
    assert ("patterns" in found) is all_respond, "a processor that does not respond is reported by its name"
    if all_respond:
        assert found["patterns"].state == "unreachable"
        assert "no response in 5 s" in found["patterns"].detail
