"""Reads tool calls in the formats that models are trained on, where the endpoint passes them on as text.

The formats are those of the chat templates of Qwen, Llama, Mistral, DeepSeek, GLM, Granite, Kimi, LFM2, MiniMax,
Gemma and gpt-oss.
"""

import json
import re
from typing import Final

from ..memory.ports import JsonValue
from .arguments import WrittenCall, read_arguments, read_call, read_written, split_call

_MOST_READ: Final = 50_000  # characters of a call
_MOST_ARGUMENTS: Final = 40
_WRAPPER: Final = (
    r"<(?:[a-z]{1,12}:|[|｜]DSML[|｜])?(?:tool|function)_?calls?>|<start_function_call>|\[TOOL_CALLS\]|<\|tool_call>"
    r"|<\|(?:python_(?:tag|start)|tool_call(?:_start)?|tool_call_begin|tool_calls_section_begin)\|>|<[|｜]tool▁calls?▁begin[|｜]>"
)
#: What begins a call.
CALL_TAG: Final = re.compile(rf"{_WRAPPER}|<function=|<invoke name=|<\|channel\|>commentary to=", re.IGNORECASE)
#: What may become one of them.
MAY_BE_TAG: Final = re.compile(
    r"(?:<(?:[^\s<>]{0,30}|invoke n?a?m?e?|\|channel\|>[a-z]{0,10} ?(?:to?)?)|\[[A-Z_]{0,10})\Z", re.IGNORECASE
)
_WRAPPERS = re.compile(rf"(?:\s*(?:{_WRAPPER}))*\s*", re.IGNORECASE)
_HEAD = re.compile(
    r"(?P<element><(?:function=|invoke name=)[\"']?|<\|channel\|>commentary to=|function<\|tool▁sep\|>)?(?:functions\.|call:)?"
    r"(?P<name>[A-Za-z_][\w.-]{0,79})",
    re.IGNORECASE,
)
_QUOTES = re.compile(r"<escape>|<\|\"\|>")
_PAIR = re.compile(
    r"<(?:parameter(?:=|\s+name=)[\"']?|arg_key>\s*)(?P<key>[\w.-]{1,80})[^>]{0,80}>(?:\s*<arg_value>)?(?P<value>.*?)"
    r"(?=</?parameter\b|</arg_value>|<arg_key>|</function>|</invoke>|</tool_call>|\Z)",
    re.IGNORECASE | re.DOTALL,
)
_PYTHON = re.compile(r"\[?\s*(?:print\()?(?P<call>[A-Za-z_][\w.-]{0,79}\()")
_STRING: Final = r"\"(?:[^\"\\]|\\.)*(?:\"|\Z)|'(?:[^'\\]|\\.)*(?:'|\Z)"
_IN_CALL = re.compile(rf"{_STRING}|[()]", re.DOTALL)


def read_native_call(text: str) -> WrittenCall | None:
    """The first call in ``text``, which begins with ``CALL_TAG``, a JSON object or a list.  None: it cannot be read."""
    text = _QUOTES.sub('"', re.sub(r"(</?)\|DSML\|", r"\1", text[:_MOST_READ].replace("｜", "|"), flags=re.IGNORECASE))
    wrappers = _WRAPPERS.match(text)
    rest = text[wrappers.end() if wrappers else 0 :]
    if rest.startswith(("{", "[")) and (start := rest.find("{")) >= 0 and not rest[1:start].strip(" \t\r\n["):
        return read_written(rest[start:])
    if _PYTHON.match(rest):
        return _read_python(rest)
    head = _HEAD.match(rest)
    if head is None:
        return None
    arguments = _read_arguments(rest[head.end() :])
    if arguments is None and not (head["element"] or "").lower().startswith(("<function=", "<invoke")):
        return None
    return read_call(head["name"], arguments or {})


def _read_arguments(text: str) -> dict[str, JsonValue] | None:
    """The arguments as elements, or as a JSON object.  None: there are none."""
    start = text.find("{")
    pairs = [found for _, found in zip(range(_MOST_ARGUMENTS), _PAIR.finditer(text), strict=False)]
    if pairs and not 0 <= start < pairs[0].start():
        return {pair["key"]: _value(pair["value"].strip()) for pair in pairs}
    found = read_arguments(text[start:], labelled=True) if start >= 0 else None
    return found if isinstance(found, dict) else None


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
    assert found is not None
    depth, end = 1, len(text)
    for each in _IN_CALL.finditer(text, found.end()):
        depth += {"(": 1, ")": -1}.get(each.group(), 0)
        if not depth:
            end = each.end()
            break
    name, given = split_call(text[found.start("call") : end])
    arguments = read_arguments(given, labelled=True)
    return read_call(name.removesuffix(".call"), arguments) if isinstance(arguments, dict) else None
