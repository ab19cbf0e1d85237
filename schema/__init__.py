"""The wire: dataclasses that travel on the bus and the names of the topics they travel on.  No logic.

A wire field is one of: ``str int float bool``, ``D | None``, ``list[D]``, ``list[float]``, ``list[str]``,
``dict[str, str]``, where ``D`` is a wire dataclass.  trustgraph-base's decoder gets other shapes wrong
(``list[D] | None`` and ``dict[str, D]`` come back as plain dicts).  Times are ISO 8601 strings in UTC.
Every field has a default, so that a message of an older schema still decodes.
"""

from .agent import AgentRequest, MemoryOptions
from .jobs import JobEnvelope, JobStatus
from .memory import ConversationMemory, Episode, Fact, HistoryEntry, InvocationSummary, Turn, WorkingMemoryItem
from .services import (
    ConversationsRequest,
    ConversationsResponse,
    EpisodesRequest,
    EpisodesResponse,
    FactsRequest,
    FactsResponse,
    JobsRequest,
    JobsResponse,
    MemoryChanged,
)

# Imported from the repository's root this would be a second copy of each of its classes.
if __name__ != "trustgraph_react_mem.schema":
    raise ImportError("this folder belongs to a package: import trustgraph_react_mem.schema", name=__name__)

__all__ = [
    "AgentRequest",
    "ConversationMemory",
    "ConversationsRequest",
    "ConversationsResponse",
    "Episode",
    "EpisodesRequest",
    "EpisodesResponse",
    "Fact",
    "FactsRequest",
    "FactsResponse",
    "HistoryEntry",
    "InvocationSummary",
    "JobEnvelope",
    "JobStatus",
    "JobsRequest",
    "JobsResponse",
    "MemoryChanged",
    "MemoryOptions",
    "Turn",
    "WorkingMemoryItem",
]
