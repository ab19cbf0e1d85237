"""Limits the tokens of recalled memories.

This happens before the memories are numbered, so that citation numbers match what the model saw.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from ..indexing.excerpts import best_passage
from ..memory.tokens import count_tokens
from ..schema import Episode, Fact

LINE_TOKENS = 12  # number, date and punctuation around a memory in the prompt
MARK_TOKENS = 10  # "until", a date and "then"
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
    *,
    question: str = "",
    context: str = "",
) -> FittedMemories:
    """Select memories up to ``budget`` tokens: rules up to a quarter, then facts in order, then
    episodes up to a half.

    A fact that does not fit, or that would take more than its share of a list of long ones, is shown as the passage that has
    the most words of the question, and then of its ``context``.  A rule or an episode that does not fit is skipped, and smaller
    ones after it may still fit.
    """
    rule_sizes = [(each, _tokens(each.condition, each.action or each.content)) for each in rules]
    kept_rules, used_rules = _fit(rule_sizes, int(budget * RULES_SHARE))
    left = budget - used_rules
    kept_facts, used_facts = _fit_facts(facts, left, question, context)
    room = min(left - used_facts, int(budget * EPISODES_SHARE))
    episode_sizes = [(each, _tokens(each.goal, *each.steps, each.outcome, each.lessons)) for each in episodes]
    kept_episodes, used_episodes = _fit(episode_sizes, room)
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


def _fit_facts(facts: Sequence[Fact], budget: int, question: str, context: str) -> tuple[list[Fact], int]:
    """The facts in order.  Each is sure of an equal share of the budget; long ones get what the short ones leave."""
    sizes = [_fact_tokens(fact) for fact in facts]
    number = min(len(facts), budget // (LINE_TOKENS + SHORTEST))
    while number < len(facts) and sum(sizes[: number + 1]) <= budget:  # many short ones
        number += 1
    share = budget // max(1, number)
    kept, used = [], 0
    for place in range(number):
        room = budget - used - sum(min(size, share) for size in sizes[place + 1 : number])
        fact = facts[place] if sizes[place] <= room else _excerpt(facts[place], room, question, context)
        if fact is not None:
            kept.append(fact)
            used += _fact_tokens(fact)
    return kept, used


def _excerpt(fact: Fact, room: int, question: str, context: str) -> Fact | None:
    """A copy without the original dialogue, and with the passage that has the most words of the question."""
    metadata = {key: value for key, value in fact.metadata.items() if key != "original"}
    plain = replace(fact, metadata=metadata)
    if _fact_tokens(plain) <= room:
        return plain
    tokens = room - LINE_TOKENS - count_tokens(fact.speaker) - 2
    passage = best_passage(fact.content, question, tokens, context=context) if tokens >= SHORTEST // 2 else ""
    return replace(plain, content=passage) if passage else None


def _fact_tokens(fact: Fact) -> int:
    mark = MARK_TOKENS + count_tokens(fact.replacement) if fact.former_since else 0
    return _tokens(fact.speaker, fact.content, fact.metadata.get("original", "")) + mark


def _tokens(*texts: str) -> int:
    return LINE_TOKENS + sum(map(count_tokens, texts))
