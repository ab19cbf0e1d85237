"""The dialogue in a request body, of chat completions or of the Responses API, as lines of text.

Sources: openai-python 3.54, ``types/chat/chat_completion_message_param.py`` and
``types/responses/response_input_item_param.py``.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ....memory.json_object import json_type
from ..errors import ProxyError

Role = Literal["system", "user", "assistant", "tool"]
ROLES: Mapping[str, Role] = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "assistant": "assistant",
    "tool": "tool",
    "function": "tool",
}
TEXT_PARTS = ("text", "input_text", "output_text")


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One message.  ``text``: its text parts; images, sound and files are left out.  ``place``: its index in the body."""

    role: Role
    text: str
    place: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    lines: tuple[Line, ...]

    @property
    def system(self) -> str:
        return "\n\n".join(line.text for line in self.lines if line.role == "system" and line.text)

    @property
    def question(self) -> Line | None:
        """The last message of the user."""
        return next((line for line in reversed(self.lines) if line.role == "user"), None)

    @property
    def before(self) -> tuple[Line, ...]:
        """What the user and the assistant said before the question."""
        asked = self.question
        said = [line for line in self.lines if line.role in ("user", "assistant") and line.text]
        return tuple(line for line in said if asked is None or line.place < asked.place)

    @property
    def opening(self) -> str:
        """The first message of the user."""
        return next((line.text for line in self.lines if line.role == "user"), "")


def read_messages(messages: object) -> Dialogue:
    """The dialogue of chat completions.  Raises: ProxyError (not a list of messages, or a message without a known role)."""
    if not isinstance(messages, list) or not messages:
        raise ProxyError("messages must be a list of at least one message", param="messages")
    return Dialogue(lines=tuple(_message(each, place, f"messages[{place}]") for place, each in enumerate(messages)))


def read_items(items: object, instructions: object = None) -> Dialogue:
    """The dialogue of the Responses API: ``input`` is a text or a list of items.  Raises: ProxyError."""
    if isinstance(items, str):
        items = [{"role": "user", "content": items}]
    if not isinstance(items, list) or not items:
        raise ProxyError("input must be a text or a list of at least one item", param="input")
    lines = [Line(role="system", text=instructions, place=-1)] if isinstance(instructions, str) and instructions else []
    for place, item in enumerate(items):
        if not isinstance(item, Mapping):
            raise ProxyError(f"input[{place}] must be an object, not {json_type(item)}", param=f"input[{place}]")
        if item.get("type", "message") == "message":
            lines.append(_message(item, place, f"input[{place}]"))
        elif str(item.get("type")).endswith("_output"):
            lines.append(Line(role="tool", text="", place=place))
    return Dialogue(lines=tuple(lines))


def _message(message: object, place: int, where: str) -> Line:
    if not isinstance(message, Mapping):
        raise ProxyError(f"{where} must be an object, not {json_type(message)}", param=where)
    role = ROLES.get(str(message.get("role")))
    if role is None:
        raise ProxyError(
            f"{where}.role is {str(message.get('role'))[:40]!r}: use one of {', '.join(ROLES)}", param=f"{where}.role"
        )
    return Line(role=role, text=text_of(message.get("content"), f"{where}.content"), place=place)


def text_of(content: object, where: str = "content") -> str:
    """The text of a message's content, which is a text, a list of parts, or absent.  Raises: ProxyError."""
    if content is None or isinstance(content, str):
        return content or ""
    if not isinstance(content, list):
        raise ProxyError(f"{where} must be a text or a list of parts, not {json_type(content)}", param=where)
    parts = [each for each in content if isinstance(each, Mapping) and each.get("type", "text") in TEXT_PARTS]
    return "\n".join(str(part.get("text") or "") for part in parts)
