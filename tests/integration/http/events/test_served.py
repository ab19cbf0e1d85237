"""Events of the listener as `react-mem serve` runs it: with its guards, keys and its end."""

import asyncio
import json

import aiohttp
import pytest

from ..served import Served

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE_S = 60.0


async def follow(served: Served, key: str) -> aiohttp.ClientResponse:
    response = await served.session.get(
        f"{served.server.url}/v1/events?kinds=memory.created", headers={"Authorization": f"Bearer {key}"}
    )
    assert response.status == 200
    assert await response.content.readline() == b"retry: 3000\n"
    assert await response.content.readline() == b"\n"
    return response


async def test_what_is_added_over_rest_is_reported(served: Served) -> None:
    key = served.keys.create("user", user="ann")[1]
    stream = await follow(served, key)
    answer = await served.caller(key)("POST", "/v1/memories", {"text": "Ann paints.", "infer": False})
    async with asyncio.timeout(PATIENCE_S):
        lines = [(await stream.content.readline()).decode() for _ in range(3)]
    event = json.loads(lines[2].removeprefix("data: "))
    assert (event["kind"], event["record_id"]) == ("memory.created", answer.json["results"][0]["id"])
    stream.close()


async def test_clients_that_leave_leave_nothing_behind(served: Served) -> None:
    before = len(asyncio.all_tasks())
    key = served.keys.create("user", user="ann")[1]
    for _ in range(5):
        (await follow(served, key)).close()  # without saying goodbye
    async with asyncio.timeout(PATIENCE_S):
        # Four are the sources of events, which start with the first client.
        while len(asyncio.all_tasks()) > before + 4:  # noqa: ASYNC110
            await asyncio.sleep(0.05)
