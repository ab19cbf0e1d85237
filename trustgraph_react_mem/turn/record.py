"""The record of a turn: the payload of the ``record`` job, with the explanation that is stored in it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ..memory.ports import JsonValue
from ..memory.tokens import shorten
from ..recall.records import Recalled
from ..rerank.citations import Citations
from ..schema import Fact
from .decisions import RuleChange
from .request import TurnRequest
from .working import Step

OBSERVATION_LIMIT = 8000  # maximum characters of each result in the payload
ABOUT_LIMIT = 500  # maximum characters of the description of a tool


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRecord:
    """One finished turn.  ``recalled`` and ``citations`` are None if nothing was recalled, or the recall is unknown here.

    ``rules``: the rules that the user gave or withdrew, as the model understood.
    """

    request: TurnRequest
    answer: str
    answered_at: datetime
    steps: tuple[Step, ...]
    succeeded: bool
    recalled: Recalled | None = None
    citations: Citations | None = None
    rules: tuple[RuleChange, ...] = ()
    timings_ms: Mapping[str, float] = field(default_factory=dict)

    @property
    def conversation_id(self) -> str:
        """The conversation that records the turn: the one that recall found, if the client named none."""
        found = self.recalled.conversation_id if self.recalled else ""
        return self.request.conversation_id or found or self.request.recorded_conversation_id

    def payload(self) -> dict[str, JsonValue]:
        """The payload of the record job."""
        request = self.request
        exchange = exchange_payload(
            conversation_id=self.conversation_id,
            invocation_id=request.invocation_id,
            speaker=request.speaker,
            speaker_proof=request.speaker_proof,
            asked_at=request.asked_at,
            answered_at=self.answered_at,
            recalled=[fact.id for fact in self.recalled.citable] if self.recalled else [],
        )
        return {
            **exchange,
            "question": request.question,
            "answer": self.answer,
            "steps": [
                {
                    "thought": step.thought,
                    "action": step.action,
                    "arguments": dict(step.arguments),
                    "observation": shorten(step.observation, OBSERVATION_LIMIT),
                    "failed": step.failed,
                    "about": shorten(step.about, ABOUT_LIMIT),
                }
                for step in self.steps
            ],
            "rules": [change.payload() for change in self.rules],
            "succeeded": self.succeeded,
            "retrieval": self._retrieval(),
            "end_of_conversation": request.end_of_conversation,
            "flow": request.flow,
            "settings": request.settings.model_dump(mode="json", by_alias=True),
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
            "recalled": self.recalled.note(with_content=False),
            "cited": cited_note(self.recalled.citable, self.citations, timings_ms=self.timings_ms, **changes_note(self.rules)),
        }


def exchange_payload(
    *,
    conversation_id: str,
    invocation_id: str,
    speaker: str,
    speaker_proof: str,
    asked_at: datetime,
    answered_at: datetime,
    recalled: Sequence[str],
) -> dict[str, JsonValue]:
    """What every ``record`` job says of an exchange beside its words.

    ``recalled``: ids of the records that the model saw.  What repeats them is not learned again.
    """
    return {
        "conversation_id": conversation_id,
        "invocation_id": invocation_id,
        "speaker": speaker,
        **({"speaker_proof": speaker_proof} if speaker_proof else {}),
        "asked_at": asked_at.isoformat(),
        "answered_at": answered_at.isoformat(),
        "recalled": list[JsonValue](recalled),
    }


def changes_note(rules: Sequence[RuleChange]) -> dict[str, JsonValue]:
    """Which rules changed, without the words of a person."""
    changes: list[JsonValue] = [{"op": "end", "id": change.id} if change.id else {"op": "add"} for change in rules]
    return {"rule_changes": changes} if changes else {}


def cited_note(
    facts: Sequence[Fact], citations: Citations | None, *, timings_ms: Mapping[str, float], **more: JsonValue
) -> dict[str, JsonValue]:
    """Which of the citable ``facts`` the model cited."""
    indices = list(citations.indices) if citations else []
    return {
        "ids": [facts[index].id for index in indices if index < len(facts)],
        "indices": list[Any](indices),
        "citation": citations.state if citations else "absent",
        "timings_ms": dict(timings_ms),
        **more,
    }
