"""The interface of language models: request, streamed answer, errors."""

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRequest:
    """``schema``: JSON Schema of the answer; ``json``: any JSON object.  Empty or None: the model's default."""

    system: str = ""
    prompt: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    schema: Mapping[str, Any] | None = None
    json: bool = False
    model: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatPiece:
    """A piece of the answer.  The final one has the token counts, and its text may be empty."""

    text: str = ""
    in_tokens: int = 0
    out_tokens: int = 0
    cached_tokens: int = 0
    model: str = ""
    final: bool = False


class ChatModel(Protocol):
    """A language model.  ``name``: model name; ``where``: who serves it, for people."""

    name: str
    where: str

    def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        """The answer in pieces, the last one ``final``.  Closing the iterator stops the model.

        Raises: ModelUnavailable, RateLimited, ModelAnswerError, BadRequest (the prompt is too long).
        """
        ...

    async def complete(self, request: ChatRequest) -> ChatPiece:
        """The whole answer.  Raises as ``stream``."""
        return await join_pieces(self.stream(request))

    async def models(self) -> list[str]:
        """Those that it offers."""
        return [self.name]

    async def close(self) -> None: ...


def messages(request: ChatRequest) -> list[dict[str, str]]:
    system = [{"role": "system", "content": request.system}] if request.system else []
    return [*system, {"role": "user", "content": request.prompt}]


def response_format(request: ChatRequest) -> dict[str, Any] | None:
    """OpenAI's ``response_format`` for the request's schema."""
    if request.schema is not None:
        strict = _closed(request.schema)
        return {"type": "json_schema", "json_schema": {"name": "answer", "strict": strict, "schema": dict(request.schema)}}
    return {"type": "json_object"} if request.json else None


def _closed(schema: object) -> bool:
    """Whether every object lists and requires all its properties, as OpenAI's strict mode demands."""
    if isinstance(schema, list):
        return all(_closed(item) for item in schema)
    if not isinstance(schema, Mapping):
        return True
    if schema.get("type") == "object" or "properties" in schema:
        properties = schema.get("properties", {})
        if schema.get("additionalProperties") is not False or set(schema.get("required", ())) != set(properties):
            return False
        return all(_closed(value) for value in properties.values())
    return all(_closed(schema[keyword]) for keyword in ("items", "anyOf", "oneOf", "allOf") if keyword in schema)


async def join_pieces(pieces: AsyncIterator[ChatPiece]) -> ChatPiece:
    """The pieces as one."""
    texts = []
    last = ChatPiece(final=True)
    async for piece in pieces:
        texts.append(piece.text)
        last = piece
    return replace(last, text="".join(texts), final=True)
