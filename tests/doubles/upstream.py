"""A stand-in for an OpenAI-compatible endpoint: it answers with what it heard, or as it is told to, and shows what it received.

``POST /control`` with ``{"replies": [...]}`` says how the next requests are answered; each reply may have ``status``, ``json``,
``sse`` (the pieces of a stream), ``pause_s`` (between them) and ``abort`` (break the connection off afterwards).
``GET /control`` returns the requests since the last such ``POST``.
``POST /relay/v1/chat/completions`` passes a request on to this endpoint itself: the least that any proxy does.
"""

import asyncio
import json
from collections import deque
from collections.abc import AsyncIterator, Mapping
from types import MappingProxyType
from typing import Any

from aiohttp import ClientSession, web

MODEL = "echo-1"
RELAY = "/relay"
SESSION = web.AppKey("session", ClientSession)


class Upstream:
    def __init__(self) -> None:
        self._replies = deque[dict[str, Any]]()
        self._seen: list[dict[str, Any]] = []
        self._left = 0
        self._number = 0

    def application(self) -> web.Application:
        app = web.Application(client_max_size=64 * 2**20)
        app.router.add_post("/control", self._set)
        app.router.add_get("/control", self._show)
        app.router.add_get("/v1/models", self._models)
        app.router.add_post("/v1/chat/completions", self._chat)
        app.router.add_post("/v1/responses", self._responses)
        app.router.add_post("/v1/embeddings", self._embeddings)
        app.router.add_post(f"{RELAY}/v1/chat/completions", relay)
        app.cleanup_ctx.append(_open_session)
        return app

    async def _set(self, request: web.Request) -> web.Response:
        self._replies = deque((await request.json()).get("replies", []))
        self._seen, self._left = [], 0
        return web.json_response({})

    async def _show(self, request: web.Request) -> web.Response:
        return web.json_response({"seen": self._seen, "left": self._left})

    async def _models(self, request: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": MODEL, "object": "model", "created": 1, "owned_by": "x"}]})

    async def _embeddings(self, request: web.Request) -> web.Response:
        await self._note(request)
        vector = {"object": "embedding", "index": 0, "embedding": [0.5, 0.5]}
        return web.json_response({"object": "list", "data": [vector], "model": MODEL, "usage": {"prompt_tokens": 1}})

    async def _chat(self, request: web.Request) -> web.StreamResponse:
        body = await self._note(request)
        if self._replies:
            return await self._scripted(request)
        said = heard(body["messages"][-1]["content"])
        head = {"id": f"chatcmpl-{self._number}", "created": 1, "model": body["model"]}
        if not body.get("stream"):
            return web.json_response({**head, "object": "chat.completion", **completion(said)})
        return await self._send(request, [chunk(head, delta) for delta in deltas(said)] + ["data: [DONE]\n\n"])

    async def _responses(self, request: web.Request) -> web.StreamResponse:
        body = await self._note(request)
        if self._replies:
            return await self._scripted(request)
        items = body["input"]
        said = heard(items if isinstance(items, str) else items[-1]["content"])
        answer = response(f"resp_{self._number}", body["model"], said)
        if not body.get("stream"):
            return web.json_response(answer)
        return await self._send(request, response_events(answer, said))

    async def _note(self, request: web.Request) -> dict[str, Any]:
        self._number += 1
        body: dict[str, Any] = await request.json()
        self._seen.append({"path": request.path, "headers": {k.lower(): v for k, v in request.headers.items()}, "body": body})
        return body

    async def _scripted(self, request: web.Request) -> web.StreamResponse:
        reply = self._replies.popleft()
        if "sse" in reply:
            return await self._send(request, reply["sse"], reply.get("pause_s", 0.0), reply)
        await asyncio.sleep(reply.get("pause_s", 0.0))
        return web.json_response(reply.get("json", {}), status=reply.get("status", 200), headers=reply.get("headers"))

    async def _send(
        self, request: web.Request, pieces: list[str], pause_s: float = 0.0, reply: Mapping[str, Any] = MappingProxyType({})
    ) -> web.StreamResponse:
        headers = reply.get("headers") or {}
        named = {name.lower() for name in headers}
        kind = {} if "content-type" in named else {"Content-Type": "text/event-stream"}
        stream = web.StreamResponse(status=reply.get("status", 200), headers={**kind, **headers})
        await stream.prepare(request)
        try:
            for piece in pieces:
                await stream.write(piece.encode())
                await asyncio.sleep(pause_s)
        except (ConnectionError, asyncio.CancelledError):
            self._left += 1
            raise
        if reply.get("abort") and request.transport is not None:
            request.transport.abort()
            return stream
        await stream.write_eof()
        return stream


async def _open_session(app: web.Application) -> AsyncIterator[None]:
    async with ClientSession() as app[SESSION]:
        yield


async def relay(request: web.Request) -> web.Response:
    url, headers = request.url.with_path(request.path.removeprefix(RELAY)), {"Content-Type": request.content_type}
    async with request.app[SESSION].post(url, data=await request.read(), headers=headers) as answer:
        return web.Response(status=answer.status, body=await answer.read(), content_type=answer.content_type)


def heard(content: Any) -> str:
    """An answer to the last paragraph: recalled memories stand before it."""
    texts = [content] if isinstance(content, str) else [str(part["text"]) for part in content or [] if part.get("text")]
    return "I heard: " + (texts[-1].rpartition("\n\n")[2] if texts else "")


def deltas(said: str) -> list[dict[str, Any]]:
    words = [{"delta": {"content": f"{word} "}, "finish_reason": None} for word in said.split()]
    return [
        {"delta": {"role": "assistant", "content": ""}, "finish_reason": None},
        *words,
        {"delta": {}, "finish_reason": "stop"},
    ]


def chunk(head: dict[str, Any], choice: dict[str, Any]) -> str:
    return f"data: {json.dumps({**head, 'object': 'chat.completion.chunk', 'choices': [{'index': 0, **choice}]})}\n\n"


def completion(said: str) -> dict[str, Any]:
    choice = {"index": 0, "message": {"role": "assistant", "content": said}, "finish_reason": "stop"}
    return {"choices": [choice], "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def response(name: str, model: str, said: str) -> dict[str, Any]:
    part = {"type": "output_text", "text": said, "annotations": []}
    message = {"id": f"msg_{name}", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    return {
        "id": name,
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": model,
        "output": [message],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": {
            "input_tokens": 1,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 1,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 2,
        },
    }


def response_events(answer: dict[str, Any], said: str) -> list[str]:
    message = answer["output"][0]
    place = {"item_id": message["id"], "output_index": 0, "content_index": 0}
    begun = {**answer, "status": "in_progress", "output": [], "usage": None}
    item = {**message, "status": "in_progress", "content": []}
    events: list[tuple[str, dict[str, Any]]] = [
        ("response.created", {"response": begun}),
        ("response.in_progress", {"response": begun}),
        ("response.output_item.added", {"output_index": 0, "item": item}),
        ("response.content_part.added", {**place, "part": {"type": "output_text", "text": "", "annotations": []}}),
        *(("response.output_text.delta", {**place, "delta": f"{word} ", "logprobs": []}) for word in said.split()),
        ("response.output_text.done", {**place, "text": said, "logprobs": []}),
        ("response.content_part.done", {**place, "part": message["content"][0]}),
        ("response.output_item.done", {"output_index": 0, "item": message}),
        ("response.completed", {"response": answer}),
    ]
    return [
        f"event: {kind}\ndata: {json.dumps({'type': kind, 'sequence_number': number, **fields})}\n\n"
        for number, (kind, fields) in enumerate(events)
    ]
