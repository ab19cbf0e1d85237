"""Incremental parser for ReAct text: splits it into thoughts, tool calls and answers.

Invariants:
- The pieces, joined by kind, and the decision depend only on the text, not on how it was split into chunks.
- Parsing never raises, because small models often break the format.  If the text has no valid decision (only a thought, or
  arguments that are not JSON), the decision is ``Unparsed`` and the machine asks the model again.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..memory.ports import JsonValue
from .arguments import read_arguments, split_call

HOLD = 20  # characters: the longest marker with its decoration, so that a marker split between chunks is still found

_LINE = r"^[ \t>*#_-]{0,4}"
_END = r"[ \t*_]{0,3}:"
_OPENING = re.compile(
    rf"(?P<thought>{_LINE}(?i:thoughts?){_END}|Thought:)"
    rf"|(?P<action>{_LINE}(?i:action){_END}|Action:)"
    rf"|(?P<answer>{_LINE}(?i:final[ _]answer|answer){_END}|Final Answer:)",
    re.MULTILINE,
)
_AFTER_THOUGHT = re.compile(
    rf"(?P<action>{_LINE}(?i:action){_END}|Action:)"
    rf"|(?P<answer>{_LINE}(?i:final[ _]answer|answer){_END}|Final Answer:)",
    re.MULTILINE,
)
_AFTER_ANSWER = re.compile(r"^[ \t*]{0,4}(?:Thought|Action)[*]{0,2}:", re.MULTILINE)
_LEAVES_ANSWER = re.compile(r"\n[ \t*]{0,4}(?:T(?:h(?:o(?:u(?:g(?:ht?)?)?)?)?)?|A(?:c(?:t(?:i(?:on?)?)?)?)?)?\*{0,2}\Z")
_ARGUMENTS = re.compile(rf"(?:{_LINE}|(?<=\s))(?i:args|arguments|action[ _]input|parameters|input){_END}|Args:", re.MULTILINE)
_ANSWER_INSIDE = re.compile(rf"{_LINE}(?i:final[ _]answer){_END}|Final Answer:", re.MULTILINE)
_FENCE_OPENS = re.compile(r"\s*```[^\n`]*\n")
_FENCE_CLOSES = re.compile(r"\s*```\w*\s*\Z")
_HALLUCINATED = re.compile(r"^[ \t*]{0,4}(?:Observation|Thought|Question)[*]{0,2}:", re.MULTILINE)
_ANSWERS = {"final answer", "final_answer", "finalanswer", "finish", "answer", "respond"}
_NOTHING = {"none", "n/a", "no action", "null", "-"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedText:
    """A piece of a thought or an answer.  ``last``: the thought is complete."""

    kind: Literal["thought", "answer"]
    text: str
    last: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """``bare``: an argument without a name, which is meant for the tool's first argument."""

    thought: str
    name: str
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    bare: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinalAnswer:
    thought: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Unparsed:
    """``text``: the best answer in the output.  ``reason``: the error, as shown to the model."""

    thought: str
    text: str
    reason: str


Decision = ToolCall | FinalAnswer | Unparsed


class ReactParser:
    """Call ``feed`` for each chunk and ``finish`` at the end.  Both return pieces.  Then read ``decision``."""

    def __init__(self) -> None:
        self._mode: Literal["opening", "thought", "action", "answer"] = "opening"
        self._text = ""  # of the current mode
        self._sent = 0  # number of its characters already returned as pieces
        self._fenced = False
        self._stars = 0  # decoration of the marker that is still open
        self._thought = ""
        self._answer = ""
        self._decision: Decision | None = None

    @property
    def decision(self) -> Decision:
        """The decision.  Raises: RuntimeError (before ``finish``)."""
        if self._decision is None:
            raise RuntimeError("the text has not ended: call finish() first")
        return self._decision

    def feed(self, chunk: str) -> list[ParsedText]:
        """Process the next chunk.  Returns the pieces that are certain."""
        self._text += chunk
        pieces: list[ParsedText] = []
        if self._mode == "opening":
            pieces += self._open()
        if self._mode == "thought":
            pieces += self._think()
        if self._mode == "answer":
            pieces += self._say(ended=False)
        return pieces

    def finish(self) -> list[ParsedText]:
        """End of the text: return the remaining pieces and set ``decision``."""
        pieces: list[ParsedText] = []
        if self._mode == "opening":
            pieces = self._decide_unmarked()
        elif self._mode == "thought":
            pieces = self._close_thought(len(self._text))
            reason = "There was a Thought but no Action and no Final Answer." if self._thought else "There was no text."
            self._decision = Unparsed(thought=self._thought, text=self._thought, reason=reason)
        elif self._mode == "action":
            pieces = self._act()
        else:
            pieces = self._say(ended=True)
            self._decide_answer(self._answer)
        return pieces

    # -- opening: no pieces before the first marker

    def _open(self) -> list[ParsedText]:
        found = _OPENING.search(self._text)
        if found is None:
            return []
        before = self._text[: found.start()]
        fence = _FENCE_OPENS.match(before)
        self._fenced = fence is not None
        if found.lastgroup == "thought":
            self._enter("thought", found)
            return []
        # Text before an action or answer is a thought without its label.  Text before a labelled thought is dropped.
        self._thought = _strip_fence(before[fence.end() :] if fence else before)
        self._enter("action" if found.lastgroup == "action" else "answer", found)
        return [ParsedText(kind="thought", text=self._thought, last=True)] if self._thought else []

    def _enter(self, mode: Literal["thought", "action", "answer"], found: re.Match[str]) -> None:
        marker = found.group().strip()
        opened = len(marker) - len(marker.lstrip("*"))
        self._stars = opened if opened == marker.count("*") else 0  # **Answer:** closes after the colon
        self._text, self._mode, self._sent = self._text[found.end() :], mode, 0

    def _decide_unmarked(self) -> list[ParsedText]:
        """Text without any marker: usually a small model that simply answers."""
        fence = _FENCE_OPENS.match(self._text)
        text = self._text[fence.end() :] if fence else self._text
        text = _strip_fence(text) if fence else text.strip()
        if not text:
            self._decision = Unparsed(thought="", text="", reason="There was no text.")
            return []
        self._decision = FinalAnswer(thought="", text=text)
        return [ParsedText(kind="answer", text=text)]

    # -- thought

    def _think(self) -> list[ParsedText]:
        found = _AFTER_THOUGHT.search(self._text, max(0, self._sent - HOLD))
        if found is None:
            return self._send_thought(_sendable_length(self._text[: max(0, len(self._text) - HOLD)]), last=False)
        pieces = self._close_thought(found.start())
        self._enter("action" if found.lastgroup == "action" else "answer", found)
        return pieces

    def _close_thought(self, end: int) -> list[ParsedText]:
        pieces = self._send_thought(len(_strip_fence(self._text[:end], left=False)), last=True)
        if not pieces and self._thought:
            pieces = [ParsedText(kind="thought", text="", last=True)]
        self._thought = self._thought.strip()
        return pieces

    def _send_thought(self, end: int, *, last: bool) -> list[ParsedText]:
        start = self._start()
        if end <= start:
            return []
        text, self._sent = self._text[start:end], end
        self._thought += text
        return [ParsedText(kind="thought", text=text, last=last)]

    def _start(self) -> int:
        """Start of the unsent text, after white space and the marker's closing decoration before the first word."""
        if self._sent:
            return self._sent
        rest = self._text.lstrip()
        stars = min(self._stars, len(rest) - len(rest.lstrip("*")))
        return len(self._text) - len(rest[stars:].lstrip())

    # -- answer

    def _say(self, *, ended: bool) -> list[ParsedText]:
        start = self._start()
        left = _AFTER_ANSWER.search(self._text, start + 1)
        if left is not None:
            end = len(self._text[: left.start()].rstrip())
        elif ended:
            text = self._text
            end = len(_FENCE_CLOSES.sub("", text).rstrip() if self._fenced else text.rstrip())
        else:
            end = len(self._text)
            partial = _LEAVES_ANSWER.search(self._text, max(0, end - HOLD))
            if partial is not None:
                end = partial.start()
            end = _sendable_length(self._text[:end]) if self._fenced else len(self._text[:end].rstrip())
        if end <= start:
            return []
        text, self._sent = self._text[start:end], end
        self._answer += text
        return [ParsedText(kind="answer", text=text)]

    def _decide_answer(self, text: str) -> None:
        if text:
            self._decision = FinalAnswer(thought=self._thought, text=text)
        else:
            self._decision = Unparsed(thought=self._thought, text=self._thought, reason="The Final Answer was empty.")

    # -- action: it is not streamed, so it is parsed when it is complete

    def _act(self) -> list[ParsedText]:
        text = self._text
        line, _, rest = text.lstrip().partition("\n")
        inline = _ARGUMENTS.search(line)
        if inline is not None:
            rest = line[inline.start() :] + "\n" + rest
            line = line[: inline.start()]
        name = line.strip().strip("\"'`*[]<> \t")
        name, arguments_text = split_call(name)
        answer = self._answer_in(name, rest)
        if answer is not None:
            self._decide_answer(answer)
            return [ParsedText(kind="answer", text=answer)] if answer else []
        if not name:
            self._decision = Unparsed(
                thought=self._thought, text=self._thought, reason="There was an Action without a tool's name."
            )
            return []
        marker = _ARGUMENTS.search(rest)
        given = arguments_text or (rest[marker.end() :] if marker else rest)
        chatter = _HALLUCINATED.search(given)
        if chatter is not None:
            given = given[: chatter.start()]
        parsed = read_arguments(given, labelled=marker is not None or bool(arguments_text))
        if parsed is None:
            self._decision = Unparsed(
                thought=self._thought,
                text=self._thought,
                reason=f"The Args of the Action {name[:60]!r} were not a JSON object.",
            )
        elif isinstance(parsed, str):
            self._decision = ToolCall(thought=self._thought, name=name, bare=parsed)
        else:
            self._decision = ToolCall(thought=self._thought, name=name, arguments=parsed)
        return []

    def _answer_in(self, name: str, rest: str) -> str | None:
        """The answer in ``Action: Final Answer``, where the model wrote it in place of arguments."""
        marker = _ANSWER_INSIDE.search(rest)
        arguments = _ARGUMENTS.search(rest)
        if name.lower().rstrip(":") in _ANSWERS or name.lower().startswith("final answer:"):
            body = rest[marker.end() :] if marker else rest[arguments.end() :] if arguments else rest
            if ":" in name:
                body = name.partition(":")[2] + "\n" + body
            parsed = read_arguments(body, labelled=True) if body.lstrip().startswith(("{", '"')) else None
            if isinstance(parsed, dict):
                texts = [value for value in parsed.values() if isinstance(value, str)]
                return texts[0].strip() if texts else body.strip()
            return parsed.strip() if isinstance(parsed, str) else _strip_fence(body)
        if marker is not None and (arguments is None or marker.start() < arguments.start() or name.lower() in _NOTHING):
            return _strip_fence(rest[marker.end() :].strip(" \t\n*"))
        return None


def _sendable_length(text: str) -> int:
    """Length of the text that may be sent.  White space and a code fence at its end may be the end of the answer."""
    text = text.rstrip().rstrip("`").rstrip()
    fence = _FENCE_CLOSES.search(text)
    return len((text[: fence.start()] if fence else text).rstrip().rstrip("`").rstrip())


def _strip_fence(text: str, *, left: bool = True) -> str:
    text = _FENCE_CLOSES.sub("", text).rstrip()
    return text.lstrip() if left else text
