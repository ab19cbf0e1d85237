"""An OpenAI-compatible endpoint that answers by a word in the question, so that both agents are given the same model.

Run as ``python -m tests.stock.model_server PORT``.  ``GET /calls`` lists the prompts it was sent.
"""

import argparse
import json
import time
from collections import Counter
from typing import Any

from aiohttp import web

FACT = "Paris is the capital of France."


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
        if "Split this task" in prompt:
            return '["What is the capital of France?", "What is the capital of Italy?"]'
        if "Plan this task" in prompt:
            return '[{"goal": "Find the capital", "tool_hint": "ask", "depends_on": []}]'
        if "Take this step" in prompt:
            return '{"tool": "ask", "arguments": {"question": "capital of France?"}}'
        if "Question:" not in prompt:
            return FACT
        asked = prompt.rsplit("Question:", 1)[1]
        looked = "Observation: Paris" in prompt or "Observation: Error" in prompt
        if "LOOP" in asked or ("TOOL" in asked and not looked):
            return 'Thought: I should ask.\nAction: ask\nArgs: {\n  "question": "capital of France?"\n}'
        if "SERVICE" in asked and not looked:
            return 'Thought: The service knows.\nAction: service\nArgs: {"topic": "cats"}'
        if "UNKNOWN" in asked and not looked:
            return "Thought: hm.\nAction: nosuchtool\nArgs: {}"
        if "GARBAGE" in asked and not looked:
            return "I would rather not keep to the format."
        return f"Thought: I know this.\nFinal Answer: {FACT}"


class Server:
    def __init__(self) -> None:
        self.script = Script()

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


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("port", type=int)
    server = Server()
    application = web.Application(client_max_size=2**24)
    application.router.add_post("/v1/chat/completions", server.completions)
    application.router.add_get("/v1/models", server.models)
    application.router.add_get("/calls", server.calls)
    web.run_app(application, host="127.0.0.1", port=parser.parse_args().port, print=None)
