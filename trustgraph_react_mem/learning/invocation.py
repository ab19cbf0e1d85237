"""One finished request as the agent reported it, screened by the data policy before anything of it is stored."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from ..jobs.payload import read_text, read_time
from ..memory.policies import DataPolicy
from ..memory.ports import Job, JsonValue
from ..memory.records import Fact, Invocation, turn_id
from ..memory.scope import Scope

NOT_KEPT = "[not kept]"
LONGEST_STEP = 600
DEFAULT_SPEAKER = "User"
ASSISTANT = "Assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolStep:
    """One step of the loop; ``action`` is empty for a thought without a tool."""

    thought: str
    action: str
    arguments: str
    observation: str

    def line(self) -> str:
        """As it is kept with the invocation: ``lookup {"a": 1} -> what came back``."""
        told = f"{self.action} {self.arguments}".strip() if self.action else self.thought
        return _clipped(f"{told} -> {self.observation}" if self.observation else told)

    def payload(self) -> dict[str, JsonValue]:
        return {
            "thought": _clipped(self.thought),
            "action": self.action,
            "arguments": _clipped(self.arguments),
            "observation": _clipped(self.observation),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedTurn:
    """A question with its answer.  ``hidden`` counts what the data policy found, by kind."""

    conversation_id: str
    invocation_id: str
    question: str
    answer: str
    speaker: str
    asked_at: datetime
    answered_at: datetime
    steps: tuple[ToolStep, ...]
    succeeded: bool
    recalled_ids: tuple[str, ...]
    hidden: Mapping[str, int]

    @property
    def task_like(self) -> bool:
        """A problem was worked on: a tool was used, several steps were taken, or it failed.

        Source: agentic memory specification, Invocation End.
        """
        return any(step.action for step in self.steps) or len(self.steps) > 1 or not self.succeeded

    def summary(self) -> str:
        """What the agent did, without a model: its tools in order."""
        return " -> ".join(step.action for step in self.steps if step.action)

    def invocation(self) -> Invocation:
        return Invocation(
            id=self.invocation_id,
            conversation_id=self.conversation_id,
            query=self.question or NOT_KEPT,
            summary=self.summary(),
            result=self.answer or NOT_KEPT,
            at=self.answered_at,
            speaker=self.speaker,
            succeeded=self.succeeded,
            steps=tuple(step.line() for step in self.steps),
            recalled_ids=self.recalled_ids,
        )

    def turns(self, scope: Scope, position: int, *, job: Job) -> list[Fact]:
        """Question and answer as verbatim records; ``position`` is the invocation's place, from 0.

        The text of a failed answer is an apology, not a memory: only the question is kept.
        """
        question = Fact(
            id=turn_id(scope, self.conversation_id, self.invocation_id, "question"),
            scope=scope,
            kind="turn",
            content=self.question,
            created_at=job.created_at,
            trust="user",
            speaker=self.speaker,
            source=self.conversation_id,
            invocation_id=self.invocation_id,
            position=2 * position,
            said_at=self.asked_at,
            job_id=job.id,
            trigger=job.trigger,
            metadata={"role": "user"},
        )
        answer = Fact(
            id=turn_id(scope, self.conversation_id, self.invocation_id, "answer"),
            scope=scope,
            kind="turn",
            content=self.answer,
            created_at=job.created_at,
            trust="assistant",
            speaker=ASSISTANT,
            source=self.conversation_id,
            invocation_id=self.invocation_id,
            position=2 * position + 1,
            said_at=self.answered_at,
            importance=0.4,
            job_id=job.id,
            trigger=job.trigger,
            metadata={"role": "assistant"},
        )
        return [turn for turn in (question, answer) if turn.content and (turn is question or self.succeeded)]


def finished_turn(job: Job, policy: DataPolicy) -> FinishedTurn:
    """The turn that a ``record`` job carries, after the data policy.

    Raises:
        BadRequest: an id is missing or a field has another type.
    """
    hidden: dict[str, int] = {}

    def screened(text: str) -> str:
        result = policy.screen(text)
        for kind, number in result.found.items():
            hidden[kind] = hidden.get(kind, 0) + number
        return result.text

    raw_steps = job.payload.get("steps")
    steps = [step for step in raw_steps if isinstance(step, Mapping)] if isinstance(raw_steps, list) else []
    recalled = job.payload.get("recalled")
    return FinishedTurn(
        conversation_id=read_text(job, "conversation_id", needed=True),
        invocation_id=read_text(job, "invocation_id", needed=True),
        question=screened(read_text(job, "question").strip()),
        answer=screened(read_text(job, "answer").strip()),
        speaker=read_text(job, "speaker") or DEFAULT_SPEAKER,
        asked_at=read_time(job, "asked_at"),
        answered_at=read_time(job, "answered_at"),
        steps=tuple(
            ToolStep(
                thought=screened(_text(step, "thought")),
                action=_text(step, "action"),
                arguments=screened(_text(step, "arguments")),
                observation=screened(_text(step, "observation")),
            )
            for step in steps
        ),
        succeeded=job.payload.get("succeeded") is not False,
        recalled_ids=tuple(str(item) for item in recalled) if isinstance(recalled, list) else (),
        hidden=hidden,
    )


def _text(step: Mapping[str, JsonValue], key: str) -> str:
    value = step.get(key)
    return value if isinstance(value, str) else ("" if value is None else str(value))


def _clipped(text: str) -> str:
    return text if len(text) <= LONGEST_STEP else text[: LONGEST_STEP - 1] + "…"
