"""Plays lives through a stack and notes for each question what was in the prompt and what was answered."""

from dataclasses import dataclass
from typing import Any

from trustgraph_react_mem.memory.requests import EndConversation
from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.models.chat import ChatRequest
from trustgraph_react_mem.schema import AgentRequest

from .client import MOST_BACKGROUND_S, TalkClient
from .lives import UNKNOWN, Life, Said
from .prompt_text import read_blocks, recalled_text, template_of
from .understood import PROMPT, answer_with, empty_answer
from .values import holds

LONG_ANSWER = " ".join(f"Part {number} of this long answer tells more about it, with much detail." for number in range(1, 70))
UNSURE = "I do not know."


@dataclass(slots=True)
class Script:
    """What the scripted model says: the value of a question if it is in the prompt, and what each statement means.

    ``tokens``: of the agent's prompts in the current turn.
    """

    life: Life | None = None
    now: Said | None = None
    tokens: int = 0

    def answer(self, request: ChatRequest) -> str:
        template = template_of(request.prompt)
        if template is not None and not template.name.startswith("agent-"):
            return self._background(template.name, request)
        self.tokens += count_tokens(request.prompt)
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
            return empty_answer(request)
        return answer_with([said.item for said in self.life.messages if said.item is not None], request.prompt)


def shows(prompt: str, value: str) -> bool:
    """Whether memory brought the value into the prompt: in any block but the question."""
    return holds(recalled_text(read_blocks(prompt)), value)


async def play_life(client: TalkClient, script: Script) -> list[dict[str, Any]]:
    """Play the script's life.  Returns a row for each question."""
    assert script.life is not None
    rows = []
    life = script.life
    user = f"talk-{life.name}"
    for said in life.messages:
        script.now, script.tokens = said, 0
        request = AgentRequest(
            question=said.text, user=user, conversation_id=said.conversation, asked_at=said.at.isoformat(), streaming=False
        )
        turn = await client.ask(request)
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
                    "tokens": script.tokens + count_tokens(answer),
                }
            )
    return rows
