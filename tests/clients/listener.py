"""The HTTP listener over an embedded stack, for clients in another process.

It prints one line of JSON: the address, and a key for each of the names in ``USERS``, "gateway" (a service key) and "reader" (a
key of ana that may only read).  It ends when its standard input is closed.
"""

import asyncio
import json
import sys
import tempfile
from pathlib import Path

from aiohttp import web

from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.http import hindsight, mem0, seed_routes
from trustgraph_react_mem.http.access import Buses
from trustgraph_react_mem.http.application import Listener, make_application
from trustgraph_react_mem.http.identity import Identity, key_resolver
from trustgraph_react_mem.http.keys import KeyFile
from trustgraph_react_mem.testing import HashedEmbedder, Rule, ScriptedModel

USERS = ("ana", "ben", "cleo", "dan", "eve", "fay", "gus", "hal", "ida", "jon")
FACT = '{"fact": "%s", "kind": "semantic", "importance": 0.8, "lines": [0]}'
MODEL = ScriptedModel(
    rules=(
        Rule(when="(?s)Lines:.*tune harpsichords", answer='{"facts": [%s]}' % (FACT % "The user tunes harpsichords")),
        Rule(when="Form 1, to use a tool", answer="Thought: A memory says it.\nFinal Answer: Miso is allergic to chicken. [0]"),
    ),
    default=lambda request: '{"facts": []}' if "Lines:" in request.prompt else "{}",
)


async def serve(home: Path) -> None:
    keys = KeyFile(home / "keys")
    secrets = {user: keys.create("user", user=user)[1] for user in USERS}
    secrets["gateway"] = keys.create("service")[1]
    secrets["reader"] = keys.create("user", user="ana", writes=False)[1]
    async with EmbeddedStack(home / "data", model=MODEL, embeddings=HashedEmbedder(256)) as stack:
        buses = Buses(stack.address)
        listener = Listener(buses=buses, authenticate=Identity(key_resolver(keys)))
        app = make_application(listener, [*mem0.routes(), *hindsight.routes(), *seed_routes.routes()])
        runner = web.AppRunner(app)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        port = runner.addresses[0][1]
        print(json.dumps({"url": f"http://127.0.0.1:{port}", "keys": secrets}), flush=True)
        await asyncio.to_thread(sys.stdin.read)
        await runner.cleanup()
        await buses.close()


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(serve(Path(folder)))
