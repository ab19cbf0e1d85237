"""What was answered is not lost, however the process ends."""

import os
import signal
from pathlib import Path

import pytest

from tests.servers.proxy import running_proxy

from .calls import AGENT, ECHO, chunks, said, turns


@pytest.mark.parametrize("stream", [False, True])
def test_an_answered_exchange_survives_a_killed_process(tmp_path: Path, stream: bool) -> None:
    with running_proxy(tmp_path) as proxy:
        client = proxy.client(proxy.keys["user-1"])
        said(client, "My boat is called Undine", ECHO, stream=stream)
        kept = client.post("/responses", json={"model": AGENT, "input": "My horse is called Falada"}).json()["id"]
        os.kill(proxy.pid, signal.SIGKILL)
    with running_proxy(tmp_path) as proxy:
        client = proxy.client(proxy.keys["user-1"])
        found = turns(client, least=4)
        assert "My boat is called Undine" in found
        assert "My horse is called Falada" in found
        assert client.get(f"/responses/{kept}").json()["id"] == kept
        assert chunks(said(client, "My boat is called Undine", ECHO, stream=True, store=False))
        assert turns(client).count("My boat is called Undine") == 1
