"""Reads tool calls in the formats that models are trained on, where the endpoint passes them on as text.

The formats are those of the chat templates of Qwen, Llama, Mistral, DeepSeek, GLM, Granite, Kimi, LFM2, MiniMax and gpt-oss.
"""

import json
import re
from typing import Final

from ..memory.ports import JsonValue
from .arguments import WrittenCall, read_arguments, read_call, read_written, split_call

_MOST_READ: Final = 50_000  # characters of a call
_MOST_ARGUMENTS: Final = 40
_NAME: Final = r"(?P<name>[A-Za-z_][\w.-]{0,79})"
#: What begins a call, in lower case.
TAGS: Final = (
    *("<tool_call>", "<tool_calls>", "<function_call>", "<function_calls>", "<tool_use>", "<minimax:tool_call>"),
    *("<function=", "<invoke name=", "[tool_calls]", "<|python_tag|>", "<|tool_call|>", "<|tool_call_start|>"),
    *("<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"),
    "<|channel|>commentary to=",
)
LONGEST_TAG: Final = max(map(len, TAGS))
CALL_TAG: Final = re.compile("|".join(map(re.escape, TAGS)), re.IGNORECASE)
_WRAPPERS = re.compile(
    r"(?:\s*(?:<(?:minimax:)?(?:tool|function)_calls?>|<tool_use>|\[TOOL_CALLS\]|<\|python_tag\|>|<\|tool_call(?:_start)?\|>"
    r"|<\|tool_calls_section_begin\|>|<｜tool▁calls▁begin｜>))*\s*",
    re.IGNORECASE,
)
_HEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"<function=[\"']?{_NAME}[\"']?\s*>",
        rf"<invoke name=[\"']?{_NAME}[\"']?\s*>",
        rf"(?:<｜tool▁call▁begin｜>)?function<｜tool▁sep｜>{_NAME}",
        rf"(?:<｜tool▁call▁begin｜>)?{_NAME}<｜tool▁sep｜>",
        rf"<\|tool_call_begin\|>\s*(?:functions\.)?{_NAME}(?::\d+)?\s*<\|tool_call_argument_begin\|>",
        rf"<\|channel\|>commentary to=(?:functions\.)?{_NAME}[^{{]{{0,80}}",
        rf"{_NAME}(?:\[CALL_ID\][\w-]{{0,40}})?\[ARGS\]",
        rf"{_NAME}\s*(?=<arg_key>|\{{)",
    )
)
_END = re.compile(r"</function>|</invoke>|</tool_call>|<｜tool▁call▁end｜>|<\|tool_call_end\|>", re.IGNORECASE)
_PARAMETER = re.compile(r"<parameter(?:=|\s+name=)[\"']?(?P<key>[\w.-]{1,80})[\"']?\s*>", re.IGNORECASE)
_PARAMETER_END = re.compile(r"</parameter>|(?=<parameter[= ])|\Z", re.IGNORECASE)
_PAIR = re.compile(r"<arg_key>\s*(?P<key>[\w.-]{1,80})\s*</arg_key>\s*<arg_value>", re.IGNORECASE)
_PAIR_END = re.compile(r"</arg_value>|(?=<arg_key>)|\Z", re.IGNORECASE)
_PYTHON = re.compile(r"\[?\s*(?P<call>[A-Za-z_][\w.-]{0,79}\()")
_CLOSING = re.compile(
    r"(?:</(?:minimax:)?(?:tool_calls?|function_calls?|tool_use|function|invoke)>|\[/TOOL_CALLS\]|<\|/tool_call\|>"
    r"|<\|tool_calls?(?:_section)?_end\|>|<｜tool▁calls?▁end｜>)",
    re.IGNORECASE,
)


def read_native_call(text: str) -> WrittenCall | None:
    """The first call in ``text``, which begins with one of ``TAGS`` or with a JSON object.  None: it cannot be read."""
    text = text[:_MOST_READ]
    rest = text[_end_of_wrappers(text) :]
    if rest.startswith(("{", "[")) and (start := rest.find("{")) >= 0 and not rest[1:start].strip(" \t\r\n["):
        return read_written(rest[start:])
    for head in _HEADS:
        if (found := head.match(rest)) is not None:
            return read_call(found["name"].removeprefix("functions."), _arguments(rest[found.end() :]))
    return _read_python(rest)


def text_after_call(text: str) -> str:
    """What follows the last closing tag of a call; empty if there is none."""
    end = max((found.end() for found in _CLOSING.finditer(text)), default=len(text))
    return text[end:].strip()


def may_become_tag(text: str) -> bool:
    """Whether more text may make it one of ``TAGS``."""
    text = text.lower()
    return any(tag.startswith(text) for tag in TAGS)


def _end_of_wrappers(text: str) -> int:
    found = _WRAPPERS.match(text)
    return found.end() if found is not None else 0


def _arguments(text: str) -> dict[str, JsonValue]:
    end = _END.search(text)
    body = text[: end.start()] if end is not None else text
    for key, closing in ((_PARAMETER, _PARAMETER_END), (_PAIR, _PAIR_END)):
        if key.search(body) is not None:
            return _pairs(body, key, closing)
    start = text.find("{")
    found = read_arguments(text[start:], labelled=True) if 0 <= start < (end.start() if end else len(text)) else None
    return found if isinstance(found, dict) else {}


def _pairs(body: str, key: re.Pattern[str], closing: re.Pattern[str]) -> dict[str, JsonValue]:
    found: dict[str, JsonValue] = {}
    position = 0
    while len(found) < _MOST_ARGUMENTS and (named := key.search(body, position)) is not None:
        end = closing.search(body, named.end())
        stop, position = (end.start(), end.end()) if end is not None else (len(body), len(body))
        found[named["key"]] = _value(body[named.end() : stop].strip())
    return found


def _value(text: str) -> JsonValue:
    """Numbers, truth values and JSON structures as such, everything else as text."""
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return text if isinstance(value, str) else value


def _read_python(text: str) -> WrittenCall | None:
    """``name(key="value")``, also in a list, and ``name.call(key="value")``."""
    found = _PYTHON.match(text)
    if found is None:
        return None
    end = _closing_parenthesis(text, found.end())
    name, given = split_call(text[found.start("call") : end])
    arguments = read_arguments(given, labelled=True)
    return read_call(name.removesuffix(".call"), arguments) if isinstance(arguments, dict) else None


def _closing_parenthesis(text: str, position: int) -> int:
    """The position after the parenthesis that closes the one before ``position``, or the end of the text."""
    depth, quote = 1, ""
    while position < len(text) and depth:
        character = text[position]
        if quote:
            position += character == "\\"
            quote = "" if character == quote else quote
        elif character in "\"'":
            quote = character
        else:
            depth += (character == "(") - (character == ")")
        position += 1
    return position
