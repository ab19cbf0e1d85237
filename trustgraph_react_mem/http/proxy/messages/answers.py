"""What an answer says, read from its events or from its whole body: the text, and whether it is complete."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

FINISHED = ("stop", "length")  # reasons after which the answer is what the person gets


class ReadAnswer(Protocol):
    """``ended``: all of it has come.  ``complete``: it ended with text, not with a call of a tool."""

    @property
    def text(self) -> str: ...
    @property
    def ended(self) -> bool: ...
    @property
    def complete(self) -> bool: ...

    def event(self, event: Mapping[str, Any]) -> None: ...
    def body(self, body: dict[str, Any]) -> None: ...


@dataclass(slots=True)
class ChatAnswer:
    """The first choice of chat completions."""

    text: str = ""
    finish: str = ""
    called: bool = False

    @property
    def ended(self) -> bool:
        return bool(self.finish)

    @property
    def complete(self) -> bool:
        return self.finish in FINISHED and not self.called and bool(self.text.strip())

    def event(self, event: Mapping[str, Any]) -> None:
        self._add(event, "delta")

    def body(self, body: Mapping[str, Any]) -> None:
        self._add(body, "message")

    def _add(self, body: Mapping[str, Any], name: str) -> None:
        for choice in _list(body.get("choices")):
            if choice.get("index", 0) == 0:
                part = choice.get(name)
                if isinstance(part, Mapping):
                    self.text += part["content"] if isinstance(part.get("content"), str) else ""
                    self.called = self.called or bool(part.get("tool_calls") or part.get("function_call"))
                self.finish = str(choice.get("finish_reason") or "") or self.finish
                return


@dataclass(slots=True)
class ResponsesAnswer:
    """An answer of the Responses API.  ``response``: the whole object, once it has come."""

    response: dict[str, Any] = field(default_factory=dict)

    @property
    def ended(self) -> bool:
        return bool(self.response)

    def event(self, event: Mapping[str, Any]) -> None:
        if event.get("type") in ("response.completed", "response.incomplete") and isinstance(event.get("response"), dict):
            self.response = event["response"]

    def body(self, body: dict[str, Any]) -> None:
        self.response = body

    @property
    def text(self) -> str:
        messages = [item for item in _list(self.response.get("output")) if item.get("type") == "message"]
        parts = [part for item in messages for part in _list(item.get("content")) if part.get("type") == "output_text"]
        return "\n".join(str(part.get("text") or "") for part in parts)

    @property
    def complete(self) -> bool:
        called = any(
            str(item.get("type")).endswith("_call") and "call_id" in item for item in _list(self.response.get("output"))
        )
        return self.response.get("status") in ("completed", "incomplete") and not called and bool(self.text.strip())


def _list(value: object) -> list[Mapping[str, Any]]:
    return [each for each in value if isinstance(each, Mapping)] if isinstance(value, list) else []
