"""What the tests of the proxy call."""

import json
import time
from typing import Any

import httpx

ECHO, AGENT = "echo-1", "agent/default"
FENCE = "<recalled_memories>"


def said(
    client: httpx.Client, text: str, model: str = ECHO, headers: dict[str, str] | None = None, **more: Any
) -> httpx.Response:
    body = {"model": model, "messages": [{"role": "user", "content": text}], **more}
    return client.post("/chat/completions", json=body, headers=headers)


def content(answer: httpx.Response) -> str:
    """The words of an answer alone: its identifier may hold any digits."""
    return str(answer.json()["choices"][0]["message"]["content"])


def turns(client: httpx.Client, *, least: int = 0) -> list[str]:
    """The stored exchanges of a user, once there are ``least``."""
    until = time.monotonic() + 120
    while True:
        listed = client.get("/memories", params={"kind": "turn", "limit": 100}).json()
        found = [one["memory"] for one in listed["results"]]
        if len(found) >= least:
            return found
        assert time.monotonic() < until, f"{len(found)} of {least} records were stored"
        time.sleep(0.05)


def chunks(answer: httpx.Response) -> list[dict[str, Any]]:
    """The objects in a stream of chat completions."""
    lines = [line.removeprefix("data: ") for line in answer.text.splitlines() if line.startswith("data: ")]
    assert lines[-1] == "[DONE]"
    return [json.loads(line) for line in lines[:-1]]


def text_of(answer: httpx.Response) -> str:
    return "".join(each["choices"][0]["delta"].get("content") or "" for each in chunks(answer) if each["choices"])
