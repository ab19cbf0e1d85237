"""Citations in an answer: the numbers, from 0, of the memories shown that it rests on (RMM appendix D.2).

The prompts teach ``<cite>0, 2</cite>`` and ``<cite>none</cite>``.  Both are removed wherever they stand outside of code.  A tag
with any other content is the answer's own.

The paper's form is ``[0, 2]`` and ``[NO_CITE]``.  ``[NO_CITE]`` is removed wherever it stands outside of code.  Numbers in
brackets may be data.  So they count only if they close an answer without any of the markers above, and stand

- after a sentence ("Ann moved. [0, 2]") or on a line of their own, or
- after a word and a space, before punctuation or the end of a line ("Ann moved [0, 2]."), if they are not consecutive: the
  interval ``[0, 1]`` and the list ``[1, 2, 3]`` are text there.

Earlier brackets, at most ``MOST_HELD`` characters before, count too if they stand in the same kind of place as the closing
ones, or if the closing ones repeat their numbers.  If a number in brackets stands anywhere else ("Press [1] or [2].", "[1]
Smith, 2019"), brackets are the answer's own: then only closing ones after a sentence count.  Brackets attached to a word or a
sign (``a[0]``) are always text.

The answer is malformed, and teaches nothing, if a marker has a number that was not shown or is cut off by the end, or if the
answer cites and says ``none``.  If no memory was shown, numbers in brackets are text, and nothing is cited.

White space before a marker is removed with it.  Everything else stays as it is.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from ..memory.text.visible import visible

CitationState = Literal["cited", "none", "malformed", "absent"]
Place = Literal["sentence", "word", "elsewhere", "attached"]

MOST_HELD: Final = 1000
_MOST_READ = 20_000  # characters of a memory
_MOST_NUMBERED = 1000  # markers have numbers of at most three digits
_LOOKAHEAD = 8  # characters after a marker that decide about it
_LONGEST_SPACE = 64  # longer white space before a marker is kept
_LONGEST_SPAN = 200  # characters of code in a line
_LONGEST_RUN = 40  # backticks
_CONTEXT = 80  # characters before a marker that decide about it

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
_SIGN = re.compile(r"[<\[`~]")
_RUN = re.compile(rf"`{{1,{_LONGEST_RUN}}}|~{{1,{_LONGEST_RUN}}}")
_SPAN = re.compile(rf"(`++)[^\n]{{1,{_LONGEST_SPAN}}}?(?<!`)\1(?!`)")
_BEGINS_LINE = re.compile(r"(?:\A|\n)[ \t>*+\d.)-]*\Z")
_MAY_END_BLOCK = re.compile(rf"\n[ \t>]{{0,12}}[`~]{{0,{_LONGEST_RUN}}}\Z")
_STOPS = r".,;!?…。，、；！？؟،؛।॥"
_UNDECIDED = re.compile(rf",? ?\[[\s\d,]{{0,200}}|[ \t{_STOPS}]{{0,{_LOOKAHEAD - 1}}}")
_ENDS_LINE = re.compile(r"[ \t]{0,4}(?:[\r\n]|\Z)")
_STOP = re.compile(rf"[{_STOPS}]{{1,3}}(?=[\s*_]|\Z)|[。，、；！？]|{_ENDS_LINE.pattern}")
_NEXT_SENTENCE = re.compile(r"[.。]?(?:\s|\Z)")
_EMOJI = "\u2600-\u27bf\ufe0f\U0001f300-\U0001faff"
_ENDS_SENTENCE = re.compile(rf"[.!?…؟।॥{_EMOJI}]['\"”»’)*_]{{0,3}}\Z|[。！？][」』”）*_]{{0,3}}\Z")
_ENDS_TEXT = re.compile(r"(?:[^\W_]|[\"”»」』)*_`%}|])\Z")
_ENDS_LIST = re.compile(rf"{_LIST}\Z")
_SAYS = re.compile(rf"[^\s{_STOPS}*_]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """``indices``: positions among the memories shown, ascending and distinct; empty unless ``state`` is ``cited``."""

    state: CitationState
    indices: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class _Brackets:
    """Numbers in brackets that may be a citation.  ``text``: with the white space before them."""

    text: str
    numbers: frozenset[int]
    place: Place


class CitationStripper:
    """Removes the citations from a streamed answer and collects them.

    Invariant: the text returned in all and the citations depend only on the characters fed, not on their chunks.

    ``shown``: number of memories that could be cited.
    """

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._rest = ""  # not read yet, because it may belong to a marker
        self._before = ""  # the end of the text before it
        self._fence = ""  # the signs that opened a block of code
        self._held: list[_Brackets | str] = []  # brackets that wait for the end of the answer, and the text after them
        self._held_size = 0
        self._says_more = False  # there are words after the last of these brackets
        self._is_own = False  # brackets are the answer's own
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
            if self._fence:
                at = self._read_block(text, at, ended=ended)
            if self._fence:
                break
            found = _SIGN.search(text, at)
            sign = found.start() if found is not None else len(text)
            space = max(at + len(text[at:sign].rstrip()), sign - _LONGEST_SPACE)
            self._show(text[at:space])
            at = space
            if found is None:
                break
            following = self._read_sign(text, at, sign, ended=ended)
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
        self._before = (self._before + text)[-_CONTEXT:]
        if not self._held:
            self._out.append(text)
            return
        self._held.append(text)
        self._held_size += len(text)
        self._says_more |= _SAYS.search(text) is not None
        self._is_own |= self._held_size > MOST_HELD
        if self._is_own and self._says_more:
            self._release()

    def _read_sign(self, text: str, at: int, sign: int, *, ended: bool) -> int:
        """Process white space from ``at`` on and what begins at ``sign``.  Returns the position after it, -1 to wait."""
        if text[sign] in "`~":
            return self._read_code(text, at, sign, ended=ended)
        space = text[at:sign]
        found = _MARKER.match(text, sign)
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
        if found["list"]:
            return end + self._read_list(space, found["list"], after)
        self._is_marked = True
        self._release()
        cited = _numbers(found["cited"] or "")
        self._none |= not cited
        if self._shown:
            self._indices.update(cited)
            unclear = not cited and _ENDS_LIST.search(self._before) is not None  # "[0] [NO_CITE]"
            self._malformed |= unclear or max(cited, default=0) >= self._shown
        return end + self._leave_out(space, after)

    def _read_code(self, text: str, at: int, sign: int, *, ended: bool) -> int:
        """Show code in a line as a whole, or the signs that begin a block of code."""
        run = _RUN.match(text, sign)
        assert run is not None
        end, signs = run.end(), run[0]
        if not ended and end == len(text) and len(signs) < _LONGEST_RUN:
            return -1
        if len(signs) >= 3 and _BEGINS_LINE.search(self._before + text[at:sign]):
            self._fence = signs
        elif signs[0] == "`":
            span = _SPAN.match(text, sign)
            if span is not None and (ended or span.end() < len(text)):
                end = span.end()
            elif not ended and len(text) - sign <= _LONGEST_SPAN + 2 * len(signs) and "\n" not in text[sign:]:
                return -1
        self._show(text[at:end])
        return end

    def _read_block(self, text: str, at: int, *, ended: bool) -> int:
        """Show a block of code up to its end, as far as it is known.  Returns the position after what was shown."""
        signs = rf"{self._fence[0]}{{{len(self._fence)},{_LONGEST_RUN}}}"
        follows = r"(?=[\s<\[]|\Z)" if ended else r"(?=[\s<\[])"
        closed = re.compile(rf"\n[ \t>]{{0,12}}{signs}{follows}").search(text, at)
        if closed is not None:
            self._fence = ""
            end = closed.end()
        else:
            last_line = None if ended else _MAY_END_BLOCK.search(text, at)
            end = last_line.start() if last_line is not None else len(text)
        self._show(text[at:end])
        return end

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
        numbers = _numbers(brackets)
        place = _find_place(self._before, space, after)
        if place == "word" and (self._is_own or max(numbers) >= self._shown or _is_consecutive(numbers)):
            place = "elsewhere"
        if not self._shown or self._is_marked or place in ("elsewhere", "attached"):
            if place == "elsewhere" and (len(numbers) == 1 or "[" in brackets[1:]):
                self._is_own = True
                self._release()
            self._show(space + brackets)
            return 0
        stop = _repeats_stop(self._before, after) if place == "sentence" else 0
        held = _Brackets(space + brackets + after[:stop], frozenset(numbers), place)
        self._held.append(held)
        self._held_size += len(held.text)
        self._says_more = False
        self._before = (self._before + held.text)[-_CONTEXT:]
        return stop

    def _release(self) -> None:
        """Show what is held, because it has no citation."""
        self._out += [each if isinstance(each, str) else each.text for each in self._held]
        self._held, self._held_size = [], 0

    def _close(self) -> None:
        """The answer has ended: decide what is held."""
        brackets = [each for each in self._held if isinstance(each, _Brackets)]
        if brackets and not self._says_more:
            closing = brackets[-1]
            shown = [each for each in brackets if max(each.numbers) < self._shown]
            self._malformed |= closing not in shown
            cited = [each for each in shown if each.place == closing.place or each.numbers <= closing.numbers]
            if not self._malformed:
                self._indices.update(*(each.numbers for each in cited))
                self._held = [each for each in self._held if each not in cited]
        self._release()


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def _is_consecutive(numbers: list[int]) -> bool:
    return len(numbers) > 1 and all(after == before + 1 for before, after in pairwise(numbers))


def _repeats_stop(before: str, after: str) -> bool:
    """Whether a sentence that had ended before a marker ends again after it: "Ann moved. [0]."."""
    return before[-1:] in tuple(".!?…。！？") and after[:1] in (".", "。")


def _find_place(before: str, space: str, after: str) -> Place:
    """Where brackets stand between ``before``, with white space, and ``after``."""
    if after[:1] == "(":  # a link
        return "attached"
    if "\n" in space:
        closes = (_ENDS_SENTENCE.search(before) or _ENDS_TEXT.search(before)) and _ENDS_LINE.match(after)
        return "sentence" if closes else "elsewhere"
    if _ENDS_SENTENCE.search(before) and (space or not before.isascii()) and _NEXT_SENTENCE.match(after):
        return "sentence"
    caseless = _is_letter(before[-1:]) and before[-1].lower() == before[-1].upper() and not before[-1].isdigit()
    if before and not space and not caseless:
        return "attached"
    word = before.rstrip('*_"”»“')[-2:]
    follows = caseless or (len(word) == 2 and all(map(_is_letter, word)))
    return "word" if follows and space in ("", " ", "\u00a0", "\u202f") and _STOP.match(after) else "elsewhere"


def _is_letter(character: str) -> bool:
    """Whether it is a letter, a mark of one, or a digit."""
    return character != "" and unicodedata.category(character)[0] in "LMN"


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
    found.feed(visible(text[:_MOST_READ]).text)
    found.end()
    return found.citations.state != "absent"
