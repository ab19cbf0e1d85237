"""Limits the tokens of recalled memories.

This happens before the memories are numbered, so that citation numbers match what the model saw.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ..memory.tokens import estimate_tokens
from ..schema import Episode, Fact

LINE_TOKENS = 12  # number, date and punctuation around a memory in the prompt
T = TypeVar("T")

SHORTEST = 20  # tokens; a shorter excerpt of a memory is useless
RULES_SHARE = 0.25
EPISODES_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedMemories:
    """The memories that fit, in the given order.  ``tokens`` is the estimated total."""

    facts: tuple[Fact, ...]
    rules: tuple[Fact, ...]
    episodes: tuple[Episode, ...]
    tokens: int


def fit_budget(
    facts: Sequence[Fact],
    rules: Sequence[Fact],
    episodes: Sequence[Episode],
    budget: int,
) -> FittedMemories:
    """Select memories up to ``budget`` tokens: rules up to a quarter, then facts in order, then episodes up to a half.

    Exchanges have a separate budget of the same size, newest first.  An item that does not fit is skipped, and smaller ones
    after it may still fit.  If not even the first fact fits, it is shortened.
    """
    kept_rules, used_rules = _fit([(rule, _rule_tokens(rule)) for rule in rules], int(budget * RULES_SHARE))
    left = budget - used_rules
    kept_facts, used_facts = _fit([(fact, _fact_tokens(fact)) for fact in facts], left)
    if facts and not kept_facts and left >= SHORTEST:
        kept_facts, used_facts = [_shorten(facts[0], left)], left
    room = min(left - used_facts, int(budget * EPISODES_SHARE))
    kept_episodes, used_episodes = _fit([(episode, _episode_tokens(episode)) for episode in episodes], room)
    return FittedMemories(
        facts=tuple(kept_facts),
        rules=tuple(kept_rules),
        episodes=tuple(kept_episodes),
        tokens=used_rules + used_facts + used_episodes,
    )


def _fit(items: Sequence[tuple[T, int]], budget: int) -> tuple[list[T], int]:
    kept, used = [], 0
    for item, size in items:
        if used + size <= budget:
            kept.append(item)
            used += size
    return kept, used


def _fact_tokens(fact: Fact) -> int:
    original = fact.metadata.get("original", "")
    return LINE_TOKENS + estimate_tokens(fact.speaker) + estimate_tokens(fact.content) + estimate_tokens(original)


def _rule_tokens(rule: Fact) -> int:
    return LINE_TOKENS + estimate_tokens(rule.condition) + estimate_tokens(rule.action or rule.content)


def _episode_tokens(episode: Episode) -> int:
    return LINE_TOKENS + sum(estimate_tokens(text) for text in (episode.goal, episode.outcome, episode.lessons))


def _shorten(fact: Fact, budget: int) -> Fact:
    """A copy without the original dialogue, cut to the characters that fit ``budget`` tokens (by binary search)."""
    low, high = 0, len(fact.content)
    while low < high:
        middle = (low + high + 1) // 2
        if LINE_TOKENS + estimate_tokens(fact.speaker) + estimate_tokens(fact.content[:middle]) + 1 <= budget:
            low = middle
        else:
            high = middle - 1
    metadata = {key: value for key, value in fact.metadata.items() if key != "original"}
    return replace(fact, content=fact.content[:low].rstrip() + "…", metadata=metadata)
