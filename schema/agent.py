"""The agent's request with memory.  The response is TrustGraph's own ``AgentResponse``, unchanged."""

from dataclasses import dataclass, field

import trustgraph.schema


@dataclass
class MemoryOptions:
    """Per-request memory settings; an empty field means the flow's setting.  Source: semantic router memory, section 9."""

    memory_types: list[str] = field(default_factory=list)  # fact kinds to search; empty = all
    retrieval_limit: int | None = None
    similarity_threshold: float | None = None  # cosine, in the calibrated range 0..1
    auto_store: bool | None = None  # false: read memory, write nothing


@dataclass
class AgentRequest(trustgraph.schema.AgentRequest):
    """Stock request plus memory fields.  A stock message decodes; absent fields mean the flow's defaults."""

    user: str = ""  # "" = the workspace's shared memory (all that a stock gateway can say)
    enable_memory: bool | None = None  # None = the flow's setting
    end_of_conversation: bool = False  # promote what this conversation taught, after this turn
    speaker: str = ""  # display name of the person asking; "" = "User"
    asked_at: str = ""  # when the question was asked, ISO 8601; "" = now (replays and imports set it)
    memory: MemoryOptions | None = None
