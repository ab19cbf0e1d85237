"""Incremental parser for the output of a model: splits it into thoughts, tool calls and answers.

Invariants:
- The pieces, joined by kind, and the decision depend only on the text, not on how it was split into chunks.
- The time is linear in the length of the text.
- Parsing never raises, because small models often break the format.  If the text has no valid decision (only a thought, or
  arguments that are not JSON), the decision is ``Unparsed`` and the machine asks the model again.
- A label inside an answer is text, unless a second run of the format follows it: then the model continued the dialogue alone.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from ..memory.ports import JsonValue
from .arguments import KEYS, WrittenCall, is_answer, read_arguments, read_written, split_call
from .labels import Label, LabelScanner, read_label
from .reasoning import ReasoningFilter

OPENING: Final = 120  # characters of text without a label after which it is shown as an answer
TENTATIVE: Final = 200  # characters after "Answer:" in a thought after which it is the answer
RUN_ON: Final = 600  # characters after a label in an answer after which it is part of the answer
LEAD: Final = 160  # characters that decide whether undecided text is text
_INLINE: Final = "Final Answer:"
_INLINE_ACTION = re.compile(r"[.!?]\s+Action:[ \t]*(?=[A-Za-z_][\w.-]*\s*(?:\(|\n|Args:|Action Input:))")
_MOST_NAME: Final = 80
_SIMPLE_NAME = re.compile(r"[A-Za-z_][\w.-]*")
_FIRST_KEY = re.compile(r"\{\s*(?:[\"'“]\s*([^\"'“”]{0,40})[\"'”]|(\w{1,40}))\s*:")
_ARGS_LABEL = re.compile(
    r"(?:(?:^|\s)[*_]{0,2})(?:args|arguments|action[ _]input|parameters|input)[*_ \t]{0,3}[:：][ \t*]*", re.IGNORECASE
)
_NOTHING: Final = {"none", "n/a", "no action", "null", "-"}
_EMPTY_FENCE = re.compile(r"\s*```[^\n`]*\n?")

Mode = Literal["opening", "thought", "tentative", "action", "answer", "run-on", "object", "call", "done"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedText:
    """A piece of a thought or an answer.  ``last``: the thought is complete.  ``restart``: the answer so far was none."""

    kind: Literal["thought", "answer", "restart"]
    text: str = ""
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
Pieces = list[ParsedText]


class _Body:
    """The text of a thought or an answer while it arrives, without the white space and decoration around it."""

    def __init__(self, stars: int = 0, *, fenced: bool = False) -> None:
        self._stars = stars
        self._begun = False
        self._held: list[str] = []  # white space, or a closing fence, that may be the end
        self._parts: list[str] = []
        self._fenced = fenced

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def push(self, text: str) -> str:
        """Add text and return what is certain."""
        if not self._begun:
            text = text.lstrip()
            while self._stars and text.startswith("*"):
                text, self._stars = text[1:], self._stars - 1
            text = text.lstrip()
            if not text:
                return ""
            self._begun = True
        shown = text.rstrip()
        if shown:
            shown = "".join(self._held) + shown
            self._held.clear()
            self._parts.append(shown)
        if len(text) > len(text.rstrip()):
            self._held.append(text[len(text.rstrip()) :])
        return shown

    def push_fence(self, text: str) -> str:
        """Add a line that may close the fence around the whole output."""
        if not self._fenced:
            return self.push(text)
        self._held.append(text)
        return ""


class ReactParser:
    """Call ``feed`` for each chunk and ``finish`` at the end.  Both return pieces.  Then read ``decision``.

    ``is_tool``: whether a tool of that name may be called.
    """

    def __init__(self, is_tool: Callable[[str], bool] = lambda name: False) -> None:
        self._is_tool = is_tool
        self._reasoning = ReasoningFilter()
        self._decision: Decision | None = None
        self._begin()

    def _begin(self) -> None:
        self._labels = LabelScanner()
        self._mode: Mode = "opening"
        self._head = ""  # text before the first label
        self._thought = _Body()
        self._thought_closed = False
        self._answer = _Body()
        self._labelled = False  # the answer followed a label
        self._parts: list[str] = []  # text that is not decided yet
        self._length = 0  # of ``_parts``
        self._lead = ""  # the first characters of ``_parts``
        self._tail = ""  # end of a thought that may be the start of a label within the line
        self._back: Mode = "opening"  # where undecided text belongs if it is text
        self._calls: list[int] = []  # positions of actions in ``_parts``
        self._fenced = False

    @property
    def decision(self) -> Decision:
        """The decision.  Raises: RuntimeError (before ``finish``)."""
        if self._decision is None:
            raise RuntimeError("the text has not ended: call finish() first")
        return self._decision

    def feed(self, chunk: str) -> Pieces:
        """Process the next chunk.  Returns the pieces that are certain."""
        pieces: Pieces = []
        for text in self._reasoning.feed(chunk):
            pieces += self._restart() if text is None else self._read(text)
        return pieces

    def finish(self) -> Pieces:
        """End of the text: return the remaining pieces and set ``decision``."""
        pieces: Pieces = []
        for text in self._reasoning.finish():
            pieces += self._restart() if text is None else self._read(text)
        for token in self._labels.finish():
            pieces += self._take(token)
        pieces += self._end()
        return pieces

    def _read(self, text: str) -> Pieces:
        pieces: Pieces = []
        for token in self._labels.feed(text):
            pieces += self._take(token)
        return pieces

    def _restart(self) -> Pieces:
        """Begin again, because the text so far was reasoning."""
        said = bool(self._answer.text)
        self._begin()
        return [ParsedText(kind="restart")] if said else []

    def _take(self, token: Label | str) -> Pieces:
        match self._mode:
            case "opening":
                return self._open(token)
            case "thought":
                return self._think(token)
            case "tentative":
                return self._consider(token)
            case "action":
                return self._act(token)
            case "answer":
                return self._say(token)
            case "run-on":
                return self._run_on(token)
            case "object":
                return self._collect_object(token)
            case "call":
                self._keep(token)
        return []

    # -- the start, before the first label

    def _open(self, token: Label | str) -> Pieces:
        if isinstance(token, str) or token.kind in ("args", "observation", "question", "fence"):
            self._head = (self._head + _raw(token)).lstrip()
            if len(self._head) <= OPENING:
                return []
            return self._show_plain(self._take_head())
        before = _EMPTY_FENCE.sub("", self._head, count=1) if self._head.startswith("```") else self._head
        self._fenced = self._head.startswith("```")
        if token.kind == "object" and not before.strip():
            return self._hold(token, "object")
        if token.kind == "object":
            self._head += token.raw
            return []
        if token.kind == "thought":
            self._head = ""  # text before a labelled thought is dropped
            return self._enter_thought(token)
        if token.kind in ("action", "call"):
            return self._hold(token, "action" if token.kind == "action" else "call")
        self._head = ""
        return [*self._push_thought(before.strip()), *self._enter_answer(token)]

    def _take_head(self) -> str:
        head, self._head = self._head, ""
        return head

    def _hold(self, token: Label, mode: Mode) -> Pieces:
        self._back, self._mode = self._mode, mode
        self._take_parts()
        self._keep(token)
        return []

    def _keep(self, token: Label | str) -> None:
        raw = _raw(token)
        self._parts.append(raw)
        self._length += len(raw)
        if len(self._lead) < LEAD:
            self._lead = (self._lead + raw)[:LEAD]

    def _take_parts(self) -> str:
        text = "".join(self._parts)
        self._parts, self._length, self._lead, self._calls = [], 0, "", []
        return text

    def _show_plain(self, text: str) -> Pieces:
        """Show text without a label as an answer."""
        self._mode, self._labelled = "answer", False
        return self._push_answer(text)

    # -- thought

    def _enter_thought(self, label: Label) -> Pieces:
        self._mode = "thought"
        self._thought = _Body(label.stars, fenced=self._fenced)
        return []

    def _think(self, token: Label | str) -> Pieces:
        if isinstance(token, str) or token.kind in ("thought", "args", "observation", "question", "fence"):
            return self._think_text(token)
        if token.kind == "final":
            return [*self._flush_tail(), *self._enter_answer(token)]
        pieces = self._flush_tail()
        self._hold(token, {"answer": "tentative", "object": "object", "call": "call"}.get(token.kind, "action"))  # type: ignore[arg-type]
        return pieces

    def _think_text(self, token: Label | str) -> Pieces:
        if not isinstance(token, str) and token.kind == "fence":
            text = self._thought.push_fence(token.raw)
            return [*self._flush_tail(), *([ParsedText(kind="thought", text=text)] if text else [])]
        text = self._tail + _raw(token)
        self._tail = ""
        place = text.find(_INLINE)
        action = _INLINE_ACTION.search(text)
        if action is not None and (place < 0 or action.start() < place):
            pieces = self._push_thought(text[: action.start() + 1])
            self._hold(Label(kind="action", raw=text[action.start() + 1 : action.end()]), "action")
            return [*pieces, *self._take(text[action.end() :])]
        if place >= 0:
            pieces = self._push_thought(text[:place])
            pieces += self._enter_answer(Label(kind="final", raw=_INLINE))
            return [*pieces, *self._take(text[place + len(_INLINE) :])]
        cut = _inline_start(text)
        self._tail = text[cut:]
        return self._push_thought(text[:cut])

    def _flush_tail(self) -> Pieces:
        tail, self._tail = self._tail, ""
        return self._push_thought(tail)

    def _push_thought(self, text: str) -> Pieces:
        shown = self._thought.push(text)
        return [ParsedText(kind="thought", text=shown)] if shown else []

    def _close_thought(self) -> Pieces:
        closes = bool(self._thought.text) and not self._thought_closed
        self._thought_closed = True
        return [ParsedText(kind="thought", last=True)] if closes else []

    # -- "Answer:" within a thought: a word of it, unless nothing stronger follows

    def _consider(self, token: Label | str) -> Pieces:
        if isinstance(token, Label) and token.kind in ("final", "action", "call"):
            self._mode = "thought"
            return [*self._push_thought(self._take_parts()), *self._think(token)]
        self._keep(token)
        return self._accept_tentative() if self._length > TENTATIVE else []

    def _accept_tentative(self) -> Pieces:
        text = self._take_parts()
        label = read_label(text, 0, ended=True)
        assert label is not None
        return [*self._enter_answer(label), *self._push_answer(text[len(label.raw) :])]

    # -- action: it is not streamed

    def _act(self, token: Label | str) -> Pieces:
        if isinstance(token, str) or token.kind in ("args", "object", "fence", "action", "answer", "call"):
            self._keep(token)
            return self._give_up_action() if self._back == "opening" and self._is_no_action() else []
        text = "".join(self._parts)
        found = self._read_action(text)
        if isinstance(found, ToolCall | FinalAnswer):
            return self._done(found)
        if token.kind == "final":
            self._take_parts()
            pieces = [] if self._back != "opening" else self._push_thought(self._take_head().strip())
            return [*pieces, *self._enter_answer(token)]
        if self._back == "opening":
            self._keep(token)
            return self._give_up_action()
        self._mode = "thought"
        return [*self._push_thought(self._take_parts()), *self._think(token)]

    def _is_no_action(self) -> bool:
        """Whether the first line, in text without any other label, is no call of a tool."""
        label = read_label(self._lead, 0, ended=True)
        line, newline, rest = self._lead[len(label.raw) if label else 0 :].lstrip().partition("\n")
        if not newline and len(self._lead) < LEAD:
            return False
        name = _action_name(line)
        if self._is_tool(name) or is_answer(name.partition(":")[0]) or name.lower() in _NOTHING or not name:
            return False
        form = _ARGS_LABEL.search(line) is not None or split_call(name)[1] != "" or "{" in line
        if not form and _SIMPLE_NAME.fullmatch(name):
            following = rest.lstrip(" \t\n*").lower()[:12]
            return bool(following) and not any(
                start.startswith(following[: len(start)])
                for start in ("args", "arguments", "action", "input", "param", "{", "`")
            )
        return not form

    def _give_up_action(self) -> Pieces:
        return self._show_plain(self._take_head() + self._take_parts())

    def _read_action(self, text: str) -> Decision:
        """The decision of ``Action: ...``."""
        label = read_label(text, 0, ended=True)
        text = text.lstrip()[len("Action:") :] if label is None else text[len(label.raw) :]
        thought = self._whole_thought()
        line, _, rest = text.lstrip(" \t*\n").partition("\n")
        inline = _ARGS_LABEL.search(line)
        if inline is not None:
            rest, line = line[inline.start() :] + "\n" + rest, line[: inline.start()]
        name = _action_name(line)
        if line.lstrip().startswith("{"):
            return self._decide_written(read_written(line.lstrip() + "\n" + rest)) or _no_action(thought, name)
        name, given = split_call(name)
        head = name.partition(":")[0].partition("：")[0]
        marker = _find_args(rest)
        if is_answer(head):
            body = rest[marker:] if marker >= 0 else rest
            said = name[len(head) :].lstrip(":： ") + "\n" + body
            return self._answer_of(said.strip())
        if not name or name.lower() in _NOTHING:
            return _no_action(thought, name)
        labelled = marker >= 0 or given != ""
        given = given or (rest[marker:] if marker >= 0 else rest)
        parsed = read_arguments(given, labelled=labelled)
        if parsed is None:
            reason = f"The Args of the Action {name[:60]!r} were not a JSON object."
            return Unparsed(thought=thought, text=thought, reason=reason)
        formed = labelled or bool(parsed) or _SIMPLE_NAME.fullmatch(name) is not None
        if not (self._is_tool(name) or formed):
            reason = f"There is no tool {name[:60]!r}."
            return Unparsed(thought=thought, text=thought, reason=reason)
        if isinstance(parsed, str):
            return ToolCall(thought=thought, name=name, bare=parsed)
        return ToolCall(thought=thought, name=name, arguments=parsed)

    def _answer_of(self, body: str) -> Decision:
        thought = self._whole_thought()
        if body.startswith(("{", '"')):
            parsed = read_arguments(body, labelled=True)
            if isinstance(parsed, dict):
                texts = [value for value in parsed.values() if isinstance(value, str)]
                body = texts[0] if texts else body
            elif isinstance(parsed, str):
                body = parsed
        body = _strip_fence(body)
        return _final(thought, body)

    def _whole_thought(self) -> str:
        """The thought.  Text before an action is a thought without its label."""
        head = _EMPTY_FENCE.sub("", self._head, count=1) if self._head.startswith("```") else self._head
        return self._thought.text.strip() or head.strip()

    def _done(self, decision: Decision) -> Pieces:
        pieces: Pieces = []
        if self._answer.text:  # what was shown was a thought
            pieces.append(ParsedText(kind="restart"))
            decision = replace(decision, thought=decision.thought or self._answer.text)
            self._answer = _Body()
        if not self._thought.text and decision.thought:
            pieces += self._push_thought(decision.thought)
        pieces += self._close_thought()
        self._decision, self._mode = decision, "done"
        if isinstance(decision, FinalAnswer):
            pieces.append(ParsedText(kind="answer", text=decision.text))
        return pieces

    # -- calls and answers as JSON

    def _collect_object(self, token: Label | str) -> Pieces:
        known = self._length > LEAD
        self._keep(token)
        if known:
            return []
        key = _FIRST_KEY.match(self._lead)
        if key is None and self._length <= LEAD:
            return []
        if key is not None and (key[1] or key[2] or "").strip().casefold() in KEYS:
            return []
        return self._object_is_text(self._take_parts())

    def _object_is_text(self, text: str) -> Pieces:
        if self._back == "thought":
            self._mode = "thought"
            return self._think_text(text)
        return self._show_plain(self._take_head() + text)

    def _decide_written(self, written: WrittenCall | None) -> Decision | None:
        if written is None:
            return None
        thought = "\n".join(filter(None, (self._whole_thought(), written.thought)))
        if written.answer is not None:
            return _final(thought, written.answer)
        return ToolCall(thought=thought, name=written.name, arguments=written.arguments or {}, bare=written.bare)

    # -- answer

    def _enter_answer(self, label: Label) -> Pieces:
        pieces = self._close_thought()
        self._mode, self._labelled = "answer", True
        self._answer = _Body(label.stars, fenced=self._fenced)
        return pieces

    def _say(self, token: Label | str) -> Pieces:
        if isinstance(token, str):
            return self._push_answer(token)
        if token.kind == "fence":
            shown = self._answer.push_fence(token.raw)
            return [ParsedText(kind="answer", text=shown)] if shown else []
        if token.kind == "final" and not self._labelled:  # what was shown was the way to the answer
            thought = self._answer.text
            pieces = [ParsedText(kind="restart")] if thought else []
            self._thought.push(thought)
            self._thought_closed = True
            return [*pieces, *self._enter_answer(token)]
        if self._answer.text and token.kind in ("thought", "question", "action", "call"):
            self._hold(token, "run-on")
            if token.kind in ("action", "call"):
                self._calls.append(0)
            return []
        return self._push_answer(token.raw)

    def _push_answer(self, text: str) -> Pieces:
        shown = self._answer.push(text)
        return [ParsedText(kind="answer", text=shown)] if shown else []

    # -- a label in an answer: the model continues alone, or it is a word of the answer

    def _run_on(self, token: Label | str) -> Pieces:
        if isinstance(token, Label):
            if token.kind == "final":
                return self._cut_answer() if self._labelled else self._restart_answer(token)
            if token.kind in ("action", "call"):
                self._calls.append(self._length)
        self._keep(token)
        if self._length <= RUN_ON:
            return []
        return self._decide_run_on()

    def _decide_run_on(self) -> Pieces:
        text = "".join(self._parts)
        for place in self._calls[:3]:
            call = self._read_call(text[place:])
            if isinstance(call, ToolCall) and self._is_tool(call.name) and (call.arguments or call.bare):
                return self._cut_answer() if self._labelled else self._done(call)
        self._mode = "answer"
        return self._push_answer(self._take_parts())

    def _read_call(self, text: str) -> Decision | None:
        label = read_label(text, 0, ended=True)
        if label is not None and label.kind == "call":
            return self._decide_written(_written_in(text))
        return self._read_action(text)

    def _cut_answer(self) -> Pieces:
        self._take_parts()
        self._decision = _final(self._thought.text, self._answer.text)
        self._mode = "done"
        return []

    def _restart_answer(self, token: Label) -> Pieces:
        self._take_parts()
        self._mode = "answer"
        return self._say(token)

    # -- the end

    def _end(self) -> Pieces:
        pieces: Pieces = []
        if self._mode == "run-on":
            pieces = self._decide_run_on()
        elif self._mode == "tentative":
            pieces = self._accept_tentative()
        elif self._mode == "opening":
            pieces = self._show_plain(self._take_head())
        elif self._mode in ("action", "call", "object"):
            pieces = self._end_undecided()
        if self._mode == "thought":
            pieces += [*self._flush_tail(), *self._close_thought()]
            thought = self._thought.text
            reason = "There was a Thought but no Action and no Final Answer." if thought else "There was no text."
            self._decision = Unparsed(thought=thought, text=thought, reason=reason)
        elif self._mode == "answer":
            self._decision = _final(self._thought.text, self._answer.text)
        return pieces

    def _end_undecided(self) -> Pieces:
        text, decision = "".join(self._parts), None
        if self._mode == "action":
            decision = self._read_action(text)
            unlabelled = self._back == "opening" and not isinstance(decision, FinalAnswer)
            if unlabelled and not (isinstance(decision, ToolCall) and self._is_call_of_plain(decision)):
                decision = None if _action_name(text.partition(":")[2]) else decision
        else:
            decision = self._decide_written(_written_in(text))
        if decision is not None:
            return self._done(decision)
        return self._object_is_text(self._take_parts())

    def _is_call_of_plain(self, call: ToolCall) -> bool:
        """Whether an action without a thought is a call: the tool exists, or the form is complete."""
        return self._is_tool(call.name) or (bool(call.arguments) and _SIMPLE_NAME.fullmatch(call.name) is not None)


def _raw(token: Label | str) -> str:
    return token if isinstance(token, str) else token.raw


def _final(thought: str, text: str) -> Decision:
    if text:
        return FinalAnswer(thought=thought, text=text)
    reason = "The Final Answer was empty." if thought else "There was no text."
    return Unparsed(thought=thought, text=thought, reason=reason)


def _no_action(thought: str, name: str) -> Unparsed:
    return Unparsed(thought=thought, text=thought, reason="There was an Action without a tool's name.")


def _action_name(line: str) -> str:
    return line.strip().strip("\"'`*[]<> \t")


def _find_args(text: str) -> int:
    """The position after the label of the arguments, or -1."""
    for found in re.finditer(r"(?:^|\n)", text[:2000]):
        label = read_label(text, found.end(), ended=True)
        if label is not None and label.kind == "args":
            return found.end() + len(label.raw)
    inline = _ARGS_LABEL.match(text)
    return inline.end() if inline is not None else -1


def _written_in(text: str) -> WrittenCall | None:
    """The call in ``<tool_call>{...}</tool_call>``, ``<function=name>{...}</function>`` or a bare object."""
    start = text.find("{")
    if start < 0:
        return None
    function = re.match(r"\s*<function=([\w.-]{1,80})>", text)
    if function is not None:
        arguments = read_arguments(text[start:].partition("</function>")[0], labelled=True)
        return WrittenCall(name=function[1], arguments=arguments) if isinstance(arguments, dict) else None
    return read_written(text[start:])


def _inline_start(text: str) -> int:
    """The position where "Final Answer:" or "Action:" may begin at the end of the text."""
    for size in range(min(len(text), len(_INLINE) - 1), 0, -1):
        if _INLINE.startswith(text[-size:]):
            return len(text) - size
    tail = re.search(r"[.!?]\s{0,8}(?:A(?:c(?:t(?:i(?:o(?:n(?::[ \t]{0,4}[\w.-]{0,80}[ \t]{0,4})?)?)?)?)?)?)?\Z", text[-110:])
    return len(text) - len(tail.group()) if tail is not None else len(text)


def _strip_fence(text: str) -> str:
    return re.sub(r"\s*```\w*\s*\Z", "", text).strip()
