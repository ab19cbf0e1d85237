"""A GGUF model served in this process by llama.cpp.

- Nothing is downloaded or loaded before the first request.
- llama.cpp runs in its own threads and releases the GIL, so the event loop keeps running.
- The common prefix of two prompts is computed once (slots and memory cache it): constant text belongs at the start.
- llama.cpp opens a port on the loopback interface, with a key that only this process knows.
"""

import asyncio
import ctypes
import logging
import os
import secrets
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from ..errors import BadRequest, ConfigurationError, ModelAnswerError, ModelUnavailable
from .chat import ChatModel, ChatPiece, ChatRequest, delta, join_pieces, messages, response_format

logger = logging.getLogger(__name__)

CONTEXT_TOKENS = 8192  # shared by the slots: one long prompt, or several short ones
SLOTS = 2
ANSWER_TOKENS = 512  # default limit: a small model that repeats itself must end
PROMPT_CACHE_MIB = 256
# Stops a model that continues with an invented tool result.
STOP = ("\nObservation:",)
WAITING_CALLS = 64
OPENMP = "libgomp.so.1"  # llama.cpp links the system library, which minimal images lack
NO_OPENMP = f"the local model's engine needs {OPENMP}: apt-get install libgomp1 (dnf install libgomp), or set OPENAI_BASE_URL"


def has_openmp() -> bool:
    """Whether this system has the OpenMP library that llama.cpp needs."""
    if sys.platform != "linux":
        return True  # bundled on other systems
    try:
        ctypes.CDLL(OPENMP)
    except OSError:
        return False
    return True


def settings_of_model(model: ChatModel | None) -> dict[str, Any]:
    """The ``agent-mem`` settings for a model of this process: it is a small one, and its context is known."""
    if not isinstance(model, LocalChatModel):
        return {}
    return {"small-model": True, "context-window": model.context_tokens}


class LocalChatModel:
    """``locate`` returns the model file and downloads it if necessary."""

    def __init__(
        self,
        name: str,
        locate: Callable[[], Awaitable[Path]],
        *,
        slots: int = SLOTS,
        context_tokens: int = CONTEXT_TOKENS,
        threads: int = 0,
    ) -> None:
        self.name = name
        self.where = "in this process"
        self._locate = locate
        self._slots = slots
        self.context_tokens = context_tokens
        self._threads = threads or min(8, os.cpu_count() or 1)
        self._server: Any = None
        self._opening = asyncio.Lock()
        # The native call blocks its thread; llama.cpp queues what exceeds its slots.
        self._pool = ThreadPoolExecutor(max_workers=WAITING_CALLS, thread_name_prefix="local-model")

    async def load(self) -> None:
        """Raises: ModelUnavailable (download or loading failed), ConfigurationError (llama.cpp is not installed)."""
        async with self._opening:
            if self._server is None:
                path = await self._locate()
                self._server = await asyncio.to_thread(self._open, path)

    def _open(self, path: Path) -> Any:
        # Spinning threads compete with everything else for the cores.  Passive waiting is three times faster on two busy
        # cores, and a fifth slower on two idle ones.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            import xllamacpp
        except ImportError:
            if not has_openmp():
                raise ConfigurationError(NO_OPENMP) from None
            raise
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = self.context_tokens
        params.n_parallel = self._slots
        params.kv_unified = True
        params.cpuparams.n_threads = self._threads
        params.cpuparams_batch.n_threads = self._threads
        params.cache_ram_mib = PROMPT_CACHE_MIB
        params.warmup = False
        params.verbosity = -1
        params.ui = False
        params.endpoint_slots = False
        params.api_keys = [secrets.token_urlsafe(24)]
        params.n_predict = 4 * ANSWER_TOKENS
        try:
            return xllamacpp.Server(params)
        except (RuntimeError, ValueError) as error:
            raise ModelUnavailable(f"failed to load {path} ({error}): delete it to download it again") from None

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        await self.load()
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[Mapping[str, Any] | Exception | None] = asyncio.Queue()
        stopped = False

        def put(item: Mapping[str, Any] | Exception | None) -> None:
            with suppress(RuntimeError):  # the loop may be closed when a stopped call ends
                loop.call_soon_threadsafe(arrived.put_nowait, item)

        def receive(chunk: Mapping[str, Any]) -> bool:
            put(chunk)
            return stopped  # True ends the generation

        def generate() -> None:
            try:
                self._server.handle_chat_completions(self._body(request), receive)
            except Exception as error:  # any native error must reach the waiting coroutine
                put(error)
            else:
                put(None)

        self._pool.submit(generate)
        final = ChatPiece(model=self.name, final=True)
        said = False
        try:
            while (chunk := await arrived.get()) is not None:
                if isinstance(chunk, Exception):
                    raise ModelAnswerError(f"{self.name} rejected the request: {type(chunk).__name__}: {str(chunk)[:300]}")
                self._raise_for(chunk)
                text = delta(chunk)
                said |= bool(text.strip())
                if text:
                    yield ChatPiece(text=text, model=self.name)
                if usage := chunk.get("usage"):
                    final = ChatPiece(
                        in_tokens=usage["prompt_tokens"],
                        out_tokens=usage["completion_tokens"],
                        cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens", 0),
                        model=self.name,
                        final=True,
                    )
            if not said:
                raise ModelUnavailable(f"{self.name} gave an empty answer: rephrase the question, or use a larger model")
            yield final
        finally:
            stopped = True

    async def complete(self, request: ChatRequest) -> ChatPiece:
        return await join_pieces(self.stream(request))

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "messages": messages(request),
            "stream": True,
            "stream_options": {"include_usage": True},
            "cache_prompt": True,
            "temperature": request.temperature if request.temperature is not None else 0.0,
            "max_tokens": request.max_tokens or ANSWER_TOKENS,
        }
        if form := response_format(request):
            body["response_format"] = form
        else:
            body["stop"] = list(STOP)
        return body

    def _raise_for(self, chunk: Mapping[str, Any]) -> None:
        error = chunk if "code" in chunk and "message" in chunk else chunk.get("error")
        if not error:
            return
        if error.get("type") == "exceed_context_size_error":
            raise BadRequest(
                f"the prompt has {error.get('n_prompt_tokens')} tokens, the context of {self.name} is {self.context_tokens}: "
                "shorten it, lower memory-budget or working-memory-threshold, or use a model with a longer context"
            )
        raise ModelAnswerError(f"{self.name}: {str(error.get('message'))[:300]}")

    async def models(self) -> list[str]:
        return [self.name]

    async def close(self) -> None:
        """Stop the server and running generations.  A later request loads the model again."""
        async with self._opening:
            server, self._server = self._server, None
        if server is not None:
            del server
