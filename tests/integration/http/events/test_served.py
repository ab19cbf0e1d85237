"""Events and sockets of the listener as `react-mem serve` runs it: with its guards, keys and its end."""

import asyncio

import aiohttp
import pytest

from ..served import Served, serve

pytestmark = pytest.mark.asyncio(loop_scope="module")

PATIENCE_S = 60.0


async def subscribe(served: Served, key: str) -> aiohttp.ClientWebSocketResponse:
    socket = await served.session.ws_connect(f"{served.server.url}/v1/socket")
    await socket.send_json({"type": "auth", "token": key})
    assert (await socket.receive_json(timeout=PATIENCE_S))["type"] == "auth-ok"
    await socket.send_json({"id": "e", "service": "events", "request": {"operation": "subscribe", "kinds": ["learned"]}})
    assert (await socket.receive_json(timeout=PATIENCE_S))["response"]["operation"] == "subscribed"
    return socket


async def test_what_is_added_over_rest_is_reported(served: Served) -> None:
    key = served.keys.create("user", user="ann")[1]
    socket = await subscribe(served, key)
    answer = await served.caller(key)("POST", "/v1/memories", {"text": "Ann paints.", "infer": False})
    event = (await socket.receive_json(timeout=PATIENCE_S))["response"]
    assert (event["kind"], event["record_id"]) == ("memory.created", answer.json["results"][0]["id"])
    await socket.close()


@pytest.mark.parametrize("headers", [{"Origin": "https://evil.example"}, {"Host": "evil.example"}], ids=["origin", "host"])
@pytest.mark.parametrize("path", ["/v1/socket", "/api/v1/socket", "/v1/events"])
async def test_a_page_of_another_site_opens_nothing(served: Served, path: str, headers: dict[str, str]) -> None:
    sent = {**headers, "Authorization": f"Bearer {served.keys.create('user', user='ann')[1]}"}
    with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
        await served.session.ws_connect(served.server.url + path, headers=sent)
    assert refused.value.status == 403


async def test_a_request_without_upgrade_and_one_with_a_body_are_refused(served: Served) -> None:
    for body in (None, b"x"):
        async with served.session.get(f"{served.server.url}/v1/socket", data=body) as response:
            assert response.status == 400
            assert ("WebSocket client" in await response.text()) is (body is None)


async def test_clients_that_leave_leave_nothing_behind(served: Served) -> None:
    before = len(asyncio.all_tasks())
    key = served.keys.create("user", user="ann")[1]
    for _ in range(5):
        socket = await subscribe(served, key)
        stream = await served.session.get(f"{served.server.url}/v1/events", headers={"Authorization": f"Bearer {key}"})
        stream.close()  # without saying goodbye
        assert socket._response.connection is not None
        socket._response.connection.transport.abort()  # type: ignore[union-attr]
    async with asyncio.timeout(PATIENCE_S):
        # Four are the sources of events, which start with the first client.
        while len(asyncio.all_tasks()) > before + 4:  # noqa: ASYNC110
            await asyncio.sleep(0.05)


async def test_the_end_does_not_wait_for_clients(tmp_path_factory: pytest.TempPathFactory) -> None:
    async with asyncio.timeout(PATIENCE_S):  # a listener that waits for its clients waits 100 s
        async with serve(tmp_path_factory.mktemp("ending")) as own:
            key = own.keys.create("user", user="ann")[1]
            socket = await subscribe(own, key)
            stream = await own.session.get(f"{own.server.url}/v1/events", headers={"Authorization": f"Bearer {key}"})
            await own.server.__aexit__()
            assert (await socket.receive(timeout=PATIENCE_S)).type is aiohttp.WSMsgType.CLOSE
            stream.close()
