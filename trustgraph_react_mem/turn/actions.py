"""Reads the part of an output that names a tool: ``Action:`` with its arguments, or a call or answer written as JSON."""

import re
from collections.abc import Callable
from typing import Final

from .arguments import WrittenCall, is_answer, read_arguments, split_call
from .decisions import Decision, FinalAnswer, ToolCall, Unparsed
from .labels import read_label
from .native_calls import CALL_TAG, read_native_call, text_after_call

ARGS_LABEL = re.compile(
    r"(?:(?:^|\s)[*_]{0,2})(?:args|arguments|action[ _]input|parameters|input)[*_ \t]{0,3}[:：][ \t*]*", re.IGNORECASE
)
NOTHING: Final = {"none", "n/a", "no action", "null", "-"}
_FENCE = re.compile(r"\s*```[ \t]*\w*[ \t]*\n")
SIMPLE_NAME = re.compile(r"[A-Za-z_][\w.-]*")


def read_action(text: str, thought: str, is_tool: Callable[[str], bool]) -> Decision:
    """The decision of ``Action: ...``."""
    label = read_label(text, 0, ended=True)
    text = text.lstrip()[len("Action:") :] if label is None else text[len(label.raw) :]
    text = _without_opening(text.lstrip(" \t*\n"))
    line, _, rest = text.partition("\n")
    inline = ARGS_LABEL.search(line)
    if inline is not None:
        rest, line = line[inline.start() :] + "\n" + rest, line[: inline.start()]
    name = action_name(line)
    if line.lstrip().startswith(("{", "[{")) or line.strip() == "[":
        return decide_written(read_native_call(text.lstrip()), thought) or _no_action(thought, name)
    name, given = split_call(name)
    if given and is_answer(name):
        return _answer_of(given, thought)
    head = name.partition(":")[0].partition("：")[0]
    marker = _find_args(rest)
    if is_answer(head):
        body = rest[marker:] if marker >= 0 else rest
        said = name[len(head) :].lstrip(":： ") + "\n" + body
        return _answer_of(said.strip(), thought)
    if not name or name.lower() in NOTHING:
        return _no_action(thought, name)
    name = _tool_within(name, is_tool)
    labelled = marker >= 0 or given != ""
    given = given or _without_opening(rest[marker:] if marker >= 0 else rest)
    parsed = read_arguments(given, labelled=labelled)
    if parsed is None:
        reason = f"The Args of the Action {name[:60]!r} were not a JSON object."
        return Unparsed(thought=thought, text=thought, reason=reason, calling=True)
    formed = labelled or bool(parsed) or SIMPLE_NAME.fullmatch(name) is not None
    if not (is_tool(name) or formed):
        reason = f"There is no tool {name[:60]!r}."
        return Unparsed(thought=thought, text=thought, reason=reason, calling=True)
    if isinstance(parsed, str):
        return ToolCall(thought=thought, name=name, bare=parsed)
    return ToolCall(thought=thought, name=name, arguments=parsed)


def _tool_within(name: str, is_tool: Callable[[str], bool]) -> str:
    """The tool that "use the search tool" means, or the name as it is."""
    named = [] if is_tool(name) else [word for word in SIMPLE_NAME.findall(name[:200]) if is_tool(word)]
    return named[0] if len(named) == 1 else name


def _answer_of(body: str, thought: str) -> Decision:
    if body.startswith(("{", '"')):
        parsed = read_arguments(body, labelled=True)
        if isinstance(parsed, dict):
            texts = [value for value in parsed.values() if isinstance(value, str)]
            body = texts[0] if texts else body
        elif isinstance(parsed, str):
            body = parsed
    return final_answer(thought, _without_closing(body))


def decide_written(written: WrittenCall | None, thought: str) -> Decision | None:
    if written is None:
        return None
    thought = "\n".join(filter(None, (thought, written.thought)))
    if written.answer is not None:
        return final_answer(thought, written.answer)
    return ToolCall(thought=thought, name=written.name, arguments=written.arguments or {}, bare=written.bare)


def decide_call(text: str, thought: str) -> Decision | None:
    """The decision of a native call or a JSON object.  None: it is text, not a call."""
    decision = decide_written(read_native_call(text), thought)
    if decision is not None or CALL_TAG.match(text.lstrip()) is None:
        return decision
    said = text_after_call(text)
    if said.strip("`"):
        return final_answer(thought, said)
    return Unparsed(thought=thought, text=thought, reason="The tool call could not be read.", calling=True)


def final_answer(thought: str, text: str) -> Decision:
    if text:
        return FinalAnswer(thought=thought, text=text)
    reason = "The Final Answer was empty." if thought else "There was no text."
    return Unparsed(thought=thought, text=thought, reason=reason)


def _no_action(thought: str, name: str) -> Unparsed:
    calling = name.lower() not in NOTHING
    return Unparsed(thought=thought, text=thought, reason="There was an Action without a tool's name.", calling=calling)


def action_name(line: str) -> str:
    return line.strip().strip("\"'`*[]<> \t")


def _find_args(text: str) -> int:
    """The position after the label of the arguments, or -1."""
    for found in re.finditer(r"(?:^|\n)", text[:2000]):
        label = read_label(text, found.end(), ended=True)
        if label is not None and label.kind == "args":
            return found.end() + len(label.raw)
    inline = ARGS_LABEL.match(text)
    return inline.end() if inline is not None else -1


def _without_opening(text: str) -> str:
    """The text without a fence that begins it."""
    found = _FENCE.match(text)
    return text[found.end() :] if found is not None else text


def _without_closing(text: str) -> str:
    """The text without a fence at its end that closes none of its own."""
    return (re.sub(r"\s*```\w*\s*\Z", "", text) if text.count("```") % 2 else text).strip()


def is_no_action(text: str, is_tool: Callable[[str], bool], *, complete: bool) -> bool:
    """Whether ``Action: ...``, in text without any other label, is not a call of a tool.

    ``text``: its first characters.  ``complete``: no more of them will come.
    """
    label = read_label(text, 0, ended=True)
    text = _without_opening(text[len(label.raw) if label else 0 :].lstrip())
    line, newline, rest = text.partition("\n")
    name = action_name(line)
    if not (newline or complete) or not name or is_tool(name) or is_answer(name.partition(":")[0]) or name.lower() in NOTHING:
        return False
    if ARGS_LABEL.search(line) is not None or split_call(name)[1] != "" or "{" in line:
        return False
    if SIMPLE_NAME.fullmatch(name) is None:
        return True
    following = rest.lstrip(" \t\n*").lower()[:12]
    starts = ("args", "arguments", "action", "input", "param", "{", "`")
    return bool(following) and not any(start.startswith(following[: len(start)]) for start in starts)


def is_complete_call(decision: Decision, is_tool: Callable[[str], bool]) -> bool:
    """Whether an action without a thought is a call: the tool exists, or the form is complete."""
    if not isinstance(decision, ToolCall):
        return False
    return is_tool(decision.name) or (bool(decision.arguments) and SIMPLE_NAME.fullmatch(decision.name) is not None)


def named_action(text: str) -> bool:
    """Whether a name follows the label of an action."""
    label = read_label(text, 0, ended=True)
    return action_name(text[len(label.raw) if label else 0 :]) != ""
