"""The language model of the agent: TrustGraph's prompt service.  A call is retried after rate limits and short outages.

Request topics have no redelivery, so the retry is here, with growing pauses and a maximum.

Invariant: a call is not retried once text has been shown to the user.
"""

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential
from trustgraph.exceptions import TooManyRequests

from ...bus.model import RATE_LIMITED, TRIED_ALREADY, prompt_request
from ...errors import QUOTA, EngineUnavailable, MemoryServiceError, ModelAnswerError, ModelUnavailable
from ...memory.ports import JsonValue
from ...telemetry.metrics import observe_model
from ...turn.events import Usage

logger = logging.getLogger(__name__)

_TRANSIENT = ("model-unavailable", "unavailable", "timeout", "connection", "overloaded", "502", "503", "504")

ATTEMPTS = 4

OnText = Callable[[str], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """``text`` is the complete text, even if it was streamed."""

    text: str
    usage: Usage = field(default_factory=Usage)


class PromptMissing(MemoryServiceError):
    """The prompt service has no template with that name."""

    wire_type = "prompt-missing"
    blame = "operator"


class _Transient(ModelUnavailable):
    """A failure that a retry may resolve."""


class PromptModel:
    """``client`` is the flow's ``prompt-request`` client, or None if the flow has no prompt service."""

    def __init__(self, client: Any, *, timeout_s: float, longest_pause_s: float = 8.0) -> None:
        self._client = client
        self._timeout_s = timeout_s
        self._longest_pause_s = longest_pause_s

    async def ask(self, prompt_id: str, variables: Mapping[str, JsonValue], on_text: OnText | None) -> Reply:
        """Call the model, and stream the text to ``on_text`` if given.

        Raises: ModelUnavailable, ModelAnswerError, PromptMissing.
        """
        if self._client is None:
            raise ModelUnavailable("this flow has no prompt service: add the topics prompt-request and prompt-response")
        retrying = AsyncRetrying(
            retry=retry_if_exception_type(_Transient),
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_random_exponential(multiplier=self._longest_pause_s / 16, max=self._longest_pause_s),
            reraise=True,
        )

        async def ask_once() -> Reply:
            with observe_model(prompt_id) as call:
                reply = await self._ask_once(prompt_id, variables, on_text)
                call.used(reply.usage.model, reply.usage.in_tokens, reply.usage.out_tokens)
                return reply

        try:
            return await retrying(ask_once)
        except _Transient as error:
            raise ModelUnavailable(f"the model did not answer in {ATTEMPTS} attempts: {error}") from None

    async def _ask_once(self, prompt_id: str, variables: Mapping[str, JsonValue], on_text: OnText | None) -> Reply:
        request = prompt_request(prompt_id, variables, streaming=on_text is not None)
        parts: list[str] = []
        usage = Usage()

        async def collect(response: Any) -> bool:
            nonlocal usage
            if response.error:
                raise _read_error(prompt_id, response.error, shown=bool(parts))
            if response.text:
                parts.append(response.text)
                if on_text is not None:
                    await on_text(response.text)
            elif response.object:
                parts.append(response.object)
            usage = usage.add(Usage(in_tokens=response.in_token, out_tokens=response.out_token, model=response.model))
            return bool(response.end_of_stream)

        try:
            if on_text is None:
                await collect(await self._client.request(request, timeout=self._timeout_s))
            else:
                await self._client.request(request, timeout=self._timeout_s, recipient=collect)
        except TooManyRequests as error:
            raise _Transient(str(error) or "the model limits the rate") from None
        except (TimeoutError, EngineUnavailable) as error:
            # No retry after this timeout: the person has waited long enough.
            raise ModelUnavailable(str(error) or f"the prompt service did not answer in {self._timeout_s:g} s") from None
        return Reply(text="".join(parts), usage=usage)


def _read_error(prompt_id: str, error: Any, *, shown: bool) -> MemoryServiceError:
    kind, message = str(error.type or "").lower(), str(error.message or error.type or "no reason given")
    if message.strip("'\"") == prompt_id or kind in ("prompt-missing", "not-found"):
        return PromptMissing(f"the prompt service has no template {prompt_id!r}: install the prompts of this package")
    if kind == "model-answer-error":
        return ModelAnswerError(message)
    text = f"{kind} {message}".lower()
    final = TRIED_ALREADY.search(message) is not None or any(sign in text for sign in QUOTA)
    if not shown and not final and any(sign in text for sign in (*RATE_LIMITED, *_TRANSIENT)):
        return _Transient(message)
    return ModelUnavailable(message)
