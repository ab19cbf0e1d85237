"""Background calls of the language model over the bus: what is retried, and what the error says."""

from types import SimpleNamespace
from typing import Any

import pytest

from trustgraph_react_mem.bus.model import BusLanguageModel
from trustgraph_react_mem.errors import ModelAnswerError, ModelUnavailable, RateLimited, RequestRefused


class Client:
    """Refuses with an error of this type and message."""

    def __init__(self, kind: str, message: str) -> None:
        self.asked = 0
        self._error = SimpleNamespace(type=kind, message=message)

    async def request(self, request: Any, timeout: float) -> Any:
        self.asked += 1
        return SimpleNamespace(error=self._error)


@pytest.mark.parametrize(
    ("kind", "message", "error", "asked"),
    [
        ("too-many-requests", "20 requests per minute", RateLimited, 3),
        ("llm-error", "gpt at x answered 429: 20 requests per minute", RateLimited, 3),
        ("too-many-requests", "m answered 429: 20 requests per minute (tried 3 times)", ModelUnavailable, 1),
        ("llm-error", "m answered 429: You exceeded your current quota, please check your plan", ModelUnavailable, 1),
        ("too-many-requests", "insufficient credits", ModelUnavailable, 1),
        ("model-answer-error", "not JSON", ModelAnswerError, 1),
        ("llm-error", "down", ModelUnavailable, 1),
        ("llm-error", "m answered 500: overloaded", ModelUnavailable, 1),
        ("configuration-error", "m answered 401: check OPENAI_API_KEY", ModelUnavailable, 1),
        ("request-refused", "m answered 400: content filter", RequestRefused, 1),
        ("bad-request", "too long", RequestRefused, 1),
        ("llm-error", "Error code: 400 - {'error': {'code': 'context_length_exceeded'}}", RequestRefused, 1),
    ],
)
async def test_only_what_waiting_resolves_is_retried(kind: str, message: str, error: type[Exception], asked: int) -> None:
    client = Client(kind, message)
    with pytest.raises(error) as caught:
        await BusLanguageModel(client, tries=3, first_pause_s=0.001).prompt("p", {})
    assert type(caught.value) is error
    assert client.asked == asked
    assert getattr(caught.value, "corrected", False) == (kind == "model-answer-error")
    if "429" in message or "many" in kind:
        assert message in str(caught.value)
