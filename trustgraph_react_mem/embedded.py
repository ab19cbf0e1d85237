"""The whole stack on one machine: all processors run in this process on one event loop, over the bus of a process.

Invariants:
- A data directory has at most one stack.  A file lock ensures this, and the kernel releases it however the process ends.
- ``stack.json`` is ignored if no process holds the lock.
- Other processes of the account reach the bus by its socket (``bus/local/local_socket``).
- The jobs are closed last.
"""

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import import_module
from pathlib import Path
from typing import Any

from .bootstrap import MemoryServices, open_local_services, open_services
from .bus.address import BusAddress
from .bus.external_client import open_bus
from .bus.local.in_process import InProcessBus
from .bus.local.local_socket import BusSocket
from .bus.port import Bus
from .directories import STATE_FILE, replace_private_file
from .extras import GRAPH, PROMPTS, VECTORS, require
from .failure_log import describe_error
from .indexing.routing import UnavailableEmbedder
from .models.catalogue import load_catalogue
from .models.chat import ChatModel
from .models.embedder import open_embedding_model
from .models.embedding_model import EmbeddingModel
from .models.endpoint import choose_chat_model
from .models.local_llm import settings_of_model
from .processors import embedded_config
from .stack_state import FLOW, WORKSPACE, StackInfo, lock_directory
from .store_settings import StoreSettings
from .stores.opening import stored_indexes

logger = logging.getLogger(__name__)


class EmbeddedStack:
    """``async with EmbeddedStack(home) as stack: stack.url``.  The stack is ready when the block is entered.

    Arguments:
        model: the language model: "" (an endpoint, Ollama or the local model, depending on the environment), "none", a name,
            or an open model.
        embeddings: the embedding model, in the same format.
        attach: the broker of a TrustGraph.  Then only the processors of this package run here and serve the flows of that
            TrustGraph.  It provides the embeddings unless ``embeddings`` is set.
        agent: further parameters of the agent's processor.
        progress: is called with a text for each step of the start.
    """

    def __init__(
        self,
        home: str | Path | None = None,
        *,
        model: str | ChatModel = "",
        embeddings: str | EmbeddingModel = "",
        attach: BusAddress | None = None,
        settings: StoreSettings | None = None,
        agent: Mapping[str, Any] | None = None,
        progress: Callable[[str], None] | None = None,
    ) -> None:
        settings = settings or StoreSettings()
        self.settings = settings.model_copy(update={"home": Path(home)}) if home is not None else settings
        self.home = self.settings.home
        self.url = attach.url if attach else ""
        self.description: dict[str, str] = {}
        self._model = model
        self._embeddings = embeddings
        self._attach = attach
        self._agent = dict(agent or {})
        self._progress = progress or (lambda text: None)
        self._ending = contextlib.AsyncExitStack()
        self.memory: MemoryServices | None = None
        self.processors: dict[str, Any] = {}

    async def __aenter__(self) -> "EmbeddedStack":
        """Raises: ConfigurationError (such as: another stack is running here), EngineUnavailable, ModelUnavailable."""
        try:
            await self._start()
        except BaseException:
            await self._ending.aclose()
            raise
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._ending.aclose()

    @property
    def address(self) -> BusAddress:
        """Of its bus, for clients of this process."""
        return self._attach or BusAddress(url=self.url)

    def lease(self) -> Bus:
        """The bus of its processors, for clients of this process."""
        return self._bus.lease()

    async def drain(self, timeout_s: float) -> int:
        """Take no more questions, and let running turns finish.  Returns the number of those that were cut short.

        The other processors keep running: the turns need them.
        """
        agent = self.processors.get("agent-manager-react-mem")
        return await agent.drain(timeout_s) if agent is not None else 0

    # --------------------------------------------------------------------------------------------------- starting

    async def _start(self) -> None:
        self._require_packages()
        self._ending.callback(lock_directory(self.home, starts_stack=True).close)
        chat, embedding = await asyncio.gather(self._chat_model(), self._embedding_model())
        await self._open_memory(embedding)
        await self._start_processors(chat, embedding)
        if not self._attach:
            await self._serve_others()
        self._describe(chat, embedding)
        self._write_state()

    def _require_packages(self) -> None:
        """Check all packages before anything is downloaded or started.  Raises: MissingPackage."""
        wanted = (
            *(() if self._attach else PROMPTS),
            *(() if self.settings.graph_url else GRAPH),
            *(() if self.settings.vector_url else VECTORS),
        )
        require("the embedded stack", *wanted, otherwise="name a deployment's broker with --bus")

    async def _chat_model(self) -> ChatModel | None:
        if self._attach:
            return None
        if not isinstance(self._model, str):
            return self._model
        model = await choose_chat_model(self._model or None, report=self._progress)
        if model is not None:
            self._ending.push_async_callback(model.close)
        return model

    async def _embedding_model(self) -> EmbeddingModel | None:
        if self._attach and not self._embeddings:
            return None
        if not isinstance(self._embeddings, str):
            return self._embeddings
        model = await open_embedding_model(await self._embedding_choice(), report=self._progress)
        self._ending.push_async_callback(model.close)
        return model

    async def _embedding_choice(self) -> str | None:
        """The requested model.  If none was requested, the newest model that has stored vectors."""
        wanted = self._embeddings if isinstance(self._embeddings, str) else ""
        wanted = "" if wanted == "local" else wanted or os.environ.get("REACT_MEM_EMBEDDINGS", "")
        if wanted not in ("", "auto") or self.settings.vector_url:
            return wanted or None
        stored = await stored_indexes(self.settings.vectors)
        return stored[-1].model if stored and stored[-1].model in load_catalogue().models else wanted or None

    async def _open_memory(self, embedding: EmbeddingModel | None) -> None:
        source = "agent-manager-react-mem"
        if self._attach:
            self._bus: Bus = open_bus(self._attach)
            self._ending.push_async_callback(self._bus.close)
            self.memory = await open_services(self.settings, self._bus, source=source, embedder=embedding)
            self._ending.push_async_callback(self.memory.close)
        else:
            assert embedding is not None
            self.memory, self._bus = await open_local_services(self.settings, self._ending, embedder=embedding, source=source)
        stores = self.memory.stores
        if formers := stores.formers:
            before = ", ".join(former.profile.name for former in formers)
            known = not any(isinstance(former.embedder, UnavailableEmbedder) for former in formers)
            meanwhile = "found as before" if known else f"found by keyword search only, because {before} is not available"
            self._progress(
                f"the embedding model is now {stores.profile.name}: memories embedded with {before} are re-embedded in the "
                f"background; until then they are {meanwhile}"
            )

    async def _serve_others(self) -> None:
        assert isinstance(self._bus, InProcessBus)
        socket = await BusSocket.open(self._bus, self.home.absolute())
        self._ending.push_async_callback(socket.close)
        self.url = socket.url

    async def _start_processors(self, chat: ChatModel | None, embedding: EmbeddingModel | None) -> None:
        if not self._attach:
            await self._start_configuration(with_model=chat is not None)
        shared = {"backend": self._bus, "memory": self.memory}
        memory = {**shared, "agent_mem": json.dumps(settings_of_model(chat))}
        wanted: dict[str, tuple[str, Mapping[str, Any]]] = {
            "agent-facts": ("facts", memory),
            "agent-episodes": ("episodes", memory),
            "agent-conversations": ("conversations", memory),
            "agent-memory-jobs": ("jobs", memory),
            "agent-manager-react-mem": ("agent.processor", {**memory, **self._agent}),
        }
        if embedding is not None:
            wanted["embeddings"] = ("embeddings", {**shared, "embedding_model": embedding})
        if not self._attach:
            wanted["prompt"] = ("prompt", shared)
        if chat is not None:
            wanted["text-completion"] = ("text_completion", {**shared, "chat_model": chat})
        for name, (module, given) in wanted.items():
            self.processors[name] = import_module(f".processors.{module}", __package__).Processor(id=name, **given)
        for processor in self.processors.values():
            self._ending.push_async_callback(_stop_quietly(processor))
        await asyncio.gather(*(processor.start() for processor in self.processors.values()))

    async def _start_configuration(self, *, with_model: bool) -> None:
        service = embedded_config.Processor(id="config-svc", path=str(self.home / "config.json"), backend=self._bus)
        service.file.seed(WORKSPACE, FLOW, with_model=with_model)
        self._ending.push_async_callback(_stop_quietly(service))
        await service.start()

    # ------------------------------------------------------------------------------------------------- description

    def _describe(self, chat: ChatModel | None, embedding: EmbeddingModel | None) -> None:
        assert self.memory is not None
        elsewhere = "TrustGraph's own"
        embeddings = f"{self.memory.models.current.profile.name} ({embedding.where if embedding else elsewhere})"
        if former := ", ".join(dict.fromkeys(index.profile.name for index in self.memory.models.previous)):
            embeddings += f", taking over from {former}"  # as of the start
        self.description = {
            "model": f"{chat.name} ({chat.where})" if chat else elsewhere if self._attach else "none",
            "embeddings": embeddings,
            "bus": self.url,
            "data": str(self.home),
            "keys": str(self.settings.keys),
        }

    def _write_state(self) -> None:
        info = StackInfo(pid=os.getpid(), url=self.url, started_at=datetime.now(UTC).isoformat(), description=self.description)
        path = self.home / STATE_FILE
        replace_private_file(path, json.dumps(asdict(info), indent=1), sync=False)
        self._ending.callback(path.unlink, missing_ok=True)


def _stop_quietly(processor: Any) -> Callable[[], Awaitable[None]]:
    async def stop() -> None:
        try:
            await asyncio.wait_for(processor.stop(), timeout=10)
        except Exception as error:
            # Broad because the other processors must be stopped as well.
            logger.warning("stopping processor %s failed: %s", processor.id, describe_error(error))

    return stop
