"""The records of refinement: events, and what follows from them.  ``machine`` folds events into a session.

Source of the names and shapes: the memory architecture of Recursive Agents MCP (run log, slots, phases, sampling).
"""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime
from typing import Any, Literal, get_args

from ..errors import RefinementError
from ..memory.ports import JsonValue
from ..memory.text.printable import is_blank
from ..memory.timefmt import format_time, parse_time

Phase = Literal["draft", "critique", "revise"]
CompanionType = Literal["generic", "marketing", "bug_triage", "strategy"]
ExecutionMode = Literal["client", "server"]
PHASES: tuple[Phase, ...] = get_args(Phase)
COMPANION_TYPES: tuple[CompanionType, ...] = get_args(CompanionType)

MOST_HISTORY_PAIRS = 3
MOST_TOKENS = 128_000
MOST_STOPS, MOST_STOP_CHARS = 16, 200
MOST_DETAILS = 32  # keys of ``model_preferences`` or ``metadata``


@dataclass(frozen=True, slots=True, kw_only=True)
class Sampling:
    """How the texts of a slot are produced.

    ``similarity_threshold``: cosine similarity of two successive texts from which on they count as equal.
    """

    execution_mode: ExecutionMode = "server"
    model: str = ""
    temperature: float | None = None
    max_tokens: int | None = None
    similarity_threshold: float = 0.98
    max_loops: int = 3
    stop_sequences: tuple[str, ...] = ()
    model_preferences: Mapping[str, JsonValue] = field(default_factory=dict)
    metadata: Mapping[str, JsonValue] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Raises: RefinementError (validation_error: a value out of range)."""
        if self.execution_mode not in get_args(ExecutionMode):
            raise _invalid("execution_mode", self.execution_mode, "client or server")
        _check_number("temperature", self.temperature, 0, 2)
        _check_number("max_tokens", self.max_tokens, 1, MOST_TOKENS, whole=True)
        _check_number("similarity_threshold", self.similarity_threshold, 0.90, 0.99, required=True)
        _check_number("max_loops", self.max_loops, 1, 10, whole=True, required=True)
        stops = self.stop_sequences
        if len(stops) > MOST_STOPS or not all(isinstance(each, str) and len(each) <= MOST_STOP_CHARS for each in stops):
            raise _invalid(
                "stop_sequences", f"{len(stops)} items", f"at most {MOST_STOPS} texts of {MOST_STOP_CHARS} characters"
            )
        for name in ("model_preferences", "metadata"):
            value = getattr(self, name)
            if not isinstance(value, Mapping) or len(value) > MOST_DETAILS:
                raise _invalid(name, type(value).__name__, f"an object of at most {MOST_DETAILS} keys")
        if not isinstance(self.model, str):
            raise _invalid("model", type(self.model).__name__, "the name of a model")

    @classmethod
    def from_dict(cls, given: Mapping[str, Any]) -> "Sampling":
        """Null counts as left out.  Raises: RefinementError (validation_error)."""
        known = {each.name for each in fields(cls)}
        if unknown := sorted(set(map(str, given)) - known):
            raise _invalid("sampling", unknown[0], f"only {', '.join(sorted(known))}")
        values = {name: value for name, value in given.items() if value is not None}
        if "stop_sequences" in values:
            if not isinstance(values["stop_sequences"], Sequence) or isinstance(values["stop_sequences"], str):
                raise _invalid("stop_sequences", type(values["stop_sequences"]).__name__, "a list of texts")
            values["stop_sequences"] = tuple(values["stop_sequences"])
        return cls(**values)

    def as_dict(self) -> dict[str, JsonValue]:
        """Without what is at its default, except for the limits of the loop."""
        values: dict[str, JsonValue] = {
            "execution_mode": self.execution_mode,
            "similarity_threshold": self.similarity_threshold,
            "max_loops": self.max_loops,
        }
        chosen = {"model": self.model, "temperature": self.temperature, "max_tokens": self.max_tokens}
        values |= {name: value for name, value in chosen.items() if value not in ("", None)}
        values |= {"stop_sequences": list(self.stop_sequences)} if self.stop_sequences else {}
        return values | {
            name: dict(value)
            for name, value in (("model_preferences", self.model_preferences), ("metadata", self.metadata))
            if value
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class RefinementEvent:
    """One step of a session: the text that it produced, and how.

    ``query``: the question of the slot; "" continues the current slot.  ``elapsed_ms`` and ``tokens``: of producing the text.
    ``similarity``: cosine similarity of the text and the one before it.  ``kept``: whether a revision stands; None if nothing
    decided it, which counts as kept.  ``invocation_id``: the exchange that the step is part of; "" outside of an agent.
    """

    id: str
    session_id: str
    phase: Phase
    text: str
    at: datetime
    conversation_id: str = ""
    companion_type: CompanionType = "generic"
    query: str = ""
    variant: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    elapsed_ms: int = 0
    tokens: int = 0
    similarity: float | None = None
    kept: bool | None = None
    invocation_id: str = ""

    def __post_init__(self) -> None:
        """Raises: RefinementError (validation_error, or invalid_session: the session id is not a UUID)."""
        check_session_id(self.session_id)
        if not self.id:
            raise _invalid("id", "empty", "an id that is unique in the session")
        if self.phase not in PHASES:
            raise _invalid("phase", self.phase, f"one of {', '.join(PHASES)}")
        if self.companion_type not in COMPANION_TYPES:
            raise _invalid("companion_type", self.companion_type, f"one of {', '.join(COMPANION_TYPES)}")
        if not self.text.strip():
            raise RefinementError(f"text is empty: write the text of the {self.phase}", code="validation_error")
        _check_number("elapsed_ms", self.elapsed_ms, 0, 10**9, whole=True)
        _check_number("tokens", self.tokens, 0, 10**9, whole=True)
        _check_number("similarity", self.similarity, -1.001, 1.001)

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
        at = parse_time(values.get("at"))
        if at is None:
            raise _invalid("at", str(values.get("at"))[:40], "an ISO 8601 time")
        texts = ("conversation_id", "companion_type", "query", "variant", "invocation_id")
        for name in ("id", "session_id", "phase", "text", *(name for name in texts if name in values)):
            if not isinstance(values.get(name), str):
                raise _invalid(name, type(values.get(name)).__name__, "a text")
        if not isinstance(values.get("kept"), bool | None):
            raise _invalid("kept", str(values["kept"])[:40], "true, false or null")
        sampling = values.get("sampling") or {}
        if not isinstance(sampling, Mapping):
            raise _invalid("sampling", "another type", "an object")
        return cls(**{**values, "at": at, "sampling": Sampling.from_dict(sampling)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """One question with its draft, critiques and revisions.  The array lengths give the position (``machine.position``)."""

    query: str
    draft: str
    critique: tuple[str, ...] = ()
    revision: tuple[str, ...] = ()
    variant: str = ""
    sampling: Sampling = field(default_factory=Sampling)
    events: tuple[RefinementEvent, ...] = ()  # those in effect: the draft, then critiques and revisions in their order

    @property
    def standing(self) -> str:
        """The text that stands: the last revision that was kept, or the draft."""
        kept = [event.text for event in self.events if event.phase == "revise" and event.kept is not False]
        return kept[-1] if kept else self.draft

    @property
    def similarity(self) -> float | None:
        """Cosine similarity of the last revision and the text before it."""
        known = [event.similarity for event in self.events if event.similarity is not None]
        return known[-1] if known else None

    def as_seed(self) -> dict[str, JsonValue]:
        """As an entry of a run log: query, draft, critique, revision, variant, sampling."""
        return {
            "query": self.query,
            "draft": self.draft,
            "critique": list(self.critique),
            "revision": list(self.revision),
            "variant": self.variant,
            "sampling": self.sampling.as_dict(),
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryMessage:
    role: Literal["human", "ai"]
    content: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """The slots of a session and its bounded history.  Made by ``machine.fold`` and ``machine.apply``.

    ``history``: the newest ``MOST_HISTORY_PAIRS`` pairs of a question and its text.  ``events``: number of events in the log.
    """

    id: str
    conversation_id: str = ""
    companion_type: CompanionType = "generic"
    slots: tuple[Slot, ...] = ()
    history: tuple[HistoryMessage, ...] = ()
    created_at: datetime | None = None
    last_at: datetime | None = None
    events: int = 0

    @property
    def slot(self) -> Slot | None:
        """The current slot."""
        return self.slots[-1] if self.slots else None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """What a list of sessions shows."""

    id: str
    conversation_id: str
    companion_type: str
    created_at: datetime | None
    last_at: datetime | None
    events: int


def check_words(event: RefinementEvent) -> RefinementEvent:
    """Of a new event.  Raises: RefinementError (validation_error: a reader sees nothing of the text or of the question)."""
    if is_blank(event.text):
        raise RefinementError(f"text is empty: write the text of the {event.phase}", code="validation_error")
    if event.query and is_blank(event.query):
        raise RefinementError("query is empty: say which question the draft answers", code="validation_error")
    return event


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


def _check_number(name: str, value: Any, least: float, most: float, *, whole: bool = False, required: bool = False) -> None:
    if value is None and not required:
        return
    kinds = (int,) if whole else (int, float)
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        raise _invalid(name, str(value)[:40], f"{'a whole number' if whole else 'a number'} from {least:g} to {most:g}")


def _invalid(name: str, value: object, wanted: str) -> RefinementError:
    return RefinementError(f"{name} is {str(value)[:80]!r}: use {wanted}", code="validation_error")
