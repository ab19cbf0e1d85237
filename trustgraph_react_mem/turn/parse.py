"""Incremental parser for the output of a model: splits it into thoughts, tool calls and answers.

Invariants:
- The pieces, joined by kind, and the decision depend only on the text, not on how it was split into chunks.
- The time is linear in the length of the text.
- Parsing never raises, because small models often break the format.  If the text has no valid decision (only a thought, or
  arguments that are not JSON), the decision is ``Unparsed`` and the machine asks the model again.
- A label inside an answer is text, unless a second run of the format follows it: then the model continued the dialogue alone.
- A call is not streamed: it is held until its end is known.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Final, Literal

from ..memory.text.reasoning import ReasoningFilter
from .actions import decide_call, is_complete_call, read_action
from .decisions import Decision, FinalAnswer, ParsedText, Pieces, ToolCall, Unparsed, final_answer, piece
from .held import Body, Thought
from .labels import Label, LabelScanner, find_inline_label, read_label

OPENING: Final = 80  # characters without a label after which they are an answer: models announce a step in fewer
RUN_ON: Final = 600  # characters after a label in an answer after which it is part of the answer
_EMPTY_FENCE = re.compile(r"\s*```[^\n`]*\n?")
_TEXT_OF_STEP: Final = ("args", "observation", "question", "fence")  # labels that are text of a thought

Mode = Literal["opening", "thought", "held", "answer", "run-on", "done"]


class ReactParser:
    """Call ``feed`` for each chunk and ``finish`` at the end.  Both return pieces.  Then read ``decision``.

    Arguments:
        is_tool: whether a tool of that name may be called.
        rules: take out the lines that change rules, see ``rule_lines``.
    """

    def __init__(self, is_tool: Callable[[str], bool] = lambda name: False, *, rules: bool = True) -> None:
        self._is_tool = is_tool
        self._takes_rules = rules
        self._reasoning = ReasoningFilter()
        self._decision: Decision | None = None
        self._begin()

    def _begin(self) -> None:
        self._labels = LabelScanner(self._is_tool, takes_rules=self._takes_rules)
        self._mode: Mode = "opening"
        self._head = ""  # text before the first label
        self._asks = False  # a question follows text in it
        self._thought = Thought()
        self._answer = Body()
        self._labelled = False  # the answer followed a label of its own
        self._way = ""  # "Answer:" before it
        self._first: Label | None = None  # the label of what is held
        self._held: list[str] = []
        self._held_size = 0
        self._call_at = -1  # where the first call begins in what is held after a label in an answer
        self._fenced = False

    @property
    def decision(self) -> Decision:
        """The decision.  Raises: RuntimeError (before ``finish``)."""
        if self._decision is None:
            raise RuntimeError("the text has not ended: call finish() first")
        return self._decision

    @property
    def rules(self) -> list[str]:
        """The lines that change rules, as far as they were taken out."""
        return self._labels.rules

    def feed(self, chunk: str) -> Pieces:
        """Process the next chunk.  Returns the pieces that are certain."""
        pieces = self._read(self._reasoning.feed(chunk))
        return pieces + self._thought.stream(self._labels.held) if self._mode == "thought" else pieces

    def finish(self) -> Pieces:
        """End of the text: return the remaining pieces and set ``decision``."""
        pieces = self._read(self._reasoning.finish())
        pieces += self._take_all(self._labels.finish())
        return pieces + self._end()

    def _read(self, texts: Iterable[str | None]) -> Pieces:
        """``texts``: with None where what came before was reasoning."""
        pieces: Pieces = []
        for text in texts:
            pieces += self._restart() if text is None else self._take_all(self._labels.feed(text))
        return pieces

    def _take_all(self, tokens: Iterable[Label | str]) -> Pieces:
        return [shown for token in tokens for shown in self._take(token)]

    def _restart(self) -> Pieces:
        """Begin again, because the text so far was reasoning: the rest of a thought that was partly shown is shown."""
        pieces = self._thought.show("")
        if self._answer:
            pieces.append(ParsedText(kind="restart"))
        self._begin()
        return pieces

    def _take(self, token: Label | str) -> Pieces:
        match self._mode:
            case "opening":
                return self._open(token)
            case "thought":
                return self._think(token)
            case "held":
                return self._act(token)
            case "answer":
                return self._say(token)
            case "run-on":
                return self._run_on(token)
            case "done":
                return []

    # -- the start, before the first label

    def _open(self, token: Label | str) -> Pieces:
        unlabelled = (*_TEXT_OF_STEP, *(("tag",) if self._head.strip() else ()))
        if isinstance(token, str) or token.kind in unlabelled:
            self._asks |= isinstance(token, Label) and token.kind == "question" and self._head != ""
            self._head = (self._head + _raw(token)).lstrip()
            return self._show_plain("") if len(self._head) > OPENING else []
        before = _without_fence(self._head).strip()
        self._fenced = self._head.startswith("```")
        if token.kind == "object" and before:
            self._head += token.raw
            return []
        introduces = token.kind == "thought" and self._head.rstrip().endswith((":", "："))
        if introduces or (token.kind == "answer" and self._asks):  # what follows belongs to this text
            return self._show_plain(token.raw)
        if token.kind in ("action", "call", "object"):
            return self._hold(token)
        self._head = ""  # text before a labelled thought is dropped
        if token.kind == "thought":
            self._mode = "thought"
            self._thought = Thought(token.emphasis, fenced=self._fenced, closed=self._thought.closed)
            return []
        return self._enter_answer(token, thought=before)

    def _show_plain(self, text: str) -> Pieces:
        """Show the text before the first label, and ``text``, as an answer."""
        self._mode, self._labelled = "answer", False
        head, self._head = self._head, ""
        return self._push_answer(head + text)

    # -- thought

    def _think(self, token: Label | str) -> Pieces:
        if isinstance(token, Label) and token.kind == "fence":
            return self._thought.show_fence(token.raw)
        if isinstance(token, str) or token.kind in ("thought", *_TEXT_OF_STEP):
            return self._think_text(_raw(token))
        if token.kind in ("final", "answer", "tag"):
            return self._enter_answer(token)
        return self._hold(token)

    def _think_text(self, text: str) -> Pieces:
        text = self._thought.take(text)
        found = find_inline_label(text)
        if found is None:
            self._thought.hold(text)
            return self._thought.stream(self._labels.held) if len(text) > RUN_ON else []
        start, label = found
        self._thought.hold(text[:start])
        return [*self._think(label), *self._take(text[start + len(label.raw) :])]

    # -- a call, or an answer as JSON: it is not streamed

    def _hold(self, token: Label) -> Pieces:
        self._mode, self._first = "held", token
        self._keep(token)
        return []

    def _keep(self, token: Label | str) -> None:
        raw = _raw(token)
        self._held.append(raw)
        self._held_size += len(raw)

    def _take_held(self) -> str:
        text = "".join(self._held)
        self._held, self._held_size = [], 0
        return text

    def _act(self, token: Label | str) -> Pieces:
        assert self._first is not None
        parts = ("args", "object", "fence", "action", "answer", "call")
        if isinstance(token, str) or token.kind in parts or self._first.kind != "action":
            self._keep(token)
            return []
        decision = self._decide_held()
        if decision is not None:
            return self._finish(decision)
        if token.kind == "final":
            self._take_held()
            return self._enter_answer(token, thought=_without_fence(self._head).strip())
        return [*self._held_is_text(), *self._take(token)]

    def _decide_held(self) -> Decision | None:
        """The call or answer that is held.  None: it is text, or a call without a name."""
        assert self._first is not None
        text = "".join(self._held)
        if self._first.kind == "action":
            decision: Decision | None = read_action(text, self._whole_thought(), self._is_tool)
            unsure = not self._thought and not is_complete_call(decision, self._is_tool) if decision is not None else True
            return None if isinstance(decision, Unparsed) or unsure else decision
        decision = decide_call(text, self._whole_thought())
        known = isinstance(decision, ToolCall) and self._is_tool(decision.name)
        doubtful = self._first.inline or (self._first.kind == "object" and text[:1] != "{")
        return decision if known or not doubtful else None

    def _whole_thought(self) -> str:
        return self._thought.whole or _without_fence(self._head).strip()

    def _held_is_text(self) -> Pieces:
        """Read what is held as text.  Behind what looked like a call there may be other labels."""
        text, first = self._take_held(), self._first
        pieces: Pieces = []
        if self._thought:
            self._mode = "thought"
        else:
            pieces = self._show_plain("")
        if first is not None and first.kind == "action":
            return pieces + (self._thought.show(text) if self._mode == "thought" else self._push_answer(text))
        labels = LabelScanner()
        for token in (*labels.feed(text), *labels.finish()):
            is_call = isinstance(token, Label) and token.kind in ("object", "call")
            pieces += self._take(_raw(token) if is_call else token)
        return pieces

    def _finish(self, decision: Decision) -> Pieces:
        if isinstance(decision, FinalAnswer) and self._takes_rules:  # its text may have been JSON
            decision = final_answer(decision.thought, self._without_rules(decision.text))
        pieces: Pieces = []
        if self._answer:  # what was shown was a thought
            pieces.append(ParsedText(kind="restart"))
            decision = replace(decision, thought=decision.thought or self._answer.text)
            self._answer = Body()
        pieces += self._thought.close("" if self._thought else decision.thought)
        self._decision, self._mode = decision, "done"
        if isinstance(decision, FinalAnswer):
            pieces.append(ParsedText(kind="answer", text=decision.text))
        return pieces

    def _without_rules(self, answer: str) -> str:
        lines = LabelScanner(takes_rules=True)
        kept = "".join(map(_raw, (*lines.feed(answer), *lines.finish())))
        self.rules.extend(lines.rules)
        return kept.strip() if lines.rules else answer

    # -- answer

    def _enter_answer(self, label: Label, thought: str = "") -> Pieces:
        """``Answer:`` may be a word of the thought, so a ``Final Answer:`` after it begins the answer anew."""
        pieces = self._thought.close(thought)
        self._mode, self._labelled = "answer", label.kind != "answer"
        self._way = "" if self._labelled else label.raw
        self._answer = Body(label.emphasis, fenced=self._fenced, closing=label.closing)
        return pieces

    def _say(self, token: Label | str) -> Pieces:
        if isinstance(token, str) or (self._answer.in_code and token.kind != "fence"):
            return self._push_answer(_raw(token))
        if token.kind == "fence":
            return piece("answer", self._answer.push_fence(token.raw))
        if token.kind == "final" and not self._labelled:  # what was shown was the way to the answer
            pieces = [ParsedText(kind="restart")] if self._answer else []
            self._thought.show(f"{self._way} {self._answer.text}")
            self._thought.closed = True
            return [*pieces, *self._enter_answer(token)]
        runs_on = token.kind in ("thought", "question", "action", "call", "final")
        if not (self._answer and runs_on) or (token.inline and self._labelled):
            return self._push_answer(token.raw)
        self._hold(token)
        self._mode = "run-on"
        self._call_at = 0 if token.kind in ("action", "call") else -1
        return []

    def _push_answer(self, text: str) -> Pieces:
        return piece("answer", self._answer.push(text))

    # -- a label in an answer: the model continues alone, or it is a word of the answer

    def _run_on(self, token: Label | str) -> Pieces:
        if isinstance(token, Label):
            if token.kind == "final":
                return self._repeat(token)
            if token.kind in ("action", "call") and self._call_at < 0 and not (token.inline and self._labelled):
                self._call_at = self._held_size
        self._keep(token)
        return self._decide_run_on() if self._held_size > RUN_ON else []

    def _repeat(self, token: Label) -> Pieces:
        """The label of an answer, after another label in an answer."""
        if self._labelled and self._first is not None and self._first.kind != "final":
            return self._cut_answer()
        pieces = self._decide_run_on() if self._labelled else []
        self._take_held()
        if self._mode == "done":
            return pieces
        self._mode = "answer"
        return [*pieces, *self._say(token)]

    def _decide_run_on(self) -> Pieces:
        text = "".join(self._held)
        assert self._first is not None
        if self._first.kind == "final" and _are_alike(text[len(self._first.raw) :], self._answer.lead):
            return self._cut_answer()
        if self._call_at >= 0 and (call := self._read_call(text[self._call_at :])) is not None:
            return self._cut_answer() if self._labelled else self._finish(call)
        self._mode = "answer"
        return self._push_answer(self._take_held())

    def _read_call(self, text: str) -> ToolCall | None:
        """The call of a tool that there is, with arguments."""
        label = read_label(text, 0, ended=True)
        thought = self._whole_thought()
        native = label is None or label.kind == "call"
        call = decide_call(text, thought) if native else read_action(text, thought, self._is_tool)
        known = isinstance(call, ToolCall) and self._is_tool(call.name) and (call.arguments or call.bare)
        return call if known and isinstance(call, ToolCall) else None

    def _cut_answer(self) -> Pieces:
        self._take_held()
        self._decision = final_answer(self._thought.text, self._answer.text)
        self._mode = "done"
        return []

    # -- the end

    def _end(self) -> Pieces:
        pieces = self._show_plain("") if self._mode == "opening" else []
        while self._mode == "held":  # again, if an action follows an object
            pieces += self._end_held()
        if self._mode == "run-on":
            pieces += self._decide_run_on()
        if self._mode == "thought":
            pieces += self._thought.close()
            thought = self._thought.text
            reason = "There was a Thought but no Action and no Final Answer." if thought else "There was no text."
            self._decision = Unparsed(thought=thought, text=thought, reason=reason)
        elif self._mode == "answer":
            self._decision = final_answer(self._thought.text, self._answer.text)
        return pieces

    def _end_held(self) -> Pieces:
        decision = self._decide_held()
        assert self._first is not None
        if decision is None and self._first.kind == "action":
            unread = read_action("".join(self._held), self._whole_thought(), self._is_tool)
            named = "".join(self._held)[len(self._first.raw) :].strip(" \t\r\n*`'\"")
            decision = unread if self._thought or not named else None
        return self._finish(decision) if decision is not None else self._held_is_text()


def _are_alike(text: str, other: str) -> bool:
    """Whether one of the texts begins with the other, but for the signs around it."""
    text, other = (each.strip(" *_.!\r\n。！") for each in (text, other))
    return other.startswith(text) or text.startswith(other)


def _without_fence(head: str) -> str:
    return _EMPTY_FENCE.sub("", head, count=1) if head.startswith("```") else head


def _raw(token: Label | str) -> str:
    return token if isinstance(token, str) else token.raw
