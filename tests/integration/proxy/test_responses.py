"""The Responses API over a running stack, and the answers that are kept."""

import json
import sqlite3
import time
from typing import Any

import httpx
import pytest

from tests.servers.proxy import ProxyStack

from .calls import AGENT, ECHO, turns

pytestmark = pytest.mark.later


def ask(client: httpx.Client, text: Any, model: str = AGENT, **more: Any) -> httpx.Response:
    return client.post("/responses", json={"model": model, "input": text, **more})


def words(answer: httpx.Response) -> str:
    return str(answer.json()["output"][0]["content"][0]["text"])


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_an_answer_is_kept_for_its_key_alone(proxy: ProxyStack, model: str) -> None:
    client, other = proxy.client(proxy.take()[1]), proxy.client(proxy.take()[1])
    made = ask(client, "I have a red kite", model)
    name = made.json()["id"]
    kept = client.get(f"/responses/{name}").json()
    assert kept["output"] == made.json()["output"]
    assert other.get(f"/responses/{name}").status_code == 404
    assert other.delete(f"/responses/{name}").status_code == 404
    stolen = ask(other, "Go on", model, previous_response_id=name)
    assert (stolen.status_code, stolen.json()["error"]["code"]) == (400, "previous_response_not_found")
    assert client.delete(f"/responses/{name}").json() == {"id": name, "object": "response", "deleted": True}
    assert client.get(f"/responses/{name}").status_code == 404


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_a_chain_is_one_conversation(proxy: ProxyStack, model: str) -> None:
    client = proxy.client(proxy.take()[1])
    first = ask(client, "My kite is red", model, instructions="Be short")
    second = ask(client, "It is also large", model, previous_response_id=first.json()["id"])
    proxy.tell()
    third = ask(client, "Which colour has it?", model, previous_response_id=second.json()["id"])
    assert len({answer.headers["X-Conversation-Id"] for answer in (first, second, third)}) == 1
    if model == AGENT:
        assert third.json()["previous_response_id"] == second.json()["id"]
        return
    sent = proxy.seen()[0]["body"]
    assert sent["store"] is False
    assert "previous_response_id" not in sent
    said = [item["content"] if isinstance(item["content"], str) else item["content"][-1]["text"] for item in sent["input"]]
    assert [text.rpartition("\n\n")[2] for text in said] == [
        "My kite is red",
        "I heard: My kite is red",
        "It is also large",
        "I heard: It is also large",
        "Which colour has it?",
    ]
    assert json.dumps(sent["input"]).count("<recalled") <= 1
    assert not any("id" in item for item in sent["input"])


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_what_is_not_to_be_stored_is_neither_kept_nor_learned(proxy: ProxyStack, model: str) -> None:
    client = proxy.client(proxy.take()[1])
    made = ask(client, "I have a secret kite", model, store=False)
    assert made.headers["X-Memory-Mode"] == "read"
    assert client.get(f"/responses/{made.json()['id']}").status_code == 404
    ask(client, "Last words", model)
    assert "I have a secret kite" not in turns(client, least=2)


def test_the_events_of_an_agent(proxy: ProxyStack) -> None:
    client = proxy.client(proxy.take()[1])
    answer = ask(client, "Hello, who are you?", stream=True)
    kinds = [line.removeprefix("event: ") for line in answer.text.splitlines() if line.startswith("event: ")]
    middle = [kind for kind in kinds if kind == "response.output_text.delta"]
    assert middle
    assert kinds == [
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.content_part.added",
        *middle,
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
        "response.completed",
    ]
    assert "[DONE]" not in answer.text


@pytest.mark.parametrize(
    ("body", "param"),
    [
        ({"model": ECHO}, "input"),
        ({"model": ECHO, "input": []}, "input"),
        ({"model": ECHO, "input": [3]}, "input[0]"),
        ({"input": "x"}, "model"),
        ({"model": AGENT, "input": "x", "background": True}, "background"),
        ({"model": AGENT, "input": "x", "text": {"format": {"type": "json_object"}}}, "text.format"),
        ({"model": AGENT, "input": "x", "previous_response_id": "resp_none"}, "previous_response_id"),
    ],
)
def test_a_bad_request_names_the_field(proxy: ProxyStack, body: dict[str, Any], param: str) -> None:
    answer = proxy.client(proxy.keys["user-5"]).post("/responses", json=body)
    assert (answer.status_code, answer.json()["error"]["param"]) == (400, param)


def rows(proxy: ProxyStack, text: str) -> int:
    with sqlite3.connect(f"file:{proxy.home}/data/http-responses.sqlite?mode=ro", uri=True) as base:
        found = base.execute("SELECT count(*) FROM responses WHERE body || items LIKE ?", (f"%{text}%",)).fetchone()
    return int(found[0])


def gone(proxy: ProxyStack, text: str) -> None:
    until = time.monotonic() + 120
    while rows(proxy, text):
        assert time.monotonic() < until, "the kept answers were not erased"
        time.sleep(0.1)


@pytest.mark.parametrize("model", [AGENT, ECHO])
@pytest.mark.parametrize("what", ["user", "conversation", "record"])
def test_kept_answers_are_erased_with_the_memory(proxy: ProxyStack, model: str, what: str) -> None:
    word = f"kite{what}{model.replace('/', '')}"
    client = proxy.client(proxy.take()[1])
    made = ask(client, f"My kite is called {word}", model)
    turns(client, least=2)
    elsewhere = {"model": model, "input": "Of something else"}
    stays = client.post("/responses", json=elsewhere, headers={"X-Conversation-Id": "other"})
    turns(client, least=4)
    assert rows(proxy, word)
    if what == "user":
        done = client.delete("/memories", params={"user_id": proxy_user(proxy, client)})
    elif what == "conversation":
        done = client.delete(f"/conversations/{made.headers['X-Conversation-Id']}")
    else:
        listed = client.get("/memories", params={"kind": "turn", "limit": 100}).json()["results"]
        question = next(one for one in listed if one["memory"] == f"My kite is called {word}")
        done = client.delete(f"/memories/{question['id']}")
    assert done.status_code == 200, done.text
    gone(proxy, word)
    assert client.get(f"/responses/{made.json()['id']}").status_code == 404
    if what != "user":
        assert client.get(f"/responses/{stays.json()['id']}").status_code == 200


def proxy_user(proxy: ProxyStack, client: httpx.Client) -> str:
    key = client.headers["Authorization"].removeprefix("Bearer ")
    return next(user for user, own in proxy.keys.items() if own == key)
