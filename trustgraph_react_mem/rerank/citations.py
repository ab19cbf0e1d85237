"""Citations in an answer: ``[0, 2]`` or ``[NO_CITE]``, 0-based among the M memories shown (RMM appendix D.2).

A marker counts, and is removed, where it can only be a citation; everything else is the model's text and stays as it is, so
that lists, intervals, JSON, code and references are never damaged.  One scanner processes streamed and whole answers.  Rules:

- Forms: ``[0]``, ``[0, 2]``, ``[0-2]``, ``【0】``, ``［0］``, ``([0], [2])``, ``[0] and [2]``, ``[Memory 0]``, ``(Memory 0)``,
  ``[memories 0 and 2]``, ``[NO_CITE]``, ``[NO CITATION]`` and ``[0, NO_CITE]``, also emphasised (``**[0]**``).  Numbers have
  one or two digits.
- The last words "Sources: [0], [2]" are removed whole, after a sentence or on a line of their own.
- A marker counts only at the end of a clause (before ``. , ; : ! ?`` or the end of a line or answer), of an item of an
  enumeration or of a cell, between two sentences, or at the start of a line whose text it cites (``citation_openings``).
  All its numbers must be in range.  Markers in a row are judged together.
- It is text after a word or sign that takes a bracket as its object (``in [0, 1]``, ``RFC [2]``, ``x = [1]``, ``names[0]``,
  ``According to [0]``), in code, formulas, quotations, other brackets and JSON, and before ``(`` (a link).
- NO_CITE counts anywhere outside of code and quotations, and as the last words of an answer whose code never ends.
- What was opened and never closed protects only so much (``citation_nesting``).
- The answer is malformed if a named marker is out of range (``[Memory 9]``), if numbers occur together with NO_CITE, or if the
  end of the text cuts off a marker.  Nothing is learned from a malformed answer.
- White space before a marker is removed with it.
- When no memory was shown, only NO_CITE is removed.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from .citation_context import (
    begins_line,
    can_be_cited,
    ends_cell,
    ends_clause,
    ends_line,
    ends_sentence,
    is_undecided,
    joins_clauses,
)
from .citation_grammar import (
    LABELS,
    MOST_MARKERS,
    Marker,
    closing_sources,
    could_become_marker,
    find_marker,
    neutralise,
    opens_marker,
    separate_markers,
)
from .citation_nesting import Nesting
from .citation_openings import LOOKAHEAD, Opening, has_colon, joint, names_references, read_joint, read_opening

__all__ = ["CitationState", "CitationStripper", "Citations", "neutralise"]

CitationState = Literal["cited", "none", "malformed", "absent"]
_LONGEST_SPACE = 64  # longer white space before a marker is kept
_LONGEST_FENCE = 8
_LOOKAHEAD = 40  # characters after a marker that decide about it
_CONTEXT = 240  # characters of the line that decide about a marker
_SPECIAL = re.compile(r"\s+|[*_]+|[\[\]【［({})`~\"“”„«»「」『』\\$]")
_NUMBERLESS = Marker(numbers=(0,), none=False, named=False, end=0)  # a marker that was cut off
_SPACE = re.compile(r"[ \t\u00a0\u202f]*")
_SIGNS = re.compile(r"[*_]+")
_JOINTS = " \t\r\n:：-–—"
_LONGEST_EMPHASIS = 3
_CUT_OFF = re.compile(
    rf"[\[【［]\s*(?:\d[\d\s,;-]*|(?P<named>no[ _-]?c.*|(?:{'|'.join(LABELS)})\W.*))\Z", re.IGNORECASE | re.DOTALL
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Citations:
    """``indices``: positions among the memories shown, ascending and distinct; empty unless ``state`` is ``cited``."""

    state: CitationState
    indices: tuple[int, ...] = ()


class CitationStripper:
    """Removes the citation markers from a streamed answer and collects the citations.

    Invariant: the text returned so far plus the text held back depends only on the characters fed, not on how they were
    split into chunks.
    """

    def __init__(self, shown: int) -> None:
        self._shown = shown
        self._rest = ""  # text that is not decided yet
        self._before = ""  # the character before it
        self._space_sent = False  # the start of the white space at the start of ``_rest`` was returned already
        self._heading = ""  # the end of the line before that has text
        self._line = ""  # the end of the current line, as in the answer without its markers
        self._said = ""  # last visible character that is not white space
        self._removed = False  # a marker was removed, and only white space followed
        self._listed = False  # a marker was removed from this line
        self._opened = False  # a line, or a clause with a colon, was cited by a marker before it
        self._nesting = Nesting()
        self._next_item = -1  # the number of the next item, after "[1] text" at the start of an item
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
        """Add text and return what can be shown now.  A possible marker, and white space before it, are held back."""
        return self._scan(self._rest + chunk, ended=False)

    def end(self) -> str:
        """Return the remaining text."""
        return self._scan(self._rest, ended=True)

    def _scan(self, text: str, *, ended: bool) -> str:
        out: list[str] = []
        position = 0
        while position < len(text):
            found = _SPECIAL.search(text, position)
            if found is None:
                self._show(text[position:], out)
                position = len(text)
                break
            self._show(text[position : found.start()], out)
            following = self._step(text, found, out, ended=ended)
            if following < 0:
                position = found.start()
                break
            position = following
        self._before = text[position - 1 : position] or self._before
        self._rest = text[position:]
        return "".join(out)

    def _step(self, text: str, found: re.Match[str], out: list[str], *, ended: bool) -> int:
        """Process white space or one special character.  Returns the position after it, or -1 to wait for more text."""
        start, end = found.span()
        if not found.group().isspace():
            return self._special(text, start, "", out, ended=ended)
        space = found.group()
        if end - start > _LONGEST_SPACE or self._space_sent:
            self._show_space(space, out)
            self._space_sent = end == len(text)
            return end
        if end == len(text) and not ended:
            return -1
        if end < len(text) and self._names_sources(space):
            sources = closing_sources(text[end:], ended=ended)
            if sources is True:
                return -1
            if sources and self._accepts_sources(sources):
                return len(text)
        if end < len(text) and self._opens_marker(text, end):
            if text[end] in "*_" and text[end:].strip("*_") == "" and not ended:
                return -1
            return self._special(text, end, space, out, ended=ended)
        if not (self._removed and end == len(text)):  # else the answer ends with a marker
            self._show_space(space, out)
        return end

    def _special(self, text: str, start: int, space: str, out: list[str], *, ended: bool) -> int:
        # -1 where the next piece may continue the signs: they are then read again, with it.
        self._space_sent = False
        character = text[start]
        if character in "`~":
            end = start + 1
            while end < min(len(text), start + _LONGEST_FENCE) and text[end] == character:
                end += 1
            if end == len(text) and not ended and end - start < _LONGEST_FENCE:
                return -1
            self._show_space(space, out)
            self._show(text[start:end], out)
            return end
        if self._opens_marker(text, start):
            end = self._bracket(text, start, space, out, ended=ended)
            if end:
                return end
        if character in "*_":
            end = _skip(_SIGNS, text, start)
            if end == len(text) and not ended and end - start <= _LONGEST_EMPHASIS and not self._goes_on(start):
                return -1
        else:
            end = start + 1
        self._show_space(space, out)
        self._show(text[start:end], out)
        return end

    def _opens_marker(self, text: str, start: int) -> bool:
        return opens_marker(text, start) and not (text[start] in "*_" and self._goes_on(start))

    def _goes_on(self, start: int) -> bool:
        """Whether signs at ``start`` go on from those before the text, which were too many to be emphasis."""
        return start == 0 and self._before in tuple("*_")

    # -- markers -------------------------------------------------------------------------------------------------

    def _bracket(self, text: str, start: int, space: str, out: list[str], *, ended: bool) -> int:
        """Process what may be a marker.  Returns the position after it, -1 to wait, or 0 if it is text."""
        if text[start] == "(" and not space and self._line[-1:].isascii() and self._line[-1:].isalnum():
            return 0  # a call
        markers: list[Marker] = []
        end = start
        separated = start
        while len(markers) < MOST_MARKERS:
            marker = find_marker(text, separated, ended=ended)
            if marker is True:
                return -1
            if marker is False:
                break
            markers.append(marker)
            end = marker.end
            separated = separate_markers(text, end)
            if separated == len(text) and not ended:
                return -1
            if separated == len(text) or not opens_marker(text, separated):
                break
        if not markers:
            if ended and self._cut_off(text[start:], space):
                return len(text)
            return 0
        if not ended and end + _LOOKAHEAD > len(text) and self._waits(markers, text[end:]):
            return -1
        after = text[end : end + _LOOKAHEAD]
        ends = self._nesting.is_open and ends_line(after, ended=ended or len(text) >= end + _LOOKAHEAD)
        if ends is None:
            return -1
        opens = self._opens_line(markers, space, text[start], text[end : end + LOOKAHEAD], ended=ended)
        if opens == "undecided":
            return -1
        if opens == "citation":
            return self._accept_opening(markers, space, text, end, out)
        if not self._accepts(markers, space, after, ended=ended, ends_line=ends):
            text_before = next((place for place, marker in enumerate(markers) if place and marker.none), len(markers))
            end = markers[text_before - 1].end  # a NO_CITE after a list is judged alone
            self._note_item(markers[:text_before])
            self._show_space(space, out)
            self._show(text[start:end], out)
            return end
        return self._accept(markers, space, text, end, out, ended=ended)

    def _waits(self, markers: list[Marker], after: str) -> bool:
        begun = not self._said and not after.strip(_JOINTS)
        last_words = self._nesting.is_fenced and markers[0].none and not after.strip()
        return is_undecided(after) or begun or last_words

    def _cut_off(self, text: str, space: str) -> bool:
        """Note a marker that the end of the answer cuts off.  Returns whether it is removed: its numbers may be text."""
        found = None if self._nesting.holds_text(ends_line=False) else _CUT_OFF.match(text)
        if found is None or not could_become_marker(text[1:]):
            return False
        named = found["named"] is not None
        if not (named or self._shown):
            return False
        self._malformed |= named or can_be_cited(self._line + space, _NUMBERLESS, call=False)
        return named

    def _opens_line(self, markers: list[Marker], space: str, sign: str, after: str, *, ended: bool) -> Opening:
        """Whether the markers, which begin with ``sign``, cite the text after them."""
        before = ("" if "\n" in space else self._line) + space.rpartition("\n")[2]
        begins = begins_line(before)
        if not (begins or ends_sentence(before)) or self._nesting.holds_text(ends_line=False):
            return "text"
        if not after.strip():
            return "text" if ended or len(after) == LOOKAHEAD else "undecided"
        if all(marker.none and not marker.numbers for marker in markers):
            return read_joint(after, ended=ended) if begins else "text"
        if any(number >= self._shown for marker in markers for number in marker.numbers):
            return "text"
        if not (begins or has_colon(after)):
            return "undecided" if read_joint(after, ended=ended) == "undecided" else "text"
        named = all(marker.named for marker in markers)
        heading = self._line if "\n" in space and self._line.strip() else self._heading
        numbered = markers[0].numbers[:1] == (self._next_item,) or names_references(heading)
        if not named and (numbered or sign in "*_"):
            return "text"
        return read_opening(before, after, markers, ended=ended, counting=self._opened, shown=self._shown)

    def _accepts(self, markers: list[Marker], space: str, after: str, *, ended: bool, ends_line: bool) -> bool:
        if not self._shown and not (all(marker.none for marker in markers) and not any(marker.numbers for marker in markers)):
            return False
        first = markers[0]
        last_words = ended and first.none and not after.strip()
        if after[:1] == "(" or (self._nesting.holds_text(ends_line=ends_line) and not last_words):
            return False
        in_range = all(number < self._shown for marker in markers for number in marker.numbers)
        if all(marker.none for marker in markers):
            return in_range or not self._shown
        before = "" if "\n" in space else self._line + space
        closes = (
            ends_clause(after, parenthesis=self._nesting.in_parenthesis)
            or joins_clauses(before, after, listed=self._listed)
            or ends_cell(before, after)
        )
        if begins_line(before):
            alone = after.lstrip(" \t")[:1] in ("", "\r", "\n")
            follows = self._said.isalnum() or (self._said != "" and self._said in '.!?…。！？"”»」』)*_`%')
            whole = self._said == "" and ended and len(markers) == 1 and len(first.numbers) == 1
            accepted = alone and before.strip() == "" and (follows or whole)
        elif not can_be_cited(before, first, call=self._nesting.after_call):
            # After an answer in JSON: its brackets are closed, and only white space follows.
            accepted = space != "" and before.rstrip()[-1:] == "}" and ended and not after.strip()
        elif closes or (first.named and space != ""):
            accepted = True
        else:
            between = ends_sentence(before) and after[:1].isspace()
            accepted = between and first.numbers[:1] != (self._next_item,) and (self._has_cited or first.numbers[:1] != (1,))
        if accepted and not in_range:
            self._malformed = self._malformed or any(marker.named for marker in markers)
            accepted = False
        return accepted

    def _names_sources(self, space: str) -> bool:
        """Whether "Sources: [0]" may follow white space here."""
        after = "\n" in space or ends_sentence(self._line)
        return after and self._said != "" and not self._nesting.holds_text(ends_line=True)

    def _accepts_sources(self, markers: tuple[Marker, ...]) -> bool:
        if any(number >= self._shown for marker in markers for number in marker.numbers):
            self._malformed |= self._shown > 0
            return False
        self._count(markers)
        return True

    def _count(self, markers: Sequence[Marker]) -> None:
        for marker in markers:
            self._none |= marker.none
            self._indices.update(marker.numbers)

    @property
    def _has_cited(self) -> bool:
        return bool(self._indices) or self._none

    def _note_item(self, markers: list[Marker]) -> None:
        """Remember that ``[1] text`` may begin the items of a list."""
        if len(markers) == 1 and len(markers[0].numbers) == 1:
            self._next_item = markers[0].numbers[0] + 1

    def _accept(self, markers: list[Marker], space: str, text: str, end: int, out: list[str], *, ended: bool) -> int:
        kept = space.rstrip(" \t")
        last = len(text) - end <= _LONGEST_SPACE and not text[end:].strip()
        if kept and last and not ended:
            return -1
        self._count(markers)
        self._removed = self._listed = True
        if last and ended:
            return len(text)
        alone = begins_line("" if "\n" in space else self._line + space)
        if kept:
            self._show_space(kept, out)
            self._listed = True
        following = _skip(_SPACE, text, end) if alone or not self._line else end
        if kept.endswith("\n") and text[following : following + 1] == "\n":
            following += 1  # the line had nothing but the marker
        if text[following : following + 1] in tuple(".。") and self._said in tuple(".。!?"):
            following += 1  # the sentence had ended before the marker
        return following

    # -- text ----------------------------------------------------------------------------------------------------

    def _accept_opening(self, markers: list[Marker], space: str, text: str, end: int, out: list[str]) -> int:
        self._count(markers)
        self._show_space(space, out)
        self._removed = self._opened = True
        following = end + joint(text[end : end + LOOKAHEAD])
        if not self._said:
            while following < min(len(text), end + _LOOKAHEAD) and text[following].isspace():
                following += 1
        elif text[following : following + 1] == "\n" and begins_line(self._line):
            following += 1  # the line had nothing but the marker
        return following

    def _show_space(self, space: str, out: list[str]) -> None:
        if space:
            out.append(space)
            if "\n" in space and self._line.strip():
                self._heading = self._line
            self._nesting.read(space, self._line)
            self._listed &= "\n" not in space
            self._line = "" if "\n" in space else (self._line + space)[-_CONTEXT:]

    def _show(self, text: str, out: list[str]) -> None:
        if not text:
            return
        if text.isspace():
            self._show_space(text, out)
            return
        out.append(text)
        self._nesting.read(text, self._line)
        self._line = (self._line + text)[-_CONTEXT:].rpartition("\n")[2]
        self._said = text.rstrip()[-1:]
        self._removed = False
        self._space_sent = False


def _skip(pattern: re.Pattern[str], text: str, position: int) -> int:
    found = pattern.match(text, position)
    return found.end() if found is not None else position
