"""`react-mem serve` as a process: two users at once, a kill, odd letters, large bodies and a slow client."""

import json
import os
import signal
import socket
import subprocess
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from ..command import COMMAND, SCRIPT, ReactMem

pytestmark = pytest.mark.later


class Client:
    def __init__(self, url: str, key: str) -> None:
        self.url = url
        self.key = key

    def __call__(self, method: str, path: str, body: Any = None, **headers: str) -> tuple[int, Any]:
        sent = {"Authorization": f"Bearer {self.key}", **{name.replace("_", "-"): value for name, value in headers.items()}}
        data = body if body is None or isinstance(body, bytes) else json.dumps(body).encode()
        request = urllib.request.Request(self.url + path, data=data, headers=sent, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return answer.status, json.load(answer)
        except urllib.error.HTTPError as error:
            return error.code, json.load(error)

    def texts(self) -> set[str]:
        status, answer = self("GET", "/v1/memories?limit=1000")
        assert status == 200, answer
        return {each["memory"] for each in answer["results"]}


@contextmanager
def serving(command: ReactMem, *options: str, **variables: str) -> Iterator[tuple[str, "subprocess.Popen[str]"]]:
    """A running ``react-mem serve``: its URL and process, killed at the end if it still runs."""
    process = subprocess.Popen(
        [str(COMMAND), "serve", "--json", "--model", f"scripted:{SCRIPT}", *options],
        stdout=subprocess.PIPE,
        text=True,
        env=command.environment | variables,
        start_new_session=True,
    )
    try:
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, "serve ended before it was ready"
        yield json.loads(line)["http"], process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait(60)


def key_of(command: ReactMem, user: str) -> str:
    return str(command.json("keys", "create", "--user", user)["key"])


@pytest.mark.slow
def test_the_listener_of_up_serves_and_survives_bad_clients(own: ReactMem) -> None:
    with own.up(SCRIPT, REACT_MEM_HTTP_HEADER_TIMEOUT_S="1", REACT_MEM_HTTP_MAX_BODY="4096") as stack:
        url = stack.ready["http"]
        client = Client(url, key_of(own, "ana"))
        assert client("POST", "/v1/memories", {"text": "x" * 5000, "infer": False})[0] == 413
        with socket.create_connection(("127.0.0.1", int(url.rpartition(":")[2]))) as slow:
            slow.sendall(b"POST /v1/memories HTTP/1.1\r\nHost: 127.0.0.1\r\n")
            slow.settimeout(60)
            assert slow.recv(100) == b""
        assert client("POST", "/v1/memories", {"text": "Ana plays the flute", "infer": False})[0] == 200
        found = own.json("memories", "search", "flute")["memories"]
        assert [each["content"] for each in found] == ["Ana plays the flute"]
        with serving(own) as (other, process):
            assert Client(other, client.key).texts() == {"Ana plays the flute"}
            own.json("keys", "revoke", client.key.split("_")[1])
            assert Client(other, client.key)("GET", "/v1/memories")[0] == client("GET", "/v1/memories")[0] == 401
            process.send_signal(signal.SIGINT)
            assert process.wait(120) == 0
        [key] = own.json("keys", "list")["keys"]
        assert key["revoked_at"]
        assert client.key not in (own.home / "up.log").read_text()
        assert "flute" not in (own.home / "up.log").read_text()
        assert stack.terminate() == 0
        [key] = own.json("keys", "list")["keys"]
        assert key["last_used_at"]


@pytest.mark.slow
def test_a_port_in_use_does_not_stop_the_stack_and_stops_serve(own: ReactMem) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        with own.up(SCRIPT, REACT_MEM_HTTP_PORT=port) as stack:
            assert "http" not in stack.ready
            refused = own.run("serve", REACT_MEM_HTTP_PORT=port)
            assert refused.code == 3
            assert f"port {port}" in refused.err


@pytest.mark.slow
def test_the_snippet_of_the_documentation_runs(own: ReactMem) -> None:
    page = (Path(__file__).parents[3] / "docs" / "http.md").read_text("utf-8")
    snippet = "\n".join(part.partition("```")[0] for part in page.split("```sh\n")[1:])
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    chosen = {"REACT_MEM_HTTP_PORT": port, "REACT_MEM_MODEL": f"scripted:{SCRIPT}", "no_proxy": "127.0.0.1"}
    stopped = "trap 'kill $(jobs -p); wait' EXIT"
    script = f"set -euo pipefail\n{stopped}\nPATH={COMMAND.parent}:$PATH\n{snippet.replace('8850', port)}"
    done = subprocess.run(
        ["bash", "-c", script], capture_output=True, text=True, timeout=300, env=own.environment | chosen, check=False
    )
    assert done.returncode == 0, done.stderr
    answers = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    assert answers[0]["results"][0]["memory"] == "I am allergic to nuts"
    assert answers[1]["results"][0]["memory"] == "I am allergic to nuts"
    assert answers[2]["receipt"]["complete"] is True
    assert [answer["results"] for answer in answers[3:]] == [[]]
