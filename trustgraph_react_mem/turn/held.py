"""Text of an output that is held back: what is not decided yet, and the end of a thought, where an answer may begin."""

from typing import Final

from .decisions import Body, ParsedText, Pieces
from .labels import inline_label_start

HOLD: Final = 20  # characters at the end of a thought that are held back, as the stock agent does
LEAD: Final = 160  # characters that decide whether undecided text is text


class Undecided:
    """Its pieces, in linear time.

    Attributes:
        length: of all pieces.
        lead: the first characters.
        calls: the positions of actions and calls.
    """

    def __init__(self) -> None:
        self.length = 0
        self.lead = ""
        self.calls: list[int] = []
        self._parts: list[str] = []

    @property
    def text(self) -> str:
        return "".join(self._parts)

    def keep(self, raw: str) -> None:
        self._parts.append(raw)
        self.length += len(raw)
        if len(self.lead) < LEAD:
            self.lead = (self.lead + raw)[:LEAD]


class Thought:
    """A thought while it arrives.  ``closed``: its last piece was given already."""

    def __init__(self, emphasis: str = "", *, fenced: bool = False, closed: bool = False) -> None:
        self.closed = closed
        self._body = Body(emphasis, fenced=fenced)
        self._tail = ""  # what is not shown yet

    def __bool__(self) -> bool:
        return bool(self._body or self._tail)

    @property
    def text(self) -> str:
        """What was shown."""
        return self._body.text

    @property
    def whole(self) -> str:
        return self._body.with_end(self._tail).strip()

    def take(self, text: str) -> str:
        """What was held back, and ``text``."""
        taken, self._tail = self._tail + text, ""
        return taken

    def hold(self, text: str) -> None:
        self._tail = text

    def push(self, text: str) -> Pieces:
        return _piece(self._body.push(self.take(text)))

    def push_fence(self, raw: str) -> Pieces:
        return _piece(self._body.push(self.take("")) + self._body.push_fence(raw))

    def stream(self, following: int) -> Pieces:
        """Show what is certain.  ``following``: the characters held back after this text."""
        text = self.take("")
        cut = min(inline_label_start(text), max(0, len(text) + following - HOLD))
        shown = self._body.push(text[:cut])
        self._tail = text[cut:]
        return _piece(shown)

    def close(self, text: str = "") -> Pieces:
        """Show the rest."""
        shown = self._body.push(self.take(text))
        closes = bool(self._body) and not self.closed
        self.closed = True
        return [ParsedText(kind="thought", text=shown, last=True)] if closes else []


def _piece(shown: str) -> Pieces:
    return [ParsedText(kind="thought", text=shown)] if shown else []
