"""Citations in an answer: the numbers, from 0, of the memories shown that it rests on (RMM appendix D.2).

The prompts teach ``<cite>0, 2</cite>`` and ``<cite>none</cite>``.  Both are removed wherever they stand outside of code, and so
is the paper's ``[NO_CITE]``.  The paper's ``[0, 2]`` may be data.  So it counts only if it closes an answer without any of the
other markers, and stands after a sentence ("Ann moved. [0, 2]") or on a line of its own.

The answer is malformed, and teaches nothing, if a marker has a number that was not shown or is cut off by the end, or if the
answer cites and says ``none``.  If no memory was shown, numbers in brackets are text, and nothing is cited.

White space before a marker is removed with it.  Everything else stays as it is.
"""

import re
from copy import copy
from dataclasses import dataclass
from typing import Literal

from ..memory.text.fences import Fences
from ..memory.text.visible import visible

CitationState = Literal["cited", "none", "malformed", "absent"]

_MOST_READ = 20_000  # characters of a memory
_MOST_NUMBERED = 1000  # markers have numbers of at most three digits
_LOOKAHEAD = 8  # characters after a marker that decide about it
_LONGEST_SPACE = 64  # longer white space before a marker is kept
_CONTEXT = 200  # characters before a marker that decide about it

_LIST = r"\[\s{0,3}\d{1,3}(?:\s{0,3},\s{0,3}\d{1,3}){0,19}\s{0,3}\]"
_MARKER = re.compile(
    r"<cite>\s{0,3}(?:\[?(?P<cited>\d{1,3}(?:[\s,;，、،]{1,4}\d{1,3}){0,49})\]?|none|no_cite)\s{0,3}</?cite>"
    rf"|(?P<list>{_LIST}(?:,?[ ]?{_LIST}){{0,4}})"
    r"|\[\s?no[ _-]?cit(?:e|ation)\s?\]",
    re.IGNORECASE,
)
_BEGUN = re.compile(  # what may still become a marker
    r"(?:<(?:c(?:i(?:t(?:e(?:>[\s\d,;，、،\[\]nocite_]{0,370}(?:</?(?:c(?:i(?:te?)?)?)?)?)?)?)?)?)?"
    r"|\[(?:[\s\d,]{0,200}|[\snocitea_-]{0,13}))\Z",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(r"<cite>\s*\[?(?:\d|n)|\[\s?no[ _-]c", re.IGNORECASE)
_SIGN = re.compile(r"[<\[]")
_CODE_SIGNS = re.compile(r"`+")
_FENCE = re.compile(r"[ \t>]*(?:`{3,}|~{3,})[ \t]*")
_STOPS = r".,;!?…。，、；！？؟،؛।॥"
_UNDECIDED = re.compile(rf",? ?\[[\s\d,]{{0,200}}|[ \t{_STOPS}]{{0,{_LOOKAHEAD - 1}}}")
_ENDS_LINE = re.compile(r"[ \t]{0,4}(?:[\r\n]|\Z)")
_NEXT_SENTENCE = re.compile(r"[.。]?(?:\s|\Z)")
_EMOJI = "\u2600-\u27bf\ufe0f\U0001f300-\U0001faff"
_ENDS_SENTENCE = re.compile(rf"[.!?…؟।॥{_EMOJI}]['\"”»’)*_]{{0,3}}\Z|[。！？][」』”）*_]{{0,3}}\Z")
_ENDS_TEXT = re.compile(r"(?:[^\W_]|[\"”»」』)*_`%}|])\Z")
_CLOSES = re.compile(rf"(?:\A|\s){_LIST}[\s{_STOPS}*_]*+\Z")  # also what an answer could not end with
_SAYS = re.compile(rf"[^\s{_STOPS}*_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """``indices``: positions among the memories shown, ascending and distinct; empty unless ``state`` is ``cited``."""

    state: CitationState
    indices: tuple[int, ...] = ()


class CitationStripper:
    """Removes the citations from a streamed answer and collects them.

    Invariant: the text returned in all and the citations depend only on the characters fed, not on their chunks.

    ``shown``: number of memories that could be cited.
    """

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._rest = ""  # not read yet, because it may belong to a marker
        self._before = ""  # the end of the text before it
        self._fences = Fences()
        self._brackets = ""  # numbers that may close the answer, with the white space before them
        self._after = ""  # what followed them
        self._is_marked = False  # there was a marker of another form
        self._out: list[str] = []
        self._indices: set[int] = set()
        self._none = False
        self._malformed = False

    @property
    def citations(self) -> Citations:
        """The citations found so far; final after ``end``."""
        if self._malformed or (self._none and self._indices):
            return Citations(state="malformed")
        if self._indices:
            return Citations(state="cited", indices=tuple(sorted(self._indices)))
        return Citations(state="none" if self._none else "absent")

    def feed(self, chunk: str) -> str:
        """Add text and return what can be shown now."""
        return self._read(self._rest + chunk, ended=False)

    def end(self) -> str:
        """Return the remaining text."""
        return self._read(self._rest, ended=True)

    def _read(self, text: str, *, ended: bool) -> str:
        self._out = []
        at = 0
        while True:
            found = _SIGN.search(text, at)
            sign = found.start() if found is not None else len(text)
            space = max(at + len(text[at:sign].rstrip()), sign - _LONGEST_SPACE)
            self._show(text[at:space])
            at = space
            following = self._read_sign(text, at, sign, ended=ended) if found is not None else -1
            if following < 0:
                break
            at = following
        if ended:
            self._show(text[at:])
            self._close()
        self._rest = "" if ended else text[at:]
        return "".join(self._out)

    def _show(self, text: str) -> None:
        if not text:
            return
        self._fences.read(text)
        self._before = (self._before + text)[-_CONTEXT:]
        if not self._brackets:
            self._out.append(text)
            return
        self._after += text
        if _SAYS.search(text) or len(self._after) > _CONTEXT:
            self._release()

    def _read_sign(self, text: str, at: int, sign: int, *, ended: bool) -> int:
        """Process white space from ``at`` on and what begins at ``sign``.  Returns the position after it, -1 to wait."""
        space, found = text[at:sign], _MARKER.match(text, sign)
        if found is None:
            if _BEGUN.match(text, sign):
                if not ended:
                    return -1
                if _CUT_OFF.match(text, sign):
                    self._malformed |= self._shown > 0
                    return len(text)
            self._show(space + text[sign])
            return sign + 1
        end = found.end()
        if not ended and _UNDECIDED.fullmatch(text, end):
            return -1
        after = text[end : end + _LOOKAHEAD]
        if self._is_code(space, after):
            self._show(space + text[sign])
            return sign + 1
        if found["list"]:
            return end + self._read_list(space, found["list"], after)
        self._is_marked = True
        self._release()
        cited = _numbers(found["cited"] or "")
        self._none |= not cited
        if self._shown:
            self._indices.update(cited)
            self._malformed |= max(cited, default=0) >= self._shown
        return end + self._leave_out(space, after)

    def _is_code(self, space: str, after: str) -> bool:
        """Whether a marker after ``space`` is in a block of code, or touches the signs of code in its line."""
        line = (self._before + space).rpartition("\n")[2]
        fences = copy(self._fences)
        fences.read(space)
        if fences.are_open:
            return _FENCE.fullmatch(line) is None
        return after[:1] == "`" or (line[-1:] == "`" and len(_CODE_SIGNS.findall(line)) % 2 == 1)

    def _leave_out(self, space: str, after: str) -> int:
        """Show what stays of the white space before a marker.  Returns how many characters after it go with it."""
        if "\n" in space or not self._before:
            if _ENDS_LINE.match(after):
                return 0
            self._show(space)
            return len(after) - len(after.lstrip(" \t"))
        if after[:1].isalnum():
            self._show(space)
        return _repeats_stop(self._before, after)

    def _read_list(self, space: str, brackets: str, after: str) -> int:
        """Show numbers in brackets, or hold them.  Returns how many characters after them belong to them."""
        self._release()
        if not self._shown or self._is_marked or not _may_close(self._before, space, after):
            self._show(space + brackets)
            return 0
        stop = _repeats_stop(self._before, after)
        self._brackets = space + brackets + after[:stop]
        self._before = (self._before + self._brackets)[-_CONTEXT:]
        return stop

    def _release(self) -> None:
        """Show what is held, because it is no citation."""
        self._out += [self._brackets, self._after]
        self._brackets = self._after = ""

    def _close(self) -> None:
        """The answer has ended: brackets that are still held close it."""
        numbers = _numbers(self._brackets)
        if numbers and max(numbers) < self._shown:
            self._indices.update(numbers)
            self._brackets = ""
        self._malformed |= bool(self._brackets)
        self._release()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _repeats_stop(before: str, after: str) -> bool:
    """Whether a sentence that had ended before a marker ends again after it: "Ann moved. [0]."."""
    return before[-1:] in tuple(".!?…。！？") and after[:1] in (".", "。")


def _may_close(before: str, space: str, after: str) -> bool:
    """Whether brackets stand on a line of their own or after a sentence."""
    if "\n" in space:
        ends = _ENDS_SENTENCE.search(before) or _ENDS_TEXT.search(before)
        return ends is not None and _ENDS_LINE.match(after) is not None
    ends = _ENDS_SENTENCE.search(before)
    return ends is not None and (space != "" or not before.isascii()) and _NEXT_SENTENCE.match(after) is not None


# -- memories that imitate citations -------------------------------------------------------------------------------------

_LIKE = re.compile(
    r"<\s{0,4}/?\s{0,4}cite(?![^\W_])[^<>]{0,40}>?"
    r"|\[\s*+(?:\d[\d\s,;–-]*+|no[ _-]?cit(?:e|es|ation|ations)\s*+)\]"
    r"|\[\s*+(?:\d[\d\s,;–-]*+|no[ _-]?c[a-z]*+\s*+)\Z",
    re.IGNORECASE,
)
_PARENTHESES = str.maketrans("<>＜＞﹤﹥[]［］", "()()()()()")


def neutralise(text: str) -> str:
    """A memory's text for the prompt: what a reader would take for a marker gets parentheses.

    >>> neutralise("You like tea [0] <cite>1</cite>")
    'You like tea (0) (cite)1(/cite)'
    """
    seen = visible(text)
    parts, done = list[str](), 0
    for found in _LIKE.finditer(seen.text):
        start, end = seen.original(*found.span())
        parts += [text[done:start], text[start:end].translate(_PARENTHESES)]
        done = end
    return "".join([*parts, text[done:]])


def imitates_citation(text: str) -> bool:
    """Whether a memory's text would itself be an answer with a citation."""
    found = CitationStripper(_MOST_NUMBERED)
    shown = visible(text[:_MOST_READ]).text
    found.feed(shown)
    found.end()
    return found.citations.state != "absent" or _CLOSES.search(shown) is not None
