"""A language model that follows a script: for tests, benches and demonstrations where every run must be the same.

Without a script it reads the prompt like a very plain model: it answers with the memory that has most words in common with
the question, and cites it; asked for JSON, it gives the emptiest answer that the schema allows.
"""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from ..errors import ConfigurationError, ModelUnavailable, RateLimited
from ..models.chat import ChatModel, ChatPiece, ChatRequest

Failure = Literal["", "unavailable", "rate-limit"]
Answer = str | Callable[[ChatRequest], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """``when``: regular expression searched in the system and the user prompt.  ``answer``: one, or several used in turn, the
    last one from then on.  ``chunks``: pieces it is streamed in (0 = a piece a word).  ``times``: how often the rule holds
    (0 = always).  ``error``: the failure instead of an answer.
    """

    when: str = ""
    answer: Answer | Sequence[Answer] = ""
    chunks: int = 0
    delay_s: float = 0.0
    piece_delay_s: float = 0.0
    error: Failure = ""
    times: int = 0


@dataclass(slots=True)
class ScriptedModel(ChatModel):
    """The first rule that holds answers; else ``default``; None = the plain reading above."""

    rules: Sequence[Rule] = ()
    default: Answer | None = None
    name: str = "scripted"
    where: str = "from a script"
    calls: list[ChatRequest] = field(default_factory=list)
    stopped: int = 0  # answers whose reader left before the end
    _used: dict[int, int] = field(default_factory=dict)

    @classmethod
    def load(cls, file: str = "") -> "ScriptedModel":
        """From ``{"rules": [{"when": ..., "answer": ...}], "default": ...}``; no file: the plain reading.

        Raises:
            ConfigurationError: the file is not there, or holds something else.
        """
        if not file:
            return cls()
        try:
            raw = json.loads(Path(file).read_text(encoding="utf-8"))
            rules = [Rule(**rule) for rule in raw.get("rules", [])]
            for rule in rules:
                re.compile(rule.when)
            return cls(rules=rules, default=raw.get("default"))
        except (OSError, ValueError, TypeError, AttributeError, re.error) as error:
            raise ConfigurationError(
                f"the script {file} cannot be used ({type(error).__name__}: {error}): "
                'it must hold {"rules": [{"when": "regular expression", "answer": "text"}], "default": "text"}'
            ) from None

    def count(self, pattern: str = "") -> int:
        """Calls whose prompt holds the pattern."""
        return sum(bool(re.search(pattern, _whole(call))) for call in self.calls)

    async def stream(self, request: ChatRequest) -> AsyncIterator[ChatPiece]:
        self.calls.append(request)
        rule, answer = self._answer(request)
        if rule.delay_s:
            await asyncio.sleep(rule.delay_s)
        if rule.error == "rate-limit":
            raise RateLimited(f"{self.name} limits the rate, as its script says")
        if rule.error:
            raise ModelUnavailable(f"{self.name} does not answer, as its script says")
        whole = False
        try:
            for piece in _pieces(answer, rule.chunks):
                yield ChatPiece(text=piece, model=self.name)
                # Also without a delay other tasks get their turn, as between the pieces of a real model.
                await asyncio.sleep(rule.piece_delay_s)
            whole = True
        finally:
            self.stopped += not whole
        yield ChatPiece(in_tokens=len(_whole(request).split()), out_tokens=len(answer.split()), model=self.name, final=True)

    async def close(self) -> None:
        """Nothing is held."""

    def _answer(self, request: ChatRequest) -> tuple[Rule, str]:
        for index, rule in enumerate(self.rules):
            used = self._used.get(index, 0)
            if (rule.times and used >= rule.times) or not re.search(rule.when, _whole(request), re.DOTALL):
                continue
            self._used[index] = used + 1
            answers = [rule.answer] if isinstance(rule.answer, str) or callable(rule.answer) else rule.answer
            return rule, _compute(answers[min(used, len(answers) - 1)], request)
        return Rule(), _compute(plain_answer if self.default is None else self.default, request)


def plain_answer(request: ChatRequest) -> str:
    """What the script-less model says."""
    if request.schema is not None:
        return json.dumps(emptiest(request.schema))
    block = re.findall(r"<memories>\n(.*?)</memories>", request.prompt, re.DOTALL)
    memories = re.findall(r"^- Memory \[(\d+)\]: (.*)$", block[-1], re.MULTILINE) if block else []
    questions = re.findall(r"^Question: (.*)$", request.prompt, re.MULTILINE)
    asked = _words(questions[-1]) if questions else set()
    best = max(memories, key=lambda memory: len(asked & _words(memory[1])), default=None)
    if best is not None and asked & _words(best[1]):
        return f"Thought: Memory {best[0]} tells it.\nFinal Answer: {best[1]} <cite>{best[0]}</cite>"
    if questions:
        return f"Thought: No memory tells it.\nFinal Answer: I have noted: {questions[-1]} <cite>none</cite>"
    return "Nothing to add."


def emptiest(schema: Mapping[str, Any]) -> Any:
    """The smallest value a JSON schema allows, as far as types, enums, required properties and least lengths say."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for keyword in ("anyOf", "oneOf"):
        if keyword in schema:
            return emptiest(schema[keyword][0])
    kind = schema.get("type", "object")
    match kind[0] if isinstance(kind, list) else kind:
        case "object":
            properties = schema.get("properties", {})
            return {name: emptiest(properties.get(name, {"type": "string"})) for name in schema.get("required", [])}
        case "array":
            return [emptiest(schema.get("items", {"type": "string"})) for _ in range(schema.get("minItems", 0))]
        case "string":
            return "-" * schema.get("minLength", 0)
        case "integer" | "number":
            return schema.get("minimum", 0)
        case "boolean":
            return False
        case _:
            return None


def _whole(request: ChatRequest) -> str:
    return f"{request.system}\n\n{request.prompt}"


def _compute(answer: Answer, request: ChatRequest) -> str:
    return answer if isinstance(answer, str) else answer(request)


def _words(text: str) -> set[str]:
    return {word for word in re.findall(r"\w+", text.lower()) if len(word) > 3}


def _pieces(text: str, chunks: int) -> list[str]:
    if not text:
        return []
    if chunks <= 0:
        return re.findall(r"\s*\S+\s*$|\s*\S+", text) or [text]
    size = -(-len(text) // chunks)
    return [text[start : start + size] for start in range(0, len(text), size)]
