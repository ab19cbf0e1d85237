"""Events: what is reported, to whom, and how a client goes on after a gap."""

import json

import pytest

from trustgraph_react_mem.http.events.event import LOST
from trustgraph_react_mem.memory.scope import Scope

from .conftest import Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]

SUBSCRIBE = {"operation": "subscribe"}


async def test_a_memory_is_reported_when_it_is_made_changed_superseded_and_forgotten(site: Site) -> None:
    async with site.socket("ann-key") as events, site.socket("ann-key") as socket:
        await events.send("e", "events", {**SUBSCRIBE, "collection": "lives"})
        assert (await events.receive())["response"]["operation"] == "subscribed"

        async def facts(operation: str, **more: object) -> dict[str, object]:
            reply = await socket.ask("facts", {"operation": operation, "collection": "lives", **more})
            response: dict[str, object] = reply["response"]
            return response

        first = (await facts("store", content="Ann lives in Bern.", key="home"))["fact-id"]
        made = await events.until(kind="memory.created", record_id=first)
        assert (made["store"], made["memory_kind"], made["status"]) == ("facts", "semantic", "active")
        second = (await facts("store", content="Ann lives in Basel.", key="home"))["fact-id"]
        gone = await events.until(kind="memory.superseded", record_id=first)
        assert gone["superseded_by"] == second
        await facts("update", id=second, importance=0.9)
        await events.until(kind="memory.updated", record_id=second)
        await facts("retrieve", query="Where does Ann live?")
        recalled = await events.until(kind="recall", store="facts")
        assert second in recalled["record_ids"]
        await facts("forget", ids=[second])
        await events.until(kind="memory.forgotten", record_id=second)


async def test_the_erasure_of_a_collection_is_reported(site: Site) -> None:
    async with site.socket() as socket, site.stream(query="?collection=brief&kinds=forgotten,job") as stream:
        await socket.ask("facts", {"operation": "store", "content": "Soon gone.", "collection": "brief"})
        await socket.ask("facts", {"operation": "forget-scope", "level": "collection", "collection": "brief"})
        event = await stream.until(kind="memory.forgotten", all=True)
        assert event["event"] == "memory.forgotten"


async def test_a_turn_is_followed_from_recall_to_its_jobs_and_memories(site: Site) -> None:
    async with site.socket() as socket, site.socket() as events:
        await events.send("e", "events", {**SUBSCRIBE, "collection": "turns"})
        await events.receive()
        await socket.send("a", "agent", {"question": "My hen Berta lays blue eggs.", "collection": "turns"})
        while not (await socket.receive())["complete"]:
            pass
        await events.until(kind="recall", store="agent")
        seen: set[str] = set()
        while not {"memory.created", "job.succeeded"} <= seen:
            response = (await events.receive())["response"]
            seen.add(response["kind"])
            assert "Berta" not in json.dumps(response)


async def test_only_the_own_scope_is_reported(site: Site) -> None:
    """Another user, and another collection of the same one."""
    async with site.stream("bob-key") as bob, site.socket("ann-key") as ann, site.socket("bob-key") as own:
        await ann.ask("facts", {"operation": "store", "content": "A secret of Ann."})
        await own.ask("facts", {"operation": "store", "content": "In another collection.", "collection": "side"})
        mine = (await own.ask("facts", {"operation": "store", "content": "Bob is here."}))["response"]["fact-id"]
        async for event in bob.events():
            if event["event"].startswith("memory."):
                assert event["data"]["record_id"] == mine
                break


async def test_a_stream_goes_on_after_the_last_event_that_a_client_saw(site: Site) -> None:
    async with site.socket("bob-key") as socket:

        async def store(text: str) -> str:
            stored = await socket.ask("facts", {"operation": "store", "content": text, "collection": "resume"})
            return str(stored["response"]["fact-id"])

        async with site.stream("bob-key", "?collection=resume&kinds=learned") as stream:
            seen = await stream.until(record_id=await store("One."))
        missed = await store("Two.")
        async with site.stream("bob-key", "?collection=resume&kinds=learned", **{"Last-Event-ID": seen["id"]}) as stream:
            async for event in stream.events():
                assert event["event"] == "memory.created"
                assert event["data"]["record_id"] == missed
                break
        async with site.stream("bob-key", f"?collection=resume&after={seen['id']}") as stream:
            await stream.until(record_id=missed)


async def test_a_cursor_that_is_not_known_is_said_to_be_lost(site: Site) -> None:
    async with site.stream(query="?after=0123abcd-7&kinds=job.failed") as stream:
        async for event in stream.events():
            assert event["event"] == LOST
            assert event["data"]["after"] == "0123abcd-7"
            break


async def test_a_subscription_ends_when_it_is_asked_to_and_its_id_is_free_again(site: Site) -> None:
    async with site.socket() as socket:
        for _ in range(2):
            await socket.send("e", "events", SUBSCRIBE)
            assert (await socket.receive())["response"]["operation"] == "subscribed"
            await socket.send("e", "events", SUBSCRIBE)
            assert "same id" in (await socket.receive())["error"]["message"]
            await socket.send("u", "events", {"operation": "unsubscribe", "id": "e"})
            ended = await socket.receive()
            assert (ended["id"], ended["complete"]) == ("e", True)
            assert (await socket.receive())["response"] == {"ended": True}


async def test_another_caller_does_not_inherit_subscriptions(site: Site) -> None:
    async with site.socket("ann-key") as socket:
        await socket.send("e", "events", SUBSCRIBE)
        await socket.receive()
        await socket.raw.send_json({"type": "auth", "token": "bob-key"})
        assert (await socket.receive())["complete"] is True
        assert (await socket.receive())["type"] == "auth-ok"
        ring = site.hub.rings.find(Scope(workspace="default", user="ann", collection="default"))
        assert ring is not None
        assert ring.followers == 0


@pytest.mark.parametrize(
    ("query", "status", "text"),
    [
        ("?kinds=memory.crated", 400, "memory.crated"),
        ("?kind=recall", 400, "kind"),
        ("?after=" + "x" * 100, 400, "cursor"),
        ("?user_id=bob", 403, "bob"),
        ("?collection=%00", 400, "control characters"),
    ],
)
async def test_a_bad_request_for_events_is_refused(site: Site, query: str, status: int, text: str) -> None:
    async with site.session.get(f"{site.url}/v1/events{query}", headers={"Authorization": "Bearer ann-key"}) as response:
        assert response.status == status
        assert text in (await response.json(content_type=None))["detail"]


async def test_events_need_a_key(site: Site) -> None:
    async with site.session.get(f"{site.url}/v1/events") as response:
        assert response.status == 401
