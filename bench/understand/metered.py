"""A language model whose background calls are counted."""

from collections import Counter
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.models.chat import ChatModel, ChatPiece, ChatRequest

from ..talk.prompt_text import template_of

Cost = Counter[str]  # calls, tokens_in, tokens_out


@dataclass(slots=True)
class Metered:
    """``model`` answers the prompts of background jobs.  The agent says ``answer``.

    Tokens are counted in the rendered prompt and in the answer, by the same count for each model.  The schema of the answer,
    which some endpoints count as part of the prompt, is not in it.
    """

    model: ChatModel
    answer: str = ""
    costs: dict[str, Cost] = field(default_factory=dict)  # by template
    name: str = ""
    where: str = ""

    def __post_init__(self) -> None:
        self.name, self.where = self.model.name, self.model.where

    def take(self) -> dict[str, Cost]:
        """The costs since the last call of this."""
        taken, self.costs = self.costs, {}
        return taken

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        yield await self.complete(request)

    async def complete(self, request: ChatRequest) -> ChatPiece:
        template = template_of(request.prompt)
        if template is None or not template.name.startswith("memory-"):
            return ChatPiece(text=f"Thought: I can answer this.\nFinal Answer: {self.answer} [NO_CITE]", final=True)
        piece = await self.model.complete(request)
        prompt = count_tokens(request.system) + count_tokens(request.prompt)
        cost = self.costs.setdefault(template.name, Cost())
        cost.update(calls=1, tokens_in=prompt, tokens_out=count_tokens(piece.text))
        return piece

    async def models(self) -> list[str]:
        return await self.model.models()

    async def close(self) -> None:
        await self.model.close()
