"""A clock that tests move and a language model that answers by script."""

import asyncio
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta

from trustgraph_react_mem.memory.ports import Completion, JsonValue


class SimulatedClock:
    """A short pause passes by itself, after everybody else had a turn; a long one only when ``advance`` has passed it."""

    def __init__(self, start: datetime, *, passes_by_itself_s: float = 60.0) -> None:
        self._now = start
        self._limit_s = passes_by_itself_s
        self._moved = asyncio.Event()

    def now(self) -> datetime:
        return self._now

    def advance(self, seconds: float) -> None:
        self._now += timedelta(seconds=seconds)
        self._moved.set()

    async def sleep(self, seconds: float) -> None:
        for _ in range(50):
            await asyncio.sleep(0)
        if seconds <= self._limit_s:
            self.advance(seconds)
            return
        wakes = self._now + timedelta(seconds=seconds)
        while self._now < wakes:
            self._moved.clear()
            await self._moved.wait()


Answer = JsonValue | Exception | Callable[[Mapping[str, JsonValue]], JsonValue]


class InTurn:
    """One answer after the other; the last one from then on."""

    def __init__(self, *answers: Answer) -> None:
        self._answers = list(answers)

    def next(self) -> Answer:
        return self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]


class ScriptedLanguageModel:
    """Answers by prompt id: an object or text, an error to raise, a function of the variables, or several in turn."""

    def __init__(self, answers: Mapping[str, Answer | InTurn] | None = None) -> None:
        self.answers: dict[str, Answer | InTurn] = dict(answers or {})
        self.calls: list[tuple[str, Mapping[str, JsonValue]]] = []
        self.tokens = 100
        self.away: Exception | None = None

    async def prompt(self, prompt_id: str, variables: Mapping[str, JsonValue]) -> Completion:
        self.calls.append((prompt_id, variables))
        await asyncio.sleep(0)
        if self.away is not None:
            raise self.away
        answer = self.answers.get(prompt_id, "")
        if isinstance(answer, InTurn):
            answer = answer.next()
        if isinstance(answer, Exception):
            raise answer
        said = answer(variables) if callable(answer) else answer
        half = self.tokens // 2
        if isinstance(said, str):
            return Completion(text=said, in_tokens=half, out_tokens=half, model="scripted")
        return Completion(object=said, in_tokens=half, out_tokens=half, model="scripted")

    def called(self, prompt_id: str) -> int:
        return sum(1 for name, _ in self.calls if name == prompt_id)
