"""The stack as ``react-mem up`` composes it, with a scripted model and hashed embeddings: ``python -m tests.crash.stack HOME``.

Writes one line when it is ready.
"""

import asyncio
import json
import logging
import sys
from pathlib import Path

from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

MODEL = ScriptedModel(
    rules=[Rule(when="Question: ", answer="Thought: There is nothing to look up.\nFinal Answer: I noted it. [NO_CITE]")],
    default="{}",
)


async def serve(home: Path) -> None:
    settings = StoreSettings(keys=home / "keys")
    async with EmbeddedStack(home / "data", model=MODEL, embeddings=HashedEmbedder(), settings=settings):
        print(json.dumps({"event": "ready"}), flush=True)
        await asyncio.Event().wait()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    asyncio.run(serve(Path(sys.argv[1])))
