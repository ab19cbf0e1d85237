"""The HTTP listener over an embedded stack, for clients in another process and another environment.

It prints one line of JSON: the address, keys of users ("users"), a service key ("gateway") and a key that may only read
("reader").  It ends when its standard input is closed.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from tests.integration.http.served import serve
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.testing import Rule, ScriptedModel

USERS = [f"user-{number}" for number in range(100)]
LEARNED = {
    "tune harpsichords": "The user tunes harpsichords",
    "play the cello": "The user plays the cello",
    "trumpet before breakfast": "The user plays the trumpet before breakfast",
}


def _understood(text: str, words: str) -> str:
    item = {"op": "add", "kind": "state", "text": text, "line": 0, "quote": words, "topic": "music", "weight": 3}
    return json.dumps({"items": [item], "episode": None})


def _otherwise(request: ChatRequest) -> str:
    return '{"items": [], "episode": null}' if "\nLines (" in request.prompt else "{}"


MODEL = ScriptedModel(
    rules=(
        *(Rule(when=f"(?s)\nLines [(].*{words}", answer=_understood(text, words)) for words, text in LEARNED.items()),
        Rule(
            when="Form 1, to use a tool",
            answer="Thought: A memory says it.\nFinal Answer: Miso is allergic to chicken. [0]",
        ),
    ),
    default=_otherwise,
)


async def run(home: Path) -> None:
    async with serve(home, MODEL, rate_limit=0) as served:
        keys = {
            "users": {user: served.keys.create("user", user=user)[1] for user in USERS},
            "gateway": served.keys.create("service")[1],
            "reader": served.keys.create("user", user="reader", writes=False)[1],
        }
        print(json.dumps({"url": served.server.url, **keys}), flush=True)
        await asyncio.to_thread(sys.stdin.read)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(run(Path(folder)))
