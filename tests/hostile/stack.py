"""The embedded stack with models and a clock that a scene directs: ``python -m tests.hostile.stack HOME``.

``HOME/scene.json`` is read again whenever it changes (``scene.py``).  One line is written when the stack is ready.
"""

import asyncio
import json
import logging
import os
import signal
import sys
from collections.abc import AsyncIterator
from datetime import datetime, timedelta
from pathlib import Path

from trustgraph_react_mem.allocator import limit_arenas
from trustgraph_react_mem.directories import PRIVATE_UMASK
from trustgraph_react_mem.embedded import EmbeddedStack
from trustgraph_react_mem.erasure import files as erased_files
from trustgraph_react_mem.errors import ModelUnavailable
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.models.chat import ChatPiece, ChatRequest
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.testing.hashed_embedder import HashedEmbedder
from trustgraph_react_mem.testing.scripted_model import Rule, ScriptedModel

from .scene import Scene

GRACE_S = 10.0  # for running turns after SIGTERM
NOTHING = Rule(when="Read the new lines of a conversation", answer='{"items": [], "episode": null}')
NOTED = Rule(when="Question: ", answer="Thought: There is nothing to look up.\nFinal Answer: I noted it. [NO_CITE]")


class Director:
    """The scene of the moment."""

    def __init__(self, home: Path) -> None:
        self._file = home / "scene.json"
        self._read_at = 0
        self._scene = Scene()

    @property
    def scene(self) -> Scene:
        changed = self._file.stat().st_mtime_ns if self._file.exists() else 0
        if changed != self._read_at:
            self._scene, self._read_at = Scene.load(self._file), changed
        return self._scene


class DirectedModel(ScriptedModel):
    """Answers by the rules of the scene, else notes what is said.  Fails as the scene says."""

    def __init__(self, director: Director) -> None:
        super().__init__(default="{}")
        self._director = director

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        self.calls.clear()
        scene = self._director.scene
        whole = f"{request.system}\n\n{request.prompt}"
        background = "Form 1, to use a tool" not in whole
        if background and any(word in whole for word in scene.background_kills):
            os._exit(137)
        if scene.background_away and background:
            raise ModelUnavailable("the endpoint does not answer")
        self.rules = [*(Rule(**rule) for rule in scene.rules), NOTHING, NOTED]
        async for piece in super().stream(request):
            yield piece


def shift_clock(director: Director) -> None:
    """The clock of the whole process runs as far off as the scene says."""
    true_now = SystemClock.now

    def now(self: SystemClock) -> datetime:
        return true_now(self) + timedelta(seconds=director.scene.clock_off_s)

    SystemClock.now = now  # type: ignore[method-assign]


async def serve(home: Path) -> None:
    director = Director(home)
    shift_clock(director)
    erased_files.REST = 1.0  # between two rewrites of the files
    model = DirectedModel(director)
    stopped = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, stopped.set)
    settings = StoreSettings(keys=home / "keys", shutdown_grace=GRACE_S)
    async with EmbeddedStack(home / "data", model=model, embeddings=HashedEmbedder(), settings=settings) as stack:
        print(json.dumps({"address": stack.url}), flush=True)
        await stopped.wait()
        await stack.drain(GRACE_S)  # as `react-mem up` does


def main() -> None:
    logging.basicConfig(level=logging.WARNING, stream=sys.stderr)
    os.umask(PRIVATE_UMASK)  # as every console script does
    limit_arenas()
    asyncio.run(serve(Path(sys.argv[1])))


if __name__ == "__main__":
    main()
