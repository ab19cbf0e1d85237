"""An OpenAI-compatible endpoint that answers by a word in the question, so that both agents are given the same model."""

import json
import re
import time
from collections import Counter
from typing import Any

from aiohttp import web

FACT = "Paris is the capital of France."
CALLS: dict[str, tuple[str, dict[str, str]]] = {
    "TOOL": ("ask", {"question": "capital of France?"}),
    "TEMPLATE": ("ask-template", {"question": "capital of France?"}),
    "MCP": ("weather", {"city": "Oslo"}),
    "KNOWLEDGE": ("knowledge", {"question": "capital of France?"}),
    "STRUCTURED": ("table", {"question": "capital of France?"}),
    "ROWS": ("rows", {"query": "capital"}),
    "STEP": ("first", {"question": "capital of France?"}),
    "JOKE": ("joke", {"topic": "cats"}),
    "HOLD": ("hold", {"city": "Oslo"}),
    "UNKNOWN": ("nosuchtool", {}),
}
"""A word in a question -> the tool that the model asks for, and with what."""

UNDERSTAND = "Read the new lines of a conversation"
#: TrustGraph's prompt service refuses an answer with an item that lacks a field.
NOTHING: dict[str, Any] = {
    **dict.fromkeys(("keep", "when", "from", "to", "topic"), ""),
    **{"op": "add", "old": [], "kind": "state", "context": None, "weight": 3},
}
BACKGROUND = {"goal": "Name a capital.", "outcome": "It was named.", "lessons": [], "topics": [], "insights": []}


class Script:
    """What the model says to a prompt.  Words in capitals in a question choose the behaviour."""

    def __init__(self) -> None:
        self.prompts: list[str] = []
        self.refusals: Counter[str] = Counter()

    def refuses(self, prompt: str) -> bool:
        """RATELIMIT is refused twice, then answered."""
        if "RATELIMIT" not in prompt or self.refusals["RATELIMIT"] >= 2:
            return False
        self.refusals["RATELIMIT"] += 1
        return True

    def answer(self, prompt: str) -> str:
        if UNDERSTAND in prompt:
            return json.dumps(self._understood(prompt))
        if prompt.rstrip().endswith("Answer with the JSON object only."):
            return json.dumps(BACKGROUND)
        if "Split this task" in prompt:
            return '["What is the capital of France?", "What is the capital of Italy?"]'
        if "Plan this task" in prompt:
            return '[{"goal": "Find the capital", "tool_hint": "ask", "depends_on": []}]'
        if "Take this step" in prompt:
            return '{"tool": "ask", "arguments": {"question": "capital of France?"}}'
        task = prompt.rpartition("End of the example.")[2]
        if "Question:" not in task:
            return FACT
        asked = task.rsplit("Question:", 1)[1]
        looked = "Observation: " in task
        for word, (tool, arguments) in CALLS.items():
            if word in asked and not looked:
                return f"Thought: I should use {tool}.\nAction: {tool}\nArgs: {json.dumps(arguments)}"
        if "GARBAGE" in asked and not looked:
            return "I would rather not keep to the format."
        cited = " [0]" if "Memory [0]" in task else ""
        return f"Thought: I know this.\nFinal Answer: {FACT}{cited}"

    def _understood(self, prompt: str) -> dict[str, Any]:
        """What a user says of what is theirs is an entry; nothing else is worth keeping."""
        lines = re.findall(r"^\[(\d+)\] User(?: \([^)]*\))?: (My .*)$", prompt.rpartition("\nLines (")[2], re.MULTILINE)
        items = [NOTHING | {"text": text, "line": int(number), "quote": text} for number, text in lines]
        return {"items": items, "episode": None}


class Server:
    def __init__(self) -> None:
        self.script = Script()

    def routes(self) -> list[web.RouteDef]:
        """``GET /calls`` lists the prompts that the model was sent."""
        return [
            web.post("/v1/chat/completions", self.completions),
            web.get("/v1/models", self.models),
            web.get("/calls", self.calls),
        ]

    async def completions(self, request: web.Request) -> web.StreamResponse:
        body = await request.json()
        prompt = "\n".join(_text(message["content"]) for message in body["messages"])
        self.script.prompts.append(prompt)
        if self.script.refuses(prompt):
            return web.json_response({"error": {"message": "slow down", "code": "rate_limit_exceeded"}}, status=429)
        answer = self.script.answer(prompt)
        usage = {"prompt_tokens": len(prompt) // 4, "completion_tokens": len(answer) // 4, "total_tokens": 0}
        head = {"id": "scripted", "created": int(time.time()), "model": body.get("model", "scripted")}
        if not body.get("stream"):
            choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": answer}}
            return web.json_response({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)

        async def send(choices: list[dict[str, Any]], usage: dict[str, int] | None = None) -> None:
            chunk = {**head, "object": "chat.completion.chunk", "choices": choices, "usage": usage}
            await response.write(f"data: {json.dumps(chunk)}\n\n".encode())

        for start in range(0, len(answer), 6):
            await send([{"index": 0, "delta": {"content": answer[start : start + 6]}, "finish_reason": None}])
        await send([{"index": 0, "delta": {}, "finish_reason": "stop"}])
        await send([], usage)
        await response.write(b"data: [DONE]\n\n")
        await response.write_eof()
        return response

    async def models(self, _: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": [{"id": "scripted", "object": "model"}]})

    async def calls(self, _: web.Request) -> web.Response:
        return web.json_response(self.script.prompts)


def _text(content: Any) -> str:
    return content if isinstance(content, str) else "".join(part.get("text", "") for part in content)
