"""Fenced code in text that arrives in pieces."""

import re

_FENCE = re.compile(r"(?P<label>[^`~]{1,40}[:：])?[ \t>*]*(?P<marks>`{3,}|~{3,})(?P<info>[^`]*)\Z")
_MOST_READ = 60  # characters of a line that decide whether it is a fence


class Fences:
    """``read`` each piece.  It does not matter how the text was cut.

    ``within``: the whole text is in a fence, so a fence without a language, outside of code, closes that one.
    """

    def __init__(self, *, within: bool = False) -> None:
        self._within = within
        self._line = ""  # the start of the current line
        self._marks = ""  # of the fence that is open

    @property
    def are_open(self) -> bool:
        """Whether the text that follows the last complete line is code."""
        return self._marks != ""

    def read(self, text: str) -> None:
        first, *others = text.split("\n")
        self._add(first)
        for line in others:
            self._end_line()
            self._add(line)

    def _add(self, text: str) -> None:
        if len(self._line) < _MOST_READ:
            self._line += text[: _MOST_READ - len(self._line)]

    def _end_line(self) -> None:
        found = _FENCE.match(self._line)
        self._line = ""
        if found is None:
            return
        marks, info = found["marks"], found["info"].strip()
        if self._marks and found["label"]:
            return
        if not self._marks:
            self._marks = marks if info or not self._within else ""
        elif not info and marks.startswith(self._marks):
            self._marks = ""
