"""The wire format: dataclasses of messages on the bus, and the names of their topics.  No logic.

Invariants:
- The type of a field is one of ``str int float bool``, ``D | None``, ``list[D]``, ``list[float]``, ``list[str]`` and
  ``dict[str, str]``, where ``D`` is a wire dataclass.  trustgraph-base decodes other types wrongly (``list[D] | None`` and
  ``dict[str, D]`` become plain dicts).
- Times are ISO 8601 strings in UTC.
- Every field has a default, so that messages of an older schema decode.
"""

from .agent import AgentRequest, HistoryStep, MemoryOptions
from .jobs import JobEnvelope, JobStatus
from .memory import (
    ConversationMemory,
    Episode,
    Fact,
    HistoryEntry,
    InvocationSummary,
    RefinementEvent,
    RefinementSession,
    Turn,
    WorkingMemoryItem,
)
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

# Importing this folder from the root of the repository would create a second copy of each class.
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
    "HistoryStep",
    "InvocationSummary",
    "JobEnvelope",
    "JobStatus",
    "JobsRequest",
    "JobsResponse",
    "MemoryChanged",
    "MemoryOptions",
    "RefinementEvent",
    "RefinementSession",
    "Turn",
    "WorkingMemoryItem",
]
