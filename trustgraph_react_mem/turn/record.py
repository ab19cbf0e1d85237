"""What is remembered of a turn: the payload of the ``record`` job, and the explanation that is kept with it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from ..memory.ports import JsonValue
from ..memory.timefmt import format_time
from ..rerank.citations import Citations
from ..settings import AgentMemSettings
from .working import Step, shortened

OBSERVATION_LIMIT = 8000  # characters of each result that a job carries


class RetrievalNote(Protocol):
    """How the memories were found, for a later replay (``recall.gather.RetrievalInfo``)."""

    @property
    def shown_ids(self) -> Sequence[str]: ...
    def payload(self) -> dict[str, JsonValue]: ...


class RecalledContext(Protocol):
    """What recall brought (``recall.gather.Recalled``)."""

    @property
    def facts(self) -> Sequence[Any]: ...
    @property
    def rules(self) -> Sequence[Any]: ...
    @property
    def episodes(self) -> Sequence[Any]: ...
    @property
    def missing(self) -> Sequence[Any]: ...
    @property
    def gate(self) -> Any: ...
    @property
    def query(self) -> Any: ...
    @property
    def retrieval(self) -> RetrievalNote | None: ...
    @property
    def timings_ms(self) -> Mapping[str, float]: ...
    @property
    def tokens(self) -> int: ...
    def variables(self) -> dict[str, JsonValue]: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """One finished turn.  ``invocation_id`` is of this turn alone, whatever session id a client gives."""

    conversation_id: str
    invocation_id: str
    question: str
    answer: str
    speaker: str
    asked_at: datetime
    answered_at: datetime
    steps: tuple[Step, ...]
    succeeded: bool
    flow: str
    settings: AgentMemSettings
    end_of_conversation: bool = False
    recalled: RecalledContext | None = None
    citations: Citations | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    def payload(self) -> dict[str, JsonValue]:
        return {
            "conversation_id": self.conversation_id,
            "invocation_id": self.invocation_id,
            "question": self.question,
            "answer": self.answer,
            "speaker": self.speaker,
            "asked_at": format_time(self.asked_at),
            "answered_at": format_time(self.answered_at),
            "steps": [
                {
                    "thought": step.thought,
                    "action": step.action,
                    "arguments": dict(step.arguments),
                    "observation": shortened(step.observation, OBSERVATION_LIMIT),
                }
                for step in self.steps
            ],
            "succeeded": self.succeeded,
            "recalled": [fact.id for fact in self.recalled.facts] if self.recalled else [],
            "retrieval": self._retrieval(),
            "end_of_conversation": self.end_of_conversation,
            "flow": self.flow,
            "settings": self.settings.model_dump(mode="json", by_alias=True),
            "explanation": self._explanation(),
        }

    def _retrieval(self) -> JsonValue:
        if self.recalled is None or self.recalled.retrieval is None:
            return None
        cited = self.citations
        return {
            **self.recalled.retrieval.payload(),
            "cited": list(cited.indices) if cited is not None and cited.state in ("cited", "none") else None,
            "citation": cited.state if cited is not None else "absent",
        }

    def _explanation(self) -> JsonValue:
        if self.recalled is None:
            return None
        return {
            "recalled": recalled_note(self.recalled, with_content=False),
            "cited": cited_note(self.recalled, self.citations, timings_ms=self.timings_ms),
        }


def recalled_note(recalled: RecalledContext, *, with_content: bool) -> dict[str, JsonValue]:
    """What was shown and why, and what of recall was missing.  Without content it holds no person's words."""
    return {
        "memories": [_memory(fact, with_content=with_content) for fact in recalled.facts],
        "rules": [fact.id for fact in recalled.rules],
        "episodes": [episode.id for episode in recalled.episodes],
        "missing": [{"part": part.part, "reason": part.reason} for part in recalled.missing],
        "gate": "" if recalled.gate.search else recalled.gate.reason,
        **({"query": recalled.query.text} if with_content else {}),
        "mode": recalled.query.mode,
        "tokens": recalled.tokens,
        "timings_ms": dict(recalled.timings_ms),
    }


def cited_note(
    recalled: RecalledContext | None, citations: Citations | None, *, timings_ms: Mapping[str, float], **more: JsonValue
) -> dict[str, JsonValue]:
    """Which of the memories shown the model cited."""
    facts = recalled.facts if recalled else ()
    indices = list(citations.indices) if citations else []
    return {
        "ids": [facts[index].id for index in indices if index < len(facts)],
        "indices": list[Any](indices),
        "citation": citations.state if citations else "absent",
        "timings_ms": dict(timings_ms),
        **more,
    }


def _memory(fact: Any, *, with_content: bool) -> dict[str, JsonValue]:
    note: dict[str, JsonValue] = {
        "id": fact.id,
        "kind": fact.kind,
        "score": fact.score,
        "retrieval_score": fact.retrieval_score,
        "similarity": fact.similarity,
        "probability": fact.probability,
        "rank_before": fact.rank_before,
        "why": dict(fact.why),
    }
    if with_content:
        note |= {"content": fact.content, "speaker": fact.speaker, "said_at": fact.timestamp}
    return note
