"""Parses the output of one model call while it streams, removes citations and the lines that change rules, and passes the
pieces to the listener.

What was shown cannot be taken back.  If it turns out to be no answer, because the model broke off or had only been thinking,
the message is closed, and the complete answer follows as a message of its own.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from ...rerank.citations import Citations, CitationStripper
from ...turn.decisions import Decision, FinalAnswer, ParsedText, Unparsed
from ...turn.parse import ReactParser
from .messages import StockMessages


class AnswerStream:
    """Processes one output.

    Arguments:
        number: number of the step, from 1.
        shown: number of memories in the prompt, which the model may cite.
        strip: remove citations, and lines that change rules, before the listener gets the text.  False without memory.
        is_tool: whether a tool of that name may be called.
        before: text that was shown by an earlier output, which had no answer.
    """

    def __init__(
        self,
        listener: StockMessages,
        number: int,
        *,
        shown: int,
        strip: bool,
        is_tool: Callable[[str], bool] = lambda name: False,
        before: str = "",
    ) -> None:
        self._listener = listener
        self._number = number
        self._parser = ReactParser(is_tool, rules=strip)
        self._shown = shown
        self._strip = strip
        self._streaming = False
        self._fed = 0
        self._begin(before)

    def _begin(self, before: str) -> None:
        """Start an answer.  ``before``: what is in the open message already."""
        self._stripper = CitationStripper(self._shown) if self._strip else None
        self._before = before
        self._answered: list[str] = []
        self.citations: Citations | None = None

    @property
    def answered(self) -> str:
        """The answer without its citations."""
        return "".join(self._answered)

    @property
    def rules(self) -> list[str]:
        """The lines that change rules, without their label."""
        return self._parser.rules

    @property
    def in_message(self) -> str:
        """The text of the open answer message, as the person sees it."""
        return self._before or self.answered

    async def feed(self, text: str) -> None:
        """Process the next chunk and send what can be shown."""
        self._streaming = True
        self._fed += len(text)
        await self._emit(self._parser.feed(text))

    async def end(self, text: str) -> Decision:
        """Finish with the complete ``text`` and return its decision.  Text that was not fed before is processed now."""
        await self._emit(self._parser.feed(text[self._fed :]))
        await self._emit(self._parser.finish())
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

    async def _emit(self, pieces: Sequence[ParsedText]) -> None:
        for piece in pieces:
            if piece.kind == "answer":
                await self._answer(self._stripper.feed(piece.text) if self._stripper else piece.text)
            elif piece.kind == "restart":
                self._begin(self.in_message)
            elif self._streaming:
                await self._listener.thought(self._number, piece.text, last=piece.last)

    async def _answer(self, visible: str) -> None:
        if not visible:
            return
        self._answered.append(visible)
        if not self._streaming:
            return
        if self._before:
            self._before = ""
            await self._listener.answer_withdrawn()
        await self._listener.answer(visible)
