"""Language models behind OpenAI's interface, and which of them is chosen.  The endpoint is a real web server."""

import json
import logging
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import httpx
import pytest
from aiohttp import web

from trustgraph_react_mem.errors import (
    ConfigurationError,
    MemoryServiceError,
    ModelUnavailable,
    RateLimited,
    RequestRefused,
)
from trustgraph_react_mem.models import openai_chat
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.models.doctor import check_models
from trustgraph_react_mem.models.endpoint import choose_chat_model
from trustgraph_react_mem.models.local_llm import LocalChatModel
from trustgraph_react_mem.models.openai_chat import OpenAIChatModel
from trustgraph_react_mem.testing.scripted_model import ScriptedModel
from trustgraph_react_mem.turn.decisions import ToolCall
from trustgraph_react_mem.turn.parse import ReactParser

SECRET = "sk-this-must-not-appear"
NOBODY = "http://127.0.0.1:1"
CLOSED = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": False}


@dataclass
class Endpoint:
    """Answers "Hello there" in two pieces; ``statuses`` are given first, one a request."""

    url: str = ""
    statuses: list[int] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    models: list[str] = field(default_factory=lambda: ["small"])
    knows_schemas: bool = True
    breaks_off: bool = False
    reason: str = "told so"
    whole: dict[str, Any] | None = None  # the answer of an endpoint that ignores ``stream``
    chunks: list[bytes] | None = None


def chunk(text: str = "", **more: Any) -> bytes:
    choices = [{"delta": {"content": text}}] if text else []
    return b"data: %s\n\n" % json.dumps({"model": "small-1", "choices": choices} | more).encode()


@pytest.fixture
async def endpoint() -> AsyncIterator[Endpoint]:
    state = Endpoint()

    async def completions(request: web.Request) -> web.StreamResponse:
        state.bodies.append(await request.json())
        state.keys.append(request.headers.get("Authorization", ""))
        if state.statuses:
            return web.json_response(
                {"error": {"message": state.reason}}, status=state.statuses.pop(0), headers={"Retry-After": "0"}
            )
        if "response_format" in state.bodies[-1] and not state.knows_schemas:
            return web.json_response({"error": {"message": "unknown field"}}, status=400)
        if state.whole is not None:
            return web.json_response(state.whole)
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        if state.chunks is not None:
            for piece in state.chunks:
                await response.write(piece)
            return response
        await response.write(chunk("Hello "))
        if state.breaks_off:
            assert request.transport is not None
            request.transport.close()
            return response
        await response.write(chunk("there"))
        await response.write(chunk(usage={"prompt_tokens": 7, "completion_tokens": 2}))
        await response.write(b"data: [DONE]\n\n")
        return response

    async def models(_: web.Request) -> web.Response:
        return web.json_response({"data": [{"id": name} for name in state.models]})

    async def tags(_: web.Request) -> web.Response:
        return web.json_response({"models": [{"name": name} for name in state.models]})

    app = web.Application()
    app.router.add_post("/v1/chat/completions", completions)
    app.router.add_get("/v1/models", models)
    app.router.add_get("/api/tags", tags)
    runner = web.AppRunner(app)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    state.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield state
    await runner.cleanup()


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_chat, "FIRST_WAIT_S", 0.001)


def model(endpoint: Endpoint) -> OpenAIChatModel:
    return OpenAIChatModel("small", f"{endpoint.url}/v1", key=SECRET)


async def test_an_answer_comes_in_pieces_with_its_tokens_at_the_end(endpoint: Endpoint) -> None:
    pieces = [
        piece async for piece in model(endpoint).stream(ChatRequest(system="s", prompt="p", temperature=0.3, max_tokens=9))
    ]
    assert [piece.text for piece in pieces] == ["Hello ", "there", ""]
    assert (pieces[-1].in_tokens, pieces[-1].out_tokens, pieces[-1].model, pieces[-1].final) == (7, 2, "small-1", True)
    sent = endpoint.bodies[0]
    assert sent["messages"] == [{"role": "system", "content": "s"}, {"role": "user", "content": "p"}]
    assert (sent["temperature"], sent["max_tokens"]) == (0.3, 9)
    assert endpoint.keys == [f"Bearer {SECRET}"]


@pytest.mark.parametrize("statuses", [[429], [503], [429, 500]])
async def test_passing_failures_are_tried_again(endpoint: Endpoint, statuses: list[int]) -> None:
    endpoint.statuses = list(statuses)
    assert (await model(endpoint).complete(ChatRequest(prompt="p"))).text == "Hello there"
    assert len(endpoint.bodies) == len(statuses) + 1


@pytest.mark.parametrize(
    ("status", "expected", "remedy", "tries"),
    [
        (429, RateLimited, "limits the rate", 3),
        (500, ModelUnavailable, "500", 3),
        (401, ConfigurationError, "OPENAI_API_KEY", 1),
        (404, ConfigurationError, "OPENAI_MODEL", 1),
        (400, RequestRefused, "told so", 2),
    ],
)
async def test_a_failure_that_stays_is_told_with_its_remedy(
    endpoint: Endpoint, status: int, expected: type[Exception], remedy: str, tries: int, caplog: pytest.LogCaptureFixture
) -> None:
    endpoint.statuses = [status] * 10
    with caplog.at_level(logging.DEBUG), pytest.raises(expected, match=remedy) as raised:
        await model(endpoint).complete(ChatRequest(prompt="p"))
    assert len(endpoint.bodies) == tries
    assert SECRET not in str(raised.value) + caplog.text


async def test_an_answer_that_breaks_off_is_not_taken_for_whole(endpoint: Endpoint) -> None:
    endpoint.breaks_off = True
    with pytest.raises(ModelUnavailable, match="broke off"):
        await model(endpoint).complete(ChatRequest(prompt="p"))


async def test_a_schema_is_sent_and_left_out_where_it_is_unknown(endpoint: Endpoint) -> None:
    await model(endpoint).complete(ChatRequest(prompt="p", schema=CLOSED))
    assert endpoint.bodies[0]["response_format"]["json_schema"]["strict"] is True
    endpoint.knows_schemas = False
    assert (await model(endpoint).complete(ChatRequest(prompt="p", schema=CLOSED))).text == "Hello there"
    assert "response_format" not in endpoint.bodies[-1]


async def test_the_choice_follows_the_environment(endpoint: Endpoint) -> None:
    v1 = f"{endpoint.url}/v1"
    nowhere = {"OLLAMA_HOST": NOBODY}
    chosen = await choose_chat_model(env={"OPENAI_BASE_URL": v1, "OPENAI_MODEL": "big", "OPENAI_API_KEY": SECRET} | nowhere)
    assert chosen is not None
    assert (chosen.name, chosen.where) == ("big", f"at {httpx.URL(endpoint.url).netloc.decode()}")
    alone = await choose_chat_model(env={"OPENAI_BASE_URL": v1} | nowhere)
    assert alone is not None
    assert alone.name == "small"
    ollama = await choose_chat_model(env={"OLLAMA_HOST": endpoint.url})
    assert ollama is not None
    assert "Ollama" in ollama.where
    local = await choose_chat_model(env=nowhere)
    assert isinstance(local, LocalChatModel)
    assert await choose_chat_model("none") is None
    assert isinstance(await choose_chat_model("scripted"), ScriptedModel)


@pytest.mark.parametrize(
    ("env", "expected", "told"),
    [
        ({"REACT_MEM_MODEL": "gpt-9"}, ConfigurationError, "OPENAI_BASE_URL"),
        ({"OPENAI_BASE_URL": "ftp://x"}, ConfigurationError, "ftp://x"),
        ({"OPENAI_BASE_URL": f"{NOBODY}/v1"}, ModelUnavailable, "models offered at 127.0.0.1:1 "),
        ({"REACT_MEM_MODEL": "ollama", "OLLAMA_HOST": NOBODY}, ModelUnavailable, "ollama serve"),
        ({"OLLAMA_HOST": "box:port"}, ConfigurationError, "box:port"),
        ({"REACT_MEM_MODEL": "scripted:/no/such.json"}, ConfigurationError, "/no/such.json"),
    ],
)
async def test_a_wrong_choice_names_the_value_and_the_remedy(env: dict[str, str], expected: type[Exception], told: str) -> None:
    with pytest.raises(expected, match=told):
        await choose_chat_model(env=env)


async def test_the_doctor_says_what_is_wrong(endpoint: Endpoint, tmp_path: Any) -> None:
    base = {"REACT_MEM_MODELS": str(tmp_path), "OLLAMA_HOST": NOBODY}
    findings = {finding.name: finding for finding in await check_models(base)}
    assert findings["language model"].state == "missing"
    assert "does not read conversations" in findings["language model"].detail
    assert "python -m bench understand MODEL=local" in findings["language model"].detail
    assert findings["embedding model"].state == "missing"
    assert "react-mem up" in findings["embedding model"].remedy
    there = base | {"OPENAI_BASE_URL": f"{endpoint.url}/v1", "OPENAI_MODEL": "small", "REACT_MEM_EMBEDDINGS": "no-such"}
    findings = {finding.name: finding for finding in await check_models(there)}
    assert (findings["language model"].state, findings["language model"].detail) == (
        "ok",
        f"small at {endpoint.url.removeprefix('http://')}",
    )
    assert (findings["embedding model"].state, "e5-small-v2" in findings["embedding model"].remedy) == ("wrong", True)
    gone = base | {"OPENAI_BASE_URL": NOBODY, "OPENAI_MODEL": "small", "OPENAI_API_KEY": SECRET}
    findings = {finding.name: finding for finding in await check_models(gone)}
    assert findings["language model"].state == "unreachable"
    assert SECRET not in repr(findings)
    other = there | {"OPENAI_MODEL": "huge"}
    assert (await check_models(other))[0].state == "wrong"


async def test_native_function_calls_are_read(endpoint: Endpoint) -> None:
    def call(**function: str) -> bytes:
        delta = {"tool_calls": [{"index": 0, "function": function}]}
        return b"data: %s\n\n" % json.dumps({"choices": [{"delta": delta}]}).encode()

    endpoint.chunks = [
        chunk("I look."),
        call(name="search", arguments=""),
        call(arguments='{"question":'),
        call(arguments=' "x"}'),
    ]
    text = (await model(endpoint).complete(ChatRequest(prompt="p"))).text
    parser = ReactParser(lambda name: name == "search")
    parser.feed(text)
    parser.finish()
    assert parser.decision == ToolCall(thought="I look.", name="search", arguments={"question": "x"})
    function = {"name": "search", "arguments": '{"question": "x"}'}
    endpoint.chunks, endpoint.whole = (
        None,
        {"choices": [{"message": {"content": None, "tool_calls": [{"function": function}]}}]},
    )
    assert '"name": "search"' in (await model(endpoint).complete(ChatRequest(prompt="p"))).text


@pytest.mark.parametrize("status", [400, 402, 408, 422, 429, 500, 503])
async def test_the_endpoints_words_stand_apart_from_what_may_be_logged(endpoint: Endpoint, status: int) -> None:
    """They may quote the prompt.  The log gets what stands before the first colon (``processors/text_completion.py``)."""
    endpoint.statuses, endpoint.reason = [status] * 10, "cannot read zanzibar"
    with pytest.raises(MemoryServiceError) as caught:
        await model(endpoint).complete(ChatRequest(prompt="zanzibar"))
    assert "zanzibar" in str(caught.value)
    assert "zanzibar" not in str(caught.value).partition(": ")[0]
