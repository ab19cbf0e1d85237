"""The request for a recall, and its result."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from ..memory.ports import JsonValue, Switches
from ..memory.records import INSTRUCTION
from ..memory.scope import Scope
from ..schema import ConversationMemory, Episode, Fact, InvocationSummary, MemoryOptions
from ..settings import AgentMemSettings
from .gate import GateDecision
from .query import SearchQuery


@dataclass(frozen=True, slots=True, kw_only=True)
class RecallRequest:
    """A question with its settings.

    Attributes:
        conversation_id: the client's id of the conversation.  "": there is no history to fetch.
        timezone: of the asker, IANA name or offset.
        options: memory options of this request.  An empty field means the flow's setting.
    """

    scope: Scope
    question: str
    settings: AgentMemSettings
    conversation_id: str = ""
    asked_at: datetime
    timezone: str = "UTC"
    options: MemoryOptions | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingPart:
    """``reason`` is "deadline", "not-configured", or the wire type of an error.  It never holds user text."""

    part: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalInfo:
    """How facts were ranked, complete enough for a reward job to replay it.

    ``features`` has shape (K, F), with one row per id in ``candidate_ids`` and one column per name in ``feature_names``.
    """

    candidate_ids: tuple[str, ...]
    shown_ids: tuple[str, ...]
    features: tuple[tuple[float, ...], ...]
    feature_names: tuple[str, ...]
    question: str
    mode: str
    policy_version: int
    seed: int

    def payload(self) -> dict[str, JsonValue]:
        """The ``retrieval`` object of record and reward jobs, without the citations."""
        return {
            "candidate_ids": list(self.candidate_ids),
            "shown_ids": list(self.shown_ids),
            "features": [list(row) for row in self.features],
            "feature_names": list(self.feature_names),
            "query": self.question,
            "mode": self.mode,
            "policy_version": self.policy_version,
            "seed": self.seed,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """The memories for a turn.  The index of a fact in ``facts`` (from 0) is its citation number.

    ``switches``: the person's memory switches as the services reported them.  None: no service reported them.
    """

    facts: tuple[Fact, ...] = ()
    rules: tuple[Fact, ...] = ()
    episodes: tuple[Episode, ...] = ()
    conversation: ConversationMemory | None = None
    exchanges: tuple[InvocationSummary, ...] = ()  # exchanges of the conversation that fit the budget, oldest first
    missing: tuple[MissingPart, ...] = ()
    gate: GateDecision
    query: SearchQuery
    retrieval: RetrievalInfo | None = None
    switches: Switches | None = None
    timings_ms: Mapping[str, float] = field(default_factory=dict)
    tokens: int = 0

    def variables(self) -> dict[str, JsonValue]:
        """The prompt variables ``memories``, ``instructions``, ``rules``, ``episodes`` and ``exchanges``.

        ``instructions`` are the rules that the person gave, ``rules`` those that were learned.
        """
        return {
            "memories": [
                {
                    "number": number,
                    "text": fact.content,
                    "when": fact.timestamp[:10],
                    "speaker": fact.speaker,
                    "kind": fact.kind,
                    "original": fact.metadata.get("original", ""),
                }
                for number, fact in enumerate(self.facts)
            ],
            "instructions": [_rule(rule) for rule in self.rules if INSTRUCTION in rule.metadata],
            "rules": [_rule(rule) for rule in self.rules if INSTRUCTION not in rule.metadata],
            "episodes": [
                {
                    "goal": episode.goal,
                    "outcome": episode.outcome,
                    "lessons": episode.lessons,
                    "succeeded": episode.succeeded,
                }
                for episode in self.episodes
            ],
            "exchanges": [
                {"query": exchange.query, "result": exchange.result or exchange.summary} for exchange in self.exchanges
            ],
        }


def _rule(rule: Fact) -> dict[str, JsonValue]:
    return {"condition": rule.condition, "action": rule.action or rule.content}
