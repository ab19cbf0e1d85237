"""What an answer says, read from its events or from its whole body: the text, and whether it is complete."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ....models.server_events import Event

FINISHED = ("stop", "length")  # reasons after which the answer is what the person gets


@dataclass(slots=True)
class ChatAnswer:
    """The first choice of chat completions.  ``complete``: it ended with text, not with a call of a tool."""

    text: str = ""
    finish: str = ""
    called: bool = False

    @property
    def complete(self) -> bool:
        return self.finish in FINISHED and not self.called and bool(self.text.strip())

    def event(self, event: Event) -> None:
        for choice in _list(event.object().get("choices")):
            if choice.get("index", 0) == 0:
                self._add(choice, "delta")

    def body(self, body: Mapping[str, Any]) -> None:
        first = next((choice for choice in _list(body.get("choices")) if choice.get("index", 0) == 0), None)
        if first is not None:
            self._add(first, "message")

    def _add(self, choice: Mapping[str, Any], name: str) -> None:
        part = choice.get(name)
        if isinstance(part, Mapping):
            self.text += part["content"] if isinstance(part.get("content"), str) else ""
            self.called = self.called or bool(part.get("tool_calls") or part.get("function_call"))
        self.finish = str(choice.get("finish_reason") or "") or self.finish


@dataclass(slots=True)
class ResponsesAnswer:
    """An answer of the Responses API.  ``response``: the whole object, once it has come."""

    response: dict[str, Any] = field(default_factory=dict)

    def event(self, event: Event) -> None:
        body = event.object()
        if body.get("type") in ("response.completed", "response.incomplete") and isinstance(body.get("response"), dict):
            self.response = body["response"]

    @property
    def text(self) -> str:
        parts = [
            part
            for item in _list(self.response.get("output"))
            if item.get("type") == "message"
            for part in _list(item.get("content"))
            if part.get("type") == "output_text"
        ]
        return "\n".join(str(part.get("text") or "") for part in parts)

    @property
    def complete(self) -> bool:
        called = any(
            str(item.get("type")).endswith("_call") and "call_id" in item for item in _list(self.response.get("output"))
        )
        return self.response.get("status") in ("completed", "incomplete") and not called and bool(self.text.strip())


def read_object(body: bytes) -> dict[str, Any]:
    """A JSON object.  Empty if it is none."""
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _list(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
