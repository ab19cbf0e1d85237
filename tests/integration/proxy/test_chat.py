"""Chat completions over a running stack: agents, and models of another endpoint."""

import json
import os
import signal
import sqlite3
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from tests.servers.proxy import ROOT, UPSTREAM_KEY, ProxyStack, running_proxy

from .calls import AGENT, ECHO, FENCE, chunks, content, said, text_of, turns


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_what_was_said_in_one_chat_is_known_in_the_next(proxy: ProxyStack, model: str) -> None:
    client = proxy.client(proxy.take()[1])
    assert said(client, "My dog Miso is allergic to chicken.", ECHO).headers["X-Memory-Mode"] == "on"
    turns(client, least=2)
    proxy.tell()
    answer = said(client, "What is my dog Miso allergic to?", model)
    assert answer.status_code == 200
    assert int(answer.headers["X-Memory-Recalled"]) >= 1
    assert answer.headers["X-Memory-Ids"]
    if model == AGENT:
        assert "chicken" in answer.json()["choices"][0]["message"]["content"]
        assert "memory" not in answer.json()
    else:
        messages = proxy.seen()[-1]["body"]["messages"]
        assert [message["role"] for message in messages] == ["user"]
        recalled, _, asked = messages[0]["content"].rpartition("\n\n")
        assert FENCE in recalled
        assert "allergic to chicken" in recalled
        assert asked == "What is my dog Miso allergic to?"


def test_a_stream_of_an_agent_has_the_form_that_clients_need(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    answer = said(client, "Hello, who are you?", AGENT, stream=True, stream_options={"include_usage": True})
    assert answer.headers["Content-Type"].startswith("text/event-stream")
    assert (answer.headers["Cache-Control"], answer.headers["X-Accel-Buffering"]) == ("no-cache", "no")
    pieces = chunks(answer)
    assert len({(piece["id"], piece["created"], piece["model"]) for piece in pieces}) == 1
    assert all("choices" in piece and "content" in piece["choices"][0]["delta"] for piece in pieces[:-1])
    assert pieces[0]["choices"][0]["delta"]["role"] == "assistant"
    assert [piece["choices"][0]["finish_reason"] for piece in pieces[:-1]][-1] == "stop"
    assert pieces[-1]["choices"] == []
    assert pieces[-1]["usage"]["total_tokens"] > 0
    assert all(piece["usage"] is None for piece in pieces[:-1])
    assert "Thought" not in text_of(answer)
    plain = chunks(said(client, "Hello again, who are you?", AGENT, stream=True))
    assert all("usage" not in piece and "memory" not in piece for piece in plain)


def test_a_repeated_request_is_recorded_once(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    for model in (ECHO, AGENT):
        for count in ("0", "1", "2"):
            said(client, f"I play the cello with {model}.", model, headers={"x-stainless-retry-count": count})
    history = [
        {"role": "user", "content": "I play the cello with echo-1."},
        {"role": "assistant", "content": "Good."},
        {"role": "user", "content": "And the flute."},
    ]
    client.post("/chat/completions", json={"model": ECHO, "messages": history})
    found = turns(client, least=6)
    assert sorted(text for text in found if text.startswith("I play the cello")) == [
        "I play the cello with agent/default.",
        "I play the cello with echo-1.",
    ]
    assert found.count("And the flute.") == 1


@pytest.mark.parametrize(
    ("headers", "more", "mode"),
    [
        ({"X-Memory": "off"}, {}, "off"),
        ({"x-disable-router-memory": "true"}, {}, "off"),
        ({}, {"memory_config": {"enabled": False}}, "off"),
        ({"X-Memory": "read"}, {}, "read"),
        ({}, {"memory_config": {"auto_store": False}}, "read"),
        ({}, {"store": False}, "read"),
        ({"X-OpenWebUI-Task": "title_generation"}, {}, "off"),
    ],
)
@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_a_request_can_opt_out(proxy: ProxyStack, model: str, headers: dict[str, str], more: dict[str, Any], mode: str) -> None:
    user, _ = proxy.take() if len(proxy.unused) > 12 else ("shared", "")
    client = proxy.client(
        proxy.keys["gateway"], X_Memory_User=f"{user}-{model}-{mode}-{len(headers)}-{len(more)}".replace("/", "-")
    )
    assert said(client, "My bicycle is green.").headers["X-Memory-Mode"] == "on"
    turns(client, least=2)
    proxy.tell()
    answer = said(client, "My bicycle is not green, but blue.", model, headers=headers, **more)
    assert answer.headers["X-Memory-Mode"] == mode
    said(client, "Last words.")  # jobs of a user run in order
    found = turns(client, least=4)
    assert "My bicycle is not green, but blue." not in found
    if model == ECHO:
        sent = proxy.seen()[0]["body"]
        assert (FENCE in json.dumps(sent)) == (mode == "read")
        assert not {"memory_config", "memory_context"} & set(sent)


def test_the_endpoint_never_sees_the_key_of_the_caller_nor_the_client_that_of_the_endpoint(proxy: ProxyStack) -> None:
    key = proxy.take()[1]
    proxy.tell()
    answer = said(proxy.client(key), "Hello there", headers={"X-Api-Key": key, "Cookie": "a=b"})
    seen = proxy.seen()[0]
    assert seen["headers"]["authorization"] == f"Bearer {UPSTREAM_KEY}"
    assert key not in json.dumps(seen)
    assert UPSTREAM_KEY not in answer.text + str(answer.headers)
    proxy.tell({"status": 401, "json": {"error": {"message": f"bad key {UPSTREAM_KEY}"}}})
    refused = said(proxy.client(key), "Hello there")
    assert (refused.status_code, refused.json()["error"]["code"]) == (502, "upstream_unauthorized")
    assert UPSTREAM_KEY not in refused.text


def test_whose_memory_it_is(proxy: ProxyStack) -> None:
    user, key = proxy.take()
    gateway = proxy.keys["gateway"]
    own, served = proxy.client(key), proxy.client(gateway)
    said(own, "My locker has the number 4711.")
    turns(own, least=2)
    ask = "Which number has my locker?"
    for ways in (
        {"headers": {"X-Memory-User": user}},
        {"headers": {"X-OpenWebUI-User-Id": user}},
        {"headers": {"x-sm-user-id": user}},
        {"metadata": {"user_id": user}},
        {"safety_identifier": user},
        {"user": user},
        {"user": {"id": user, "name": "Anna"}},
        {"memory_context": {"user_id": user}},
    ):
        assert "4711" in content(said(served, ask, AGENT, **ways)), ways  # type: ignore[arg-type]
        assert said(own, ask, AGENT, **ways).status_code == 200  # type: ignore[arg-type]
    for unnamed in ({}, {"user": ""}, {"headers": {"X-Memory-User": "{{LIBRECHAT_USER_ID}}"}}, {"user": "{{USER_ID}}"}):
        refused = said(served, ask, **unnamed)  # type: ignore[arg-type]
        assert (refused.status_code, refused.json()["error"]["code"]) == (400, "missing_user")
    for other in ({"user": "someone-else"}, {"metadata": {"user_id": "x"}}, {"headers": {"X-Memory-User": "x"}}):
        assert said(own, ask, **other).status_code == 403, other  # type: ignore[arg-type]
    for both in ({"user": "someone-else"}, {"metadata": {"user_id": "x"}}, {"memory_context": {"user_id": "x"}}):
        differs = said(served, ask, AGENT, headers={"X-Memory-User": user}, **both)  # type: ignore[arg-type]
        assert differs.status_code == 403, both
    assert said(served, ask, AGENT, user=user, metadata={"user_id": "x"}).status_code == 403
    hashed = said(served, ask, AGENT, headers={"X-Memory-User": user}, safety_identifier="9f86d081884c7d65")
    assert "4711" in content(hashed)
    assert "4711" in content(said(own, ask, AGENT, safety_identifier="9f86d081884c7d65"))
    assert "4711" not in content(said(served, ask, AGENT, user="someone-else"))
    assert "4711" not in content(said(own, ask, AGENT, memory_context={"project_id": "another"}))


def test_the_conversation_is_named_or_derived(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    for headers in ({"X-Conversation-Id": "c1"}, {"X-OpenWebUI-Chat-Id": "c1"}, {"x-session-id": "c1"}):
        assert said(client, "Hello there", headers=headers).headers["X-Conversation-Id"] == "c1"
    assert said(client, "Hello there", metadata={"conversation_id": "c2"}).headers["X-Conversation-Id"] == "c2"
    one = said(client, "Hello there").headers["X-Conversation-Id"]
    longer = [
        {"role": "user", "content": "Hello there"},
        {"role": "assistant", "content": "Hi"},
        {"role": "user", "content": "How are you?"},
    ]
    again = client.post("/chat/completions", json={"model": ECHO, "messages": longer})
    assert again.headers["X-Conversation-Id"] == one
    assert said(client, "Something else").headers["X-Conversation-Id"] != one


@pytest.mark.parametrize(
    ("body", "status", "param"),
    [
        (b"no json", 400, None),
        (b"[]", 400, None),
        (b"{}", 400, "messages"),
        (b'{"model": "echo-1", "messages": "hi"}', 400, "messages"),
        (b'{"model": "echo-1", "messages": [3]}', 400, "messages[0]"),
        (b'{"model": "echo-1", "messages": [{"role": "king", "content": "x"}]}', 400, "messages[0].role"),
        (b'{"model": "echo-1", "messages": [{"role": "user", "content": 3}]}', 400, "messages[0].content"),
        (b'{"model": "agent/default", "messages": [{"role": "system", "content": "x"}]}', 400, "messages"),
        (b'{"messages": [{"role": "user", "content": "x"}]}', 400, "model"),
        (b'{"model": "agent/nowhere", "messages": [{"role": "user", "content": "x"}]}', 404, "model"),
        (b'{"model": "agent/default", "n": 2, "messages": [{"role": "user", "content": "x"}]}', 400, "n"),
        (
            b'{"model": "agent/default", "response_format": {"type": "json_object"}, '
            b'"messages": [{"role": "user", "content": "x"}]}',
            400,
            "response_format",
        ),
        (b'{"model": "agent/default", "stream": 3, "messages": [{"role": "user", "content": "x"}]}', 400, "stream"),
        (b'{"model": "echo-1", "memory_config": 3, "messages": [{"role": "user", "content": "x"}]}', 400, "memory_config"),
        (b'{"model": "x", "memory_config": {"retrieval_limit": 999}, "messages": [{"role": "user"}]}', 400, "memory_config"),
    ],
)
def test_a_bad_request_gets_an_error_that_names_the_field(
    proxy: ProxyStack, body: bytes, status: int, param: str | None
) -> None:
    answer = proxy.client(proxy.keys["user-0"]).post("/chat/completions", content=body)
    assert answer.status_code == status
    error = answer.json()["error"]
    assert set(error) == {"message", "type", "param", "code"}
    assert error["param"] == param
    assert "Traceback" not in error["message"]


def test_a_key_that_may_only_read_is_answered_and_not_recorded(proxy: ProxyStack) -> None:
    reader, own = proxy.client(proxy.keys["reader"]), proxy.client(proxy.keys["user-0"])
    for model in (ECHO, AGENT):
        assert said(reader, "I collect stamps.", model).status_code == 200
    said(own, "I collect coins.")
    found = turns(own, least=2)
    assert "I collect coins." in found
    assert "I collect stamps." not in found


@pytest.mark.slow
def test_the_commands_of_the_documentation_run(proxy: ProxyStack) -> None:
    page = (ROOT / "docs" / "http-proxy.md").read_text("utf-8")
    script = "set -euo pipefail\n" + page.partition("```sh\n")[2].partition("```")[0]
    env = {**os.environ, "REACT_MEM_API": proxy.url, "REACT_MEM_KEY": proxy.take()[1], "no_proxy": "127.0.0.1"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, timeout=120, env=env, check=True)
    assert '"agent/default"' in done.stdout.splitlines()[0]
    assert done.stdout.rstrip().endswith("data: [DONE]")


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
