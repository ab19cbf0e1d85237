"""The records of refinement: events, and what follows from them.  ``machine`` folds events into a session.

Source of the names and shapes: the memory architecture of Recursive Agents MCP (run log, slots, phases, sampling).
"""

import uuid
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import AfterValidator, ConfigDict, Field, ModelWrapValidatorHandler, ValidationError, model_validator
from pydantic.dataclasses import dataclass as validated

from ..errors import RefinementError
from ..memory.ports import JsonValue
from ..memory.text.printable import is_blank
from ..memory.timefmt import format_time, parse_time

Phase = Literal["draft", "critique", "revise"]
CompanionType = Literal["generic", "marketing", "bug_triage", "strategy"]
ExecutionMode = Literal["client", "server"]

MOST_HISTORY_PAIRS = 3
Details = Annotated[Mapping[str, Any], Field(max_length=32)]
Checked = TypeVar("Checked")
_STRICT = ConfigDict(extra="forbid", strict=True, allow_inf_nan=False, hide_input_in_errors=True)


def check_session_id(session_id: str) -> str:
    """Raises: RefinementError (invalid_session)."""
    try:
        if str(uuid.UUID(session_id)) == session_id:
            return session_id
    except (ValueError, AttributeError, TypeError):
        pass
    raise RefinementError(
        f"session_id {str(session_id)[:40]!r} is not a UUID in lower case with hyphens: use the id of a session, or a new UUID",
        code="invalid_session",
    )


def _check_text(text: str) -> str:
    if not text.strip():
        raise RefinementError("text is empty: write the text of the step", code="validation_error")
    return text


def _read(given: Any, read: Callable[[Any], Checked]) -> Checked:
    """Raises: RefinementError (validation_error: which value is wrong, and why)."""
    try:
        return read(given)
    except ValidationError as error:
        wrong = "; ".join(f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors())
        raise RefinementError(wrong, code="validation_error") from None


@validated(frozen=True, slots=True, kw_only=True, config=_STRICT)
class Sampling:
    """How the texts of a slot are produced.

    ``similarity_threshold``: cosine similarity of two successive texts from which on they count as equal.

    Raises: RefinementError (validation_error: a value out of range).
    """

    execution_mode: ExecutionMode = "server"
    similarity_threshold: Annotated[float, Field(ge=0.90, le=0.99)] = 0.98
    max_loops: Annotated[int, Field(ge=1, le=10)] = 3
    model: str = ""
    temperature: Annotated[int | float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=128_000)] | None = None
    stop_sequences: Annotated[tuple[Annotated[str, Field(max_length=200)], ...], Field(max_length=16, strict=False)] = ()
    model_preferences: Details = field(default_factory=dict)
    metadata: Details = field(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def check(cls, given: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        return _read(given, read)

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Sampling":
        """Null counts as left out.  Raises: RefinementError (validation_error)."""
        return cls(**{name: value for name, value in given.items() if value is not None})

    def as_dict(self) -> dict[str, JsonValue]:
        """Without what is empty."""
        values: dict[str, Any] = {each.name: getattr(self, each.name) for each in fields(self)}
        values["stop_sequences"] = list(self.stop_sequences)
        return {name: value for name, value in values.items() if value not in ("", None, [], {})}


@validated(frozen=True, slots=True, kw_only=True, config=_STRICT)
class RefinementEvent:
    """One step of a session: the text that it produced, and how.

    ``query``: the question of the slot; "" continues the current slot.  ``elapsed_ms`` and ``tokens``: of producing the text.
    ``similarity``: cosine similarity of the text and the one before it.  ``kept``: whether a revision stands; None if nothing
    decided it, which counts as kept.  ``invocation_id``: the exchange that the step is part of; "" outside of an agent.

    Raises: RefinementError (validation_error, or invalid_session: the session id is not a UUID).
    """

    id: Annotated[str, Field(min_length=1)]
    session_id: Annotated[str, AfterValidator(check_session_id)]
    phase: Phase
    text: Annotated[str, AfterValidator(_check_text)]
    at: datetime
    conversation_id: str = ""
    companion_type: CompanionType = "generic"
    query: str = ""
    variant: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    elapsed_ms: Annotated[int, Field(ge=0, le=10**9)] = 0
    tokens: Annotated[int, Field(ge=0, le=10**9)] = 0
    similarity: Annotated[int | float, Field(ge=-1.001, le=1.001)] | None = None
    kept: bool | None = None
    invocation_id: str = ""

    @model_validator(mode="wrap")
    @classmethod
    def check(cls, given: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        return _read(given, read)

    def as_dict(self) -> dict[str, JsonValue]:
        """As JSON: times as ISO 8601, sampling as an object."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        return {**values, "at": format_time(self.at), "sampling": self.sampling.as_dict()}

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "RefinementEvent":
        """The inverse of ``as_dict``.  Unknown keys are ignored, such as the checks of earlier versions.

        Raises: RefinementError.
        """
        values = {each.name: given[each.name] for each in fields(cls) if each.name in given}
        sampling = values.get("sampling") or {}
        if not isinstance(sampling, Mapping):
            raise RefinementError(f"sampling is of type {type(sampling).__name__}: use an object", code="validation_error")
        return cls(**{**values, "at": parse_time(values.get("at")), "sampling": Sampling.from_dict(sampling)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One question with its draft, critiques and revisions.  The array lengths give the position (``machine.position``).

    ``events``: those in effect: the draft, then critiques and revisions in their order.
    """

    query: str
    events: tuple[RefinementEvent, ...] = ()

    @property
    def draft(self) -> str:
        return "".join(self._texts("draft"))

    @property
    def critique(self) -> tuple[str, ...]:
        return self._texts("critique")

    @property
    def revision(self) -> tuple[str, ...]:
        return self._texts("revise")

    @property
    def variant(self) -> str:
        return self.events[0].variant if self.events else ""

    @property
    def sampling(self) -> Sampling:
        return self.events[0].sampling if self.events else Sampling()

    @property
    def standing(self) -> str:
        """The text that stands: the last revision that was kept, or the draft."""
        return next(event.text for event in reversed(self.events) if event.phase != "critique" and event.kept is not False)

    @property
    def similarity(self) -> float | None:
        """Cosine similarity of the last revision and the text before it."""
        known = [event.similarity for event in self.events if event.similarity is not None]
        return known[-1] if known else None

    def as_seed(self) -> dict[str, JsonValue]:
        """As an entry of a run log: query, draft, critique, revision, variant, sampling."""
        names = ("query", "draft", "critique", "revision", "variant")
        return {**{name: getattr(self, name) for name in names}, "sampling": self.sampling.as_dict()}

    def _texts(self, phase: Phase) -> tuple[str, ...]:
        return tuple(event.text for event in self.events if event.phase == phase)


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMessage:
    role: Literal["human", "ai"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The slots of a session.  Made by ``machine.fold`` and ``machine.apply``.  ``events``: number of events in the log."""

    id: str
    conversation_id: str = ""
    companion_type: CompanionType = "generic"
    slots: tuple[Slot, ...] = ()
    created_at: datetime | None = None
    last_at: datetime | None = None
    events: int = 0

    @property
    def slot(self) -> Slot | None:
        """The current slot."""
        return self.slots[-1] if self.slots else None

    @property
    def history(self) -> tuple[HistoryMessage, ...]:
        """The newest ``MOST_HISTORY_PAIRS`` pairs of a question and the text that stands."""
        return tuple(
            message
            for slot in self.slots[-MOST_HISTORY_PAIRS:]
            for message in (HistoryMessage(role="human", content=slot.query), HistoryMessage(role="ai", content=slot.standing))
        )


def check_words(event: RefinementEvent) -> RefinementEvent:
    """Of a new event.  Raises: RefinementError (validation_error: a reader sees nothing of the text or of the question)."""
    for name, text in (("text", event.text), ("query", event.query or event.text)):
        if is_blank(text):
            raise RefinementError(f"{name} is empty: write it", code="validation_error")
    return event
