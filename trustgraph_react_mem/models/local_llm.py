"""A GGUF model served in this process by llama.cpp.

- Nothing is downloaded or loaded before the first request.
- llama.cpp runs in its own threads, behind OpenAI's interface on a port of the loopback interface, with a key that only this
  process knows.
- The common prefix of two prompts is computed once (slots and memory cache it): constant text belongs at the start.
"""

import asyncio
import os
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import BadRequest, ConfigurationError, ModelUnavailable, RequestRefused
from .chat import ChatModel, ChatPiece, ChatRequest
from .openai_chat import OpenAIChatModel

ANSWER_TOKENS = 512  # default limit: a small model that repeats itself must end
PROMPT_CACHE_MIB = 256
SLOTS = 2  # answers at the same time
CONTEXT_TOKENS = 8192  # shared by the slots: one long prompt, or several short ones
MOST_THREADS = 8
# Stops a model that continues with an invented tool result.
STOP = ("\nObservation:",)
TOO_LONG = "context size"  # in llama.cpp's refusal of a prompt that is longer than the context


def load_engine() -> Any:
    """The module ``xllamacpp``.  Raises: ConfigurationError (minimal images lack the system library that it links)."""
    # Spinning threads compete with everything else for the cores.  Passive waiting is three times faster on two busy cores,
    # and a fifth slower on two idle ones.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    try:
        import xllamacpp
    except ImportError as error:
        remedy = "apt-get install libgomp1 (dnf install libgomp), or set OPENAI_BASE_URL"
        raise ConfigurationError(f"the local model's engine cannot be loaded ({error}): {remedy}") from None
    return xllamacpp


def settings_of_model(model: ChatModel | None) -> dict[str, Any]:
    """The ``agent-mem`` settings for a model of this process: it is a small one, and its context is known."""
    if not isinstance(model, LocalChatModel):
        return {}
    return {"small-model": True, "context-window": CONTEXT_TOKENS}


class LocalChatModel(ChatModel):
    """``locate`` returns the model file and downloads it if necessary."""

    def __init__(self, name: str, locate: Callable[[], Awaitable[Path]]) -> None:
        self.name = name
        self.where = "in this process"
        self._locate = locate
        self._server: Any = None
        self._client: OpenAIChatModel | None = None
        self._opening = asyncio.Lock()

    async def load(self) -> OpenAIChatModel:
        """Raises: ModelUnavailable (download or loading failed), ConfigurationError (llama.cpp is not installed)."""
        async with self._opening:
            if self._client is None:
                key = secrets.token_urlsafe(24)
                self._server = await asyncio.to_thread(self._open, await self._locate(), key)
                url = f"{self._server.listening_address}/v1"
                # What waits for a slot gets no piece meanwhile.
                self._client = OpenAIChatModel(self.name, url, key=key, where=self.where, stop=STOP, read_s=None)
            return self._client

    def _open(self, path: Path, key: str) -> Any:
        xllamacpp = load_engine()
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.model_alias = {self.name}
        params.n_ctx = CONTEXT_TOKENS
        params.n_parallel = SLOTS
        params.kv_unified = True
        params.cpuparams.n_threads = params.cpuparams_batch.n_threads = min(MOST_THREADS, os.cpu_count() or 1)
        params.cache_ram_mib = PROMPT_CACHE_MIB
        params.warmup = False
        params.verbosity = -1
        params.ui = False
        params.endpoint_slots = False
        params.api_keys = [key]
        params.n_predict = 4 * ANSWER_TOKENS
        try:
            return xllamacpp.Server(params)
        except (RuntimeError, ValueError) as error:
            raise ModelUnavailable(f"failed to load {path} ({error}): delete it to download it again") from None

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        client = await self.load()
        asked = replace(request, temperature=request.temperature or 0.0, max_tokens=request.max_tokens or ANSWER_TOKENS)
        try:
            async with aclosing(client.stream(asked)) as pieces:
                async for piece in pieces:
                    yield piece
        except RequestRefused as error:
            if TOO_LONG not in str(error):
                raise
            remedy = "shorten the prompt, lower memory-budget or working-memory-threshold, or use a model with a longer context"
            raise BadRequest(f"{error}: {remedy}") from None

    async def close(self) -> None:
        """Stop the server and running generations.  A later request loads the model again."""
        async with self._opening:
            client, self._client, self._server = self._client, None, None
        if client is not None:
            await client.close()
