"""One text of the model on its way out: parsed, citations taken off, said piece by piece when it is streamed."""

from collections.abc import Sequence
from dataclasses import replace

from ..rerank.citations import Citations, CitationStripper
from .parse import Decision, FinalAnswer, Piece, ReactParser, Unparsed
from .ports import Listener


class Speech:
    """``strip``: citations of the ``shown`` memories are taken off."""

    def __init__(self, listener: Listener, number: int, *, shown: int, strip: bool) -> None:
        self._listener = listener
        self._number = number
        self._parser = ReactParser()
        self._stripper = CitationStripper(shown) if strip else None
        self._heard = ""
        self._streaming = False
        self.answered = ""
        self.citations: Citations | None = None

    async def hear(self, text: str) -> None:
        self._streaming = True
        self._heard += text
        await self._say(self._parser.feed(text))

    async def end(self, text: str) -> Decision:
        """``text`` is the whole; what of it was not heard yet is heard now."""
        rest = text if not self._heard else text[len(self._heard) :] if text.startswith(self._heard) else ""
        await self._say(self._parser.feed(rest))
        await self._say(self._parser.finish())
        if self._stripper is not None:
            await self._answer(self._stripper.end())
            self.citations = self._stripper.citations
        decision = self._parser.decision
        if isinstance(decision, FinalAnswer):
            visible = self.answered.strip()
            if not visible:
                return Unparsed(thought=decision.thought, text=decision.thought, reason="The Final Answer was empty.")
            return replace(decision, text=visible)
        return decision

    async def _say(self, pieces: Sequence[Piece]) -> None:
        for piece in pieces:
            if piece.kind == "answer":
                await self._answer(self._stripper.feed(piece.text) if self._stripper else piece.text)
            elif self._streaming:
                await self._listener.thought(self._number, piece.text, last=piece.last)

    async def _answer(self, visible: str) -> None:
        if not visible:
            return
        self.answered += visible
        if self._streaming:
            await self._listener.answer(visible)
