"""Parses the output of one model call while it streams, removes citations and passes the pieces to the listener."""

import re
from collections.abc import Sequence
from dataclasses import replace

from ..rerank.citations import Citations, CitationStripper
from .parse import Decision, FinalAnswer, ParsedText, ReactParser, Unparsed
from .ports import TurnListener

# Small models repeat the citation example of the prompt even if no memories were shown.  Then only that example is removed,
# because an answer may end with a real list.
_ECHO = re.compile(r"\s*\[0(?:, ?2)?\]\s*\Z")
_ECHO_BEGINS = re.compile(r"\s*\[?(?:(?<=\[)0(?:, ?2?)?)?\]?\s*\Z")


class AnswerStream:
    """Processes one output.

    Arguments:
        number: number of the step, from 1.
        shown: number of memories in the prompt, which the model may cite.
        strip: remove citations before the listener gets the text.  False for a turn without memory.
    """

    def __init__(self, listener: TurnListener, number: int, *, shown: int, strip: bool) -> None:
        self._listener = listener
        self._number = number
        self._parser = ReactParser()
        self._stripper = CitationStripper(shown) if strip else None
        self._echoes = strip and not shown
        self._maybe_echo = ""
        self._fed = ""
        self._streaming = False
        self.answered = ""
        self.citations: Citations | None = None

    async def feed(self, text: str) -> None:
        """Process the next chunk and send what can be shown."""
        self._streaming = True
        self._fed += text
        await self._emit(self._parser.feed(text))

    async def end(self, text: str) -> Decision:
        """Finish with the complete ``text`` and return its decision.  Text that was not fed before is processed now."""
        rest = text if not self._fed else text[len(self._fed) :] if text.startswith(self._fed) else ""
        await self._emit(self._parser.feed(rest))
        await self._emit(self._parser.finish())
        if self._stripper is not None:
            await self._answer(self._stripper.end(), last=True)
            self.citations = self._stripper.citations
        decision = self._parser.decision
        if isinstance(decision, FinalAnswer):
            visible = self.answered.strip()
            if not visible:
                return Unparsed(thought=decision.thought, text=decision.thought, reason="The Final Answer was empty.")
            return replace(decision, text=visible)
        return decision

    async def _emit(self, pieces: Sequence[ParsedText]) -> None:
        for piece in pieces:
            if piece.kind == "answer":
                await self._answer(self._stripper.feed(piece.text) if self._stripper else piece.text)
            elif self._streaming:
                await self._listener.thought(self._number, piece.text, last=piece.last)

    async def _answer(self, visible: str, *, last: bool = False) -> None:
        if self._echoes:
            visible, self._maybe_echo = self._maybe_echo + visible, ""
            found = _ECHO.search(visible) if last else _ECHO_BEGINS.search(visible)
            if found is not None and not last:
                self._maybe_echo = found.group()
            visible = visible[: found.start()] if found is not None else visible
        if not visible:
            return
        self.answered += visible
        if self._streaming:
            await self._listener.answer(visible)
