"""Events and receipts name memories without their texts: only their owner sees these ids and counts."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from trustgraph_react_mem.memory.requests import ListFacts

from .choir import Choir
from .interface import INTERFACES, MANY, Interface, Owner, Scene
from .test_canaries import QUICK

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]


class Follower:
    """Notes the events of one owner, over a stream."""

    def __init__(self, scene: Scene, owner: Owner) -> None:
        self.scene, self.owner = scene, owner
        self.events: list[dict[str, Any]] = []
        self.began = asyncio.Event()

    @property
    def text(self) -> str:
        return json.dumps(self.events)

    @contextlib.asynccontextmanager
    async def following(self) -> AsyncIterator["Follower"]:
        task = asyncio.create_task(self.run())
        try:
            async with asyncio.timeout(60):
                await self.began.wait()
            yield self
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def run(self) -> None:
        caller = self.scene.caller(self.owner.user)
        path = f"{caller.url}/v1/events?collection={self.owner.collection}"
        async with self.scene.session.get(path, headers={"X-API-Key": caller.key}, timeout=None) as answer:  # type: ignore[arg-type]
            async for line in answer.content:
                self.began.set()
                if line.startswith(b"data: "):
                    self.events.append(json.loads(line[6:]))


@pytest.mark.parametrize("writer", sorted(set(INTERFACES) - {"command line", "store"}))
async def test_events_have_no_text_and_reach_only_the_owner(interfaces: dict[str, Interface], writer: str) -> None:
    choir, each = Choir(interfaces), interfaces[writer]
    others = [Owner(f"{choir.owner.user}x"), Owner(choir.owner.user, "default.stores")]
    async with contextlib.AsyncExitStack() as stack:
        own, *strangers = [
            await stack.enter_async_context(Follower(each.scene, owner).following()) for owner in (choir.owner, *others)
        ]
        text = await choir.write(writer)
        request = ListFacts(user=choir.owner.user, limit=MANY)
        [fact] = [fact for fact in (await each.scene.bus.call(request)).facts if fact.content == text]
        await choir.heard(writer)
        await each.erase(choir.owner, text)
        async with asyncio.timeout(60):
            while not any(event["kind"] == "memory.forgotten" for event in own.events):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
        for other in others:  # its event comes after all that could have come by mistake
            await interfaces["rest"].write(other, "A neighbour moved in.")
        async with asyncio.timeout(60):
            while not all("memory.created" in stranger.text for stranger in strangers):  # noqa: ASYNC110
                await asyncio.sleep(0.05)
    assert fact.id in own.text
    assert choir.newest not in own.text
    for stranger in strangers:
        assert fact.id not in stranger.text
        assert choir.newest not in stranger.text


@pytest.mark.parametrize("eraser", QUICK)
async def test_a_receipt_has_no_text_and_is_shown_to_the_owner_alone(interfaces: dict[str, Interface], eraser: str) -> None:
    choir, each = Choir(interfaces), interfaces[eraser]
    own, other = (interfaces["rest"].scene.caller(name) for name in (choir.owner.user, f"{choir.owner.user}x"))
    text = await choir.write("rest")
    await each.erase(choir.owner, text)
    listed: list[Any] = []
    async with asyncio.timeout(60):  # some erase at once, and their job follows
        while not listed:
            listed = (await own("GET", "/v1/receipts")).json["results"]
    operation = listed[0]["operation_id"]
    for path in (f"/v1/receipts/{operation}", f"/v1/operations/{operation}"):
        shown = await own("GET", path)
        assert shown.status == 200, shown.text
        assert choir.newest not in shown.text
        assert (await other("GET", path)).status == 404, path
    assert (await other("GET", "/v1/receipts")).json["results"] == []
