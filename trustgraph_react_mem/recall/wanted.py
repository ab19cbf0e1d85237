"""What a request wants of the memory."""

from dataclasses import dataclass

from ..memory.records import FACT_KINDS
from ..schema import MemoryOptions
from ..settings import AgentMemSettings

EPISODE_TYPES = ("episodic", "episode")
RULE_KIND = "procedural"
MEMORY_TYPES = (*FACT_KINDS, *EPISODE_TYPES)
MOST_RULES = 3  # whose condition matches the task


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


def read_wanted(settings: AgentMemSettings, options: MemoryOptions | None) -> Wanted:
    """Settings and options of a request as one record."""
    usual = settings.fact_retrieval_top_k
    types = tuple(options.memory_types) if options else ()
    limit = options.retrieval_limit if options else None
    threshold = options.similarity_threshold if options else None
    kinds = tuple(kind for kind in types if kind not in (*EPISODE_TYPES, RULE_KIND))
    facts = (usual if limit is None else limit) if kinds or not types else 0
    return Wanted(
        facts=facts,
        rules=MOST_RULES if not types or RULE_KIND in types else 0,
        episodes=settings.episode_retrieval_top_k if not types or set(types) & set(EPISODE_TYPES) else 0,
        kinds=kinds,
        threshold=settings.similarity_threshold if threshold is None else threshold,
        rerank=settings.rerank if settings.enable_retrospective_reflection else "off",
    )
