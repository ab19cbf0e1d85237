"""Plays lives through a stack and notes for each question what was in the prompt and what was answered."""

from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trustgraph_react_mem.memory.requests import EndConversation
from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.models.chat import ChatModel, ChatPiece, ChatRequest
from trustgraph_react_mem.schema import AgentRequest

from .background import empty_answer
from .client import TalkClient
from .grading import grade, holds
from .lives import UNKNOWN, Life, Said
from .prompt_text import read_blocks, recalled_text, template_of
from .understood import PROMPT, answer_with

LONG_ANSWER = " ".join(f"Part {number} of this long answer tells more about it, with much detail." for number in range(1, 70))
MOST_BACKGROUND_S = 600.0  # a slow model learns from a conversation for minutes
RIGHT, MEMORY, MODEL, ABSTAINED = "right", "wrong (memory)", "wrong (model)", "abstained"
OUTCOMES = (RIGHT, MEMORY, MODEL, ABSTAINED)


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
        return f"{question.value}." if question.value and shows(prompt, question.value) else "I do not know."

    def _background(self, name: str, request: ChatRequest) -> str:
        if name != PROMPT or self.life is None:
            return empty_answer(name, request)
        return answer_with([said.item for said in self.life.messages if said.item is not None], request.prompt)


def shows(prompt: str, value: str) -> bool:
    """Whether memory brought the value into the prompt: in any block but the question."""
    return holds(recalled_text(read_blocks(prompt)), value)


async def play_life(
    client: TalkClient, observed: Observed, script: Script, note: Callable[[dict[str, Any]], None]
) -> list[dict[str, Any]]:
    """Play the script's life.  Returns a row for each question; ``note`` gets each as soon as it is answered."""
    assert script.life is not None
    rows = []
    life = script.life
    user = f"talk-{life.name}"
    for number, said in enumerate(life.messages):
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
            prompt = observed.prompts[0] if observed.prompts else ""
            rows.append(_row(life, number, said, prompt, turn.trace.answer) | {"tokens": tokens, "error": turn.trace.error})
            note(rows[-1])
    return rows


def _row(life: Life, number: int, said: Said, prompt: str, answer: str) -> dict[str, Any]:
    assert said.question is not None
    question = said.question
    known = question.category != UNKNOWN
    evidence = shows(prompt, question.value) if known else None
    graded = grade(answer, question.value, question.wrong)
    return {
        "life": life.name,
        "number": number,
        "category": question.category,
        "asked": said.text,
        "value": question.value,
        "answer": answer,
        "evidence": evidence,
        "outcome": outcome(graded, known=known, evidence=bool(evidence)),
    }


def outcome(graded: str, *, known: bool, evidence: bool) -> str:
    """For what was never told, abstaining is right.  A wrong answer is memory's fault if the evidence was not shown."""
    if not known:
        return RIGHT if graded == "abstained" else MODEL
    if graded == "right":
        return RIGHT
    if not evidence:
        return MEMORY
    return ABSTAINED if graded == "abstained" else MODEL


def counts(rows: Sequence[Mapping[str, Any]]) -> dict[str, int]:
    return {name: sum(row["outcome"] == name for row in rows) for name in OUTCOMES}
