"""The text of a thought or an answer while it arrives, without what only surrounds it."""

import re
from typing import Final

from ..memory.text.fences import Fences
from .decisions import ParsedText, Pieces, piece
from .labels import inline_label_start

HOLD: Final = 20  # characters at the end of a thought that are held back, as the stock agent does
_LEAD: Final = 1000
_MOST_HELD: Final = 200  # characters that are read again
_CLOSING_TAG = re.compile(r"<[/\w-]{0,20}>?\s*\Z")


class Body:
    """The text without the white space, emphasis, tag and fence around it.

    ``emphasis``: what was opened before it.  It closes at the start, or at the end of the first line.
    ``closing``: the tag that may end it.  ``fenced``: the whole output is in a fence.
    """

    def __init__(self, emphasis: str = "", *, fenced: bool = False, closing: str = "") -> None:
        self._emphasis = emphasis
        self._closing = closing
        self._fenced = fenced
        self._fences = Fences(within=fenced)
        self._held: list[str] = []  # what may be the end
        self._parts: list[str] = []
        self.lead = ""  # the first characters

    @property
    def in_code(self) -> bool:
        """Whether the next line is code."""
        return self._fences.are_open

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def __bool__(self) -> bool:
        return bool(self._parts)

    def push(self, text: str) -> str:
        """Add text and return what is certain."""
        if not (self._parts or self._held):
            text = text.lstrip()
            while self._emphasis and text.startswith(self._emphasis[0]):
                text, self._emphasis = text[1:], self._emphasis[1:]
            text = text.lstrip()
        self._fences.read(text)
        if self._emphasis or self._closing:
            text = "".join(self._held) + text
            self._held.clear()
        if self._emphasis and "\n" in text:
            line, _, rest = text.partition("\n")
            said = line.rstrip()
            text = f"{said.removesuffix(self._emphasis) if said.endswith(self._emphasis) else line}\n{rest}"
            self._emphasis = ""
        end = self._end_of(text)
        shown = "".join(self._held) + text[:end] if end else ""
        if shown:
            self._held.clear()
            self._parts.append(shown)
            self.lead = self.lead if len(self.lead) == _LEAD else (self.lead + shown)[:_LEAD]
        if end < len(text):
            self._held.append(text[end:])
        return shown

    def _end_of(self, text: str) -> int:
        """Where what may be the end begins: white space, emphasis, and the start of the closing tag."""
        tag = _CLOSING_TAG.search(text, max(0, len(text) - _MOST_HELD)) if self._closing else None
        if tag is not None and self._closing.startswith(tag[0].rstrip().lower()):
            text = text[: tag.start()]
        if self._emphasis:
            text = text.rstrip().rstrip(self._emphasis[0])
        return len(text.rstrip())

    def push_fence(self, text: str) -> str:
        """Add a line that may close the fence around the whole output."""
        if not self._fenced:
            return self.push(text)
        self._fences.read(text)
        self._held.append(text)
        return ""


class Thought(Body):
    """A thought while it arrives.  ``closed``: its last piece was given already."""

    def __init__(self, emphasis: str = "", *, fenced: bool = False, closed: bool = False) -> None:
        super().__init__(emphasis, fenced=fenced)
        self.closed = closed
        self._tail = ""  # what is not shown yet

    def __bool__(self) -> bool:
        return super().__bool__() or self._tail != ""

    @property
    def whole(self) -> str:
        return (self.text + "".join(self._held) + self._tail).strip()

    def take(self, text: str) -> str:
        """What was held back, and ``text``."""
        taken, self._tail = self._tail + text, ""
        return taken

    def hold(self, text: str) -> None:
        self._tail = text

    def show(self, text: str) -> Pieces:
        return piece("thought", self.push(self.take(text)))

    def show_fence(self, raw: str) -> Pieces:
        return piece("thought", self.push(self.take("")) + self.push_fence(raw))

    def stream(self, following: int) -> Pieces:
        """Show what is certain.  ``following``: the characters held back after this text."""
        text = self.take("")
        cut = min(inline_label_start(text), max(0, len(text) + following - HOLD))
        self._tail = text[cut:]
        return piece("thought", self.push(text[:cut]))

    def close(self, text: str = "") -> Pieces:
        """Show the rest."""
        shown = self.push(self.take(text))
        closes = bool(self) and not self.closed
        self.closed = True
        return [ParsedText(kind="thought", text=shown, last=True)] if closes else []
