"""Topics: what is known, grouped by what it is about.

A topic is no record.  It is the group of the active entries with the same topic, so it changes with them: when one is added,
replaced, ended, undone or forgotten, nothing else has to be written.

Source: RMM, section 5: a memory is the summary of a topic with the dialogue that it comes from.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from .former import former_since
from .records import TOPIC, Fact


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """``items``: the entries, oldest first.  ``turn_ids``: the original dialogue that they refer to."""

    name: str
    items: tuple[Fact, ...]

    @property
    def summary(self) -> str:
        """What its entries say, each as a sentence, oldest first."""
        return " ".join(_as_sentence(fact.content) for fact in self.items)

    @property
    def turn_ids(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(turn for fact in self.items for turn in fact.turn_ids))

    @property
    def newest(self) -> datetime:
        return _time_of(self.items[-1])


def group_by_topic(facts: Iterable[Fact], now: datetime) -> list[Topic]:
    """The topics of these facts, the newest first.  Facts without a topic, and former ones, belong to none."""
    groups: dict[str, list[Fact]] = {}
    for fact in facts:
        name = fact.metadata.get(TOPIC, "")
        if name and fact.status == "active" and former_since(fact, now) is None:
            groups.setdefault(name.casefold(), []).append(fact)
    ordered = [tuple(sorted(group, key=lambda fact: (_time_of(fact), fact.id))) for group in groups.values()]
    topics = [Topic(name=group[-1].metadata[TOPIC], items=group) for group in ordered]
    return sorted(topics, key=lambda topic: (topic.newest, topic.name), reverse=True)


def _time_of(fact: Fact) -> datetime:
    return fact.said_at or fact.created_at


def _as_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。", "।", "؟", "！", "？")) else f"{text}."
