"""The request for a recall, and the requests to the memory services that follow from it."""

import zlib
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from ..memory.ports import Vector
from ..memory.records import FACT_KINDS
from ..memory.requests import RetrieveEpisodes, RetrieveFacts
from ..memory.scope import Scope
from ..memory.timefmt import format_time
from ..schema import FactsResponse, InvocationSummary, MemoryOptions
from ..settings import AgentMemSettings
from .records import RetrievalInfo

EPISODE_TYPES = ("episodic", "episode")
RULE_KIND = "procedural"
MEMORY_TYPES = (*FACT_KINDS, *EPISODE_TYPES)
MOST_RULES = 3  # whose condition matches the task
MAX_QUESTION = 100_000  # characters

# Of the context window of the model.  The rendered prompt and the reserve for the answer fit it, from 1,024 tokens.
LONGEST_RESERVE = 1024  # tokens for the answer
TEMPLATE_TOKENS = 444  # constant parts of ``agent-react-mem`` for any model, measured in tests/unit/test_turn_window.py
RULE_LINE_TOKENS = 95  # what the lines that change rules add
SMALLEST_FOR_RULES = 2048  # tokens of a window in which they have room
SMALL_MODEL_TOKENS = 290  # what ``small-model`` adds
MEMORY_SHARE, EXCHANGES_SHARE, CONTEXT_SHARE, TOOLS_SHARE = 0.22, 0.16, 0.12, 0.2
QUESTION_SHARE = 0.6  # of what memory, instructions and tools leave


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of a request, and the settings of its flow where it has none.

    Attributes:
        facts: number of facts to show (M).  0: none.
        rules, episodes: maximum numbers.  0: none.
        kinds: of facts, without rules, which are requested by number.  Empty: all.
        threshold: the least similarity.  0: that of the embedding model.
        rerank: the learned ranking to use: that of the settings, if the ranking learns.
    """

    facts: int
    rules: int
    episodes: int
    kinds: tuple[str, ...]
    threshold: float
    rerank: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Limits in tokens.  ``room``: what the constant parts and the answer leave.

    ``rule_lines``: whether the model may change the rules of the user, and there is room to say how.
    """

    room: int
    memory: int
    exchanges: int
    context: int
    tools: int
    trace: int
    rule_lines: bool


def divide(settings: AgentMemSettings) -> Shares:
    """The limits for a window.  ``memory-budget`` and ``working-memory-threshold`` are upper limits."""
    window = settings.context_window
    rule_lines = window >= SMALLEST_FOR_RULES and not settings.small_model
    fixed = TEMPLATE_TOKENS + RULE_LINE_TOKENS * rule_lines + SMALL_MODEL_TOKENS * settings.small_model
    room = max(0, window - min(LONGEST_RESERVE, window // 4) - fixed)
    return Shares(
        room=room,
        memory=min(settings.memory_budget, int(room * MEMORY_SHARE)),
        exchanges=min(settings.memory_budget, int(room * EXCHANGES_SHARE)),
        context=int(room * CONTEXT_SHARE),
        tools=int(room * TOOLS_SHARE),
        trace=min(settings.working_memory_threshold, room // 3),
        rule_lines=rule_lines,
    )


@dataclass(frozen=True, kw_only=True)  # without slots, for what is derived once
class RecallRequest:
    """A question with its settings.

    Attributes:
        conversation_id: the client's id of the conversation.
        implicit_id: id of the conversation that a request without one begins, unless it continues a recent one of its flow.
            "": such a request belongs to no conversation.
        flow: the flow that runs the request.
        chat: earlier exchanges that the client sent with the question, oldest first.
        timezone: of the asker, IANA name or offset.
        speaker: name of the asker; "" = unknown.
        options: memory options of this request.  An empty field means the flow's setting.
    """

    scope: Scope
    question: str
    settings: AgentMemSettings
    conversation_id: str = ""
    implicit_id: str = ""
    flow: str = ""
    chat: tuple[InvocationSummary, ...] = ()
    asked_at: datetime
    timezone: str = "UTC"
    speaker: str = ""
    options: MemoryOptions | None = None

    @cached_property
    def wanted(self) -> Wanted:
        settings, options = self.settings, self.options or MemoryOptions()
        types, limit, threshold = options.memory_types, options.retrieval_limit, options.similarity_threshold
        kinds = tuple(kind for kind in types if kind not in (*EPISODE_TYPES, RULE_KIND))
        facts = settings.fact_retrieval_top_k if limit is None else limit
        return Wanted(
            facts=facts if kinds or not types else 0,
            rules=MOST_RULES if not types or RULE_KIND in types else 0,
            episodes=settings.episode_retrieval_top_k if not types or set(types) & set(EPISODE_TYPES) else 0,
            kinds=kinds,
            threshold=settings.similarity_threshold if threshold is None else threshold,
            rerank=settings.rerank,
        )

    @cached_property
    def shares(self) -> Shares:
        """How the window of the model is divided."""
        return divide(self.settings)

    @property
    def seed(self) -> int:
        """Seed of the sampling, derived from scope, question and time, so that a replay samples the same memories."""
        return zlib.crc32(f"{self.scope.key}\x1f{self.question}\x1f{format_time(self.asked_at)}".encode()) >> 1

    def facts_request(
        self,
        query: str,
        *,
        vector: Vector | None = None,
        exclude: Collection[str] = (),
        spare: int = 0,
        conversation_id: str = "",
    ) -> RetrieveFacts:
        """Retrieve facts, and the rules that match the task.

        ``exclude``: ids of records that the model can see already.  ``spare``: further facts, from which the caller removes
        those that it learns later to be shown already.  ``conversation_id``: its memory switches and its own rules apply.
        """
        wanted = self.wanted
        top_k = wanted.facts + spare if wanted.facts else 0
        return RetrieveFacts(
            **self._searching(query, vector, conversation_id),
            top_k=top_k,
            candidates=max(self.settings.rmm_top_k + spare, top_k),
            rules=wanted.rules,
            kinds=list(wanted.kinds),
            threshold=wanted.threshold,
            rerank=wanted.rerank,
            seed=self.seed,
            asked_at=format_time(self.asked_at),
            timezone=self.timezone,
            speaker=self.speaker,
            exclude=sorted(exclude),
        )

    def standing_request(self) -> RetrieveFacts:
        """Retrieve the standing rules alone: they also apply when nothing is searched."""
        return RetrieveFacts(**self._searching("", None, self.conversation_id), top_k=0, rules=self.wanted.rules)

    def episodes_request(
        self, query: str, *, vector: Vector | None = None, spare: int = 0, conversation_id: str = ""
    ) -> RetrieveEpisodes:
        """Retrieve episodes.  The arguments are those of ``facts_request``."""
        return RetrieveEpisodes(
            **self._searching(query, vector, conversation_id),
            top_k=self.wanted.episodes + spare,
            threshold=self.wanted.threshold,
        )

    def _searching(self, query: str, vector: Vector | None, conversation_id: str) -> dict[str, Any]:
        """The fields that both services take."""
        return {
            "user": self.scope.user,
            "collection": self.scope.collection,
            "query": query,
            "embedding": [] if vector is None else vector.tolist(),
            "deadline_ms": self.settings.recall_deadline_ms,
            "conversation_id": conversation_id,
        }

    def read_ranking(self, found: FactsResponse, question: str) -> RetrievalInfo:
        """How ``found`` was ranked, before it is decided what is shown.  ``question``: the text that was embedded."""
        width = len(found.feature_names)
        rows = [tuple(found.features[at : at + width]) for at in range(0, len(found.features), width)] if width else []
        return RetrievalInfo(
            candidate_ids=tuple(found.candidate_ids),
            features=tuple(rows),
            feature_names=tuple(found.feature_names),
            question=question,
            mode=self.wanted.rerank,
            policy_version=found.policy_version,
            seed=self.seed,
        )
