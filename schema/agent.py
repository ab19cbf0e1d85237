"""The request to the agent with memory.  The response is TrustGraph's ``AgentResponse``, unchanged."""

from dataclasses import dataclass, field

import trustgraph.schema

RECALLED, CITED = "urn:trustgraph:memory:recalled", "urn:trustgraph:memory:cited"
"""Predicates of the explanations of a turn.  The object is JSON."""


@dataclass
class MemoryOptions:
    """Memory settings of one request.  An empty field means the flow's setting.  Source: semantic router memory, section 9."""

    memory_types: list[str] = field(default_factory=list)  # kinds of facts, procedural (rules), episodic; empty = all
    retrieval_limit: int | None = None
    similarity_threshold: float | None = None  # cosine, in the calibrated range 0..1
    auto_store: bool | None = None  # false: read memory, write nothing


@dataclass
class HistoryStep(trustgraph.schema.AgentStep):
    """A step of the stock history, or a message of a chat: then only ``role`` and ``content`` are set."""

    role: str = ""  # user | assistant; other roles are ignored
    content: str = ""


@dataclass
class AgentRequest(trustgraph.schema.AgentRequest):
    """The stock request with additional memory fields.  A stock message decodes, and missing fields get the flow's defaults."""

    history: list[HistoryStep] = field(default_factory=list)  # type: ignore[assignment]  # decodes stock steps too
    user: str = ""  # "" = the shared memory of the workspace (a stock gateway cannot send another user)
    enable_memory: bool | None = None  # None = the flow's setting
    end_of_conversation: bool = False  # the conversation ends with this turn: start learning from it
    speaker: str = ""  # display name of the person asking; "" = "User"
    speaker_proof: str = ""  # by the owner's command line: verifies the name.  Without it all names count as one person
    asked_at: str = ""  # when the question was asked, ISO 8601; "" = now (replays and imports set it)
    timezone: str = ""  # of the asker, IANA name or offset (+09:00); "" = the offset of asked_at, else the flow's setting
    memory: MemoryOptions | None = None
    invocation_id: str = ""  # of this exchange: a request sent again with the same id is recorded once; "" = of the message
