"""The socket: TrustGraph's envelope, requests to all services, who may ask for what, and its limits."""

import asyncio
import subprocess
import sys
from typing import Any

import aiohttp
import pytest

from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http.events.hub import EventLimits
from trustgraph_react_mem.memory.scope import Scope

from .conftest import PATIENCE_S, HeldModel, Message, Site, short

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]

WITH_TRUSTGRAPHS_PYTHON = """
import sys
from trustgraph.api import Api
flow = Api(sys.argv[1], token=sys.argv[2]).socket().flow("default")
chunks = flow.agent(sys.argv[3], streaming=True, conversation_id=sys.argv[3])
print("".join(chunk.content for chunk in chunks if type(chunk).__name__ == "AgentAnswer"))
"""


async def ask_with_trustgraphs_client(site: Site, key: str, question: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-c", WITH_TRUSTGRAPHS_PYTHON, site.url + "/", key, question]
    return await asyncio.to_thread(subprocess.run, command, capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False)


async def test_trustgraphs_python_client_asks_the_agent_unchanged(site: Site) -> None:
    told = await ask_with_trustgraphs_client(site, "ann-key", "My boat Gudrun lies in Bergen.")
    assert told.returncode == 0, told.stderr
    async with site.socket() as socket:
        await socket.ask("jobs", {"operation": "wait-idle", "kind": "record"})
    asked = "Where does the boat Gudrun lie?"
    assert "Bergen" in (await ask_with_trustgraphs_client(site, "ann-key", asked)).stdout
    assert "Bergen" not in (await ask_with_trustgraphs_client(site, "bob-key", asked)).stdout


async def test_trustgraphs_python_client_learns_that_its_token_is_wrong(site: Site) -> None:
    assert "auth failure" in (await ask_with_trustgraphs_client(site, "no-such-key", "x")).stderr


async def test_a_request_before_authentication_is_refused_and_the_socket_stays_open(site: Site) -> None:
    async with site.socket("") as socket:
        reply = await socket.ask("facts", {"operation": "list"})
        assert reply["error"] == {"message": "auth failure", "type": "auth-required"}
        await socket.raw.send_json({"type": "auth", "token": "wrong"})
        assert await socket.receive() == {"type": "auth-failed", "error": "auth failure"}
        await socket.raw.send_json({"type": "auth", "token": "ann-key"})
        assert (await socket.receive())["type"] == "auth-ok"


async def test_the_key_of_the_handshake_counts_for_nothing(site: Site) -> None:
    async with site.socket("", headers={"Authorization": "Bearer ann-key"}) as socket:
        assert (await socket.ask("facts", {"operation": "list"}))["error"]["type"] == "auth-required"
        await socket.raw.send_json({"type": "auth", "token": ""})
        assert (await socket.receive())["type"] == "auth-failed"


@pytest.mark.parametrize(
    ("frame", "text"),
    [
        ("no json", "not JSON"),
        ("[1]", "object"),
        ("[" * 100_000, "not JSON"),
        ('{"id": "1", "service": "facts"}', "request"),
        ('{"service": "facts", "request": {}}', "id"),
        ('{"id": true, "service": "facts", "request": {}}', "id"),
        ('{"id": "1", "service": ["facts"], "request": {}}', "service"),
        ('{"id": "1", "service": "facts", "request": {"operation": "lust"}}', "lust"),
        ('{"id": "1", "service": "facts", "request": {"operation": "retrieve", "query": "x", "top-k": "many"}}', "top_k"),
        ('{"id": "1", "service": "facts", "request": {"operation": "list", "user": 5}}', "user"),
        ('{"id": "1", "service": "agent", "request": {}}', "question is empty"),
        ('{"id": "1", "service": "agent", "request": {"question": 5}}', "question must be a string, not number"),
        ('{"id": NaN, "service": "facts", "request": {"operation": "list"}}', "not JSON"),
        ('{"id": "1", "service": "agent", "request": {"question": "x", "streaming": "yes"}}', "streaming"),
        ('{"id": "1", "service": "agent", "flow": "nowhere", "request": {"question": "x"}}', "nowhere"),
        ('{"id": "1", "service": "events", "request": {"operation": "subscribe", "kinds": ["x"]}}', "kinds"),
        ('{"id": "1", "service": "events", "request": {"operation": "subscribe", "after": 5}}', "cursor"),
        ('{"id": "1", "service": "events", "request": {"operation": "stop"}}', "stop"),
    ],
)
async def test_a_bad_message_is_answered_and_names_what_is_wrong(site: Site, frame: str, text: str) -> None:
    async with site.socket() as socket:
        await socket.raw.send_str(frame)
        reply = await socket.receive()
        assert reply["complete"] is True
        assert reply["error"]["type"] == "error"
        assert text in reply["error"]["message"]
        assert (await socket.ask("facts", {"operation": "list"}))["response"]["facts"] is not None


async def test_unknown_services_and_other_workspaces_have_trustgraphs_error_types(site: Site) -> None:
    async with site.socket() as socket:
        assert (await socket.ask("graph-rag", {"query": "x"}))["error"]["type"] == "unknown-service"
        listing = {"operation": "list"}
        assert (await socket.ask("facts", listing, workspace="other"))["error"]["type"] == "access-denied"
        assert "response" in await socket.ask("facts", listing, workspace="default", flow="default")


async def test_facts_are_stored_and_found_with_names_in_either_spelling(site: Site) -> None:
    async with site.socket("bob-key") as socket:
        stored = await socket.ask("facts", {"operation": "store", "content": "Bob grows leeks.", "metadata": {"a-b": "c_d"}})
        fact_id = stored["response"]["fact-id"]
        for top in ("top-k", "top_k"):
            found = await socket.ask("facts", {"operation": "retrieve", "query": "leeks", top: 1})
            assert [fact["id"] for fact in found["response"]["facts"]] == [fact_id]
        assert found["response"]["facts"][0]["metadata"]["a-b"] == "c_d"
        assert "valid-from" in found["response"]["facts"][0]
        assert "error" not in found["response"]


@pytest.mark.parametrize("service", ["episodes", "conversations", "jobs"])
async def test_the_other_services_answer(site: Site, service: str) -> None:
    async with site.socket("bob-key") as socket:
        assert "count" in (await socket.ask(service, {"operation": "list"}))["response"]


async def test_another_user_in_the_body_is_refused_and_ids_of_others_find_nothing(site: Site) -> None:
    async with site.socket("ann-key") as ann, site.socket("bob-key") as bob:
        stored = await ann.ask("facts", {"operation": "store", "content": "Ann hides a key under the oleander."})
        listing = {"operation": "list", "user": "ann"}
        assert (await bob.ask("facts", listing))["error"]["type"] == "access-denied"
        for service in ("agent", "events"):
            body = {"operation": "subscribe", "question": "x", "user": "ann"}
            assert (await bob.ask(service, body))["error"]["type"] == "access-denied"
        got = await bob.ask("facts", {"operation": "get", "ids": [stored["response"]["fact-id"]]})
        assert got.get("response", {}).get("facts", []) == []


async def test_what_is_an_operators_is_refused_to_a_user(site: Site) -> None:
    async with site.socket() as socket:
        reply = await socket.ask("jobs", {"operation": "list", "all-scopes": True})
        assert reply["error"]["type"] == "access-denied"
        forged = {"operation": "forget-scope", "level": "workspace", "operator": "1.2.3"}
        assert (await socket.ask("facts", forged))["error"]["type"] == "access-denied"


async def test_a_gateway_names_a_user_in_each_request(site: Site) -> None:
    async with site.socket("gateway-key") as socket:
        assert "user" in (await socket.ask("facts", {"operation": "list"}))["error"]["message"]
        await socket.ask("facts", {"operation": "store", "content": "Cy rows.", "user": "cy"})
        found = await socket.ask("facts", {"operation": "list", "user": "cy"})
        assert [fact["content"] for fact in found["response"]["facts"]] == ["Cy rows."]
        assert (await socket.ask("facts", {"operation": "list", "user": "di"}))["response"]["facts"] == []


async def test_a_key_that_may_only_read_writes_nothing(site: Site) -> None:
    async with site.socket("reader-key") as socket:
        body = {"operation": "store", "content": "x", "collection": "read"}
        assert (await socket.ask("facts", body))["error"]["type"] == "access-denied"
        await socket.send("a", "agent", {"question": "I like tea.", "collection": "read"})
        while not (await socket.receive())["complete"]:
            pass
        await socket.ask("jobs", {"operation": "wait-idle", "collection": "read"})
        assert (await socket.ask("facts", {"operation": "list", "collection": "read"}))["response"]["facts"] == []


async def test_requests_are_multiplexed(site: Site) -> None:
    """More than the fifteen that run at once."""
    async with site.socket() as socket:
        for number in range(40):
            await socket.send(number, "facts", {"operation": "list", "limit": 1})
        replies = [await socket.receive() for _ in range(40)]
        assert sorted(reply["id"] for reply in replies) == list(range(40))


@pytest.mark.parametrize("limits", [{"waiting": 3}, {"waiting_bytes": 400}], ids=str)
async def test_requests_beyond_those_that_may_wait_are_refused(stack: EmbeddedStack, limits: dict[str, Any]) -> None:
    async with Site(stack, short(outstanding=1, **limits)) as site, site.socket() as socket:
        for number in range(20):
            await socket.send(number, "facts", {"operation": "list", "limit": 1})
        replies = [await socket.receive() for _ in range(20)]
        codes = [reply["error"]["code"] for reply in replies if "error" in reply]
        assert set(codes) == {"rate-limited"}
        assert 3 <= 20 - len(codes) < 20


async def test_a_socket_whose_requests_take_long_is_read_on(stack: EmbeddedStack, model: HeldModel) -> None:
    """Otherwise the answers to pings were not seen, and the socket was closed."""
    async with Site(stack, short(outstanding=1)) as site, site.socket() as socket:
        for number in range(3):
            await socket.send(number, "agent", {"question": "HELD?"})
        await socket.raw.send_str("no json")
        assert "not JSON" in (await socket.receive())["error"]["message"]  # before any of the three
        model.released.set()
        ended = 0
        while ended < 3:
            ended += (await socket.receive())["complete"]


async def test_the_agent_streams_and_ends_with_one_complete_message(site: Site) -> None:
    async with site.socket() as socket:
        await socket.send("a", "agent", {"question": "Where does Ann live?", "streaming": True}, flow="default")
        messages: list[Message] = []
        while not messages or not messages[-1]["complete"]:
            messages.append(await socket.receive())
        assert {message["id"] for message in messages} == {"a"}
        assert [message["complete"] for message in messages].count(True) == 1
        assert messages[-1]["response"]["end_of_dialog"] is True


async def test_a_client_cannot_name_who_speaks(site: Site) -> None:
    """The fields that only the listener sets are dropped: the words count as those of the caller."""
    async with site.socket("gateway-key") as socket:
        body = {"question": "I keep bees.", "user": "eve", "speaker": "Mallory", "speaker-proof": "1.2", "correlation_id": "x"}
        await socket.send("a", "agent", body)
        while not (await socket.receive())["complete"]:
            pass
        await socket.ask("jobs", {"operation": "wait-idle", "kind": "record", "user": "eve"})
        facts = (await socket.ask("facts", {"operation": "list", "user": "eve"}))["response"]["facts"]
        assert facts
        assert "Mallory" not in {fact["speaker"] for fact in facts}


async def test_a_page_of_another_site_cannot_open_a_socket(site: Site) -> None:
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await site.session.ws_connect(f"{site.url}/v1/socket", headers={"Origin": "https://evil.example"})
    assert refused.value.status == 403
    async with site.socket(headers={"Origin": site.url}) as socket:
        assert "response" in await socket.ask("facts", {"operation": "list"})


async def test_the_requests_of_a_socket_count_against_the_rate_of_the_key(stack: EmbeddedStack) -> None:
    async with Site(stack, rate_limit=3) as site, site.socket() as socket:
        replies = [await socket.ask("facts", {"operation": "list"}) for _ in range(4)]
        assert [reply.get("error", {}).get("code") for reply in replies] == [None, None, None, "rate-limited"]


async def test_a_socket_without_authentication_is_closed(stack: EmbeddedStack) -> None:
    async with Site(stack, short(auth_s=0.3)) as site, site.socket("") as socket:
        assert (await socket.closed())[0] == 4401
    async with Site(stack, short(auth_tries=3)) as site, site.socket("") as socket:
        for _ in range(3):
            await socket.raw.send_json({"type": "auth", "token": "wrong"})
        assert (await socket.closed())[0] == 4401


async def test_a_revoked_key_ends_the_socket_and_the_stream(stack: EmbeddedStack) -> None:
    async with Site(stack, short(check_s=0.2, ping_s=0.2)) as site, site.socket() as socket, site.stream() as stream:
        await socket.ask("events", {"operation": "unsubscribe", "id": "none"})
        site.revoked.add("ann-key")
        code, _ = await socket.closed()
        assert code == 4401
        async for event in stream.events():
            assert event["event"] == "closed"
            break


async def test_connections_are_limited(stack: EmbeddedStack) -> None:
    limits = short(connections=3, connections_a_key=1)
    async with Site(stack, limits) as site, site.socket("ann-key"):
        async with site.socket("") as second:
            await second.raw.send_json({"type": "auth", "token": "ann-key"})
            assert (await second.receive())["type"] == "auth-failed"
            assert (await second.closed())[0] == 1013
        headers = {"Authorization": "Bearer ann-key"}
        async with site.session.get(f"{site.url}/v1/events", headers=headers) as refused:
            assert (refused.status, refused.headers["Retry-After"].isdecimal()) == (429, True)
        async with site.socket("bob-key"), site.socket(""):
            with pytest.raises(aiohttp.WSServerHandshakeError) as full:
                await site.session.ws_connect(f"{site.url}/v1/socket")
            assert full.value.status == 429
        async with site.socket("bob-key") as again:  # those that were closed count no longer
            assert "response" in await again.ask("facts", {"operation": "list"})


async def test_a_message_over_the_limit_closes_the_socket(stack: EmbeddedStack) -> None:
    async with Site(stack, max_body=10_000) as site, site.socket() as socket:
        await socket.send("a", "facts", {"operation": "store", "content": "x" * 20_000})
        assert (await socket.closed())[0] == 1009


async def test_a_client_that_does_not_read_is_closed_with_its_last_cursor(
    stack: EmbeddedStack, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO", "trustgraph_react_mem.http.events.sender")
    async with Site(stack, short(slow_s=0.5, close_s=PATIENCE_S, queued=4)) as site, site.socket() as socket:
        await socket.send("e", "events", {"operation": "subscribe", "kinds": ["recall"]})
        first: Any = (await socket.receive())["response"]["cursor"]
        scope = Scope(workspace="default", user="ann", collection="default")
        async with asyncio.timeout(PATIENCE_S):
            while "took no message" not in caplog.text:
                site.hub.rings.publish(scope, "recall", {"record_ids": ["x" * 20_000]})
                await asyncio.sleep(0)
        code, reason = await socket.closed()
        assert code == 1013
        assert reason.startswith("too slow; last cursor ")
        assert reason.rpartition(" ")[2] != first


async def test_the_end_of_the_server_closes_sockets_at_once(stack: EmbeddedStack) -> None:
    site = Site(stack)
    await site.__aenter__()
    async with site.socket() as socket:
        closing = asyncio.create_task(site.hub.close())
        async with asyncio.timeout(PATIENCE_S):
            assert (await socket.closed())[0] == 1001
        await closing
    await site.__aexit__()


async def test_a_revoked_key_is_noticed_within_seconds() -> None:
    assert EventLimits().check_s <= 3
