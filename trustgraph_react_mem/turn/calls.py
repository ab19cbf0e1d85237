"""Reads tool calls as models write them: arguments, calls and answers as JSON, and the formats that models are trained on.

The formats are those of the chat templates of Qwen, Llama, Mistral, DeepSeek, GLM, Granite, Kimi, LFM2, MiniMax, Gemma and
gpt-oss, where the endpoint passes them on as text.
"""

import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import Final

from ..memory.model_json import read_object
from ..memory.ports import JsonValue
from .decisions import Decision, ToolCall, final_answer

_CALL = re.compile(r"^([A-Za-z_][\w .-]*?)(?:\((.*)\)|\[(.*)\]?)\s*$", re.DOTALL)
_KEYWORD = re.compile(r"(?<!\w)([A-Za-z_]\w*+)\s*+=\s*")
_NOTHING = {"", "none", "null", "n/a", "{}", "-", "()"}

# Of keys and names: "final_answer", "Final Answer", "final-answer" and "finalAnswer" are the same.
_SEPARATORS = re.compile(r"[\s_-]+")
_THOUGHT_KEYS: Final = ("thought", "thoughts", "reasoning", "analysis")
_ANSWER_KEYS: Final = ("finalanswer", "final", "answer", "response", "reply")
_NAME_KEYS: Final = ("action", "tool", "toolname", "function", "name", "recipientname")
_ARGUMENT_KEYS: Final = ("actioninput", "args", "arguments", "parameters", "input", "toolinput", "toolargs", "kwargs")
_WRAPPER_KEYS: Final = ("toolcall", "toolcalls", "functioncall", "tooluse")
_ANSWER_NAMES: Final = ("finalanswer", "finish", "answer", "respond")
_TEXT_TYPES: Final = ("text", "message", "answer", "final", "final_answer")

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


def read_arguments(text: str, *, labelled: bool) -> dict[str, JsonValue] | str | None:
    """The object in ``text``, or a bare value as text.  None if it was meant as an object but cannot be parsed.

    ``labelled``: the text followed ``Args:``.  Without that label, text that is not an object is ignored.
    """
    stripped = text.strip().strip("`").strip()
    if stripped.startswith("json"):
        stripped = stripped[4:].lstrip()
    if stripped.lower() in _NOTHING:
        return {}
    start = stripped.find("{")
    if start >= 0 and (labelled or start < 40):
        return read_object(stripped[start:])
    if not labelled:
        return {}
    first = stripped.split("\n", 1)[0].strip()
    return (first[1:-1] if first[:1] in ("'", '"') and first[:1] == first[-1:] else first) or {}


def split_call(name: str) -> tuple[str, str]:
    """Split ``tool(question="x")`` into the name and the text of an object.  Other names are returned unchanged."""
    found = _CALL.match(name)
    if found is None:
        return name, ""
    inner = (found[2] if found[2] is not None else found[3]).strip()
    if not inner:
        return found.group(1).strip(), "{}"
    if _KEYWORD.match(inner):
        return found.group(1).strip(), "{" + _KEYWORD.sub(r'"\1": ', inner) + "}"
    return found.group(1).strip(), inner


def read_native_call(text: str, thought: str) -> Decision | None:
    """The first call in ``text``, which begins with ``CALL_TAG``, a JSON object or a list.  None: it cannot be read."""
    text = _QUOTES.sub('"', re.sub(r"(</?)\|DSML\|", r"\1", text[:_MOST_READ].replace("｜", "|"), flags=re.IGNORECASE))
    wrappers = _WRAPPERS.match(text)
    rest = text[wrappers.end() if wrappers else 0 :]
    if rest.startswith(("{", "[")) and (start := rest.find("{")) >= 0 and not rest[1:start].strip(" \t\r\n["):
        found = read_object(rest[start:])
        return _read(found, thought) if found else None
    if python := _PYTHON.match(rest):
        return _read_python(rest, python, thought)
    head = _HEAD.match(rest)
    if head is None:
        return None
    arguments = _read_elements(rest[head.end() :])
    if arguments is None and not (head["element"] or "").lower().startswith(("<function=", "<invoke")):
        return None
    return _read({"name": head["name"], "arguments": arguments or {}}, thought)


def _read_elements(text: str) -> dict[str, JsonValue] | None:
    """The arguments as elements, or as a JSON object.  None: there are none."""
    start = text.find("{")
    pairs = list(islice(_PAIR.finditer(text), _MOST_ARGUMENTS))
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


def _read_python(text: str, found: re.Match[str], thought: str) -> Decision | None:
    """``name(key="value")``, also in a list, and ``name.call(key="value")``."""
    depth, end = 1, len(text)
    for each in _IN_CALL.finditer(text, found.end()):
        depth += {"(": 1, ")": -1}.get(each.group(), 0)
        if not depth:
            end = each.end()
            break
    name, given = split_call(text[found.start("call") : end])
    arguments = read_arguments(given, labelled=True)
    return _read({"name": name.removesuffix(".call"), "arguments": arguments}, thought) if isinstance(arguments, dict) else None


def is_answer(name: str) -> bool:
    """Whether an action with this name means the final answer."""
    return _fold(name.rstrip(" :：")) in _ANSWER_NAMES


def _read(found: Mapping[str, JsonValue], thought: str) -> Decision | None:
    """The tool call or answer that a JSON object says.  None: it is neither, but text."""
    given = {_fold(key): value for key, value in found.items()}
    for key in _WRAPPER_KEYS:
        inner = given.get(key)
        inner = inner[0] if isinstance(inner, list) and inner else inner
        if isinstance(inner, dict):
            return _read(inner, thought)
    own = "\n".join(filter(None, (thought, _text(_first(given, _THOUGHT_KEYS)))))
    answer = _first(given, _ANSWER_KEYS)
    if answer is None and (given.get("role") == "assistant" or given.get("type") in _TEXT_TYPES):
        answer = _first(given, ("content", "text"))
    if answer is not None and not set(given) & {"action", "tool", "function"}:
        return final_answer(own, _text(answer))
    name, arguments = _first(given, _NAME_KEYS), _first(given, _ARGUMENT_KEYS)
    if isinstance(name, dict):  # {"function": {"name": ..., "arguments": ...}}, {"action": {"name": ...}}
        return _read(name, thought)
    if not isinstance(name, str) or not name.strip():
        return final_answer(own, _text(answer)) if answer is not None else None
    if is_answer(name):
        inner = next(iter(arguments.values()), "") if isinstance(arguments, dict) else arguments
        return final_answer(own, _text(inner) or _text(answer))
    name = name.strip()
    if arguments is None:
        if answer is not None:
            return final_answer(own, _text(answer))
        return ToolCall(thought=own, name=name) if "action" in given or "tool" in given else None
    if isinstance(arguments, str):
        parsed = read_object(arguments) if arguments.lstrip().startswith("{") else None
        if parsed is None:
            return ToolCall(thought=own, name=name, bare=arguments.strip())
        arguments = parsed
    return ToolCall(thought=own, name=name, arguments=arguments) if isinstance(arguments, dict) else None


def _fold(name: str) -> str:
    return _SEPARATORS.sub("", name).casefold()


def _first(given: Mapping[str, JsonValue], keys: tuple[str, ...]) -> JsonValue:
    return next((given[key] for key in keys if given.get(key) is not None), None)


def _text(value: JsonValue) -> str:
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return json.dumps(value, ensure_ascii=False)
