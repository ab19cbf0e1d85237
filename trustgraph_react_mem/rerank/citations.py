"""Citations in an answer: ``[0, 2]`` or ``[NO_CITE]``, 0-based among the M memories shown (RMM appendix D.2).

Lenient in place, strict in range.  One scanner reads the text character by character, so that an answer gives the same
visible text and the same citations however a stream cuts it.  Its rules:

- A marker is ``[``, one- or two-digit numbers between commas or semicolons, or NO_CITE in any case (also ``NO CITE``,
  ``NO-CITE``), and ``]``.  It may stand anywhere, several times.  Only brackets count.
- It is ordinary text, and stays, inside `` `code` `` and fenced blocks; directly after a letter, digit, ``_``, ``)``, ``]`` of
  other text, another ``[`` or a backslash (``arr[0]``); before ``(`` (a markdown link); before ``:`` at a line's start (a
  link's definition).  Letters of scripts written without spaces do not count as letters here.
- Numbers of three digits and more (``[2024]``) are text: no more than 100 memories are ever shown.
- A number out of range, numbers together with NO_CITE, and a marker cut off by the end of the text make the whole answer
  malformed: nothing is learned from it.  The markers are removed all the same.
- White space before a marker goes with it, and a comma between two markers.
- When nothing was shown, only NO_CITE is removed.
"""

import re
from dataclasses import dataclass
from typing import Literal

CitationState = Literal["cited", "none", "malformed", "absent"]
_MOST = 600  # characters of the longest marker: one hundred numbers with spaces
_NO_CITE = re.compile(r"\[\s*no[ _-]?cite\s*\]", re.IGNORECASE)
_NUMBERS = re.compile(r"\[\s*\d{1,2}(?:\s*[,;]\s*\d{1,2})*\s*[,;]?\s*\]")
_UNFINISHED = re.compile(
    r"\[\s*(?:(?:\d{1,2}\s*[,;]\s*)*(?:\d{1,2}\s*)?|n(?:o(?:[ _-]?(?:c(?:i(?:t(?:e\s*)?)?)?)?)?)?)", re.IGNORECASE
)
_CUT_OFF = re.compile(r"\[\s*(?:\d|no[ _-]?c)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """``indices``: positions among the memories shown, ascending, each once; empty unless ``state`` is ``cited``."""

    state: CitationState
    indices: tuple[int, ...] = ()


def _attaches(character: str) -> bool:
    """Whether a bracket directly after it belongs to it, as in ``arr[0]``."""
    return (character.isascii() and character.isalnum()) or character in "_)]}[\\/=" or ("\u00c0" <= character <= "\u052f")


class CitationStripper:
    """Takes an answer in pieces, gives back what a person should see, and collects the citations.

    Invariant: what was returned so far plus what is held back is a function of the characters fed, not of the pieces.
    """

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._marker = ""  # may be a marker, not closed yet
        self._closed = ""  # is a marker unless the next character says otherwise
        self._space = ""  # white space held back: it goes if a marker follows
        self._separator = ""  # comma and space after a marker: goes if another marker follows
        self._last = ""  # last visible or consumed character: decides whether a bracket is attached
        self._after_marker = False
        self._line_is_empty = True
        self._ticks = ""  # a run of backticks being read
        self._code = ""  # the run that opened the code we are in
        self._indices: set[int] = set()
        self._none = False
        self._malformed = False
        self._ended = False

    @property
    def citations(self) -> Citations:
        """What was found so far; complete after ``end``."""
        if self._malformed or (self._none and self._indices):
            return Citations(state="malformed")
        if self._indices:
            return Citations(state="cited", indices=tuple(sorted(self._indices)))
        return Citations(state="none" if self._none else "absent")

    def feed(self, chunk: str) -> str:
        """The text that can be shown now; a possible marker and white space before it are held back."""
        out: list[str] = []
        for character in chunk:
            self._step(character, out)
        return "".join(out)

    def end(self) -> str:
        """What is left to show.  A marker that never closed is removed and makes the answer malformed."""
        if self._ended:
            return ""
        self._ended = True
        out: list[str] = []
        if self._ticks:
            self._close_ticks(out)
        if self._closed:
            self._accept(out)
        if self._marker:
            if self._shown and _CUT_OFF.match(self._marker):
                self._malformed, self._after_marker = True, True
                self._space = self._marker = ""
            else:
                self._reject(out)
        if self._separator:
            out.append(self._separator.rstrip())
            self._separator = ""
        if not self._after_marker:
            out.append(self._space)
        self._space = ""
        return "".join(out)

    # -- one character -------------------------------------------------------------------------------------------

    def _step(self, c: str, out: list[str]) -> None:
        if self._closed:
            if c == "(" or (c == ":" and self._line_is_empty):
                self._marker, self._closed = self._closed, ""
                self._reject(out)
            else:
                self._accept(out)
        if self._marker:
            grown = self._marker + c
            if c == "]" and self._is_marker(grown):
                self._marker, self._closed = "", grown
                return
            if len(grown) <= _MOST and _UNFINISHED.fullmatch(grown):
                self._marker = grown
                return
            self._reject(out)
        if c in "`~":
            self._tick(c, out)
            return
        if self._ticks:
            self._close_ticks(out)
        if self._code:
            self._in_code(c, out)
        elif c == "[" and not (self._last and not self._space and not self._separator and _attaches(self._last)):
            self._marker = c
        elif c.isspace():
            self._hold_space(c)
        elif self._after_marker and c in ",;" and not self._space and not self._separator:
            self._separator = c
        else:
            self._show(c, out)

    def _is_marker(self, text: str) -> bool:
        return bool(_NO_CITE.fullmatch(text) or (self._shown and _NUMBERS.fullmatch(text)))

    def _hold_space(self, c: str) -> None:
        if self._separator:
            self._separator += c
        elif not (self._after_marker and self._line_is_empty and c in " \t"):
            self._space += c
        self._last = c
        if c == "\n":
            self._line_is_empty = True

    def _show(self, text: str, out: list[str]) -> None:
        out.append(self._separator + self._space + text)
        self._separator = self._space = ""
        self._last = text[-1]
        self._after_marker = False
        self._line_is_empty = False

    def _reject(self, out: list[str]) -> None:
        text, self._marker = self._marker, ""
        trailing = len(text) - len(text.rstrip())
        self._show(text.rstrip(), out)
        for c in text[len(text) - trailing :]:
            self._hold_space(c)

    def _accept(self, out: list[str]) -> None:
        marker, self._closed = self._closed, ""
        numbers = [int(number) for number in re.findall(r"\d+", marker)]
        self._none |= not numbers
        self._malformed |= any(number >= self._shown for number in numbers)
        self._indices.update(number for number in numbers if number < self._shown)
        self._separator = ""
        self._space = self._space.rstrip(" \t")
        self._last = ""
        self._after_marker = True

    # -- code ----------------------------------------------------------------------------------------------------

    def _tick(self, c: str, out: list[str]) -> None:
        if self._ticks and self._ticks[0] != c:
            self._close_ticks(out)
        self._ticks += c

    def _close_ticks(self, out: list[str]) -> None:
        run, self._ticks = self._ticks, ""
        fence = len(run) >= 3
        if not self._code:
            if run[0] == "`" or (fence and self._line_is_empty):
                self._code = run
        elif run[0] == self._code[0] and (len(run) >= len(self._code) if len(self._code) >= 3 else len(run) == len(self._code)):
            self._code = ""
        self._show(run, out)

    def _in_code(self, c: str, out: list[str]) -> None:
        if c == "\n" and len(self._code) < 3:
            self._code = ""  # inline code ends with its line: a lone backtick must not hide all later citations
            self._hold_space(c)
        else:
            line_is_empty = c == "\n"
            self._show(c, out)
            self._line_is_empty = line_is_empty


# -- what a memory may not do ------------------------------------------------------------------------------------

_LOOKS_LIKE_ONE = re.compile(r"\[(\s*(?:\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*[,;]?|no[ _-]?cite)\s*)\]", re.IGNORECASE)
_BEGS = re.compile(
    r"(?:"
    r"\b(?:always|must|please|never\s+fail\s+to|remember\s+to|be\s+sure\s+to|make\s+sure\s+(?:to|you))\b[^.\n]{0,40}"
    r"\b(?:cit(?:e|es|ing|ation)|referenc(?:e|ing)\s+(?:this|me|it|memory))\b"
    r"|\bcite\s+(?:this|me|memory|the\s+following|index|number)\b"
    r"|\b(?:reference|use)\s+this\s+memory\b"
    r"|\bcitations?\s+(?:required|must)\b"
    r"|\[\s*no[ _-]?cite\s*\]"
    r")",
    re.IGNORECASE,
)


def neutralise(text: str) -> str:
    """A memory's text for the prompt: what looks like a citation marker gets parentheses, which never count."""
    return _LOOKS_LIKE_ONE.sub(r"(\1)", text)


def begs_citation(text: str) -> bool:
    """Whether a memory asks to be cited.  Such a record is shown like any other, but its citations earn nothing."""
    return bool(_BEGS.search(text))
