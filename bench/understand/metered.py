"""A language model whose background calls are counted."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field

from trustgraph_react_mem.memory.tokens import count_tokens
from trustgraph_react_mem.models.chat import ChatModel, ChatPiece, ChatRequest

from ..talk.prompt_text import template_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Calls, and tokens of their prompts and answers."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: "Cost") -> "Cost":
        return Cost(
            calls=self.calls + other.calls,
            tokens_in=self.tokens_in + other.tokens_in,
            tokens_out=self.tokens_out + other.tokens_out,
        )


@dataclass(slots=True)
class Metered:
    """``model`` answers the prompts of background jobs, ``agent`` all others.

    Tokens are counted in the rendered prompt and in the answer, by the same count for each model.  The schema of the answer,
    which some endpoints count as part of the prompt, is not in it.
    """

    model: ChatModel
    agent: ChatModel
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
        name = _background(request)
        texts = []
        async for piece in (self.model if name else self.agent).stream(request):
            texts.append(piece.text)
            yield piece
        self._count(name, request, "".join(texts))

    async def complete(self, request: ChatRequest) -> ChatPiece:
        name = _background(request)
        piece = await (self.model if name else self.agent).complete(request)
        self._count(name, request, piece.text)
        return piece

    def _count(self, name: str, request: ChatRequest, answer: str) -> None:
        if name:
            prompt = count_tokens(request.system) + count_tokens(request.prompt)
            self.costs[name] = self.costs.get(name, Cost()) + Cost(calls=1, tokens_in=prompt, tokens_out=count_tokens(answer))

    async def models(self) -> list[str]:
        return await self.model.models()

    async def close(self) -> None:
        await self.model.close()


def _background(request: ChatRequest) -> str:
    """The template of a background prompt; else empty."""
    template = template_of(request.prompt)
    return template.name if template is not None and template.name.startswith("memory-") else ""


def total(costs: Mapping[str, Cost]) -> Cost:
    return sum(costs.values(), Cost())
