"""Faults of TrustGraph 2.11 that an agent in its stock agent's place would inherit (``docs/deviations.md`` numbers them)."""

import asyncio
import contextlib
import json
import time

import aiohttp
import pytest

from .conftest import Pair, answer_of, error_of
from .test_drop_in import recalls
from .trustgraph import PATIENCE_S

pytestmark = [pytest.mark.stock, pytest.mark.asyncio(loop_scope="session")]


async def test_an_error_reaches_the_client_as_text(pair: Pair) -> None:
    """1: the stock gateway replaces the text of an error field by a fault of its own."""
    (message,) = await pair.trustgraph.ask("mem", {"question": ""})
    assert error_of(message) == "Error: the question is empty: ask something"


async def test_a_changed_tool_service_does_not_wipe_the_tools(pair: Pair) -> None:
    """2: a notify names only what changed, and the stock agent takes the rest for gone."""
    await pair.settings(enable_memory=False)
    before = await pair.offered("mem", {"question": "capital?"})
    late = json.dumps({"id": "late", "request-queue": "request:tg:x", "response-queue": "response:tg:x"})
    await pair.configure([("tool-service", "late", late)])
    assert await pair.offered("mem", {"question": "capital?"}) == before
    # and a tool of a service that was told of earlier
    tool = {"id": "second", "name": "second", "type": "tool-service", "description": "About second", "service": "late"}
    await pair.configure([("tool", "second", json.dumps({**tool, "arguments": []}))])
    assert await pair.offered("mem", {"question": "capital?"}) == sorted([*before, "second"])
    # the stock agents of this TrustGraph get their tools back for other tests
    await pair.configure([("tool-service", "late", late), ("tool", "second", json.dumps({**tool, "arguments": []}))])
    for flow in ("stock", "patterns"):
        await pair.trustgraph.answers(flow, with_tools=True)


async def test_tools_of_trustgraphs_tool_services_work(pair: Pair) -> None:
    """3: in 2.11.1 the stock agents cannot call them.  The service is TrustGraph's own example."""
    await pair.settings(enable_memory=False)
    messages = await pair.trustgraph.ask("mem", {"question": "JOKE please"})
    observed = "".join(message.get("content", "") for message in messages if message.get("message_type") == "observation")
    assert observed.startswith("Here's a pun for you:")
    assert messages[-1].get("end_of_dialog")


async def test_a_tool_of_an_unknown_type_leaves_the_others_alone(pair: Pair) -> None:
    """4: a stock agent loads no tool of such a workspace."""
    await pair.settings(enable_memory=False, workspace="other")
    assert await pair.offered("mem", {"question": "capital?"}, workspace="other") == ["ask", "hold"]


async def test_a_workspace_without_tools_has_an_agent(pair: Pair) -> None:
    """5: stock: "No agent configuration for workspace"."""
    trustgraph = pair.trustgraph
    await trustgraph.start_flow("toolless", over="bare", workspace="third")
    await trustgraph.answers("toolless", workspace="third")
    messages = await trustgraph.ask("toolless", {"question": "capital?"}, workspace="third")
    assert answer_of(messages) == "Paris is the capital of France."
    await trustgraph.stop_flow("toolless", workspace="third")


async def test_a_held_up_request_holds_up_nobody_else(pair: Pair) -> None:
    """6: stock processors work through one queue for all workspaces, flows and configuration changes."""
    trustgraph = pair.trustgraph
    for workspace in ("default", "other"):
        await pair.settings(enable_memory=False, workspace=workspace)
    await trustgraph.switch(hold=True)
    held = asyncio.create_task(trustgraph.ask("mem", {"question": "HOLD"}))
    try:

        async def is_held() -> bool:
            return bool((await trustgraph.seen())["held"])

        await trustgraph.until(is_held, "the tool that waits")
        for workspace in ("default", "other"):
            messages = await trustgraph.ask("mem", {"question": "capital?"}, workspace=workspace)
            assert messages[-1].get("end_of_dialog")
        await pair.settings(enable_memory=False)
        assert not held.done()
    finally:
        await trustgraph.switch(hold=False)
    assert "hold of Oslo: sun" in [message.get("content") for message in await held]


async def test_a_rate_limit_is_waited_out(pair: Pair) -> None:
    """7: what is refused on a request topic is never delivered again."""
    await pair.settings(enable_memory=False)
    messages = await pair.trustgraph.ask("mem", {"question": "RATELIMIT capital?"}, timeout_s=2 * PATIENCE_S)
    assert answer_of(messages) == "Paris is the capital of France."


async def test_no_librarian_does_not_hold_up_the_answer(pair: Pair) -> None:
    """8: stock waits two minutes for each of five texts."""
    await pair.settings(enable_memory=False)
    await pair.trustgraph.switch(librarian=False)
    try:
        started = time.monotonic()
        messages = await pair.trustgraph.ask("mem", {"question": "TOOL capital of France?"})
        assert messages[-1].get("end_of_dialog")
        assert time.monotonic() - started < 30
    finally:
        await pair.trustgraph.switch(librarian=True)


async def test_a_flow_with_little_more_than_the_agent_works(pair: Pair) -> None:
    """11: a missing topic stops a stock processor in the middle of its configuration."""
    trustgraph = pair.trustgraph
    await trustgraph.start_flow("bare", over="bare")
    await trustgraph.answers("bare")
    assert answer_of(await trustgraph.ask("bare", {"question": "capital?"})) == "Paris is the capital of France."
    # what was configured before goes on, and so does what is configured after
    assert (await trustgraph.ask("mem", {"question": "capital?"}))[-1].get("end_of_dialog")
    await trustgraph.stop_flow("bare")


async def test_no_message_has_an_empty_error(pair: Pair) -> None:
    """12: trustgraph.api fails at an ``error`` of null."""
    await pair.settings(enable_memory=True)
    messages = [
        *await pair.trustgraph.ask("mem", {"question": "TOOL"}),
        await pair.trustgraph.post("mem", "agent", {"question": "x"}),
    ]
    assert [message for message in messages if "error" in message] == []


async def test_memory_stays_in_its_workspace_whatever_the_body_says(pair: Pair) -> None:
    """16: over HTTP the stock gateway lets a reader of one workspace name another; ours takes the one of the queue."""
    for workspace in ("default", "other"):
        await pair.settings(enable_memory=True, workspace=workspace)
    trustgraph = pair.trustgraph
    await trustgraph.ask("mem", {"question": "My uncle Oskar grows quinces in Graz.", "conversation_id": "fruit"})
    await recalls(pair, "Where does Oskar grow quinces?", "Graz", conversation="more fruit")
    asked = "Where does Oskar grow quinces?"
    await trustgraph.post("mem", "agent", {"question": asked, "workspace": "other", "conversation_id": "fruit"})
    assert "Graz" not in await pair.last_prompt()
    # the field of a client is not the workspace of its flow
    await trustgraph.ask("mem", {"question": asked, "workspace": "default", "conversation_id": "fruit"}, workspace="other")
    assert "Graz" not in await pair.last_prompt()


async def test_the_gateway_has_no_way_to_the_memory_services(pair: Pair) -> None:
    """17: what a blueprint passes through is not authorised over WebSocket, so ours passes nothing through."""
    interfaces = json.loads(pair.trustgraph.configuration().values("flow")["mem"])["interfaces"]
    assert not [name for name in interfaces if "memory" in name or name.startswith(("thru", "agent-"))]
    for service in ("agent-facts", "thru/agent-facts"):
        with contextlib.suppress(aiohttp.ClientError):  # refused with a status, or with an error in the answer
            assert set(await pair.trustgraph.post("mem", service, {"operation": "list"})) == {"error"}
