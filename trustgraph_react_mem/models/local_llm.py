"""A GGUF model served in this process by llama.cpp.

- Nothing is loaded, and nothing fetched, before the first request.
- llama.cpp works in threads of its own and lets go of the interpreter's lock meanwhile: the event loop runs on.
- What two prompts have in common at their start is computed once (a slot keeps it, and what leaves a slot waits in
  memory): put what is constant first.
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
from .chat import ChatPiece, ChatRequest, delta, joined, messages, response_format

logger = logging.getLogger(__name__)

CONTEXT_TOKENS = 8192  # shared by the slots: one long prompt, or several short ones
SLOTS = 2
ANSWER_TOKENS = 512  # when a request says nothing: a small model that repeats itself must end
PROMPT_CACHE_MIB = 256
# A model that goes on to write the tool's answer itself is stopped there.
STOP = ("\nObservation:",)
WAITING_CALLS = 64
OPENMP = "libgomp.so.1"  # llama.cpp links the system's; minimal images lack it
NO_OPENMP = f"the local model's engine needs {OPENMP}: apt-get install libgomp1 (dnf install libgomp), or set OPENAI_BASE_URL"


def has_openmp() -> bool:
    """Whether this system has the OpenMP library that the engine links."""
    if sys.platform != "linux":
        return True  # bundled with the engine there
    try:
        ctypes.CDLL(OPENMP)
    except OSError:
        return False
    return True


class LocalChatModel:
    """``locate`` fetches the model file when it is first needed."""

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
        self._context_tokens = context_tokens
        self._threads = threads or min(8, os.cpu_count() or 1)
        self._server: Any = None
        self._opening = asyncio.Lock()
        # The native call blocks its thread; llama.cpp queues what exceeds its slots.
        self._pool = ThreadPoolExecutor(max_workers=WAITING_CALLS, thread_name_prefix="local-model")

    @property
    def loaded(self) -> bool:
        return self._server is not None

    async def load(self) -> None:
        """Raises: ModelUnavailable (it cannot be fetched or read), ConfigurationError (the engine is not installed)."""
        async with self._opening:
            if self._server is None:
                path = await self._locate()
                self._server = await asyncio.to_thread(self._open, path)

    def _open(self, path: Path) -> Any:
        # Threads that spin while they wait for each other lose the cores to whatever else runs: measured on two busy cores,
        # waiting passively is three times as fast; on two idle ones it costs a fifth.
        os.environ.setdefault("OMP_WAIT_POLICY", "passive")
        try:
            import xllamacpp
        except ImportError:
            if not has_openmp():
                raise ConfigurationError(NO_OPENMP) from None
            raise
        params = xllamacpp.CommonParams()
        params.model.path = str(path)
        params.n_ctx = self._context_tokens
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
            raise ModelUnavailable(f"{path} cannot be loaded ({error}): delete it, and it is fetched again") from None

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        await self.load()
        loop = asyncio.get_running_loop()
        arrived: asyncio.Queue[Mapping[str, Any] | Exception | None] = asyncio.Queue()
        stopped = False

        def put(item: Mapping[str, Any] | Exception | None) -> None:
            with suppress(RuntimeError):  # the loop may be gone when a stopped call ends
                loop.call_soon_threadsafe(arrived.put_nowait, item)

        def receive(chunk: Mapping[str, Any]) -> bool:
            put(chunk)
            return stopped  # True ends the generation

        def generate() -> None:
            try:
                self._server.handle_chat_completions(self._body(request), receive)
            except Exception as error:  # whatever the native side raises must reach the waiting coroutine
                put(error)
            else:
                put(None)

        self._pool.submit(generate)
        final = ChatPiece(model=self.name, final=True)
        try:
            while (chunk := await arrived.get()) is not None:
                if isinstance(chunk, Exception):
                    raise ModelAnswerError(f"{self.name} refused the request: {type(chunk).__name__}: {str(chunk)[:300]}")
                self._raise_for(chunk)
                text = delta(chunk)
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
            yield final
        finally:
            stopped = True

    async def complete(self, request: ChatRequest) -> ChatPiece:
        return await joined(self.stream(request))

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
                f"the prompt has {error.get('n_prompt_tokens')} tokens and {self.name} takes {self._context_tokens}: "
                "shorten it, lower memory-budget or working-memory-threshold, or use a model with a longer context"
            )
        raise ModelAnswerError(f"{self.name}: {str(error.get('message'))[:300]}")

    async def models(self) -> list[str]:
        return [self.name]

    async def close(self) -> None:
        """Ends running generations with the server.  A later request loads it again."""
        async with self._opening:
            server, self._server = self._server, None
        if server is not None:
            del server
