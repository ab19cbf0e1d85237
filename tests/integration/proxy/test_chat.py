"""Chat completions over a running stack: agents, and models of another endpoint."""

import json
from typing import Any

import pytest

from tests.servers.proxy import UPSTREAM_KEY, ProxyStack

from .calls import AGENT, ECHO, FENCE, chunks, content, said, text_of, turns


def test_the_models_are_the_agents_and_those_of_the_endpoint(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    listed = client.get("/models").json()
    assert listed["object"] == "list"
    assert [model["id"] for model in listed["data"]] == [AGENT, ECHO]
    assert all(set(model) >= {"id", "object", "created", "owned_by"} for model in listed["data"])
    assert client.get(f"/models/{AGENT}").json()["id"] == AGENT
    missing = client.get("/models/agent/nowhere")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "model_not_found")


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
        assert [message["role"] for message in messages] == ["user", "user"]
        assert FENCE in messages[0]["content"]
        assert "allergic to chicken" in messages[0]["content"]
        assert messages[-1]["content"] == "What is my dog Miso allergic to?"


def test_a_request_without_a_message_of_the_user_is_passed_through_and_not_recorded(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    proxy.tell()
    told = [{"role": "system", "content": "Write a haiku about rain"}]
    answer = client.post("/chat/completions", json={"model": ECHO, "messages": told})
    assert answer.status_code == 200, answer.text
    assert proxy.seen()[0]["body"]["messages"] == told
    said(client, "Last words")
    assert sorted(turns(client, least=2)) == ["I heard: Last words", "Last words"]


@pytest.mark.parametrize("stream", [False, True])
def test_fields_that_an_agent_does_not_heed_are_named(proxy: ProxyStack, stream: bool) -> None:
    client = proxy.client(proxy.take()[1])
    more: dict[str, Any] = {"temperature": 0.5, "max_tokens": 10**12, "tools": [], "response_format": {"type": "text"}}
    answer = said(client, "Hello, who are you?", AGENT, stream=stream, user=None, **more)
    assert answer.status_code == 200, answer.text
    assert answer.headers["X-Memory-Ignored"] == "temperature,max_tokens,response_format"
    assert "X-Memory-Ignored" not in said(client, "Hello", stream=stream, **more).headers


@pytest.mark.parametrize("stream", [False, True])
def test_an_agent_that_is_shown_an_image_alone_asks_for_words(proxy: ProxyStack, stream: bool) -> None:
    client = proxy.client(proxy.take()[1])
    image = [{"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}}]
    body = {"model": AGENT, "messages": [{"role": "user", "content": image}], "stream": stream}
    answer = client.post("/chat/completions", json=body)
    assert answer.status_code == 400
    assert "no images" in answer.json()["error"]["message"]


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


def test_citations_come_only_when_they_are_asked_for(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    said(client, "My sister Clara lives in Porto.", ECHO)
    turns(client, least=2)
    answer = said(client, "Where does my sister Clara live?", AGENT, memory_config={"trace": True})
    assert answer.json()["memory"]["cited"] == answer.headers["X-Memory-Ids"].split(",")[:1]
    traced = said(client, "Where does Clara live?", AGENT, headers={"X-Memory-Trace": "1"}, stream=True)
    assert [piece["memory"] for piece in chunks(traced) if "memory" in piece]


@pytest.mark.parametrize("model", [ECHO, AGENT])
def test_memory_types_choose_what_is_recalled(proxy: ProxyStack, model: str) -> None:
    client = proxy.client(proxy.take()[1])
    said(client, "My sister Clara lives in Porto.", ECHO)
    turns(client, least=2)
    for number, (kinds, recalls) in enumerate([(["turn"], True), (["procedural", "episodic"], False), ([], True)]):
        question = f"Where does my sister Clara live? Asked for time {number}."
        answer = said(client, question, model, memory_config={"memory_types": kinds, "auto_store": False})
        assert answer.status_code == 200
        assert bool(answer.headers.get("X-Memory-Ids")) == recalls, kinds
    wrong = said(client, "Where does Clara live?", model, memory_config={"memory_types": ["facts"]})
    assert wrong.status_code == 400
    assert "semantic" in wrong.json()["error"]["message"]


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


@pytest.mark.parametrize("model", [AGENT, ECHO])
@pytest.mark.parametrize(
    ("fields", "param"),
    [
        ({"store": "false"}, "store"),  # who writes this wants nothing to be kept
        ({"memory_config": {"enabled": "no"}}, "memory_config.enabled"),
        ({"memory_config": {"trace": 1}}, "memory_config.trace"),
        ({"memory_config": {"auto_store": "no"}}, "memory_config"),
        ({"memory_context": "work"}, "memory_context"),
        ({"metadata": ["chat"]}, "metadata"),
        ({"metadata": {"conversation_id": 17}}, "metadata.conversation_id"),
        ({"conversation": ["c"]}, "conversation"),
        ({"conversation": {"id": 17}}, "conversation"),
        ({"conversation": "a\u202eb"}, "conversation"),
        ({"metadata": {"conversation_id": "a\ud800"}}, "conversation"),
    ],
    ids=str,
)
def test_a_value_about_memory_that_cannot_be_meant_is_refused(
    proxy: ProxyStack, model: str, fields: dict[str, Any], param: str
) -> None:
    client = proxy.client(proxy.take()[1])
    body = {"model": model, "messages": [{"role": "user", "content": "I keep bees."}], **fields}
    answer = client.post("/chat/completions", content=json.dumps(body))
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param), answer.text


def test_a_field_about_memory_that_nothing_reads_is_named(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    unknown: dict[str, Any] = {"memory_config": {"autostore": False, "enabled": None}, "memory_context": {"project": "work"}}
    for model in (AGENT, ECHO):
        answer = said(client, "I keep goats.", model, **unknown)
        assert answer.status_code == 200, answer.text
        assert answer.headers["X-Memory-Ignored"] == "memory_config.autostore,memory_context.project"


def test_a_key_that_may_only_read_is_answered_and_not_recorded(proxy: ProxyStack) -> None:
    reader, own = proxy.client(proxy.keys["reader"]), proxy.client(proxy.keys["user-0"])
    for model in (ECHO, AGENT):
        assert said(reader, "I collect stamps.", model).status_code == 200
    said(own, "I collect coins.")
    found = turns(own, least=2)
    assert "I collect coins." in found
    assert "I collect stamps." not in found


@pytest.mark.parametrize("stream", [False, True])
@pytest.mark.parametrize("path", ["/chat/completions", "/responses"])
def test_an_agent_that_fails_before_it_answers_is_an_error_status(proxy: ProxyStack, path: str, stream: bool) -> None:
    text = "The engine fails now"
    body = {"model": AGENT, "stream": stream, "messages": [{"role": "user", "content": text}], "input": text}
    answer = proxy.client(proxy.take()[1]).post(path, json=body)
    assert answer.status_code >= 500, answer.text
    assert answer.json()["error"]["type"] == "server_error"


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_half_a_character_is_answered(proxy: ProxyStack, model: str) -> None:
    client = proxy.client(proxy.take()[1])
    body = f'{{"model": "{model}", "messages": [{{"role": "user", "content": "half \\ud83d a letter"}}]}}'
    answer = client.post("/chat/completions", content=body)
    assert answer.status_code == 200, answer.text
    if model == ECHO:
        assert proxy.seen()[-1]["body"]["messages"][-1]["content"] == "half \ufffd a letter"


def test_a_body_that_is_nested_too_deeply_is_refused(proxy: ProxyStack) -> None:
    nested = "[" * 900 + r'"\ud83d"' + "]" * 900
    answer = proxy.client(proxy.take()[1]).post("/chat/completions", content=f'{{"model": "{ECHO}", "messages": {nested}}}')
    assert answer.status_code == 400
