"""What the layers hold, and how agents' records look as entries."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ..memory.records import Episode, Fact

Layer = Literal["working", "episodic", "semantic", "procedural"]
LAYERS: tuple[Layer, ...] = ("working", "episodic", "semantic", "procedural")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """One entry of a layer.  ``metadata`` holds the key of a semantic entry, the condition of a procedural one."""

    id: str
    content: str
    timestamp: datetime
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStats:
    working_memory_tokens: int  # approximate: a quarter of the characters
    episodic_entry_count: int
    semantic_entry_count: int
    procedural_rule_count: int
    total_storage_bytes: int  # of the entries as JSON


def entry_from_fact(fact: Fact) -> MemoryEntry:
    extra = {"condition": fact.condition, "action": fact.action} if fact.kind == "procedural" else {}
    told = {name: value for name, value in fact.metadata.items() if name != "value"}
    content = fact.metadata.get("value") or fact.action or fact.content
    return MemoryEntry(id=fact.id, content=content, timestamp=fact.created_at, metadata={**told, **extra})


def entry_from_episode(episode: Episode) -> MemoryEntry:
    extra = {"outcome": episode.outcome, "lessons": episode.lessons} if episode.outcome or episode.lessons else {}
    told = {**dict(episode.metadata), **extra, "succeeded": str(episode.succeeded)}
    return MemoryEntry(id=episode.id, content=episode.goal, timestamp=episode.created_at, metadata=told)


def format_entry(entry: MemoryEntry) -> str:
    """An entry as a summary quotes it."""
    marks = " ".join(f"{name}={value}" for name, value in entry.metadata.items() if name not in ("summary", "succeeded"))
    return f"{entry.content} [{marks}]" if marks else entry.content
