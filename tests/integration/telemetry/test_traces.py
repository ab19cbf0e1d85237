"""One question is one trace, from the HTTP request to the jobs, on a running stack."""

import asyncio
from collections.abc import Callable, Iterable
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestClient
from mcp import Client
from mcp.shared.exceptions import MCPError
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from tests.integration.mcp.conftest import in_process
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import NotFound
from trustgraph_react_mem.memory.requests import UpdateFact
from trustgraph_react_mem.telemetry.tracing import pseudonym

pytestmark = [pytest.mark.asyncio(loop_scope="package"), pytest.mark.later]

HTTP = "POST /ask/{number}"
TURN = "invoke_agent agent-manager-react-mem"
SENDS, RUNS = "send agent-memory-jobs", "process agent-memory-jobs"
DEADLINE_S = 60.0
Finished = Any  # ReadableSpan: its types say that everything may be None, also once the span has ended


def trace_of(span: Finished) -> int:
    return int(span.context.trace_id)


def named(spans: Iterable[Finished], name: str, kind: str = "") -> list[Finished]:
    return [span for span in spans if span.name == name and kind in ("", span.kind.name)]


def parent_of(span: Finished, spans: Iterable[Finished]) -> Finished | None:
    return next((each for each in spans if span.parent and each.context.span_id == span.parent.span_id), None)


def path_of(span: Finished, spans: Iterable[Finished]) -> list[str]:
    """Names and kinds from the root to ``span``."""
    above = parent_of(span, spans)
    return [*(path_of(above, spans) if above else []), f"{span.name} {span.kind.name}"]


async def until(spans: InMemorySpanExporter, done: Callable[[tuple[Finished, ...]], bool]) -> tuple[Finished, ...]:
    """All finished spans, once ``done`` holds for them."""
    found: tuple[Finished, ...]
    async with asyncio.timeout(DEADLINE_S):
        while not done(found := spans.get_finished_spans()):  # noqa: ASYNC110  # the exporter has no event
            await asyncio.sleep(0.05)
    return found


async def put(client: TestClient[web.Request, web.Application], question: str, **more: str) -> None:
    headers = {"traceparent": more.pop("traceparent")} if "traceparent" in more else {}
    answer = await client.post("/ask/7", json={"question": question, "user": "ann", **more}, headers=headers)
    assert answer.status == 200, await answer.text()


def jobs_over(spans: tuple[Finished, ...]) -> bool:
    """Every job that was sent has run."""
    sent = {span.attributes["messaging.message.id"] for span in named(spans, SENDS)}
    run = {span.attributes["messaging.message.id"] for span in named(spans, RUNS)}
    return bool(sent) and sent <= run and bool(named(spans, HTTP)) and bool(named(spans, TURN, "SERVER"))


async def test_one_question_is_one_connected_trace_and_its_jobs_are_linked(
    client: TestClient[web.Request, web.Application], spans: InMemorySpanExporter
) -> None:
    await put(client, "look up what my dog Miso may eat in one trace")
    found = await until(spans, jobs_over)
    (root,) = named(found, HTTP)
    turn = [span for span in found if trace_of(span) == trace_of(root)]
    assert [span.name for span in turn if span.parent is None] == [HTTP]
    assert all(parent_of(span, turn) for span in turn if span is not root), "every other span hangs in the trace"
    assert root.kind.name == "SERVER"
    assert dict(root.attributes) == {
        "http.request.method": "POST",
        "http.route": "/ask/{number}",
        "http.response.status_code": 200,
    }
    paths = {" > ".join(path_of(span, turn)) for span in turn}
    agent = f"{HTTP} SERVER > {TURN} CLIENT > {TURN} SERVER"
    search = "search_memory CLIENT > search_memory SERVER"
    model = "chat scripted CLIENT > process prompt CONSUMER > process text-completion CONSUMER"
    assert {
        f"{agent} > retrieval memory INTERNAL > {search} > read ladybug CLIENT",
        f"{agent} > retrieval memory INTERNAL > embeddings hashed-64 CLIENT > process embeddings CONSUMER",
        f"{agent} > {model}",
        f"{agent} > execute_tool retrieve-facts INTERNAL > {search}",
        f"{agent} > {SENDS} PRODUCER",
    } <= paths
    # Jobs: a trace for each attempt, linked to the publication; what follows from a job is linked to that job.
    sent = {span.context.span_id: span for span in named(found, SENDS)}
    runs = named(found, RUNS, "CONSUMER")
    assert runs
    for run in runs:
        assert run.parent is None
        assert trace_of(run) != trace_of(root)
        (link,) = run.links
        assert sent[link.context.span_id].attributes["messaging.message.id"] == run.attributes["messaging.message.id"]
    (record,) = [run for run in runs if run.attributes["tg.memory.job.kind"] == "record"]
    assert record.links[0].context.trace_id == trace_of(root)
    followed = [sent[run.links[0].context.span_id] for run in runs if run is not record]
    assert followed
    assert {trace_of(span) for span in followed} <= {trace_of(run) for run in runs}
    assert {"write ladybug", "upsert qdrant-edge"} <= {span.name for span in found if trace_of(span) == trace_of(record)}


async def test_the_attributes_are_those_of_the_conventions(
    client: TestClient[web.Request, web.Application], spans: InMemorySpanExporter
) -> None:
    await put(client, "what may my dog eat", collection="house")
    found = await until(spans, jobs_over)
    server = named(found, TURN, "SERVER")[0]
    assert server.attributes["gen_ai.operation.name"] == "invoke_agent"
    assert server.attributes["gen_ai.agent.name"] == "agent-manager-react-mem"
    chat = named(found, "chat scripted", "CLIENT")[0]
    assert chat.attributes["gen_ai.operation.name"] == "chat"
    assert chat.attributes["gen_ai.response.model"] == chat.attributes["gen_ai.request.model"] == "scripted"
    assert chat.attributes["gen_ai.usage.input_tokens"] > 0 < chat.attributes["gen_ai.usage.output_tokens"]
    assert chat.attributes["tg.memory.task"] == "agent-react-mem"
    for search in named(found, "search_memory"):
        assert search.attributes["gen_ai.operation.name"] == "search_memory"
        assert search.attributes["gen_ai.memory.store.id"] == pseudonym("default", "house")
        assert search.attributes["tg.memory.service"] in ("agent-facts", "agent-episodes", "agent-conversations")
        assert search.attributes["gen_ai.memory.record.count"] >= 0
        assert "gen_ai.memory.store.name" not in search.attributes
    job = named(found, RUNS)[0]
    assert job.attributes["messaging.system"] == "pulsar"
    assert job.attributes["messaging.operation.type"] == "process"
    assert job.attributes["messaging.destination.name"] == "agent-memory-jobs"


async def test_errors_have_their_wire_type(
    client: TestClient[web.Request, web.Application], bus: MemoryBus, spans: InMemorySpanExporter
) -> None:
    with pytest.raises(NotFound):
        await bus.call(UpdateFact(user="ann", id="no-such-fact", content="My dog is Miso."))
    found = await until(spans, lambda all_: len(named(all_, "update_memory")) == 2)
    for span in named(found, "update_memory"):
        assert span.attributes["error.type"] == "not-found"
        assert span.status.status_code.name == "ERROR"
        assert not span.status.description
        assert not span.events
    spans.clear()
    await put(client, "the model is down today")
    found = await until(spans, lambda all_: len(named(all_, TURN)) == 2)
    assert {span.attributes["error.type"] for span in named(found, "chat")} == {"model-unavailable"}
    assert named(found, TURN, "SERVER")[0].attributes["error.type"] == "model-unavailable"
    assert named(found, TURN, "CLIENT")[0].attributes["error.type"] == "agent-error", "as the answer on the wire says"


async def test_no_span_has_a_text_a_user_or_a_collection(
    client: TestClient[web.Request, web.Application], spans: InMemorySpanExporter
) -> None:
    words = ("Zerbinetta", "Quillfeather", "Wunderkammer")
    await put(client, f"look up that my dog {words[0]} sleeps a lot", user=words[1], collection=words[2])
    found = await until(spans, jobs_over)
    told = [span.to_json() for span in found]
    assert len(told) > 20
    assert not [text for text in told if any(word.lower() in text.lower() for word in words)]


async def test_no_span_of_the_sdk_of_mcp_is_made(bus: MemoryBus, spans: InMemorySpanExporter) -> None:
    """It would have the words of the message and of its errors."""
    word = "Zerbinetta"
    async with Client(in_process(bus, "ann")) as client:
        assert not (await client.call_tool("search_memories", {"query": word})).is_error
        assert (await client.call_tool(word, {})).is_error
        with pytest.raises(MCPError, match=word):
            await client.read_resource(f"resource://sessions/{word}/run_log")
    told = [span for span in spans.get_finished_spans() if span.kind.name == "SERVER"]
    assert told, "the services' own spans are there"
    assert not [span.name for span in told if "mcp.method.name" in span.attributes or word in span.to_json()]
