"""Endpoints that answer wrongly: what reaches the client, and what is learned."""

import pytest

from tests.doubles.upstream import chunk, deltas
from tests.servers.proxy import UPSTREAM_KEY, ProxyStack

from .calls import ECHO, said, turns

pytestmark = pytest.mark.later

HEAD = {"id": "chatcmpl-1", "created": 1, "model": ECHO}
STREAM = [*(chunk(HEAD, delta) for delta in deltas("All is well")), "data: [DONE]\n\n"]


def test_an_error_in_a_stream_keeps_its_status_and_is_not_learned(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    proxy.tell({"sse": STREAM, "status": 429, "headers": {"Retry-After": "7"}})
    answer = said(client, "Too often", stream=True)
    assert (answer.status_code, answer.headers["Retry-After"]) == (429, "7")
    said(client, "Last words")
    assert "Too often" not in turns(client, least=2)


@pytest.mark.parametrize("status", [400, 403, 500])
def test_an_error_that_repeats_the_endpoints_key_is_shown_without_it(proxy: ProxyStack, status: int) -> None:
    proxy.tell({"status": status, "json": {"error": {"message": f"the key {UPSTREAM_KEY} is not valid"}}})
    answer = said(proxy.client(proxy.keys["user-5"]), "What is your key?")
    assert (answer.status_code, answer.json()["error"]["message"]) == (status, "the key *** is not valid")
