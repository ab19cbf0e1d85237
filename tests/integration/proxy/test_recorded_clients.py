"""Bodies that clients really send, recorded from their packages, against the endpoint's model and against the agent."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.servers.proxy import ProxyStack

from .calls import AGENT, FENCE, turns

pytestmark = pytest.mark.later

RECORDED: dict[str, Any] = json.loads(Path(__file__).with_name("recorded_clients.json").read_text("utf-8"))
REQUESTS: list[dict[str, Any]] = RECORDED["requests"]
NAMED = [f"{each['client']} {each['version']}: {each['what']}" for each in REQUESTS]


def question(body: dict[str, Any]) -> str:
    """The newest words of the person, as each client writes them."""
    said = body.get("messages") or body["input"]
    if isinstance(said, str):
        return said
    content = [each for each in said if each.get("role") == "user"][-1]["content"]
    return content if isinstance(content, str) else content[0]["text"]


@pytest.mark.parametrize("recorded", REQUESTS, ids=NAMED)
def test_a_recorded_request_is_passed_on_as_it_came_with_memories_inserted_and_learned_from(
    proxy: ProxyStack, recorded: dict[str, Any]
) -> None:
    user, key = proxy.take()
    client, body = proxy.client(key), json.loads(json.dumps(recorded["body"]).replace('"ana"', f'"{user}"'))
    path, asked = recorded["path"].removeprefix("/v1"), question(body)
    stored = client.post("/memories", json={"text": f"{asked} Known before: the kennel is green.", "infer": False})
    assert stored.status_code == 200
    proxy.tell()
    answer = client.post(path, json=body, headers=recorded["headers"])
    assert answer.status_code == 200, answer.text
    (sent,) = proxy.seen()
    _, part = ("messages", "text") if "messages" in body else ("input", "input_text")
    passed = dict(sent["body"])
    said = passed.pop("messages", None) or passed.pop("input")
    kept = {name: value for name, value in body.items() if name not in ("messages", "input", "store")}
    assert {name: value for name, value in passed.items() if name != "store"} == kept, part
    fenced = [each for each in said if FENCE in json.dumps(each)]
    assert len(fenced) == 1
    assert "the kennel is green" in json.dumps(fenced)
    original = body.get("messages") or body["input"]
    originals = [{"type": "message", "role": "user", "content": original}] if isinstance(original, str) else original
    place = max(place for place, each in enumerate(said) if each.get("role") == "user")
    assert [each for each in said if each not in fenced] == originals[:place] + originals[place + 1 :]
    with_memories, words = said[place]["content"], originals[place]["content"]
    assert with_memories.endswith(f"\n\n{words}") if isinstance(words, str) else with_memories[1:] == words
    assert {**said[place], "content": words} == originals[place]
    learned = turns(client, least=0 if body.get("store") is False else 2)
    assert (asked in learned) == (body.get("store") is not False), learned
    assert not any("kennel" in text for text in learned)
    if body.get("stream"):
        assert answer.headers["Content-Type"].startswith("text/event-stream")


@pytest.mark.parametrize("recorded", REQUESTS, ids=NAMED)
def test_the_agent_answers_a_recorded_request(proxy: ProxyStack, recorded: dict[str, Any]) -> None:
    user, key = proxy.take()
    body = json.loads(json.dumps(recorded["body"]).replace('"ana"', f'"{user}"'))
    path = recorded["path"].removeprefix("/v1")
    answer = proxy.client(key).post(path, json={**body, "model": AGENT}, headers=recorded["headers"])
    assert answer.status_code == 200, answer.text
    assert '"error": {' not in answer.text
    if "stream" not in body or not body["stream"]:
        assert answer.json()["object"] in ("chat.completion", "response")
