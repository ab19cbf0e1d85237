"""Finds the labels of ReAct text (``Thought:``, ``Final Answer:``) at line starts, plain or decorated, and the tags of calls.

The lines that change rules are taken out.
"""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final, Literal

from .calls import CALL_TAG, MAY_BE_TAG
from .rule_lines import ANSWER_AFTER, FURTHER, LONGEST, MAY_BE_RULE, RULE, clean_line

LabelKind = Literal["thought", "action", "args", "final", "answer", "observation", "question", "object", "call", "fence", "tag"]

_NAMES: Final[dict[LabelKind, tuple[str, ...]]] = {
    "thought": ("thought", "thoughts"),
    "action": ("action",),
    "args": ("args", "arguments", "argument", "action input", "action_input", "parameters", "input"),
    "final": ("final answer", "final_answer", "finalanswer"),
    "answer": ("answer",),
    "observation": ("observation",),
    "question": ("question",),
}
_KIND_OF: Final[dict[str, LabelKind]] = {name: kind for kind, names in _NAMES.items() for name in names}
#: The labels of a step, in lower case.  Others are too common in text and code to be kept out of memories.
FORMAT_LABELS: Final = frozenset(_KIND_OF) - {"arguments", "argument", "parameters", "input", "answer"}
_STEP_KINDS: Final = ("thought", "action", "args", "final")
_DECORATION: Final = " \t>*#_-"
_LONGEST: Final = 48  # characters of a label with its decoration
_NAME = f"(?P<name>{'|'.join(sorted(map(re.escape, _KIND_OF), key=len, reverse=True))})"
_PATTERN = re.compile(
    rf"(?P<item>\d{{1,2}}[.)][ \t]{{1,2}})?(?P<decoration>[{_DECORATION}]{{0,8}}){_NAME}(?P<number>[ \t]\d{{1,2}})?"
    r"(?:[ \t*_]{0,4}[:：]|(?P<dash>[ \t*_]{1,4}[-–—](?=[ \t]))|(?P<alone>[ \t*_#]{0,6}(?=\r?\n)))",
    re.IGNORECASE,
)
_BRACKETED = re.compile(rf"[\[【]{_NAME}[\]】](?:[ \t]{{0,2}}[:：]|(?=[ \t]{{0,2}}[^ \t:：]))", re.IGNORECASE)
_ANSWER_TAG = re.compile(r"[ \t]{0,4}<(?:answer|final[_-]answer|response)>", re.IGNORECASE)
#: A call as in a program, also in a list, or a list of objects.
_CALL = re.compile(r"\[\s{0,4}\{|(?:\[\s{0,4}|print\()?(?P<tool>[A-Za-z_][\w.-]{0,40})\((?=[A-Za-z_{)])")
_CALL_BEGINS = re.compile(r"\[\s{0,4}\Z|(?:\[\s{0,4}|print\()?[A-Za-z_][\w.-]{0,40}\(?\Z")
_LABEL_BEGINS = re.compile(rf"(?:\d{{1,2}}(?:[.)][ \t]{{0,2}})?)?[{_DECORATION}]{{0,8}}[\[【]?(?P<rest>[^\n]*)\Z")
_TAIL = re.compile(r"[ \t*_#\r\-–—\d\]】]*\Z")
_EMPHASIS = re.compile(r"(?:\*+|_+)\Z")
_OPENING: Final = re.compile(r"[<\[]")
_LITERAL_AFTER: Final = tuple("`\"'“‘«")  # a tag after one of these is written about, not used


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """``raw``: its text.  ``emphasis``: signs of its decoration that are still open.  ``inline``: it stands within a line."""

    kind: LabelKind
    raw: str
    emphasis: str = ""
    inline: bool = False

    @property
    def closing(self) -> str:
        """What closes an answer that begins with a tag."""
        return self.raw.strip().lower().replace("<", "</") if self.kind == "tag" else ""


class LabelScanner:
    """Splits text into labels and the text between them, and takes out the lines that change rules.

    It holds back only the start of a line that may become a label, what may become the tag of a call, and a line of rules.

    Attributes:
        rules: the lines that were taken out, without their label.
    """

    def __init__(self, is_tool: Callable[[str], bool] = lambda name: False, *, takes_rules: bool = False) -> None:
        self.rules: list[str] = []
        self._is_tool = is_tool
        self._takes_rules = takes_rules
        self._line_start = True
        self._after_label = False  # a line of rules may begin here
        self._further = False  # the line before was taken out
        self._skips = False  # within a long line of rules
        self._held = ""
        self._before = ""  # the character before ``_held``

    @property
    def held(self) -> int:
        """The number of characters that are held back."""
        return len(self._held)

    def feed(self, chunk: str) -> Iterator[Label | str]:
        return self._scan(self._held + chunk, ended=False)

    def finish(self) -> Iterator[Label | str]:
        return self._scan(self._held, ended=True)

    def _scan(self, text: str, *, ended: bool) -> Iterator[Label | str]:
        self._held = ""
        position = 0
        while position < len(text):
            if self._skips:
                end = text.find("\n", position) + 1
                self._skips, position = end == 0, end or len(text)
                continue
            label: Label | None = None
            if self._line_start or self._after_label:
                if rule := self._find_rule(text, position):
                    end = self._take_rule(text, rule.end(), ended=ended)
                    if not end:
                        break
                    position = end
                    continue
                if not ended and self._may_begin(text, position):
                    break
                label = self._read_label(text, position, ended=ended) if self._line_start else None
                self._further = self._line_start = self._after_label = False
            start, end = position, text.find("\n", position) + 1 or len(text)
            if label is None:
                start, label = self._find_tag(text, position, end, ended=ended)
            if start > position:
                yield text[position:start]
                self._before = text[start - 1]
                self._line_start = self._before == "\n"
            position = start
            if label is not None:
                yield label
                position += len(label.raw)
                self._before, self._after_label = label.raw[-1:], label.kind in ("thought", "final")
            elif start < end:
                break
        self._held = text[position:]

    def _may_begin(self, text: str, position: int) -> bool:
        """Whether more text may make this a label or a line of rules."""
        begun = text[position : position + LONGEST]
        if self._takes_rules and MAY_BE_RULE.fullmatch(begun):
            return True
        return self._line_start and _may_become_label(text[position : position + _LONGEST + 1])

    def _read_label(self, text: str, position: int, *, ended: bool) -> Label | None:
        """A label, also a call as in a program."""
        label = read_label(text, position, ended=ended)
        if label is None and (call := _CALL.match(text, position)) is not None:
            called = call["tool"] is None or self._is_tool(call["tool"])
            return Label(kind="object", raw=text[position]) if called else None
        return label

    # -- lines of rules

    def _find_rule(self, text: str, position: int) -> re.Match[str] | None:
        if not self._takes_rules:
            return None
        return RULE.match(text, position) or (FURTHER.match(text, position) if self._further else None)

    def _take_rule(self, text: str, start: int, *, ended: bool) -> int:
        """Take a line of rules out.  Returns the position after it; 0: it must go on first."""
        end = text.find("\n", start) + 1
        if not (end or ended or len(text) - start > LONGEST):
            return 0
        line = text[start : end or len(text)]
        answer = ANSWER_AFTER.search(line, 0, LONGEST)  # on the same line, after a quotation
        if answer is not None:
            line, end = line[: answer.start()], start + answer.end()
        self._skips = not (end or ended)
        self.rules.append(clean_line(line))
        self._line_start, self._further = True, answer is None
        return end or len(text)

    # -- tags of calls

    def _find_tag(self, text: str, position: int, end: int, *, ended: bool) -> tuple[int, Label | None]:
        """The first tag of a call in a line, and its place.  Without one, the place from which text is held back."""
        for sign in _OPENING.finditer(text, position, end):
            before = text[sign.start() - 1] if sign.start() else self._before
            if before in _LITERAL_AFTER:
                continue
            if found := CALL_TAG.match(text, sign.start(), end):
                return sign.start(), Label(kind="call", raw=found.group(), inline=True)
            if not ended and end == len(text) and MAY_BE_TAG.match(text, sign.start()):
                return sign.start(), None
        return end, None


def read_label(text: str, position: int, *, ended: bool) -> Label | None:
    """The label at the start of a line."""
    first = text[position : position + 1]
    if first == "{":
        return Label(kind="object", raw=first)
    if text.startswith("```", position):
        end = text.find("\n", position)
        end = len(text) if end < 0 and ended else end
        return Label(kind="fence", raw=text[position:end]) if position < end <= position + _LONGEST else None
    if found := _ANSWER_TAG.match(text, position):
        return Label(kind="tag", raw=found.group())
    indent = len(text[position : position + 4]) - len(text[position : position + 4].lstrip(" \t"))
    if found := CALL_TAG.match(text, position + indent):
        return Label(kind="call", raw=text[position : found.end()])
    if found := _BRACKETED.match(text, position):
        kind = _KIND_OF.get(found["name"].lower())
        return Label(kind=kind, raw=found.group()) if kind in _STEP_KINDS else None
    found = _PATTERN.match(text, position)
    if found is None:
        return None
    decoration, alone, kind = found["decoration"], found["alone"], _KIND_OF.get(found["name"].lower())
    if kind is None or (found["dash"] and kind != "final"):  # "Action - a thing that is done"
        return None
    if alone is not None and not (kind in (*_STEP_KINDS, "answer") and ("#" in decoration or "**" in decoration)):
        return None
    if (found["item"] or found["number"]) and kind not in _STEP_KINDS:
        return None
    opened = _EMPHASIS.search(decoration)
    signs = opened[0] if opened is not None else ""
    return Label(kind=kind, raw=found[0], emphasis=signs if signs and found[0].count(signs[0]) == len(signs) else "")


def _may_become_label(line: str) -> bool:
    """Whether the start of a line, which is not complete, may become a label."""
    if _CALL_BEGINS.match(line) or MAY_BE_TAG.match(line.lstrip(" \t")):
        return True
    if line.startswith("```"[: len(line)]):
        return "\n" not in line and len(line) <= _LONGEST
    begun = _LABEL_BEGINS.match(line)
    if begun is None or len(line) > _LONGEST:
        return False
    rest = begun["rest"].lower()
    return any(name.startswith(rest) or (rest.startswith(name) and _TAIL.match(rest, len(name))) for name in _KIND_OF)


# -- labels within a line of a thought, as models write them that put all on one line --------------------------------------

_INLINE: Final = "Final Answer:"
_INLINE_ACTION = re.compile(r"[.!?]\s{1,8}Action:[ \t]{0,4}(?=[A-Za-z_][\w.-]{0,80}[ \t]{0,4}(?:\(|\n|Args:|Action Input:))")
_INLINE_START = re.compile(
    r"[.!?]\s{0,8}(?:A[a-z]{0,5}|Action:[ \t]{0,4}[\w.-]{0,81}[ \t]{0,4}(?:A[a-z]{0,5}(?: I[a-z]{0,4})?)?)?\Z"
)


def find_inline_label(text: str) -> tuple[int, Label] | None:
    """The first label in the middle of a line, and its place."""
    answer, action = text.find(_INLINE), _INLINE_ACTION.search(text)
    if action is not None and (answer < 0 or action.start() < answer):
        return action.start() + 1, Label(kind="action", raw=action.group()[1:])
    return (answer, Label(kind="final", raw=_INLINE)) if answer >= 0 else None


def inline_label_start(text: str) -> int:
    """The position where such a label may begin at the end of the text."""
    for size in range(min(len(text), len(_INLINE) - 1), 0, -1):
        if _INLINE.startswith(text[-size:]):
            return len(text) - size
    found = _INLINE_START.search(text, max(0, len(text) - 120))
    return found.start() if found is not None else len(text)
