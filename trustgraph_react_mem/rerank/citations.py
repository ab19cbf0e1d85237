"""Citations in an answer: ``[0, 2]`` or ``[NO_CITE]``, 0-based among the M memories shown (RMM appendix D.2).

Markers are accepted anywhere in the text, but their numbers must be in range.  One scanner reads the text character by
character, so the visible text and the citations do not depend on how a stream splits the answer.  Rules:

- A marker is ``[``, then one- or two-digit numbers separated by commas or semicolons, or NO_CITE in any case (also
  ``NO CITE``, ``NO-CITE``), then ``]``.  It may occur anywhere and several times.  Other kinds of brackets are not markers.
- It is ordinary text and remains visible inside `` `code` `` and fenced blocks; directly after a letter, digit, ``_``, ``)``,
  ``]`` of other text, another ``[`` or a backslash (``arr[0]``); before ``(`` (a markdown link); before ``:`` at the start of a
  line (a link definition).  Letters of scripts without spaces between words do not count as letters here.
- Numbers with three or more digits (``[2024]``) are text: at most 100 memories are shown.
- The whole answer is malformed if a number is out of range, if numbers occur together with NO_CITE, or if the end of the text
  cuts off a marker.  Nothing is learned from a malformed answer; its markers are removed nevertheless.
- White space before a marker, and a comma between two markers, are removed with the marker.
- When no memory was shown, only NO_CITE is removed.
"""

import re
from dataclasses import dataclass
from typing import Literal

CitationState = Literal["cited", "none", "malformed", "absent"]
_MAX_MARKER_CHARS = 600  # enough for one hundred numbers with spaces
_NO_CITE = re.compile(r"\[\s*no[ _-]?cite\s*\]", re.IGNORECASE)
_NUMBERS = re.compile(r"\[\s*\d{1,2}(?:\s*[,;]\s*\d{1,2})*\s*[,;]?\s*\]")
_UNFINISHED = re.compile(
    r"\[\s*(?:(?:\d{1,2}\s*[,;]\s*)*(?:\d{1,2}\s*)?|n(?:o(?:[ _-]?(?:c(?:i(?:t(?:e\s*)?)?)?)?)?)?)", re.IGNORECASE
)
_CUT_OFF = re.compile(r"\[\s*(?:\d|no[ _-]?c)", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """``indices``: positions among the memories shown, ascending and distinct; empty unless ``state`` is ``cited``."""

    state: CitationState
    indices: tuple[int, ...] = ()


def _attaches_bracket(character: str) -> bool:
    """Whether a bracket directly after this character belongs to it, as in ``arr[0]``."""
    return (character.isascii() and character.isalnum()) or character in "_)]}[\\/=" or ("\u00c0" <= character <= "\u052f")


class CitationStripper:
    """Removes the citation markers from a streamed answer and collects the citations.

    Invariant: the text returned so far plus the text held back depends only on the characters fed, not on how they were
    split into chunks.
    """

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._marker = ""  # the beginning of a possible marker
        self._closed = ""  # a complete marker, unless the next character makes it a link
        self._space = ""  # white space held back: removed if a marker follows
        self._separator = ""  # comma and space after a marker: removed if another marker follows
        self._last = ""  # last visible or consumed character: decides whether a bracket is attached
        self._after_marker = False
        self._line_is_empty = True
        self._ticks = ""  # a run of backticks being read
        self._code = ""  # the run of backticks that opened the current code; empty outside of code
        self._indices: set[int] = set()
        self._none = False
        self._malformed = False
        self._ended = False

    @property
    def citations(self) -> Citations:
        """The citations found so far; final after ``end``."""
        if self._malformed or (self._none and self._indices):
            return Citations(state="malformed")
        if self._indices:
            return Citations(state="cited", indices=tuple(sorted(self._indices)))
        return Citations(state="none" if self._none else "absent")

    def feed(self, chunk: str) -> str:
        """Add text and return what can be shown now.  A possible marker, and white space before it, are held back."""
        out: list[str] = []
        for character in chunk:
            self._step(character, out)
        return "".join(out)

    def end(self) -> str:
        """Return the remaining text.  An unclosed marker is removed and makes the answer malformed."""
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
            if len(grown) <= _MAX_MARKER_CHARS and _UNFINISHED.fullmatch(grown):
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
        elif c == "[" and not (self._last and not self._space and not self._separator and _attaches_bracket(self._last)):
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
            self._code = ""  # inline code ends with its line, so a single backtick cannot hide all later citations
            self._hold_space(c)
        else:
            line_is_empty = c == "\n"
            self._show(c, out)
            self._line_is_empty = line_is_empty


# -- protection against memories that manipulate citations -------------------------------------------------------

_MARKER_LIKE = re.compile(r"\[(\s*(?:\d{1,3}(?:\s*[,;]\s*\d{1,3})*\s*[,;]?|no[ _-]?cite)\s*)\]", re.IGNORECASE)
_CITATION_REQUEST = re.compile(
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
    """A memory's text for the prompt, with parentheses in place of the brackets of anything that looks like a marker."""
    return _MARKER_LIKE.sub(r"(\1)", text)


def asks_for_citation(text: str) -> bool:
    """Whether a memory's text asks to be cited.  Such a record is shown like any other, but gets no reward for citations."""
    return bool(_CITATION_REQUEST.search(text))
