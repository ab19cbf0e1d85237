"""Any endpoint that speaks OpenAI's chat completions: OpenAI, vLLM, llama-server, Ollama, LM Studio and others."""

import asyncio
import json
import logging
from collections.abc import AsyncIterator, Mapping
from typing import Any

import httpx
from tenacity import AsyncRetrying, RetryCallState, retry_if_exception_type, stop_after_attempt, wait_random_exponential

from ..errors import BadRequest, ModelAnswerError, ModelUnavailable, RateLimited
from .chat import ChatPiece, ChatRequest, delta, joined, messages, response_format

logger = logging.getLogger(__name__)

CONNECT_S = 5.0
READ_S = 300.0  # between two pieces of an answer: a large model on a small machine is slow to start
TRIES = 3
LONGEST_WAIT_S = 20.0


class OpenAIChatModel:
    """Rate limits, dropped connections and server errors are retried with backoff, until the first piece has arrived.

    ``key`` is sent and never logged or shown.
    """

    def __init__(
        self,
        name: str,
        base_url: str,
        *,
        key: str = "",
        where: str = "",
        tries: int = TRIES,
        first_wait_s: float = 0.5,
        read_s: float = READ_S,
        stop: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.where = where or f"at {httpx.URL(base_url).host}"
        self._tries = tries
        self._first_wait_s = first_wait_s
        self._stop = stop
        self._client = httpx.AsyncClient(
            base_url=base_url.rstrip("/") + "/",
            headers={"Authorization": f"Bearer {key}"} if key else {},
            timeout=httpx.Timeout(read_s, connect=CONNECT_S),
        )

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        response = await self._opened(self._body(request))
        model = request.model or self.name
        usage: Mapping[str, Any] = {}
        try:
            async for line in response.aiter_lines():
                if not line.startswith("data:") or line.removeprefix("data:").strip() == "[DONE]":
                    continue
                chunk = self._decoded(line.removeprefix("data:"))
                model = chunk.get("model") or model
                usage = chunk.get("usage") or usage
                if text := delta(chunk):
                    yield ChatPiece(text=text, model=model)
        except httpx.HTTPError as error:
            raise ModelUnavailable(f"{self.name} {self.where} broke off its answer ({type(error).__name__})") from None
        finally:
            await response.aclose()
        yield ChatPiece(
            in_tokens=usage.get("prompt_tokens") or 0,
            out_tokens=usage.get("completion_tokens") or 0,
            cached_tokens=(usage.get("prompt_tokens_details") or {}).get("cached_tokens") or 0,
            model=model,
            final=True,
        )

    async def complete(self, request: ChatRequest) -> ChatPiece:
        return await joined(self.stream(request))

    async def models(self) -> list[str]:
        try:
            response = await self._client.get("models", timeout=CONNECT_S)
            response.raise_for_status()
            return [str(entry["id"]) for entry in response.json()["data"]]
        except (httpx.HTTPError, ValueError, KeyError, TypeError) as error:
            raise ModelUnavailable(
                f"failed to list the models of {self.name} {self.where} ({type(error).__name__}): check OPENAI_BASE_URL"
            ) from None

    async def close(self) -> None:
        await self._client.aclose()

    async def _opened(self, body: Mapping[str, Any]) -> httpx.Response:
        try:
            return await self._tried(body)
        except BadRequest:
            if "response_format" not in body:
                raise
            # Many servers support no schemas.  The prompt also describes the format, and the answer is checked.
            logger.info("endpoint of %s rejects response_format; retrying without it", self.name)
            return await self._tried({key: value for key, value in body.items() if key != "response_format"})

    async def _tried(self, body: Mapping[str, Any]) -> httpx.Response:
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(ModelUnavailable),
            stop=stop_after_attempt(self._tries),
            wait=self._wait,
            sleep=asyncio.sleep,
            reraise=True,
        )
        async for attempt in retrying:
            with attempt:
                return await self._open(body)
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _wait(self, state: RetryCallState) -> float:
        """The endpoint's Retry-After, else exponential backoff with jitter."""
        failure = state.outcome.exception() if state.outcome else None
        asked = getattr(failure, "retry_after_s", 0.0)
        drawn = wait_random_exponential(multiplier=self._first_wait_s, max=LONGEST_WAIT_S)(state)
        return float(min(LONGEST_WAIT_S, max(asked, drawn)))

    async def _open(self, body: Mapping[str, Any]) -> httpx.Response:
        request = self._client.build_request("POST", "chat/completions", json=body)
        try:
            response = await self._client.send(request, stream=True)
        except httpx.HTTPError as error:
            raise ModelUnavailable(
                f"{self.name} {self.where} is not reachable ({type(error).__name__}): start it, or set OPENAI_BASE_URL"
            ) from None
        if response.status_code == 200:
            return response
        try:
            detail = _reason(await response.aread())
        finally:
            await response.aclose()
        status = f"{self.name} {self.where} answered {response.status_code}"
        match response.status_code:
            case 429:
                limited = RateLimited(
                    f"{status}: it limits the rate ({detail or 'no reason given'}); wait, or use another model"
                )
                limited.retry_after_s = _seconds(response.headers.get("retry-after", ""))
                raise limited
            case 401 | 403:
                raise BadRequest(f"{status}: check OPENAI_API_KEY")
            case 404:
                raise BadRequest(f"{status}: check OPENAI_BASE_URL and the model name {self.name!r} (OPENAI_MODEL)")
            case code if code >= 500 or code == 408:
                raise ModelUnavailable(f"{status} {detail}".strip())
            case _:
                raise BadRequest(f"{status}: {detail}")

    def _body(self, request: ChatRequest) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": request.model or self.name,
            "messages": messages(request),
            "stream": True,
            "stream_options": {"include_usage": True},
        }
        if request.temperature is not None:
            body["temperature"] = request.temperature
        if request.max_tokens:
            body["max_tokens"] = request.max_tokens
        if form := response_format(request):
            body["response_format"] = form
        elif self._stop:
            body["stop"] = list(self._stop)
        return body

    def _decoded(self, data: str) -> Mapping[str, Any]:
        try:
            chunk = json.loads(data)
        except ValueError:
            raise ModelAnswerError(f"{self.name} {self.where} sent invalid JSON") from None
        if not isinstance(chunk, dict) or "error" in chunk:
            raise ModelUnavailable(f"{self.name} {self.where} broke off its answer")
        return chunk


def _reason(body: bytes) -> str:
    """The endpoint's error message, shortened.  It names parameters, never the prompt."""
    try:
        error = json.loads(body)["error"]
        return str(error["message"] if isinstance(error, dict) else error)[:200]
    except (ValueError, KeyError, TypeError):
        return ""


def _seconds(text: str) -> float:
    try:
        return max(0.0, float(text))
    except ValueError:
        return 0.0
