"""Group ``refine``: the tools and resources of Recursive Agents MCP, in process and over HTTP, in both eras."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import pytest_asyncio
from mcp import Client
from mcp.shared.exceptions import MCPError

from tests.integration.http.served import Served, serve
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.mcp.settings import McpSettings
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

from .conftest import GROUP_WAYS, MODES, Open, in_process, over_http
from .test_tools import refusal, use

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]

SIX = ["draft", "draft_complete", "critique", "critique_complete", "revise", "revise_complete"]
REQUIRED = ("latest_critique", "baseline_draft", "iteration_timeline", "convergence_analysis")
WHY = "Why is the sky blue?"
CLIENT = {"execution_mode": "client"}
MODEL = ScriptedModel(
    rules=(
        Rule(when="Draft an answer", answer="Light scatters"),
        Rule(when="Critique the newest text", answer="Say which light"),
        Rule(when="Rewrite the draft", answer="Blue light scatters most"),
    )
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def running(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Served]:
    home: Path = tmp_path_factory.mktemp("refine")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("REACT_MEM_MCP_GROUPS", "refine")
        async with serve(home, MODEL) as made:
            yield made


@pytest.fixture(params=GROUP_WAYS)
def connect(running: Served, request: pytest.FixtureRequest) -> Open:
    place, _, era = str(request.param).partition(", ")

    @asynccontextmanager
    async def open_client(user: str) -> AsyncIterator[Any]:
        if place == "http":
            caller = running.user(user)
            async with over_http(caller.url, caller.key, MODES[era]) as client:
                yield client
            return
        async with await MemoryBus.connect(running.stack.address) as bus:
            server = in_process(bus, user, settings=McpSettings(groups=("refine",)))
            async with Client(server, mode=MODES[era]) as client:
                yield client

    return open_client


async def read(client: Any, uri: str) -> Any:
    [content] = (await client.read_resource(uri)).contents
    assert content.mime_type == "application/json"
    return json.loads(content.text)


async def run(client: Any, **more: Any) -> str:
    """A session with a draft, a critique and a revision.  Returns its id."""
    session: str = (await use(client, "draft", query=WHY, **more))["session_id"]
    for tool in ("critique", "revise"):
        await use(client, tool, session_id=session)
    return session


async def test_the_flows_model_writes_the_texts_and_resources_show_them(connect: Open, user: str) -> None:
    async with connect(user) as client:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert [name for name in tools if name in SIX] == SIX
        assert all(tools[name].output_schema["type"] == "object" for name in SIX)
        session = await run(client, companion_type="bug_triage")
        of = f"resource://sessions/{session}"
        critique = await read(client, f"{of}/latest_critique")
        assert critique == {
            "session_id": session,
            "slot_index": 0,
            "index": 0,
            "critique": "Say which light",
            "of_text": "draft",
            "at": critique["at"],
        }
        draft = await read(client, f"{of}/baseline_draft")
        assert (draft["query"], draft["draft"], draft["variant"]) == (WHY, "Light scatters", "server-default")
        [slot] = (await read(client, f"{of}/iteration_timeline"))["slots"]
        assert [each["phase"] for each in slot["events"]] == ["draft", "critique", "revise"]
        analysis = await read(client, f"{of}/convergence_analysis")
        assert (analysis["phase"], analysis["converged"], len(analysis["similarity"])) == ("balanced", False, 1)

        log = await read(client, f"{of}/bug_triage/run_log")
        assert (log["total_slots"], log["current_slot"]) == (1, log["run_log"][0])
        assert log["run_log"][0]["revision"] == ["Blue light scatters most"]
        one = await read(client, f"{of}/bug_triage/run_log/0")
        assert one == {"slot_index": 0, "slot": log["run_log"][0], "total_slots": 1}
        assert (await read(client, f"{of}/bug_triage/history"))["total"] == 2
        assert (await read(client, f"{of}/bug_triage/phase"))["next_action"] == "critique_or_finalize"
        assert (await read(client, f"{of}/bug_triage/suggestions"))["confidence"] == "medium"
        assert (await read(client, f"{of}/phase_metrics"))["phase_metrics"]["total_phase_requests"] == 3
        assert (await read(client, f"{of}/timing_metrics"))["session_timing"]["is_active"] is True
        assert (await read(client, "resource://metrics/global"))["avg_iterations_by_type"] == {"bug_triage": 1}
        assert (await read(client, "resource://templates/all"))["count"] == 7
        prompt = await read(client, f"{of}/bug_triage/full_prompt")
        assert (prompt["phase"], prompt["turn"], prompt["session_id"]) == ("critique", 0, session)
        assert WHY in prompt["full_prompt"]
        assert "Blue light scatters most" in prompt["full_prompt"]
        assert prompt["protocol_context"] in prompt["full_prompt"]
        [transcript] = (await client.read_resource(f"{of}/transcript")).contents
        assert "> Blue light scatters most" in transcript.text
        [protocol] = (await client.read_resource("resource://protocol")).contents
        assert "critique" in protocol.text


async def test_single_templates_have_their_metadata(connect: Open, user: str) -> None:
    async with connect(user) as client:
        one = await read(client, "resource://templates/marketing/user/critique")
        assert "Critique the newest text" in one["content"]
        assert one["metadata"] == {
            "uses_protocol": False,
            "domain": "marketing",
            "type": "user",
            "phase": "critique",
            "key": "marketing/user/critique",
            "prompt_id": "refine-critique",
        }
        former = await read(client, "resource://templates/bug_triage/sys/initial")
        assert former["metadata"]["prompt_id"] == "refine-companion-bug-triage"
        of_domain = await read(client, "resource://templates/strategy/all")
        assert (of_domain["query"], of_domain["count"]) == ({"domain": "strategy"}, 6)
        of_phase = await read(client, "resource://templates/revise/sys")
        assert (of_phase["count"], sorted(of_phase["templates"])) == (4, ["bug_triage", "generic", "marketing", "strategy"])
        assert (await read(client, "resource://templates/domains"))["total"] == 4
        for wrong in ("wizard/sys/draft", "generic/tool/draft", "generic/sys/finish", "wizard/all", "finish/sys"):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(f"resource://templates/{wrong}")
            assert refused.value.error.code == -32602


async def test_metrics_tell_the_time_that_steps_take(connect: Open, user: str) -> None:
    async with connect(user) as client:
        empty = await read(client, "resource://metrics/all_sessions_timing")
        assert (empty["summary"]["total_sessions"], empty["convergence"]["convergence_rate"]) == (0, 0.0)
        for _ in range(3):
            await run(client, companion_type="strategy")
        await use(client, "draft", query=WHY)
        timing = await read(client, "resource://metrics/all_sessions_timing")
        assert timing["summary"] == {"total_sessions": 4, "sessions_with_metrics": 4, "metrics_coverage": 1.0}
        assert timing["phase_timing_aggregate"]["phase_counts"] == {"draft": 4, "critique": 3, "revise": 3}
        of = await read(client, "resource://metrics/companion_type/strategy/timing")
        assert (of["sessions_analyzed"], of["phase_counts"]["draft"]) == (3, 3)
        assert of["similarity_metrics"]["samples"] == 3
        assert (await read(client, "resource://metrics/companion_type/marketing/timing"))["similarity_metrics"] is None
        of = await read(client, "resource://metrics/companion/strategy")
        assert (of["session_count"], of["average_iterations"], of["predicted_iterations"]) == (3, 1, 1)
        [advice] = (await read(client, "resource://metrics/suggestions"))["suggestions"]
        assert (advice["type"], advice["companion"]) == ("iteration_prediction", "strategy")
        with pytest.raises(MCPError):
            await client.read_resource("resource://metrics/companion_type/wizard/timing")


async def test_a_session_is_forgotten_with_the_conversation_that_its_draft_names(connect: Open, user: str) -> None:
    async with connect(user) as client:
        kept = await run(client)
        gone = await run(client, conversation_id="trip")
        asked = await use(client, "draft", query=WHY, sampling=CLIENT, conversation_id="trip")
        text = {"session_id": asked["session_id"], "query": WHY, "draft": "Light scatters", "nonce": asked["nonce"]}
        assert "nonce_mismatch" in await refusal(client, "draft_complete", **text)
        await use(client, "draft_complete", **text, conversation_id="trip")
        await use(client, "delete_memory", conversation_id="trip")
        for session in (gone, asked["session_id"]):
            with pytest.raises(MCPError):
                await client.read_resource(f"resource://sessions/{session}/baseline_draft")
        assert await read(client, f"resource://sessions/{kept}/baseline_draft")


async def test_the_clients_model_writes_the_texts(connect: Open, user: str) -> None:
    async with connect(user) as client:
        asked = await use(client, "draft", query=WHY, sampling={**CLIENT, "temperature": 0.3, "max_tokens": 500})
        session = asked["session_id"]
        assert {
            name: asked[name] for name in ("use_client_sampling", "temperature", "max_tokens", "model", "history_length")
        } == {
            "use_client_sampling": True,
            "temperature": 0.3,
            "max_tokens": 500,
            "model": None,
            "history_length": 0,
        }
        assert "draft" not in asked
        assert WHY in asked["user"]
        assert "draft, critique, revise" in asked["system"]
        done = {"session_id": session, "query": WHY, "draft": "Light scatters", "nonce": asked["nonce"]}
        logged = {"status": "logged", "session_id": session}
        assert await use(client, "draft_complete", **done, metadata={"model": "claude"}) == logged
        asked = await use(client, "critique", session_id=session)
        done = {"session_id": session, "query": WHY, "draft": "Light scatters", "nonce": asked["nonce"]}
        assert await use(client, "critique_complete", **done, critique="Say which light") == logged
        asked = await use(client, "revise", session_id=session)
        done |= {"critique": "Say which light", "nonce": asked["nonce"]}
        assert await use(client, "revise_complete", **done, revision="Blue light scatters most") == logged
        assert await use(client, "revise_complete", **done, revision="Blue light scatters most") == logged
        again = await refusal(client, "revise_complete", **done, revision="Another")
        assert "nonce_mismatch: " in again
        slot = (await read(client, f"resource://sessions/{session}/generic/run_log"))["current_slot"]
        assert (slot["revision"], slot["variant"]) == (["Blue light scatters most"], "claude")


async def test_refusals_have_names(connect: Open, user: str) -> None:
    async with connect(user) as client:
        assert "invalid_session: " in await refusal(client, "critique", session_id=str(uuid4()))
        assert "invalid_session: " in await refusal(client, "critique", session_id="1")
        assert "validation_error: " in await refusal(client, "draft")
        assert "validation_error: companion_type" in await refusal(client, "draft", query=WHY, companion_type="wizard")
        heat = await refusal(client, "draft", query=WHY, sampling={"heat": 1})
        assert "validation_error: sampling.heat = 1: unknown: leave it out" in heat
        session = (await use(client, "draft", query=WHY))["session_id"]
        assert "no_critique: " in await refusal(client, "revise", session_id=session)
        assert "validation_error: " in await refusal(client, "draft", session_id=session)
        assert (await use(client, "draft", session_id=session, confirm=True))["session_id"] == session
        wrong = {"session_id": session, "critique": "Say which light", "nonce": "1"}
        assert "nonce_mismatch: " in await refusal(client, "critique_complete", **wrong)


async def test_another_users_session_is_not_found(connect: Open, user: str) -> None:
    async with connect(user) as client:
        session = await run(client)
    uris = [f"resource://sessions/{session}/{name}" for name in (*REQUIRED, "transcript", "phase_metrics", "timing_metrics")]
    uris += [
        f"resource://sessions/{session}/generic/{name}"
        for name in ("run_log", "run_log/0", "history", "phase", "suggestions", "full_prompt")
    ]
    unknown = [uri.replace(session, str(uuid4())) for uri in uris]
    async with connect(f"{user}-other") as client:
        for uri in (*uris, *unknown):
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.error.code == -32602, uri
            assert "scatters" not in str(refused.value)
        assert (await read(client, "resource://metrics/global"))["convergence_patterns"] == []
        for tool in ("critique", "revise"):
            assert "invalid_session: " in await refusal(client, tool, session_id=session)
    async with connect(user) as client:
        for uri in (f"resource://sessions/{session}/strategy/phase", f"resource://sessions/{session}/generic/run_log/7"):
            with pytest.raises(MCPError):
                await client.read_resource(uri)
