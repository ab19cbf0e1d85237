"""Entries of the memory layers, and the conversion of wire records into entries."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Literal

from ..memory.former import until_note
from ..memory.timefmt import parse_time
from ..schema import Episode, Fact

Layer = Literal["working", "episodic", "semantic", "procedural"]
LAYERS: tuple[Layer, ...] = ("working", "episodic", "semantic", "procedural")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """One entry.

    Attributes:
        kind: ``working``, ``episode``, or that of a fact: ``turn``, ``semantic``, ``procedural``, ``reflective``, ``topic``.
        metadata: contains ``key`` and ``value`` of a semantic entry with a key, the ``condition`` of a rule, the ``speaker`` of
            a turn, ``until`` of one that is former.
        score: of a search result: similarity to the question, 0 to 1, the scale of ``threshold``.  Results are in the order of
            the ranking, which weighs more than similarity.
    """

    id: str
    content: str
    timestamp: datetime
    kind: str = "working"
    metadata: dict[str, str] = field(default_factory=dict)
    score: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AddResult:
    """What ``add`` did.

    Attributes:
        conversation: the conversation that the messages are part of.
        stored: number of messages that are new.
        ids: of the messages' memories, in their order.
        extraction: ``queued``: facts are being extracted in the background; ``off``: no language model is configured, so the
            messages are stored verbatim only.
    """

    conversation: str
    stored: int
    ids: tuple[str, ...]
    extraction: Literal["queued", "off"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStats:
    """Sizes of the four layers of a scope, and the number of messages stored verbatim."""

    working_memory_tokens: int  # estimate
    episodic_entry_count: int
    semantic_entry_count: int
    procedural_rule_count: int
    total_storage_bytes: int  # size of all entries as JSON
    turn_count: int


def entry_from_fact(fact: Fact, *, found: bool = False) -> MemoryEntry:
    """``found``: by a search, so that it has a score."""
    extra = {"condition": fact.condition, "action": fact.action} if fact.kind == "procedural" else {}
    extra |= {"speaker": fact.speaker} if fact.speaker else {}
    extra |= {"status": fact.status} if fact.status != "active" else {}
    extra |= {"until": until} if (until := until_note(fact)) else {}
    return MemoryEntry(
        id=fact.id,
        content=fact.action or fact.content,
        timestamp=_read_time(fact.timestamp),
        kind=fact.kind,
        metadata={**fact.metadata, **extra},
        score=fact.similarity if found else None,
    )


def entry_from_episode(episode: Episode, *, found: bool = False) -> MemoryEntry:
    extra = {"outcome": episode.outcome, "lessons": episode.lessons} if episode.outcome or episode.lessons else {}
    extra |= {"status": "superseded"} if episode.status != "active" else {}
    return MemoryEntry(
        id=episode.id,
        content=episode.goal,
        timestamp=_read_time(episode.timestamp),
        kind="episode",
        metadata={**episode.metadata, **extra, "succeeded": str(episode.succeeded)},
        score=episode.similarity if found else None,
    )


def _read_time(text: str) -> datetime:
    return parse_time(text) or datetime.fromtimestamp(0, UTC)


def format_entry(entry: MemoryEntry) -> str:
    """One line of text for a summary: the content and, in brackets, the metadata."""
    marks = " ".join(f"{name}={value}" for name, value in entry.metadata.items() if name not in ("summary", "succeeded"))
    return f"{entry.content} [{marks}]" if marks else entry.content
