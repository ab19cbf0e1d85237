"""openai-python, unchanged, against the listener: chat completions and the Responses API, streamed or not.

The listener runs in the project's environment (``REACT_MEM_PYTHON``, default: ``.venv``), the client in this one.
"""

import json
import os
import time
from collections.abc import Iterator
from typing import Any

import pytest

openai = pytest.importorskip("openai", reason="make build/clients/.installed installs it")

from tests.servers.proxy import ROOT, ProxyStack, running_proxy  # noqa: E402

ECHO, AGENT = "echo-1", "agent/default"
PARAMETERS = {"type": "object", "properties": {"at": {"type": "string"}}}
TOOL = {"type": "function", "function": {"name": "look", "parameters": PARAMETERS}}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ProxyStack]:
    python = os.environ.get("REACT_MEM_PYTHON", str(ROOT / ".venv" / "bin" / "python"))
    with running_proxy(tmp_path_factory.mktemp("proxy"), python) as stack:
        yield stack


@pytest.fixture
def client(proxy: ProxyStack) -> Any:
    return openai.OpenAI(base_url=f"{proxy.url}/v1", api_key=proxy.take()[1])


def user(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": text}]


def tell_and_wait(client: Any, text: str) -> None:
    """Tell something, and wait until it is remembered."""
    client.chat.completions.create(model=ECHO, messages=user(text))
    until = time.monotonic() + 120
    while True:
        raw = client.chat.completions.with_raw_response.create(
            model=ECHO, messages=user(f"Do you remember: {text}"), extra_headers={"X-Memory": "read"}
        )
        if int(raw.headers["X-Memory-Recalled"]):
            return
        assert time.monotonic() < until, "it was not remembered"


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_chat(client: Any, model: str) -> None:
    tell_and_wait(client, "My dog Miso is allergic to chicken")
    answer = client.chat.completions.create(model=model, messages=user("What is my dog Miso allergic to?"))
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens
    if model == AGENT:
        assert "chicken" in answer.choices[0].message.content
    pieces = client.chat.completions.create(model=model, messages=user("Is Miso allergic?"), stream=True)
    assert "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)


def test_tools_are_passed_through(proxy: ProxyStack, client: Any) -> None:
    call = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "look", "arguments": ""}}
    head = '{"id":"c","object":"chat.completion.chunk","created":1,"model":"echo-1","choices":[{"index":0,"delta":'
    pieces = [
        f'data: {head}{{"role":"assistant","content":null,"tool_calls":[{json.dumps(call)}]}},"finish_reason":null}}]}}\n\n',
        f'data: {head}{{"tool_calls":[{{"index":0,"function":{{"arguments":"{{\\"at\\": "}}}}]}},"finish_reason":null}}]}}\n\n',
        f'data: {head}{{"tool_calls":[{{"index":0,"function":{{"arguments":"\\"x\\"}}"}}}}]}},"finish_reason":null}}]}}\n\n',
        f'data: {head}{{}},"finish_reason":"tool_calls"}}]}}\n\n',
        "data: [DONE]\n\n",
    ]
    proxy.tell({"sse": pieces})
    with client.chat.completions.stream(model=ECHO, messages=user("Look at x"), tools=[TOOL]) as stream:
        answer = stream.get_final_completion()
    made = answer.choices[0].message.tool_calls[0]
    assert (made.id, made.function.name, made.function.arguments) == ("call_1", "look", '{"at": "x"}')


def test_errors_are_of_the_clients_own_classes(proxy: ProxyStack, client: Any) -> None:
    with pytest.raises(openai.AuthenticationError):
        openai.OpenAI(base_url=f"{proxy.url}/v1", api_key="wrong").models.list()
    with pytest.raises(openai.BadRequestError) as failed:
        client.chat.completions.create(model=AGENT, messages=user("Hi"), n=2)
    assert failed.value.param == "n"
    with pytest.raises(openai.PermissionDeniedError):
        client.chat.completions.create(model=AGENT, messages=user("Hi"), user="someone else")
    gateway = openai.OpenAI(base_url=f"{proxy.url}/v1", api_key=proxy.keys["gateway"])
    with pytest.raises(openai.BadRequestError) as failed:
        gateway.chat.completions.create(model=AGENT, messages=user("Hi"))
    assert failed.value.code == "missing_user"


def test_the_clients_retries_are_recorded_once(proxy: ProxyStack, client: Any) -> None:
    busy = {"status": 503, "json": {"error": {"message": "busy"}}, "headers": {"retry-after-ms": "1"}}
    proxy.tell(busy, busy)
    client.chat.completions.create(model=ECHO, messages=user("I keep three hens"))
    assert len(proxy.seen()) == 3
    for _ in range(2):
        client.chat.completions.create(model=ECHO, messages=user("I keep three hens"))
    client.chat.completions.create(model=ECHO, messages=user("Last words"))
    http = proxy.client(client.api_key)
    until, found = time.monotonic() + 120, list[str]()
    while "Last words" not in found:
        assert time.monotonic() < until
        listed = http.get("/memories", params={"kind": "turn", "limit": 100}).json()["results"]
        found = [one["memory"] for one in listed]
    assert found.count("I keep three hens") == 1


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_responses(client: Any, model: str) -> None:
    tell_and_wait(client, "My boat is called Undine")
    first = client.responses.create(model=model, input="What is my boat called?", instructions="Be short")
    assert first.status == "completed"
    assert first.output_text
    second = client.responses.create(model=model, input="And again?", previous_response_id=first.id)
    assert client.responses.retrieve(second.id).output_text == second.output_text
    assert client.responses.retrieve(second.id).previous_response_id == first.id
    client.responses.delete(first.id)
    with pytest.raises(openai.NotFoundError):
        client.responses.retrieve(first.id)
    unkept = client.responses.create(model=model, input="Forget this", store=False)
    with pytest.raises(openai.BadRequestError) as failed:
        client.responses.create(model=model, input="Go on", previous_response_id=unkept.id)
    assert failed.value.code == "previous_response_not_found"


@pytest.mark.parametrize("model", [AGENT, ECHO])
def test_responses_as_events(client: Any, model: str) -> None:
    kinds = [event.type for event in client.responses.create(model=model, input="Hello there", stream=True)]
    assert (kinds[0], kinds[-1]) == ("response.created", "response.completed")
    with client.responses.stream(model=model, input="Hello again") as stream:
        numbers = [event.sequence_number for event in stream]
        answer = stream.get_final_response()
    assert numbers == sorted(numbers)
    assert answer.output_text
    if model == AGENT:
        assert client.responses.retrieve(answer.id).output_text == answer.output_text


def test_the_example_of_the_documentation(proxy: ProxyStack, capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "http-proxy.md").read_text("utf-8")
    example = page.partition("```python\n")[2].partition("```")[0]
    os.environ |= {"REACT_MEM_API": proxy.url, "REACT_MEM_KEY": proxy.take()[1]}
    exec(compile(example, "http-proxy.md", "exec"), {})
    assert "Miso" in capsys.readouterr().out
