"""``LanguageModel`` over TrustGraph's prompt service, for background work."""

import json
import logging
import re
from collections.abc import Mapping
from typing import Any

from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_random_exponential
from trustgraph.schema import PromptRequest

from ..errors import (
    QUOTA,
    TRIED,
    BadRequest,
    EngineUnavailable,
    MemoryServiceError,
    ModelAnswerError,
    ModelUnavailable,
    NoModel,
    RateLimited,
    RequestRefused,
    TooLarge,
)
from ..memory.ports import Completion, JsonValue
from ..memory.text.reasoning import without_reasoning
from ..memory.text.well_formed import compose_json, well_formed_tree
from ..telemetry.metrics import observe_model

logger = logging.getLogger(__name__)

TIMEOUT_S = 600.0
TRIES = 4
FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 30.0
LONGEST_REASON = 300  # characters

#: Signs of a rate limit in the type and message of an error, in lower case.
RATE_LIMITED = (
    *("too-many-requests", "too many requests", "toomanyrequests", "429"),
    *("rate limit", "rate-limit", "rate_limit", "ratelimit"),
)
#: The completion service has retried it already.
TRIED_ALREADY = re.compile(rf"\({TRIED} \d+ times\)")
#: As the completion services of TrustGraph pass the answers of endpoints on.
_REFUSED = re.compile(r"\b(?:error code|status(?: code)?|http)\W{0,3}(?:400|413|422)\b")
_ANSWER = ("json", "schema", "parse", "decode", "model-answer-error")


class BusLanguageModel:
    """``client`` is TrustGraph's prompt client, ``flow("prompt-request")``."""

    def __init__(self, client: Any, *, tries: int = TRIES, first_pause_s: float = FIRST_PAUSE_S) -> None:
        self._client = client
        self._tries = tries
        self._first_pause_s = first_pause_s

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        """Send a prompt.  Retries a few times while the model limits the rate, unless the completion service did so already.

        Raises:
            ModelUnavailable: no answer, a wrong key or address, the quota is used up, or still rate limited after the last try.
            RequestRefused: the model does not process this prompt (content filter, too long).
            ModelAnswerError: the answer is not the JSON that the prompt asks for.
        """
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type(RateLimited),
            wait=wait_random_exponential(multiplier=self._first_pause_s, max=LONGEST_PAUSE_S),
            stop=stop_after_attempt(self._tries),
            reraise=True,
        ):
            with attempt, observe_model(prompt_id) as call:
                completion = await self._ask(prompt_id, variables)
                call.used(completion.model, completion.in_tokens, completion.out_tokens)
                return completion
        raise AssertionError("unreachable")

    async def _ask(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        try:
            response = await self._client.request(prompt_request(prompt_id, variables), timeout=TIMEOUT_S)
        except EngineUnavailable as error:
            raise ModelUnavailable(f"prompt {prompt_id}: {error}") from None
        if response.error:
            raise _to_exception(prompt_id, response.error.type, response.error.message)
        return Completion(
            text=without_reasoning(response.text or ""),
            object=_object(prompt_id, response.object),
            in_tokens=response.in_token or 0,
            out_tokens=response.out_token or 0,
            model=response.model or "",
        )


def prompt_request(prompt_id: str, variables: Mapping[str, JsonValue], *, streaming: bool = False) -> PromptRequest:
    terms = {name: compose_json(json.dumps(value, ensure_ascii=False)) for name, value in variables.items()}
    return PromptRequest(id=prompt_id, terms=terms, streaming=streaming)


def _object(prompt_id: str, text: str | None) -> JsonValue:
    if not text:
        return None
    try:
        value: JsonValue = well_formed_tree(json.loads(text))
    except (ValueError, RecursionError):
        raise ModelAnswerError(f"prompt {prompt_id} answered {len(text)} characters that are not JSON") from None
    return value


def _to_exception(prompt_id: str, error_type: str, message: str) -> MemoryServiceError:
    if error_type == NoModel.wire_type:
        return NoModel(f"prompt {prompt_id}: no language model is configured for this flow")
    told = f"{error_type} {message}".lower()
    if error_type in (BadRequest.wire_type, RequestRefused.wire_type, TooLarge.wire_type) or _REFUSED.search(told):
        return RequestRefused(f"prompt {prompt_id}: the model refused it: too long, or not allowed")
    if any(word in told for word in RATE_LIMITED):
        # The endpoint's own words: they speak of limits, not of the prompt.
        reason = " ".join(message.split())[:LONGEST_REASON] or error_type
        if any(word in told for word in QUOTA):
            return ModelUnavailable(f"prompt {prompt_id}: the quota of the model is used up ({reason})")
        if TRIED_ALREADY.search(message):
            return ModelUnavailable(f"prompt {prompt_id}: the model limits the rate ({reason})")
        return RateLimited(f"prompt {prompt_id}: the model limits the rate ({reason})")
    if any(word in told for word in _ANSWER):
        unusable = ModelAnswerError(f"prompt {prompt_id}: the model's answer could not be used ({error_type})")
        unusable.corrected = error_type == ModelAnswerError.wire_type  # of our own prompt service
        return unusable
    # The message may quote the prompt, that is user text, so only the type goes into the exception.
    logger.debug("prompt %s failed: %s", prompt_id, message)
    return ModelUnavailable(f"prompt {prompt_id}: the prompt service failed ({error_type})")
