"""The labels of ReAct text (``Thought:``, ``Action:``, ``Final Answer:``) at line starts, plain or decorated."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from .native_calls import CALL_TAG, COMMON_TAGS, LONGEST_TAG, may_become_tag

LabelKind = Literal["thought", "action", "args", "final", "answer", "observation", "question", "object", "call", "fence", "tag"]
Mode = Literal["opening", "thought", "tentative", "action", "answer", "run-on", "object", "call", "inline call", "done"]

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
_DECORATION: Final = " \t>*#_-"
_LONGEST: Final = 48  # characters of a label with its decoration
_NAMED = f"(?P<name>{'|'.join(sorted(map(re.escape, _KIND_OF), key=len, reverse=True))})"
_PATTERN = re.compile(
    rf"(?P<item>\d{{1,2}}[.)][ \t]{{1,2}})?(?P<decoration>[{_DECORATION}]{{0,8}}){_NAMED}(?P<number>[ \t]\d{{1,2}})?"
    r"(?:[ \t*_]{0,4}[:：]|(?P<dash>[ \t*_]{1,4}[-–—](?=[ \t]))|(?P<alone>[ \t*_#]{0,6}(?=\r?\n)))",
    re.IGNORECASE,
)
_BRACKETED = re.compile(rf"[\[【]{_NAMED}[\]】](?:[ \t]{{0,2}}[:：]|(?=[ \t]{{0,2}}[^ \t:：]))", re.IGNORECASE)
#: A list of calls, or a call as in a program.
_CALLS = re.compile(r"\[\s{0,4}(?:\{|[A-Za-z_][\w.-]{0,40}\()|(?:print\()?[A-Za-z_][\w.-]{0,40}\((?=[A-Za-z_{)])")
_MAY_BE_CALLS = re.compile(r"\[\s{0,4}(?:[A-Za-z_][\w.-]{0,40})?|(?:print\()?(?:[A-Za-z_][\w.-]{0,40}\(?)?")
_ITEM = re.compile(r"\d{1,2}(?:[.)][ \t]{0,2})?")
_STEP_KINDS: Final = ("thought", "action", "args", "final")
_ANSWER_TAGS: Final = ("<answer>", "<final_answer>", "<final-answer>", "<response>")
_SIGN: Final = re.compile(r"[<\[]")  # begins each tag; searched alone, because prose has few
_EMPHASIS: Final = re.compile(r"(?:\*+|_+)\Z")
_ASCII_OF: Final = {0xFEE0 + code: code for code in range(0x21, 0x7F)}
_WIDE: Final = frozenset(map(chr, _ASCII_OF))
_INDENT: Final = re.compile(r"[ \t]{0,4}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Label:
    """``raw``: the text of the label.

    ``emphasis``: signs of its decoration that are still open.
    ``inline``: it stands within a line, or is a tag of other documents too.
    """

    kind: LabelKind
    raw: str
    emphasis: str = ""
    inline: bool = False

    @property
    def closing(self) -> str:
        """What closes an answer that begins with a tag."""
        return self.raw.strip().lower().replace("<", "</") if self.kind == "tag" else ""


def mode_after(label: Label) -> Mode:
    """The mode in which the parser collects the text from a label on."""
    if label.kind == "call":
        return "inline call" if label.inline else "call"
    modes: dict[LabelKind, Mode] = {"answer": "tentative", "object": "object"}
    return modes.get(label.kind, "action")


class LabelScanner:
    """Splits text into labels and the text between them.

    It holds back only the start of a line that may become a label, and what may become the tag of a call within a line.
    """

    def __init__(self) -> None:
        self._line_start = True
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
        position = begin = 0
        while position < len(text):
            if self._line_start:
                label = read_label(text, position, ended=ended)
                if label is None and not ended and _may_become_label(text[position : position + _LONGEST + 1]):
                    break
                self._line_start = False
                if label is not None:
                    if position > begin:
                        yield text[begin:position]
                    yield label
                    begin = position = position + len(label.raw)
                    continue
            end = text.find("\n", position) + 1 or len(text)
            start, tag = self._find_tag(text, position, end, ended=ended)
            if tag is not None:
                yield text[begin:start]
                yield Label(kind="call", raw=tag, inline=True)
                begin = position = start + len(tag)
            elif start < end:
                position = start
                break
            else:
                position = end
                self._line_start = text[end - 1] == "\n"
        if position > begin:
            yield text[begin:position]
        if position:
            self._before = text[position - 1]
        self._held = text[position:]

    def _find_tag(self, text: str, position: int, end: int, *, ended: bool) -> tuple[int, str | None]:
        """The first tag of a call in a line, and its place.  Without one, the place from which text is held back."""
        for sign in _SIGN.finditer(text, position, end):
            found = CALL_TAG.match(text, sign.start(), end)
            if found is not None and self._begins_call(text, found.start()):
                return found.start(), found.group()
        if not ended and end == len(text) and text[-1] != "\n":
            for start in range(max(position, end - LONGEST_TAG + 1), end):
                if text[start] in "<[" and may_become_tag(text[start:end]) and self._begins_call(text, start):
                    return start, None
        return end, None

    def _begins_call(self, text: str, start: int) -> bool:
        """Whether a tag here is used, not written about."""
        before = text[start - 1] if start else self._before
        return before not in tuple("`\"'“‘«")


def read_label(text: str, position: int, *, ended: bool) -> Label | None:
    """The label at the start of a line."""
    first = text[position : position + 1]
    if first == "{":
        return Label(kind="object", raw=first)
    if text.startswith("```", position):
        end = text.find("\n", position)
        end = len(text) if end < 0 and ended else end
        return Label(kind="fence", raw=text[position:end]) if position < end <= position + _LONGEST else None
    indented = _INDENT.match(text, position)
    begin = indented.end() if indented else position
    found = CALL_TAG.match(text, begin)
    if found is not None:
        return Label(kind="call", raw=text[position : found.end()], inline=found.group().lower() in COMMON_TAGS)
    for tag in _ANSWER_TAGS if first in tuple("< \t") else ():
        if text[begin : begin + len(tag)].lower() == tag:
            return Label(kind="tag", raw=text[position : begin + len(tag)])
    if first in ("[", "【") and (found := _BRACKETED.match(text, position)) is not None:
        kind = _KIND_OF.get(found["name"].lower())
        return Label(kind=kind, raw=found.group()) if kind in _STEP_KINDS else None
    found = _PATTERN.match(text, position) if first not in _WIDE else _PATTERN.match(_narrow(text, position))
    if found is None:
        calls = _CALLS.match(text, position)
        return Label(kind="object", raw=first) if calls is not None else None
    decoration, alone = found["decoration"], found["alone"]
    if alone is not None and "#" not in decoration and "**" not in decoration:
        return None
    kind = _KIND_OF.get(found["name"].lower())
    if kind is None or (alone is not None and kind not in (*_STEP_KINDS, "answer")):
        return None
    if (found["item"] or found["number"]) and kind not in _STEP_KINDS:
        return None
    if found["dash"] and kind != "final":  # "Action - a thing that is done"
        return None
    opened = _EMPHASIS.search(decoration)
    signs = opened[0] if opened is not None else ""
    raw = text[position : position + found.end() - found.start()]
    return Label(kind=kind, raw=raw, emphasis=signs if signs and found[0].count(signs[0]) == len(signs) else "")


def _narrow(text: str, position: int) -> str:
    """The start of a line in full-width letters as ASCII, with as many characters."""
    return text[position : position + _LONGEST].translate(_ASCII_OF)


def _may_become_label(line: str) -> bool:
    """Whether the start of a line, which is not complete, may become a label."""
    if line[:1] in _WIDE:
        line = line.translate(_ASCII_OF)
    if _MAY_BE_CALLS.fullmatch(line):
        return True
    if "\n" in line or len(line) > _LONGEST:
        return line.startswith("```") and "\n" not in line and len(line) <= _LONGEST
    if "```".startswith(line[:3]) and line.strip() != "":
        return True
    rest = line.lstrip(" \t")
    tagged = may_become_tag(rest) or any(tag.startswith(rest.lower()) for tag in _ANSWER_TAGS)
    if len(line) - len(rest) <= 4 and rest and tagged:
        return True
    item = _ITEM.match(line)
    line = line[item.end() :] if item is not None else line
    rest = line.lstrip(_DECORATION)
    if len(line) - len(rest) > 8:
        return False
    if not rest:
        return True
    rest = rest.lower().removeprefix("[").removeprefix("【")
    if not rest:
        return True
    return any(
        name.startswith(rest) or (rest.startswith(name) and not rest[len(name) :].strip(" \t*_#\r-–—0123456789]】"))
        for name in _KIND_OF
    )


# -- labels within a line of a thought, as models write them that put all on one line --------------------------------------

_INLINE: Final = "Final Answer:"
_INLINE_ACTION = re.compile(r"[.!?]\s{1,8}Action:[ \t]{0,4}(?=[A-Za-z_][\w.-]{0,80}[ \t]{0,4}(?:\(|\n|Args:|Action Input:))")
_INLINE_START = re.compile(
    r"[.!?]\s{0,8}(?:A[a-z]{0,5}|Action:[ \t]{0,4}[\w.-]{0,81}[ \t]{0,4}(?:A[a-z]{0,5}(?: I[a-z]{0,4})?)?)?\Z"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineLabel:
    kind: Literal["action", "final"]
    start: int
    end: int
    raw: str


def find_inline_label(text: str) -> InlineLabel | None:
    """The first label in the middle of a line."""
    answer, action = text.find(_INLINE), _INLINE_ACTION.search(text)
    if action is not None and (answer < 0 or action.start() < answer):
        return InlineLabel(kind="action", start=action.start() + 1, end=action.end(), raw=action.group()[1:])
    if answer < 0:
        return None
    return InlineLabel(kind="final", start=answer, end=answer + len(_INLINE), raw=_INLINE)


def inline_label_start(text: str) -> int:
    """The position where such a label may begin at the end of the text."""
    for size in range(min(len(text), len(_INLINE) - 1), 0, -1):
        if _INLINE.startswith(text[-size:]):
            return len(text) - size
    found = _INLINE_START.search(text, max(0, len(text) - 120))
    return found.start() if found is not None else len(text)
