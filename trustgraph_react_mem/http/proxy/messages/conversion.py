"""Bodies of the Responses API that arrive at chat completions, as Cursor sends them: ``input`` and flat tools.

Sources: openai-python 3.54, ``types/responses/response_create_params.py``, ``types/chat/completion_create_params.py``.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .dialogue import TEXT_PARTS, read_items, text_of

CALLS = ("function_call", "custom_tool_call")
CONVERTED = ("input", "instructions", "text", "reasoning", "max_output_tokens")
WITHOUT_EQUIVALENT = ("include", "truncation", "previous_response_id", "conversation")
FREE_TEXT = {"type": "object", "properties": {"input": {"type": "string"}}, "required": ["input"]}
"""The parameters of a custom tool, which takes any text."""


def as_chat(body: Mapping[str, Any]) -> tuple[dict[str, Any], list[str]]:
    """A body for chat completions, and the fields that have no place in it.  One with ``messages`` stays as it is.

    Raises: ProxyError (``input`` is no list of items).
    """
    if "messages" in body or "input" not in body:
        return dict(body), []
    items = body["input"]
    read_items(items)  # refuses what is none
    items = [{"role": "user", "content": items}] if isinstance(items, str) else items
    first = [{"role": "system", "content": body["instructions"]}] if body.get("instructions") else []
    chat = {key: value for key, value in body.items() if key not in (*CONVERTED, *WITHOUT_EQUIVALENT)}
    text, reasoning = _object(body, "text"), _object(body, "reasoning")
    renamed = {
        "max_completion_tokens": body.get("max_output_tokens"),
        "reasoning_effort": reasoning.get("effort"),
        "verbosity": text.get("verbosity"),
        "response_format": _format(text.get("format")),
    }
    chat |= {name: value for name, value in renamed.items() if value is not None}
    if isinstance(body.get("tools"), list):
        chat["tools"] = [_nest(tool) for tool in body["tools"]]
    if "tool_choice" in body:
        chat["tool_choice"] = _choice(body["tool_choice"])
    return {**chat, "messages": [*first, *_join(items)]}, [name for name in WITHOUT_EQUIVALENT if body.get(name)]


def _object(body: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    value = body.get(name)
    return value if isinstance(value, Mapping) else {}


def _format(given: Any) -> Any:
    if not isinstance(given, Mapping) or given.get("type") != "json_schema":
        return given
    return {"type": "json_schema", "json_schema": {key: value for key, value in given.items() if key != "type"}}


def _join(items: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Items as messages.  Calls that follow each other belong to one message of the assistant."""
    messages = list[dict[str, Any]]()
    for item in items:
        kind = item.get("type", "message")
        if kind == "message":
            messages.append({"role": item.get("role"), "content": _chat_parts(item.get("content"))})
        elif kind in CALLS:
            arguments = item.get("arguments", "") if kind == "function_call" else json.dumps({"input": item.get("input", "")})
            call = {"name": item.get("name", ""), "arguments": arguments}
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
            detail = {"detail": part["detail"]} if part.get("detail") else {}
            parts.append({"type": "image_url", "image_url": {"url": part.get("image_url", ""), **detail}})
        else:
            parts.append(part)
    return parts


def _nest(tool: object) -> object:
    if not isinstance(tool, Mapping) or "function" in tool or "name" not in tool:
        return tool
    known = {key: value for key, value in tool.items() if key in ("name", "description", "parameters", "strict")}
    return {"type": "function", "function": known | ({"parameters": FREE_TEXT} if tool.get("type") == "custom" else {})}


def _choice(given: object) -> object:
    """``auto`` and the like, or one tool by its name."""
    if not isinstance(given, Mapping) or "function" in given or "name" not in given:
        return given
    return {"type": "function", "function": {"name": given["name"]}}
