"""What is open at a place of an answer, where a bracket may be part of a text that must stay whole."""

_QUOTES = {'"': '"', "“": "”", "„": "“", "«": "»", "»": "«", "「": "」", "『": "』"}


class Nesting:
    """What is open at the current place: code, quotations, brackets, calls and formulas."""

    def __init__(self) -> None:
        self._code = ""  # the run of backticks that opened it
        self._quote = ""  # the character that closes it
        self._square = 0
        self._braces = 0
        self._parentheses: list[bool] = []  # whether each is the call of a function
        self._formula = False
        self.after_call = False

    @property
    def is_verbatim(self) -> bool:
        return bool(self._code)

    @property
    def in_parenthesis(self) -> bool:
        return bool(self._parentheses) and not self._parentheses[-1]

    @property
    def holds_text(self) -> bool:
        """Whether a marker here belongs to a text that must stay whole."""
        call = bool(self._parentheses) and self._parentheses[-1]
        return bool(self._code or self._quote or self._square or self._braces) or self._formula or call

    def read(self, text: str, line: str) -> None:
        """Process white space, a run of backticks, one special character, or text without any.  ``line``: the text before."""
        if text.isspace():
            if "\n" in text:
                self._end_line(blank=text.count("\n") > 1 or not line.strip())
            return
        if text[0] in "`~":
            self._read_ticks(text, line)
        elif not self._code:
            self.after_call = False
            if len(text) == 1:
                self._read_special(text, line[-1:])

    def _end_line(self, *, blank: bool) -> None:
        if len(self._code) < 3:
            self._code = ""  # inline code ends with its line, so a single backtick cannot hide all later citations
        if not self._code:
            self._quote = ""
            self._parentheses.clear()
            if blank:
                self._square, self._formula = 0, False

    def _read_ticks(self, run: str, line: str) -> None:
        # As in Markdown: a fence of three ends with at least as many, code in a line with exactly as many.
        fence = len(run) >= 3
        if not self._code:
            if run[0] == "`" or (fence and not line.strip()):
                self._code = run
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
                self._square += 1
                self._formula |= previous == "\\"
            case "]":
                self._square = max(0, self._square - 1)
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
            case "$" if previous == "$":
                self._formula = not self._formula
