"""Reads the part of an output that names a tool: ``Action:`` with its arguments, or a call or answer written as JSON."""

import re
from collections.abc import Callable
from typing import Final

from .calls import CALL_TAG, is_answer, read_arguments, read_native_call, split_call
from .decisions import Decision, FinalAnswer, ToolCall, Unparsed, final_answer
from .labels import read_label

_ARGS_LABEL = re.compile(
    r"(?:(?:^|\s)[*_]{0,2})(?:args|arguments|action[ _]input|parameters|input)[*_ \t]{0,3}[:：][ \t*]*", re.IGNORECASE
)
_NOTHING: Final = {"none", "n/a", "no action", "null", "-"}
_FENCE = re.compile(r"\s*```[ \t]*\w*[ \t]*\n")
_SIMPLE_NAME = re.compile(r"[A-Za-z_][\w.-]*")


def read_action(text: str, thought: str, is_tool: Callable[[str], bool]) -> Decision:
    """The decision of ``Action: ...``."""
    label = read_label(text, 0, ended=True)
    text = text.lstrip()[len("Action:") :] if label is None else text[len(label.raw) :]
    text = _without_opening(text.lstrip(" \t*\n"))
    line, _, rest = text.partition("\n")
    inline = _ARGS_LABEL.search(line)
    if inline is not None:
        rest, line = line[inline.start() :] + "\n" + rest, line[: inline.start()]
    name = line.strip().strip("\"'`*[]<>, \t")
    if line.lstrip().startswith(("{", "[{")) or line.strip() == "[":
        return read_native_call(text.lstrip(), thought) or _no_action(thought, name)
    name, given = split_call(name)
    if given and is_answer(name):
        return _answer_of(given, thought)
    head = name.partition(":")[0].partition("：")[0]
    marker = _find_args(rest)
    body = rest[marker:] if marker >= 0 else rest
    if is_answer(head):
        said = name[len(head) :].lstrip(":： ") + "\n" + body
        return _answer_of(said.strip(), thought)
    if not name or name.lower() in _NOTHING:
        return _no_action(thought, name)
    name = _tool_within(name, is_tool)
    labelled = marker >= 0 or given != ""
    parsed = read_arguments(given or _without_opening(body), labelled=labelled)
    if parsed is None:
        return _unread(thought, f"The Args of the Action {name[:60]!r} were not a JSON object.")
    if not (is_tool(name) or labelled or parsed or _SIMPLE_NAME.fullmatch(name)):
        return _unread(thought, f"There is no tool {name[:60]!r}.")
    if isinstance(parsed, str):
        return ToolCall(thought=thought, name=name, bare=parsed)
    return ToolCall(thought=thought, name=name, arguments=parsed)


def is_complete_call(decision: Decision, is_tool: Callable[[str], bool]) -> bool:
    """Whether an action without a thought is a call, not text: the tool exists, or the form is complete."""
    if not isinstance(decision, ToolCall):
        return isinstance(decision, FinalAnswer)
    return is_tool(decision.name) or (bool(decision.arguments) and _SIMPLE_NAME.fullmatch(decision.name) is not None)


def decide_call(text: str, thought: str) -> Decision | None:
    """The decision of a native call or a JSON object.  None: it is text, not a call."""
    decision = read_native_call(text, thought)
    if decision is None and CALL_TAG.match(text.lstrip()):
        return _unread(thought, "The tool call could not be read.")
    return decision


def _unread(thought: str, reason: str) -> Unparsed:
    return Unparsed(thought=thought, text=thought, reason=reason, calling=True)


def _no_action(thought: str, name: str) -> Unparsed:
    calling = name.lower() not in _NOTHING
    return Unparsed(thought=thought, text=thought, reason="There was an Action without a tool's name.", calling=calling)


def _tool_within(name: str, is_tool: Callable[[str], bool]) -> str:
    """The tool that "use the search tool" means, or the name as it is."""
    named = [] if is_tool(name) else [word for word in _SIMPLE_NAME.findall(name[:200]) if is_tool(word)]
    return named[0] if len(named) == 1 else name


def _answer_of(body: str, thought: str) -> Decision:
    if body.startswith(("{", '"')):
        parsed = read_arguments(body, labelled=True)
        if isinstance(parsed, dict):
            texts = [value for value in parsed.values() if isinstance(value, str)]
            body = texts[0] if texts else body
        elif isinstance(parsed, str):
            body = parsed
    # A fence at the end that closes none of the answer's own goes.
    return final_answer(thought, (re.sub(r"\s*```\w*\s*\Z", "", body) if body.count("```") % 2 else body).strip())


def _find_args(text: str) -> int:
    """The position after the label of the arguments, or -1."""
    for found in re.finditer(r"(?:^|\n)", text[:2000]):
        label = read_label(text, found.end(), ended=True)
        if label is not None and label.kind == "args":
            return found.end() + len(label.raw)
    inline = _ARGS_LABEL.match(text)
    return inline.end() if inline is not None else -1


def _without_opening(text: str) -> str:
    """The text without a fence that begins it."""
    found = _FENCE.match(text)
    return text[found.end() :] if found is not None else text
