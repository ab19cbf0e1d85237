"""What was answered is not lost, however the process ends."""

import os
import signal
import sqlite3
import time
from pathlib import Path

import pytest

from tests.servers.proxy import running_proxy

from .calls import AGENT, ECHO, chunks, said, turns


@pytest.mark.slow
@pytest.mark.parametrize("stream", [False, True])
def test_an_answered_exchange_survives_a_killed_process(tmp_path: Path, stream: bool) -> None:
    with running_proxy(tmp_path) as proxy:
        client = proxy.client(proxy.keys["user-1"])
        said(client, "My boat is called Undine", ECHO, stream=stream)
        kept = client.post("/responses", json={"model": AGENT, "input": "My horse is called Falada"}).json()["id"]
        os.kill(proxy.pid, signal.SIGKILL)
    with sqlite3.connect(tmp_path / "data" / "http-responses.sqlite") as base:  # as if its exchange was erased meanwhile
        row = list(base.execute("SELECT * FROM responses").fetchone())
        row[0], row[6] = "resp_erased", "gone"
        base.execute(f"INSERT INTO responses VALUES ({', '.join('?' * len(row))})", row)
    with running_proxy(tmp_path) as proxy:
        client = proxy.client(proxy.keys["user-1"])
        until = time.monotonic() + 120
        while client.get("/responses/resp_erased").status_code != 404:
            assert time.monotonic() < until, "the kept answer of an erased exchange is still there"
            time.sleep(0.1)
        found = turns(client, least=4)
        assert "My boat is called Undine" in found
        assert "My horse is called Falada" in found
        assert client.get(f"/responses/{kept}").json()["id"] == kept
        assert chunks(said(client, "My boat is called Undine", ECHO, stream=True, store=False))
        assert turns(client).count("My boat is called Undine") == 1
