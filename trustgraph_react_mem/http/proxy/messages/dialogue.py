"""The dialogue in a request body, of chat completions or of the Responses API, as lines of text.

Sources: openai-python 3.54, ``types/chat/chat_completion_message_param.py`` and
``types/responses/response_input_item_param.py``.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

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
CALLS = ("function_call", "custom_tool_call")


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
            raise ProxyError(f"input[{place}] must be an object, not {type(item).__name__}", param=f"input[{place}]")
        if item.get("type", "message") == "message":
            lines.append(_message(item, place, f"input[{place}]"))
        elif str(item.get("type")).endswith("_output"):
            lines.append(Line(role="tool", text="", place=place))
    return Dialogue(lines=tuple(lines))


def _message(message: object, place: int, where: str) -> Line:
    if not isinstance(message, Mapping):
        raise ProxyError(f"{where} must be an object, not {type(message).__name__}", param=where)
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
        raise ProxyError(f"{where} must be a text or a list of parts, not {type(content).__name__}", param=where)
    parts = [each for each in content if isinstance(each, Mapping) and each.get("type", "text") in TEXT_PARTS]
    return "\n".join(str(part.get("text") or "") for part in parts)


def as_chat(body: Mapping[str, Any]) -> dict[str, Any]:
    """A body for chat completions.  Cursor sends bodies of the Responses API there: ``input`` and flat tools."""
    if "messages" in body or "input" not in body:
        return dict(body)
    items = body["input"]
    read_items(items)  # refuses what is none
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    first = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    left_out = ("input", "instructions", "text", "reasoning", "include", "truncation", "previous_response_id", "conversation")
    chat = {key: value for key, value in body.items() if key not in left_out}
    if "max_output_tokens" in chat:
        chat["max_completion_tokens"] = chat.pop("max_output_tokens")
    if isinstance(body.get("tools"), list):
        chat["tools"] = [_nested(tool) for tool in body["tools"]]
    return {**chat, "messages": [*first, *_joined(items)]}


def _joined(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Items as messages.  Calls that follow each other belong to one message of the assistant."""
    messages = list[dict[str, Any]]()
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append({"role": item.get("role"), "content": _chat_parts(item.get("content"))})
        elif kind in CALLS:
            call = {"name": item.get("name", ""), "arguments": item.get("arguments") or item.get("input") or ""}
            calls = {"id": item.get("call_id", ""), "type": "function", "function": call}
            if messages and messages[-1]["role"] == "assistant":
                messages[-1].setdefault("tool_calls", []).append(calls)
            else:
                messages.append({"role": "assistant", "content": None, "tool_calls": [calls]})
        elif str(kind).endswith("_output"):
            output = item.get("output")
            text = output if isinstance(output, str) else text_of(output, "output")
            messages.append({"role": "tool", "tool_call_id": item.get("call_id", ""), "content": text})
    return messages


def _chat_parts(content: object) -> object:
    if not isinstance(content, list):
        return content
    parts = list[Any]()
    for part in content:
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind in TEXT_PARTS:
            parts.append({"type": "text", "text": part.get("text", "")})
        elif kind == "input_image":
            parts.append({"type": "image_url", "image_url": {"url": part.get("image_url", "")}})
        else:
            parts.append(part)
    return parts


def _nested(tool: object) -> object:
    if not isinstance(tool, Mapping) or "function" in tool or "name" not in tool:
        return tool
    parameters = tool.get("parameters") or {"type": "object", "properties": {"input": {"type": "string"}}}
    known = {"name": tool["name"], "description": tool.get("description", ""), "parameters": parameters}
    return {"type": "function", "function": known}
