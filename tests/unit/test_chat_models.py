"""Language models behind OpenAI's interface, and which of them is chosen.  The endpoint is a real web server."""

import asyncio
import ctypes
import json
import logging
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import pytest
from aiohttp import web

from trustgraph_react_mem.errors import (
    ConfigurationError,
    MemoryServiceError,
    MissingPackage,
    ModelAnswerError,
    ModelUnavailable,
    RateLimited,
    RequestRefused,
)
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
    left: asyncio.Event = field(default_factory=asyncio.Event)
    endless: bool = False
    refuses: dict[str, str] = field(default_factory=dict)  # field -> the reason it gives
    reason: str = "told so"
    refusal: str | None = None  # the whole body of a refusal
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
        if state.statuses and state.refusal is not None:
            return web.Response(text=state.refusal, status=state.statuses.pop(0), headers={"Retry-After": "0"})
        if state.statuses:
            return web.json_response(
                {"error": {"message": state.reason}}, status=state.statuses.pop(0), headers={"Retry-After": "0"}
            )
        if "response_format" in state.bodies[-1] and not state.knows_schemas:
            return web.json_response({"error": {"message": "unknown field"}}, status=400)
        for name, reason in state.refuses.items():
            if name in state.bodies[-1]:
                return web.json_response({"error": {"message": reason}}, status=400)
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
        try:
            while state.endless:
                await response.write(chunk("again "))
                await asyncio.sleep(0)
        except (ConnectionResetError, asyncio.CancelledError):
            state.left.set()
            raise
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
    runner = web.AppRunner(app, handler_cancellation=True)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    state.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
    yield state
    await runner.cleanup()


def model(endpoint: Endpoint, **more: Any) -> OpenAIChatModel:
    return OpenAIChatModel("small", f"{endpoint.url}/v1", key=SECRET, first_wait_s=0.001, **more)


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


async def test_one_that_is_not_there_is_told_at_once() -> None:
    with pytest.raises(ModelUnavailable, match="OPENAI_BASE_URL"):
        await OpenAIChatModel("small", f"{NOBODY}/v1", first_wait_s=0.001).complete(ChatRequest(prompt="p"))


async def test_an_answer_that_breaks_off_is_not_taken_for_whole(endpoint: Endpoint) -> None:
    endpoint.breaks_off = True
    with pytest.raises(ModelUnavailable, match="broke off"):
        await model(endpoint).complete(ChatRequest(prompt="p"))


async def test_who_stops_reading_stops_the_model(endpoint: Endpoint) -> None:
    endpoint.endless = True
    pieces = model(endpoint).stream(ChatRequest(prompt="p"))
    assert (await anext(pieces)).text == "Hello "
    await pieces.aclose()  # type: ignore[attr-defined]
    await asyncio.wait_for(endpoint.left.wait(), 5)


async def test_a_schema_is_sent_and_left_out_where_it_is_unknown(endpoint: Endpoint) -> None:
    await model(endpoint).complete(ChatRequest(prompt="p", schema=CLOSED))
    assert endpoint.bodies[0]["response_format"]["json_schema"]["strict"] is True
    endpoint.knows_schemas = False
    assert (await model(endpoint).complete(ChatRequest(prompt="p", schema=CLOSED))).text == "Hello there"
    assert "response_format" not in endpoint.bodies[-1]


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        ({"type": "array", "items": CLOSED}, True),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, False),
        (CLOSED | {"required": []}, False),
        (CLOSED | {"properties": {"a": {"type": "object"}}}, False),
    ],
)
async def test_strict_is_said_only_of_closed_schemas(endpoint: Endpoint, schema: dict[str, Any], strict: bool) -> None:
    await model(endpoint).complete(ChatRequest(prompt="p", schema=schema))
    assert endpoint.bodies[0]["response_format"]["json_schema"]["strict"] is strict


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
    ("host", "asked"),
    [
        ("", "http://127.0.0.1:11434"),
        ("0.0.0.0", "http://127.0.0.1:11434"),
        ("0.0.0.0:9", "http://127.0.0.1:9"),
        ("10.0.0.0:9", "http://10.0.0.0:9"),
        ("[::]:9", "http://[::1]:9"),
        ("box", "http://box:11434"),
        ("https://box/ollama/", "https://box/ollama"),
    ],
)
async def test_where_ollama_is_asked(host: str, asked: str, monkeypatch: pytest.MonkeyPatch) -> None:
    urls: list[str] = []

    async def get(_: object, url: str) -> object:
        urls.append(url)
        raise httpx.ConnectError("nobody")

    monkeypatch.setattr(httpx.AsyncClient, "get", get)
    with pytest.raises(ModelUnavailable):
        await choose_chat_model("ollama", env={"OLLAMA_HOST": host})
    assert urls == [f"{asked}/api/tags"]


@pytest.mark.parametrize(
    ("env", "expected", "told"),
    [
        ({"REACT_MEM_MODEL": "gpt-9"}, ConfigurationError, "OPENAI_BASE_URL"),
        ({"OPENAI_BASE_URL": "ftp://x"}, ConfigurationError, "ftp://x"),
        ({"OPENAI_BASE_URL": f"{NOBODY}/v1"}, ModelUnavailable, "models offered at 127.0.0.1:1 "),
        ({"REACT_MEM_MODEL": "ollama", "OLLAMA_HOST": NOBODY}, ModelUnavailable, "ollama serve"),
        ({"OLLAMA_HOST": "box:port"}, ConfigurationError, "box:port"),
        ({"REACT_MEM_MODEL": "local", "REACT_MEM_MODEL_SLOTS": "two"}, ConfigurationError, "two"),
        ({"REACT_MEM_MODEL": "scripted:/no/such.json"}, ConfigurationError, "/no/such.json"),
    ],
)
async def test_a_wrong_choice_names_the_value_and_the_remedy(env: dict[str, str], expected: type[Exception], told: str) -> None:
    with pytest.raises(expected, match=told):
        await choose_chat_model(env=env)


async def test_several_models_and_no_name_is_a_question_back(endpoint: Endpoint) -> None:
    endpoint.models = ["a", "b"]
    with pytest.raises(ConfigurationError, match="a, b"):
        await choose_chat_model(env={"OPENAI_BASE_URL": f"{endpoint.url}/v1"})


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


async def test_something_that_is_not_json_is_the_models_fault(endpoint: Endpoint) -> None:
    with pytest.raises(ModelAnswerError):
        model(endpoint)._decode("not json")


async def test_a_system_without_openmp_is_told_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise OSError(f"{name}: cannot open shared object file")

    monkeypatch.setattr(ctypes, "CDLL", absent)
    monkeypatch.setitem(sys.modules, "xllamacpp", None)  # what an import of it does then

    async def located() -> Path:
        return tmp_path / "model.gguf"

    with pytest.raises(ConfigurationError, match="libgomp1"):
        await LocalChatModel("small", located).load()


async def test_a_machine_without_a_model_is_told_how_to_get_one_and_how_to_go_without(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("trustgraph_react_mem.extras.missing_packages", lambda *modules: list(modules))
    with pytest.raises(MissingPackage) as told:
        await choose_chat_model(env={"OLLAMA_HOST": NOBODY})
    assert "pip install 'trustgraph-react-mem[llm]'" in str(told.value)
    assert "REACT_MEM_MODEL=none" in str(told.value)


@pytest.mark.parametrize("said", ["", " \n"])
async def test_an_empty_answer_of_the_local_model_is_an_error(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, said: str
) -> None:
    class Server:
        def handle_chat_completions(self, body: Any, receive: Any) -> None:
            receive({"choices": [{"delta": {"content": said}}]})
            receive({"choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 0}})

    async def located() -> Path:
        return tmp_path / "model.gguf"

    model = LocalChatModel("small", located)
    monkeypatch.setattr(model, "_server", Server())
    with pytest.raises(ModelUnavailable, match="small gave an empty answer"):
        await model.complete(ChatRequest(prompt="p"))


NAMES_IT = "Unrecognized request argument supplied: {0}"


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        *((name, NAMES_IT) for name in ("stream_options", "stop", "temperature", "max_tokens")),
        ("stream_options", "bad"),
        ("stop", "no"),
    ],
)
async def test_an_optional_field_that_is_refused_is_left_out(endpoint: Endpoint, name: str, reason: str) -> None:
    endpoint.refuses = {name: reason.format(name)}
    asked = ChatRequest(prompt="p", temperature=0.1, max_tokens=5)
    chat = model(endpoint, stop=("Observation:",))
    assert (await chat.complete(asked)).text == "Hello there"
    tries = len(endpoint.bodies)
    assert (await chat.complete(asked)).text == "Hello there"
    if "{0}" in reason:
        assert len(endpoint.bodies) == tries + 1  # it is not asked again


async def test_an_endpoint_that_ignores_stream_is_read_as_a_whole(endpoint: Endpoint) -> None:
    endpoint.whole = {
        "model": "m",
        "choices": [{"message": {"content": "Hello there", "reasoning_content": "hm"}, "finish_reason": "stop"}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    }
    answer = await model(endpoint).complete(ChatRequest(prompt="p"))
    assert (answer.text, answer.in_tokens, answer.out_tokens, answer.model) == ("Hello there", 7, 2, "m")


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        ([b"\xef\xbb\xbf", chunk("Hello "), chunk("there"), b"data: [DONE]\n\n", chunk("again")], "Hello there"),
        ([chunk("Hello there", error=None, usage=None)], "Hello there"),
        (['data: {"choices": [{"delta": {"content": "one\u2028two"}}]}\n\n'.encode()], "one\u2028two"),
    ],
)
async def test_odd_streams_are_read(endpoint: Endpoint, chunks: list[bytes], expected: str) -> None:
    endpoint.chunks = chunks
    assert (await model(endpoint).complete(ChatRequest(prompt="p"))).text == expected


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


@pytest.mark.parametrize(
    ("delta", "finish", "told"),
    [({}, "stop", "empty answer"), ({"reasoning_content": "hm"}, "stop", "only reasoning"), ({}, "length", "output limit")],
)
async def test_an_empty_answer_is_an_error_that_says_why(
    endpoint: Endpoint, delta: dict[str, str], finish: str, told: str
) -> None:
    choices = [{"delta": delta, "finish_reason": finish}]
    endpoint.chunks = [b"data: %s\n\n" % json.dumps({"choices": choices}).encode()]
    with pytest.raises(ModelUnavailable, match=told):
        await model(endpoint).complete(ChatRequest(prompt="p"))


async def test_a_used_up_quota_is_told_at_once(endpoint: Endpoint) -> None:
    endpoint.statuses, endpoint.reason = [429] * 10, "You exceeded your current quota, please check your plan and billing"
    with pytest.raises(ConfigurationError, match="check your plan and billing"):
        await model(endpoint).complete(ChatRequest(prompt="p"))
    assert len(endpoint.bodies) == 1


@pytest.mark.parametrize("status", [400, 402, 408, 422, 429, 500, 503])
async def test_the_endpoints_words_stand_apart_from_what_may_be_logged(endpoint: Endpoint, status: int) -> None:
    """They may quote the prompt.  The log gets what stands before the first colon (``processors/text_completion.py``)."""
    endpoint.statuses, endpoint.reason = [status] * 10, "cannot read zanzibar"
    with pytest.raises(MemoryServiceError) as caught:
        await model(endpoint).complete(ChatRequest(prompt="zanzibar"))
    assert "zanzibar" in str(caught.value)
    assert "zanzibar" not in str(caught.value).partition(": ")[0]


async def test_a_rate_limit_gives_the_endpoints_reason(endpoint: Endpoint) -> None:
    endpoint.statuses, endpoint.reason = [429] * 10, "20 requests per minute"
    with pytest.raises(RateLimited, match="20 requests per minute"):
        await model(endpoint).complete(ChatRequest(prompt="p"))


@pytest.mark.parametrize("status", [401, 403, 404, 429, 500])
@pytest.mark.parametrize(
    "body",
    [
        {"error": {"message": "told so"}},
        {"error": "told so"},
        {"detail": "told so"},
        {"message": "told so"},
        {"detail": [{"loc": ["body"], "msg": "told so", "input": "zanzibar"}]},
        [{"error": {"code": 429, "message": "told so"}}],
        "told so\n",
    ],
)
async def test_the_reason_of_a_refusal_is_given_in_whatever_form_it_comes(endpoint: Endpoint, status: int, body: Any) -> None:
    """Before, only OpenAI's own form was read, and not that of a refused key, an unknown model or a broken stream."""
    endpoint.statuses, endpoint.refusal = [status] * 10, body if isinstance(body, str) else json.dumps(body)
    with pytest.raises(MemoryServiceError, match="told so") as caught:
        await model(endpoint).complete(ChatRequest(prompt="p"))
    assert "zanzibar" not in str(caught.value)


async def test_a_reason_shows_neither_the_key_nor_a_web_page(endpoint: Endpoint) -> None:
    endpoint.statuses, endpoint.refusal = [401], json.dumps({"error": {"message": f"Incorrect API key: {SECRET}"}})
    with pytest.raises(ConfigurationError, match=r"Incorrect API key: \[key\]"):
        await model(endpoint).complete(ChatRequest(prompt="p"))
    endpoint.statuses, endpoint.refusal = [429] * 10, "<html><h1>Too Many Requests</h1></html>"
    with pytest.raises(RateLimited, match="no reason given"):
        await model(endpoint).complete(ChatRequest(prompt="p"))


async def test_an_error_in_the_middle_of_an_answer_gives_its_reason(endpoint: Endpoint) -> None:
    endpoint.chunks = [chunk("One "), b'data: {"error": {"message": "the server is overloaded"}}\n\n']
    with pytest.raises(ModelUnavailable, match="broke off its answer: the server is overloaded"):
        await model(endpoint).complete(ChatRequest(prompt="p"))
