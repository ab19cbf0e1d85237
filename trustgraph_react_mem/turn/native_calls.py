"""Reads tool calls in the formats that models are trained on, where the endpoint passes them on as text.

The formats are those of the chat templates of Qwen, Llama, Mistral, DeepSeek, GLM, Granite, Kimi, LFM2, MiniMax, gpt-oss,
Command, Gemma, InternLM, Nemotron, Seed and LongCat, and the XML of agents.
"""

import json
import re
from collections.abc import Callable
from typing import Final

from ..memory.ports import JsonValue
from .arguments import WrittenCall, begins_step, read_arguments, read_call, read_written, split_call

_MOST_READ: Final = 50_000  # characters of a call
_MOST_ARGUMENTS: Final = 40
_NAME: Final = r"(?P<name>[A-Za-z_][\w.-]{0,79})"
#: What begins a call, in lower case.
TAGS: Final = (
    *("<tool_call>", "<tool_calls>", "<function_call>", "<function_calls>", "<tool_use>", "<minimax:tool_call>"),
    *(
        "<function=",
        "<invoke name=",
        "[tool_calls]",
        "<|python_tag|>",
        "<|python_start|>",
        "<|tool_call|>",
        "<|tool_call_start|>",
    ),
    *("<|tool_calls_section_begin|>", "<|tool_call_begin|>", "<｜tool▁calls▁begin｜>", "<｜tool▁call▁begin｜>"),
    *("<|tool▁calls▁begin|>", "<|tool▁call▁begin|>", "<｜dsml｜function_calls>", "<｜dsml｜tool_calls>", "<|tool_call>"),
    *("<functioncall>", "<toolcall>", "<tool>", "<tools>", "<use_mcp_tool>", "<seed:tool_call>", "<longcat_tool_call>"),
    *("<|start_action|>", "<|action_start|>", "<start_function_call>", "functools[{", "✿function✿:", "<action>"),
    "<|channel|>commentary to=",
)
#: Elements of other documents too: they begin a call if they name a tool.
COMMON_TAGS: Final = ("<tool>", "<tools>", "<action>")
LONGEST_TAG: Final = max(map(len, TAGS))
CALL_TAG: Final = re.compile("|".join(map(re.escape, TAGS)), re.IGNORECASE)
#: Prefixes of names of elements, and two spellings of the same sign.
_PREFIXES = re.compile(r"(?P<begin></?)(?:[a-z]{1,12}:|longcat_|[|｜]dsml[|｜])", re.IGNORECASE)
_QUOTES = re.compile(r"<escape>|<\|\"\|>")
_WRAPPERS = re.compile(
    r"(?:\s*(?:<(?:tool|function)_?calls?>|<tool_use>|<use_mcp_tool>|<tools>|\[TOOL_CALLS\]|<\|python_(?:tag|start)\|>|<\|tool_call(?:_start)?\|?>"
    r"|<\|tool_calls_section_begin\|>|<\|tool▁calls▁begin\|>|<\|(?:start_action|action_start|plugin)\|>|functools(?=\[)"
    r"|<start_function_call>))*\s*",
    re.IGNORECASE,
)
_HEADS = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"<function=[\"']?{_NAME}[\"']?\s*>",
        rf"<invoke name=[\"']?{_NAME}[\"']?\s*>",
        rf"<(?:tool_name|name|tool|action|server_name>[^<>]{{0,80}}</server_name>\s*<tool_name)>\s*{_NAME}\s*</\w+>",
        rf"(?:<\|tool▁call▁begin\|>)?function<\|tool▁sep\|>{_NAME}",
        rf"(?:<\|tool▁call▁begin\|>)?{_NAME}<\|tool▁sep\|>",
        rf"<\|tool_call_begin\|>\s*(?:functions\.)?{_NAME}(?::\d+)?\s*<\|tool_call_argument_begin\|>",
        rf"<\|channel\|>commentary to=(?:functions\.)?{_NAME}[^{{]{{0,80}}",
        rf"{_NAME}(?:\[CALL_ID\][\w-]{{0,40}})?\[ARGS\]",
        rf"✿FUNCTION✿[:：]?\s*{_NAME}\s*✿ARGS✿[:：]?",
        rf"(?:call:)?{_NAME}\s*(?=<arg_key>|\{{)",
    )
)
_END = re.compile(r"</function>|</invoke>|</tool_call>|<\|tool▁call▁end\|>|<\|tool_call_end\|>", re.IGNORECASE)
_PARAMETER = re.compile(r"<parameter(?:=|\s+name=)[\"']?(?P<key>[\w.-]{1,80})[\"']?(?:\s[^<>]{0,80})?>", re.IGNORECASE)
_PARAMETER_END = re.compile(r"</parameter>|(?=<parameter[= ])|\Z", re.IGNORECASE)
_PAIR = re.compile(r"<arg_key>\s*(?P<key>[\w.-]{1,80})\s*</arg_key>\s*<arg_value>", re.IGNORECASE)
_PAIR_END = re.compile(r"</arg_value>|(?=<arg_key>)|\Z", re.IGNORECASE)
_INPUT = re.compile(r"\s*<(?:arguments|args|parameters|input|tool_input|action_input)>\s*", re.IGNORECASE)
_ELEMENT = re.compile(r"\s*<(?P<key>[A-Za-z_][\w.-]{0,79})>")
_ELEMENT_END = re.compile(r"</[A-Za-z_][\w.-]{0,79}>|\Z")
_PYTHON = re.compile(r"\[?\s*(?:print\()?(?P<call>[A-Za-z_][\w.-]{0,79}\()")
_PRINT_BEGINS = re.compile(r"\[?\s*print\([\w.-]{0,79}")
_CLOSING = re.compile(
    r"(?:</(?:\w{1,12}:)?(?:tool_?calls?|function_?calls?|tool_use|function|invoke|tools|use_mcp_tool|longcat_tool_call|tool_input)>"
    r"|\[/TOOL_CALLS\]|<\|/tool_call\|>|<\|tool_calls?(?:_section)?_end\|>|<[|｜]tool▁calls?▁end[|｜]>|<tool_call\|>"
    r"|</[|｜]DSML[|｜]function_calls>|<\|python_end\|>|<\|end_action\|>|<\|action_end\|>|<end_function_call>)",
    re.IGNORECASE,
)


def begins_call(text: str, is_tool: Callable[[str], bool]) -> bool | None:
    """Whether a line begins with a call as in a program, also in a list, or a list of calls as JSON.  None: not known yet."""
    found = _PYTHON.match(text)
    if found is not None:
        printed = _PRINT_BEGINS.fullmatch(text) is not None
        return None if printed else is_tool(found["call"][:-1])
    return begins_step(text[text.find("{") :]) if "{" in text else None


def read_native_call(text: str) -> WrittenCall | None:
    """The first call in ``text``, which begins with one of ``TAGS``, a JSON object or a list.  None: it cannot be read."""
    text = _QUOTES.sub('"', _PREFIXES.sub(r"\g<begin>", text[:_MOST_READ])).replace("｜", "|")
    rest = text[_end_of_wrappers(text) :]
    if rest.startswith(("{", "[")) and (start := rest.find("{")) >= 0 and not rest[1:start].strip(" \t\r\n["):
        return read_written(rest[start:])
    for head in _HEADS:
        if (found := head.match(rest)) is not None:
            name, given = found["name"].removeprefix("functions."), rest[found.end() :]
            return _read_input(name, given) or read_call(name, _arguments(given))
    return _read_python(rest)


def _read_input(name: str, text: str) -> WrittenCall | None:
    """A call whose arguments are the content of an element: an object, elements, or a text."""
    begin = _INPUT.match(text)
    if begin is None or text.startswith("{", begin.end()):
        return None
    found: dict[str, JsonValue] = {}
    position = begin.end()
    while len(found) < _MOST_ARGUMENTS and (element := _ELEMENT.match(text, position)) is not None:
        end = _ELEMENT_END.search(text, element.end())
        stop, position = (end.start(), end.end()) if end is not None else (len(text), len(text))
        found[element["key"]] = _value(text[element.end() : stop].strip())
    end = _ELEMENT_END.search(text, position)
    said = "" if found or end is None else text[position : end.start()].strip()
    return WrittenCall(name=name, arguments=found, bare=said)


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
