"""Incremental parser for the output of a model: splits it into thoughts, tool calls and answers.

Invariants:
- The pieces, joined by kind, and the decision depend only on the text, not on how it was split into chunks.
- The time is linear in the length of the text.
- Parsing never raises, because small models often break the format.  If the text has no valid decision (only a thought, or
  arguments that are not JSON), the decision is ``Unparsed`` and the machine asks the model again.
- A label inside an answer is text, unless a second run of the format follows it: then the model continued the dialogue alone.
"""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Final

from ..memory.text.reasoning import ReasoningFilter
from .actions import decide_call, final_answer, is_complete_call, is_no_action, named_action, read_action
from .decisions import Body, Decision, FinalAnswer, ParsedText, Pieces, ToolCall, Unparsed
from .held import LEAD, Thought, Undecided
from .labels import Label, LabelScanner, Mode, find_inline_label, mode_after, read_label
from .native_calls import begins_call
from .rule_lines import RuleLines

OPENING: Final = 80  # characters without a label after which they are an answer: models announce a step in fewer
TENTATIVE: Final = 200  # characters after "Answer:" in a thought after which it is the answer
RUN_ON: Final = 600  # characters after a label in an answer after which it is part of the answer
_EMPTY_FENCE = re.compile(r"\s*```[^\n`]*\n?")


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
        self._rules = RuleLines(lambda: self._mode in ("opening", "thought"))
        self._labels = LabelScanner()
        self._mode: Mode = "opening"
        self._head = ""  # text before the first label
        self._asks = False  # a question follows text in it
        self._thought = Thought()
        self._answer = Body()
        self._labelled = False  # the answer followed a label
        self._undecided = Undecided()
        self._back: Mode = "opening"  # where undecided text belongs if it is text
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
        return self._rules.found

    def feed(self, chunk: str) -> Pieces:
        """Process the next chunk.  Returns the pieces that are certain."""
        pieces: Pieces = []
        for text in self._reasoning.feed(chunk):
            pieces += self._restart() if text is None else self._read(text)
        return pieces + self._thought.stream(self._labels.held) if self._mode == "thought" else pieces

    def finish(self) -> Pieces:
        """End of the text: return the remaining pieces and set ``decision``."""
        pieces: Pieces = []
        for text in self._reasoning.finish():
            pieces += self._restart() if text is None else self._read(text)
        for kept in self._rules.finish():
            pieces += self._label(kept)
        pieces += [piece for token in self._labels.finish() for piece in self._take(token)]
        return pieces + self._end()

    def _read(self, text: str) -> Pieces:
        kept = self._rules.feed(text) if self._takes_rules else (text,)
        return [piece for part in kept for piece in self._label(part)]

    def _label(self, text: str) -> Pieces:
        return [piece for token in self._labels.feed(text) for piece in self._take(token)]

    def _restart(self) -> Pieces:
        """Begin again, because the text so far was reasoning: the rest of a thought that was partly shown is shown."""
        pieces = self._thought.push("")
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
            case "call" | "inline call":
                self._keep(token)
        return []

    # -- the start, before the first label

    def _open(self, token: Label | str) -> Pieces:
        unlabelled = ("args", "observation", "question", "fence", *(("tag",) if self._head.strip() else ()))
        if isinstance(token, str) or token.kind in unlabelled:
            self._asks |= isinstance(token, Label) and token.kind == "question" and self._head != ""
            self._head = (self._head + _raw(token)).lstrip()
            if len(self._head) <= OPENING:
                return []
            return self._show_plain(self._take_head())
        before = _without_fence(self._head)
        self._fenced = self._head.startswith("```")
        if token.kind == "object" and not before.strip():
            return self._hold(token, "object")
        if token.kind == "object":
            self._head += token.raw
            return []
        introduces = token.kind == "thought" and self._head.rstrip().endswith((":", "："))
        if introduces or (token.kind == "answer" and self._asks):  # what follows belongs to this text
            return self._show_plain(self._take_head() + token.raw)
        if token.kind == "thought":
            self._head = ""  # text before a labelled thought is dropped
            return self._enter_thought(token)
        if token.kind in ("action", "call"):
            return self._hold(token, mode_after(token))
        self._head = ""
        return self._enter_answer(token, thought=before.strip())

    def _take_head(self) -> str:
        head, self._head = self._head, ""
        return head

    def _hold(self, token: Label, mode: Mode) -> Pieces:
        self._back, self._mode = self._mode, mode
        self._take_parts()
        self._keep(token)
        return []

    def _keep(self, token: Label | str) -> None:
        self._undecided.keep(_raw(token))

    def _take_parts(self) -> str:
        text = self._undecided.text
        self._undecided = Undecided()
        return text

    def _show_plain(self, text: str) -> Pieces:
        """Show text without a label as an answer."""
        self._mode, self._labelled = "answer", False
        return self._push_answer(text)

    # -- thought

    def _enter_thought(self, label: Label) -> Pieces:
        self._mode = "thought"
        self._thought = Thought(label.emphasis, fenced=self._fenced, closed=self._thought.closed)
        return []

    def _think(self, token: Label | str) -> Pieces:
        if isinstance(token, str) or token.kind in ("thought", "args", "observation", "question", "fence"):
            return self._think_text(token)
        if token.kind in ("final", "tag"):
            return self._enter_answer(token)
        return self._hold(token, mode_after(token))

    def _think_text(self, token: Label | str) -> Pieces:
        if not isinstance(token, str) and token.kind == "fence":
            return self._thought.push_fence(token.raw)
        text = self._thought.take(_raw(token))
        label = find_inline_label(text)
        if label is None:
            self._thought.hold(text)
            return self._thought.stream(self._labels.held) if len(text) > RUN_ON else []
        self._thought.hold(text[: label.start])
        found = Label(kind=label.kind, raw=label.raw)
        pieces = self._hold(found, "action") if label.kind == "action" else self._enter_answer(found)
        return [*pieces, *self._take(text[label.end :])]

    # -- "Answer:" within a thought: a word of it, unless nothing stronger follows

    def _consider(self, token: Label | str) -> Pieces:
        if isinstance(token, Label) and token.kind in ("final", "action", "call"):
            self._mode = "thought"
            return [*self._thought.push(self._take_parts()), *self._think(token)]
        self._keep(token)
        return self._accept_tentative() if self._undecided.length > TENTATIVE else []

    def _accept_tentative(self) -> Pieces:
        text = self._take_parts()
        label = read_label(text, 0, ended=True)
        assert label is not None
        return [*self._enter_answer(label), *self._push_answer(text[len(label.raw) :])]

    # -- action: it is not streamed

    def _act(self, token: Label | str) -> Pieces:
        if isinstance(token, str) or token.kind in ("args", "object", "fence", "action", "answer", "call"):
            self._keep(token)
            gives_up = is_no_action(self._undecided.lead, self._is_tool, complete=len(self._undecided.lead) == LEAD)
            return self._give_up_action() if gives_up and self._back == "opening" else []
        text = self._undecided.text
        found = read_action(text, self._whole_thought(), self._is_tool)
        if isinstance(found, ToolCall | FinalAnswer):
            return self._finish(found)
        if token.kind == "final":
            self._take_parts()
            return self._enter_answer(token, thought=self._take_head().strip())
        if self._back == "opening":
            self._keep(token)
            return self._give_up_action()
        self._mode = "thought"
        return [*self._thought.push(self._take_parts()), *self._think(token)]

    def _give_up_action(self) -> Pieces:
        return self._show_plain(self._take_head() + self._take_parts())

    def _whole_thought(self) -> str:
        return self._thought.whole or _without_fence(self._head).strip()

    def _finish(self, decision: Decision) -> Pieces:
        if isinstance(decision, FinalAnswer) and self._takes_rules:  # its text may have been JSON
            decision = final_answer(decision.thought, self._rules.take_out(decision.text))
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

    # -- calls and answers as JSON

    def _collect_object(self, token: Label | str) -> Pieces:
        known = self._undecided.length > LEAD
        self._keep(token)
        if known:
            return []
        step = begins_call(self._undecided.lead, self._is_tool)
        return [] if step or (step is None and self._undecided.length <= LEAD) else self._object_is_text(self._take_parts())

    def _object_is_text(self, text: str) -> Pieces:
        if self._back == "thought":
            self._mode = "thought"
            return self._think_text(text)
        return self._show_plain(self._take_head() + text)

    # -- answer

    def _enter_answer(self, label: Label, thought: str = "") -> Pieces:
        pieces = self._thought.close(thought)
        self._mode, self._labelled = "answer", True
        self._answer = Body(label.emphasis, fenced=self._fenced, closing=label.closing)
        return pieces

    def _say(self, token: Label | str) -> Pieces:
        if isinstance(token, str) or (self._answer.in_code and token.kind != "fence"):
            return self._push_answer(_raw(token))
        if token.kind == "fence":
            shown = self._answer.push_fence(token.raw)
            return [ParsedText(kind="answer", text=shown)] if shown else []
        if token.kind == "final" and not self._labelled:  # what was shown was the way to the answer
            thought = self._answer.text
            pieces = [ParsedText(kind="restart")] if thought else []
            self._thought.push(thought)
            self._thought.closed = True
            return [*pieces, *self._enter_answer(token)]
        runs_on = token.kind in ("thought", "question", "action", "call", "final")
        if self._answer and runs_on and not (token.inline and self._labelled):
            self._hold(token, "run-on")
            if token.kind in ("action", "call"):
                self._undecided.calls.append(0)
            return []
        return self._push_answer(token.raw)

    def _push_answer(self, text: str) -> Pieces:
        shown = self._answer.push(text)
        return [ParsedText(kind="answer", text=shown)] if shown else []

    # -- a label in an answer: the model continues alone, or it is a word of the answer

    def _run_on(self, token: Label | str) -> Pieces:
        if isinstance(token, Label):
            if token.kind == "final":
                return self._repeat(token) if self._labelled else self._restart_answer(token)
            if token.kind in ("action", "call") and not (token.inline and self._labelled):
                self._undecided.calls.append(self._undecided.length)
        self._keep(token)
        return self._decide_run_on() if self._undecided.length > RUN_ON else []

    def _repeat(self, token: Label) -> Pieces:
        """The label of an answer, after another label in an answer."""
        label = read_label(self._undecided.text, 0, ended=True)
        if label is None or label.kind != "final":
            return self._cut_answer()
        pieces = self._decide_run_on()
        return pieces if self._mode == "done" else [*pieces, *self._say(token)]

    def _decide_run_on(self) -> Pieces:
        text = self._undecided.text
        label = read_label(text, 0, ended=True)
        if label is not None and label.kind == "final" and _are_alike(text[len(label.raw) :], self._answer.lead):
            return self._cut_answer()
        for place in self._undecided.calls[:3]:
            call = self._read_call(text[place:])
            if isinstance(call, ToolCall) and self._is_tool(call.name) and (call.arguments or call.bare):
                return self._cut_answer() if self._labelled else self._finish(call)
        self._mode = "answer"
        return self._push_answer(self._take_parts())

    def _read_call(self, text: str) -> Decision | None:
        label = read_label(text, 0, ended=True)
        if label is not None and label.kind == "call":
            return decide_call(text, self._whole_thought())
        return read_action(text, self._whole_thought(), self._is_tool)

    def _cut_answer(self) -> Pieces:
        self._take_parts()
        self._decision = final_answer(self._thought.text, self._answer.text)
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
        elif self._mode in ("action", "call", "inline call", "object"):
            pieces = self._end_undecided()
        if self._mode == "thought":
            pieces += self._thought.close()
            thought = self._thought.text
            reason = "There was a Thought but no Action and no Final Answer." if thought else "There was no text."
            self._decision = Unparsed(thought=thought, text=thought, reason=reason)
        elif self._mode == "answer":
            self._decision = final_answer(self._thought.text, self._answer.text)
        return pieces

    def _end_undecided(self) -> Pieces:
        text, decision = self._undecided.text, None
        if self._mode == "action":
            decision = read_action(text, self._whole_thought(), self._is_tool)
            unlabelled = self._back == "opening" and not isinstance(decision, FinalAnswer)
            if unlabelled and not is_complete_call(decision, self._is_tool) and named_action(text):
                decision = None
        else:
            decision = decide_call(text, self._whole_thought())
            known = isinstance(decision, ToolCall) and self._is_tool(decision.name)
            doubtful = self._mode == "inline call" or (self._mode == "object" and text[:1] != "{")
            decision = decision if known or not doubtful else None
        if decision is not None:
            return self._finish(decision)
        return self._object_is_text(self._take_parts())


def _are_alike(text: str, other: str) -> bool:
    """Whether one of the texts begins with the other, but for the signs around it."""
    text, other = (each.strip(" *_.!\r\n。！") for each in (text, other))
    return other.startswith(text) or text.startswith(other)


def _without_fence(head: str) -> str:
    return _EMPTY_FENCE.sub("", head, count=1) if head.startswith("```") else head


def _raw(token: Label | str) -> str:
    return token if isinstance(token, str) else token.raw
