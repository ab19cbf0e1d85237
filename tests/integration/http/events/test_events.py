"""Events: what is reported, to whom, how a client goes on after a gap, and how a stream ends."""

import asyncio
import json
from typing import Any

import pytest

from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http.events.feed import LOST
from trustgraph_react_mem.http.events.hub import EventHub
from trustgraph_react_mem.memory.requests import StoreFact, UpdateFact

from .conftest import PATIENCE_S, Site

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]


async def test_a_memory_is_reported_when_it_is_made_changed_superseded_and_forgotten(site: Site) -> None:
    bus = await site.buses.open("default")
    scope: dict[str, Any] = {"user": "ann", "collection": "lives"}
    async with site.stream(query="?collection=lives") as events:
        first = (await bus.call(StoreFact(content="Ann lives in Bern.", key="home", **scope))).fact_id
        made = (await events.until(kind="memory.created", record_id=first))["data"]
        assert (made["store"], made["memory_kind"], made["status"]) == ("facts", "semantic", "active")
        second = (await bus.call(StoreFact(content="Ann lives in Basel.", key="home", **scope))).fact_id
        gone = await events.until(kind="memory.superseded", record_id=first)
        assert gone["data"]["superseded_by"] == second
        await bus.call(UpdateFact(id=second, importance=0.9, **scope))
        await events.until(kind="memory.updated", record_id=second)
        await site.call("DELETE", f"/v1/memories/{second}?collection=lives")
        await events.until(kind="memory.forgotten", record_id=second)


async def test_a_turn_is_followed_to_its_jobs_and_memories(site: Site) -> None:
    async with site.stream("bob-key") as events:
        await site.ask("My hen Berta lays blue eggs.", "bob-key")
        seen: set[str] = set()
        async for event in events.events():
            seen.add(event["event"])
            assert "Berta" not in json.dumps(event)
            if {"memory.created", "job.succeeded"} <= seen:
                break


async def test_only_the_own_scope_is_reported(site: Site) -> None:
    """Another user, and another collection of the same one."""
    async with site.stream("bob-key", "?kinds=memory") as bob:
        await site.store("A secret of Ann.")
        await site.store("In another collection.", "bob-key", collection="side")
        mine = await site.store("Bob is here.", "bob-key")
        async for event in bob.events():
            assert event["data"]["record_id"] == mine
            break


async def test_a_stream_goes_on_after_the_last_event_that_a_client_saw(site: Site) -> None:
    async with site.stream("bob-key", "?collection=resume&kinds=memory.created") as stream:
        seen = await stream.until(record_id=await site.store("One.", "bob-key", collection="resume"))
    missed = await site.store("Two.", "bob-key", collection="resume")
    async with site.stream("bob-key", "?collection=resume&kinds=memory.created", **{"Last-Event-ID": seen["id"]}) as stream:
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


@pytest.mark.parametrize(
    ("query", "status", "text"),
    [
        ("?kinds=memory.crated", 400, "memory.crated"),
        ("?kind=job", 400, "kind"),
        ("?after=" + "x" * 100, 400, "after"),
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


async def test_a_revoked_key_ends_the_stream(stack: EmbeddedStack) -> None:
    async with Site(stack, EventHub(check_s=0.2, ping_s=0.2)) as site, site.stream() as stream:
        site.revoked.add("ann-key")
        async for event in stream.events():
            assert event["event"] == "closed"
            break


async def test_a_revoked_key_is_noticed_within_seconds() -> None:
    assert EventHub().check_s <= 3


@pytest.mark.parametrize(
    ("limits", "key", "text"),
    [({"connections": 1}, "bob-key", "the server has 1"), ({"connections_a_key": 1}, "ann-key", "this key has 1")],
)
async def test_streams_are_limited(stack: EmbeddedStack, limits: dict[str, Any], key: str, text: str) -> None:
    async with Site(stack, EventHub(**limits)) as site:
        url, headers = f"{site.url}/v1/events", {"Authorization": f"Bearer {key}"}
        async with site.stream(), site.session.get(url, headers=headers) as refused:
            assert (refused.status, refused.headers["Retry-After"].isdecimal()) == (429, True)
            assert text in (await refused.json(content_type=None))["detail"]
        async with asyncio.timeout(PATIENCE_S):  # one that was closed counts no longer, once the server has noticed
            status = 429
            while status == 429:
                async with site.session.get(url, headers=headers) as response:
                    status = response.status
        assert status == 200
