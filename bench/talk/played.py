"""Plays lives through a stack and notes for each question what was in the prompt and what was answered."""

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from trustgraph_react_mem.memory.requests import EndConversation
from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.models.chat import ChatModel, ChatPiece, ChatRequest
from trustgraph_react_mem.schema import AgentRequest

from .background import empty_answer
from .client import TalkClient
from .lives import UNKNOWN, Life, Said
from .prompt_text import read_blocks, recalled_text, template_of
from .understood import PROMPT, answer_with
from .values import holds

LONG_ANSWER = " ".join(f"Part {number} of this long answer tells more about it, with much detail." for number in range(1, 70))
MOST_BACKGROUND_S = 600.0  # a slow model learns from a conversation for minutes
UNSURE = "I do not know."


@dataclass(slots=True)
class Observed:
    """A language model whose agent prompts are noted."""

    model: ChatModel
    prompts: list[str] = field(default_factory=list)
    name: str = ""
    where: str = ""

    def __post_init__(self) -> None:
        self.name, self.where = self.model.name, self.model.where

    def _note(self, request: ChatRequest) -> None:
        template = template_of(request.prompt)
        if template is None or template.name.startswith("agent-"):
            self.prompts.append(request.prompt)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        self._note(request)
        async for piece in self.model.stream(request):
            yield piece

    async def complete(self, request: ChatRequest) -> ChatPiece:
        self._note(request)
        return await self.model.complete(request)

    async def models(self) -> list[str]:
        return await self.model.models()

    async def close(self) -> None:
        await self.model.close()


@dataclass(slots=True)
class Script:
    """What the scripted model says: the value of a question if it is in the prompt, and what each statement means."""

    life: Life | None = None
    now: Said | None = None

    def answer(self, request: ChatRequest) -> str:
        template = template_of(request.prompt)
        if template is not None and not template.name.startswith("agent-"):
            return self._background(template.name, request)
        return f"Thought: I can answer this.\nFinal Answer: {self._final(request.prompt)} <cite>none</cite>"

    def _final(self, prompt: str) -> str:
        assert self.now is not None
        if self.now.long:
            return LONG_ANSWER
        question = self.now.question
        if question is None:
            return "Thank you for telling me."
        return f"{question.value}." if question.value and shows(prompt, question.value) else UNSURE

    def _background(self, name: str, request: ChatRequest) -> str:
        if name != PROMPT or self.life is None:
            return empty_answer(name, request)
        return answer_with([said.item for said in self.life.messages if said.item is not None], request.prompt)


def shows(prompt: str, value: str) -> bool:
    """Whether memory brought the value into the prompt: in any block but the question."""
    return holds(recalled_text(read_blocks(prompt)), value)


async def play_life(client: TalkClient, observed: Observed, script: Script) -> list[dict[str, Any]]:
    """Play the script's life.  Returns a row for each question."""
    assert script.life is not None
    rows = []
    life = script.life
    user = f"talk-{life.name}"
    for said in life.messages:
        script.now = said
        observed.prompts.clear()
        request = AgentRequest(
            question=said.text, user=user, conversation_id=said.conversation, asked_at=said.at.isoformat(), streaming=False
        )
        turn = await client.ask(request)
        tokens = sum(map(count_tokens, observed.prompts)) + count_tokens(turn.trace.answer)
        if said.ends:
            await client.bus.call(EndConversation(user=user, conversation_id=said.conversation))
        await client.wait_idle(user, within_s=MOST_BACKGROUND_S)
        if said.question is not None:
            value, answer = said.question.value, turn.trace.answer
            known = said.question.category != UNKNOWN
            rows.append(
                {
                    "life": life.name,
                    "category": said.question.category,
                    "asked": said.text,
                    "value": value,
                    "answer": answer,
                    "right": holds(answer, value) if known else UNSURE in answer,
                    "tokens": tokens,
                }
            )
    return rows
