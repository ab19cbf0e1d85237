"""Entries of the memory layers, and the conversion of agents' records into entries."""

from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from ..errors import BadRequest
from ..memory.records import Episode, Fact

Layer = Literal["working", "episodic", "semantic", "procedural"]
LAYERS: tuple[Layer, ...] = ("working", "episodic", "semantic", "procedural")


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryEntry:
    """One entry of a layer.  ``metadata`` contains the ``key`` of a semantic entry or the ``condition`` of a procedural one."""

    id: str
    content: str
    timestamp: datetime
    metadata: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryStats:
    """Sizes of the four layers of a scope."""

    working_memory_tokens: int  # estimate: number of characters / 4
    episodic_entry_count: int
    semantic_entry_count: int
    procedural_rule_count: int
    total_storage_bytes: int  # size of all entries as JSON


def entry_from_fact(fact: Fact) -> MemoryEntry:
    extra = {"condition": fact.condition, "action": fact.action} if fact.kind == "procedural" else {}
    metadata = {name: value for name, value in fact.metadata.items() if name != "value"}
    content = fact.metadata.get("value") or fact.action or fact.content
    return MemoryEntry(id=fact.id, content=content, timestamp=fact.created_at, metadata={**metadata, **extra})


def entry_from_episode(episode: Episode) -> MemoryEntry:
    extra = {"outcome": episode.outcome, "lessons": episode.lessons} if episode.outcome or episode.lessons else {}
    metadata = {**dict(episode.metadata), **extra, "succeeded": str(episode.succeeded)}
    return MemoryEntry(id=episode.id, content=episode.goal, timestamp=episode.created_at, metadata=metadata)


def format_entry(entry: MemoryEntry) -> str:
    """One line of text for a summary: the content and, in brackets, the metadata."""
    marks = " ".join(f"{name}={value}" for name, value in entry.metadata.items() if name not in ("summary", "succeeded"))
    return f"{entry.content} [{marks}]" if marks else entry.content


def check_layer(layer: Layer) -> Layer:
    """Raises BadRequest: there is no such layer."""
    if layer not in LAYERS:
        raise BadRequest(f"unknown layer {layer!r}: use one of {', '.join(LAYERS)}")
    return layer
