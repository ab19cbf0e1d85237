"""Lenient parsing of tool calls: the arguments of an action, and calls and answers that are written as JSON."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ..memory.model_json import read_object
from ..memory.ports import JsonValue

_CALL = re.compile(r"^([A-Za-z_][\w .-]*?)(?:\((.*)\)|\[(.*)\]?)\s*$", re.DOTALL)
_KEYWORD = re.compile(r"(?<!\w)([A-Za-z_]\w*+)\s*+=\s*")
_NOTHING = {"", "none", "null", "n/a", "{}", "-", "()"}


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


# -- calls and answers as JSON -------------------------------------------------------------------------------------------

# Of keys and names: "final_answer", "Final Answer", "final-answer" and "finalAnswer" are the same.
_SEPARATORS = re.compile(r"[\s_-]+")
_THOUGHT_KEYS: Final = ("thought", "thoughts", "reasoning", "analysis")
_ANSWER_KEYS: Final = ("finalanswer", "final", "answer", "response", "reply")
_NAME_KEYS: Final = ("action", "tool", "toolname", "function", "name", "recipientname")
_ARGUMENT_KEYS: Final = ("actioninput", "args", "arguments", "parameters", "input", "toolinput", "toolargs", "kwargs")
_WRAPPER_KEYS: Final = ("toolcall", "toolcalls", "functioncall", "tooluse")
_ANSWER_NAMES: Final = ("finalanswer", "finish", "answer", "respond")
_TEXT_TYPES: Final = ("text", "message", "answer", "final", "final_answer")


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenCall:
    """What a JSON object says: a tool call, or an answer.  ``bare``: an argument without a name."""

    thought: str = ""
    answer: str | None = None
    name: str = ""
    arguments: Mapping[str, JsonValue] | None = None
    bare: str = ""


def is_answer(name: str) -> bool:
    """Whether an action with this name means the final answer."""
    return _fold(name.rstrip(" :：")) in _ANSWER_NAMES


def read_written(text: str) -> WrittenCall | None:
    """The tool call or answer that is written as a JSON object.  None: it is neither, but text."""
    found = read_object(text)
    return _read(found) if found else None


def read_call(name: str, arguments: Mapping[str, JsonValue]) -> WrittenCall | None:
    """A call whose name and arguments are known.  An answer, if the name means one."""
    return _read({"name": name, "arguments": dict(arguments)})


def _read(found: Mapping[str, JsonValue]) -> WrittenCall | None:
    given = {_fold(key): value for key, value in found.items()}
    for key in _WRAPPER_KEYS:
        inner = given.get(key)
        inner = inner[0] if isinstance(inner, list) and inner else inner
        if isinstance(inner, dict):
            return _read(inner)
    thought = _text(_first(given, _THOUGHT_KEYS))
    answer = _first(given, _ANSWER_KEYS)
    if answer is None and (given.get("role") == "assistant" or given.get("type") in _TEXT_TYPES):
        answer = _first(given, ("content", "text"))
    if answer is not None and not set(given) & {"action", "tool", "function"}:
        return WrittenCall(thought=thought, answer=_text(answer))
    name, arguments = _first(given, _NAME_KEYS), _first(given, _ARGUMENT_KEYS)
    if isinstance(name, dict):  # {"function": {"name": ..., "arguments": ...}}, {"action": {"name": ...}}
        return _read(name)
    if not isinstance(name, str) or not name.strip():
        return WrittenCall(thought=thought, answer=_text(answer)) if answer is not None else None
    if is_answer(name):
        inner = next(iter(arguments.values()), "") if isinstance(arguments, dict) else arguments
        said = _text(inner) or _text(answer)
        return WrittenCall(thought=thought, answer=said)
    if arguments is None:
        named = "action" in given or "tool" in given
        if answer is not None:
            return WrittenCall(thought=thought, answer=_text(answer))
        return WrittenCall(thought=thought, name=name.strip(), arguments={}) if named else None
    if isinstance(arguments, str):
        parsed = read_object(arguments) if arguments.lstrip().startswith("{") else None
        if parsed is None:
            return WrittenCall(thought=thought, name=name.strip(), arguments={}, bare=arguments.strip())
        arguments = parsed
    return WrittenCall(thought=thought, name=name.strip(), arguments=arguments) if isinstance(arguments, dict) else None


def _fold(name: str) -> str:
    return _SEPARATORS.sub("", name).casefold()


def _first(given: Mapping[str, JsonValue], keys: tuple[str, ...]) -> JsonValue:
    return next((given[key] for key in keys if given.get(key) is not None), None)


def _text(value: JsonValue) -> str:
    if value is None or isinstance(value, str):
        return (value or "").strip()
    return json.dumps(value, ensure_ascii=False)
