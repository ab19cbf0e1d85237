"""What is open at a place of an answer, where a bracket may be part of a text that must stay whole.

What never closes protects only so much: a quotation, a code span and a call end with their line, square brackets and braces
with a sentence or a paragraph.  A fence and a formula stay open.
"""

from typing import Literal

_SENTENCE_ENDS = (".", "!", "?", "…", "؟", "।")  # before white space
_WIDE_SENTENCE_ENDS = frozenset("。！？")
# What is known of the last square bracket: nothing more; it opened directly after a word; it opened apart from one; the
# same, and white space followed; it closed what was not open.
_Bracket = Literal["settled", "attached", "apart", "spaced", "stray"]
_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』"}


class Nesting:
    """What is open at the current place: code, quotations, brackets, calls and formulas."""

    def __init__(self) -> None:
        self._code = ""  # the run of backticks that opened it
        self._code_in_line = False  # it began after other text of this line
        self._quote = ""  # the character that closes it
        self._square = 0
        self._bracket: _Bracket = "settled"
        self._is_inverted = False  # "]" came first, as in ]0, 1[
        self._braces = 0
        self._parentheses: list[bool] = []  # whether each is the call of a function
        self._formula = False
        self.after_call = False

    @property
    def is_open(self) -> bool:
        """Whether something is open that ends with its line."""
        return bool(self._code or self._quote or self._parentheses)

    @property
    def is_fenced(self) -> bool:
        return len(self._code) >= 3

    @property
    def in_parenthesis(self) -> bool:
        return bool(self._parentheses) and not self._parentheses[-1]

    def holds_text(self, *, ends_line: bool) -> bool:
        """Whether a marker here belongs to a text that must stay whole.

        ``ends_line``: the line ends after it.  Then nothing can close what had to be closed in this line.
        """
        if self.is_fenced and not (ends_line and self._code_in_line):
            return True
        call = bool(self._parentheses) and self._parentheses[-1]
        return bool(self._square or self._braces or self._formula) or (
            not ends_line and bool(self._code or self._quote or call)
        )

    def read(self, text: str, line: str) -> None:
        """Process white space, a run of backticks, one special character, or text without any.  ``line``: the text before."""
        if text.isspace():
            if "\n" in text:
                self._end_line(blank=text.count("\n") > 1 or not line.strip())
            if not self._code:
                self._read_space(line)
            return
        if text[0] in "`~":
            self._read_ticks(text, line)
        elif not self._code:
            self.after_call = False
            self._read_after_bracket(text[0])
            if not _WIDE_SENTENCE_ENDS.isdisjoint(text):
                self._end_sentence()
            if len(text) == 1:
                self._read_special(text, line[-1:])

    def _read_space(self, line: str) -> None:
        if line.endswith(_SENTENCE_ENDS):
            self._end_sentence()
        elif self._bracket == "attached":  # "0, 1[ " closes an interval
            self._close_square(2)
        else:
            self._bracket = "spaced" if self._bracket in ("apart", "spaced") else "settled"

    def _read_after_bracket(self, character: str) -> None:
        """Take back a "[" that opens nothing: "press [ to", "]0, 1[."."""
        punctuation = character in ".,;:!?"
        if self._bracket == "attached" and punctuation:
            self._close_square(2)
        elif (self._bracket == "apart" and punctuation) or (self._bracket == "spaced" and character.isalpha()):
            self._close_square(1)
        elif self._bracket == "stray" and (character.isalnum() or character in "-−+"):
            self._is_inverted = True
        self._bracket = "settled"

    def _close_square(self, number: int) -> None:
        self._square = max(0, self._square - number)
        self._bracket = "settled"

    def _end_sentence(self) -> None:
        if not self._quote:
            self._square = self._braces = 0
            self._bracket = "settled"
            self._is_inverted = False

    def _end_line(self, *, blank: bool) -> None:
        self._code_in_line = False
        if len(self._code) < 3:
            self._code = ""  # inline code ends with its line, so a single backtick cannot hide all later citations
        if not self._code:
            self._quote = ""
            self._parentheses.clear()
            self._is_inverted = False
            if blank:
                self._square = self._braces = 0
                self._formula = False

    def _read_ticks(self, run: str, line: str) -> None:
        # As in Markdown: a fence of three ends with at least as many, code in a line with exactly as many.
        fence = len(run) >= 3
        if not self._code:
            if run[0] == "`" or (fence and not line.strip()):
                self._code = run
                self._code_in_line = line.strip() != ""
        elif run[0] == self._code[0] and (len(run) >= len(self._code) if len(self._code) >= 3 else len(run) == len(self._code)):
            self._code = ""

    def _read_special(self, character: str, previous: str) -> None:
        if self._quote:
            if character == self._quote or (self._quote == "“" and character == "”"):
                self._quote = ""
        elif character in _QUOTES and (character in "“„「『«" or not previous or previous.isspace() or previous in "([{=:,—–-"):
            self._quote = _QUOTES[character]
        match character:
            case "[":
                if self._is_inverted:
                    self._is_inverted = False
                else:
                    self._square += 1
                    self._bracket = "attached" if previous.isalnum() or previous == "∞" else "apart"
                self._formula |= previous == "\\"
            case "]":
                if self._square:
                    self._square -= 1
                elif self._parentheses:
                    self._parentheses.pop()  # (0, 1]
                else:
                    self._bracket = "stray"
                if previous == "\\":
                    self._formula = False
            case "{":
                self._braces += 1
            case "}":
                self._braces = max(0, self._braces - 1)
            case "(":
                if len(self._parentheses) < 50:
                    self._parentheses.append(previous.isalnum() or previous in tuple("_\\"))
            case ")" if self._parentheses:
                self.after_call = self._parentheses.pop()
            case ")" if self._square:
                self._square -= 1  # [0, 1)
            case "$" if previous == "$":
                self._formula = not self._formula
