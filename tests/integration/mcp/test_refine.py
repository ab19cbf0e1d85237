"""Group ``refine``: its tools and resources, in process and over HTTP, in both eras."""

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from mcp import Client

from tests.integration.http.served import Served, serve
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.http.settings import McpSettings
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

from .conftest import GROUP_WAYS, MODES, Open, in_process, over_http
from .test_tools import refusal, use

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]

THREE = ["draft", "critique", "revise"]
WHY = "Why is the sky blue?"
MODEL = ScriptedModel(
    rules=(
        Rule(when="(?s)Draft an answer.*silence", answer="  "),
        Rule(when="(?s)Draft an answer.*stop", answer="Light scatters. STOP here"),
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
            server = in_process(bus, user, settings=McpSettings(groups="refine"))
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
        assert [name for name in tools if name in THREE] == THREE
        assert all(tools[name].output_schema["type"] == "object" for name in THREE)
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

        log = await read(client, f"{of}/run_log")
        assert (log["total_slots"], log["current_slot"]) == (1, log["run_log"][0])
        assert log["run_log"][0]["revision"] == ["Blue light scatters most"]
        assert (await read(client, "resource://metrics/global"))["avg_iterations_by_type"] == {"bug_triage": 1}


async def test_the_clients_model_writes_the_texts(connect: Open, user: str) -> None:
    async with connect(user) as client:
        asked = len(MODEL.calls)
        begun = await use(client, "draft", query=WHY, text="Light scatters", sampling={"model": "claude"})
        session = begun["session_id"]
        assert (begun["draft"], begun["model_used"], begun["not_applied"]) == ("Light scatters", "", [])
        assert begun["phase"]["next_action"] == "critique"
        judged = await use(client, "critique", session_id=session, text="Say which light")
        assert (judged["critique"], judged["suggestions"]["next_action"]) == ("Say which light", "revise")
        await use(client, "revise", session_id=session, text="Blue light scatters most")
        again = await refusal(client, "revise", session_id=session, text="Another")
        assert "no_critique: " in again
        slot = (await read(client, f"resource://sessions/{session}/run_log"))["current_slot"]
        assert (slot["revision"], slot["variant"]) == (["Blue light scatters most"], "claude")
        assert slot["sampling"]["execution_mode"] == "client"
        assert len(MODEL.calls) == asked
        mixed = await use(client, "critique", session_id=session)
        assert (mixed["critique"], mixed["model_used"]) == ("Say which light", "scripted")
