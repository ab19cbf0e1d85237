"""Reads what a report shows.  Bounded: of a large scope the newest records, with the number of those left out.

Invariant: only records that the scope recalls or has replaced are kept.  What was undone or is held back is counted, not
shown, and so is what comes from a conversation in which reading is switched off.
"""

import asyncio
import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from ...bus.external_client import MemoryBus
from ...memory.requests import (
    GetConversation,
    GetEpisodeStats,
    GetFacts,
    GetFactStats,
    GetLearningStatus,
    ListConversations,
    ListEpisodes,
    ListFacts,
    ListJobs,
    RetrieveFacts,
)
from ...memory.scope import Scope
from ...schema import ConversationMemory, Episode, Fact, JobStatus
from ..memories import require_readable
from ..options import Session

PAGE = 500  # records per message
MOST_DATED = 4000  # memories in the curve over time
MOST_DERIVED, MOST_TURNS, MOST_CHANGES = 150, 50, 50
MOST_EPISODES, MOST_CONVERSATIONS, MOST_JOBS = 30, 50, 1000
EXPLAINED_CONVERSATIONS, EXPLAINED_ANSWERS = 10, 20
AT_ONCE = 8  # requests
RULE, TURN = "procedural", "turn"


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """``new``: what replaced the old memory; None if it is not shown."""

    old: Fact
    new: Fact | None


@dataclass(slots=True, kw_only=True)
class Report:
    scope: Scope
    made_at: datetime
    counts: dict[str, int] = field(default_factory=dict)  # kind of memory -> number of active ones
    dated: list[Fact] = field(default_factory=list)  # newest first; for the curve over time
    memories: list[Fact] = field(default_factory=list)
    turns: list[Fact] = field(default_factory=list)
    rules: list[Fact] = field(default_factory=list)
    profile: Fact | None = None
    changes: list[Replacement] = field(default_factory=list)
    held_back: int = 0
    undone: int = 0
    switched_off: int = 0  # records that come from conversations in which reading is off
    episodes: list[Episode] = field(default_factory=list)
    episode_count: int = 0
    conversations: list[ConversationMemory] = field(default_factory=list)
    conversation_count: int = 0
    learning: dict[str, Any] = field(default_factory=dict)
    jobs: list[JobStatus] = field(default_factory=list)
    stages_ms: dict[str, list[float]] = field(default_factory=dict)  # stage of an answer -> milliseconds of each answer

    @property
    def receipts(self) -> list[tuple[JobStatus, dict[str, Any]]]:
        """Erasures that have ended, newest first."""
        ended = [job for job in self.jobs if job.kind == "forget" and job.status == "done" and job.summary.startswith("{")]
        return [(job, json.loads(job.summary)) for job in ended]


async def collect(bus: MemoryBus, session: Session, now: datetime) -> Report:
    """Raises: BadRequest (reading is switched off)."""
    report = Report(scope=session.options.scope, made_at=now)
    reader = _Reader(bus, session)
    stats = await bus.call(GetFactStats(**session.scope_fields))
    report.counts = {name: int(number) for name, number in stats.stats.items() if name not in ("vectors", "embedding")}
    active = await reader.facts("active", MOST_DATED)
    superseded = await reader.facts("superseded", MOST_CHANGES * 4)
    report.held_back = len(await reader.facts("quarantined", PAGE))
    report.undone = len(await reader.facts("undone", PAGE))
    await _read_conversations(report, reader)
    await _choose_facts(report, reader, active, superseded)
    await _read_episodes(report, reader)
    learned = await bus.call(GetLearningStatus(**session.scope_fields))
    report.learning = json.loads(learned.data or "{}")
    report.jobs = list((await bus.call(ListJobs(limit=MOST_JOBS, **session.scope_fields))).jobs)
    return report


class _Reader:
    """Reads the records of the session's scope, and remembers in which conversations reading is off."""

    def __init__(self, bus: MemoryBus, session: Session) -> None:
        self.bus, self.fields = bus, session.scope_fields
        self._may: dict[str, bool] = {}  # conversation id -> whether it is read
        self._slots = asyncio.Semaphore(AT_ONCE)

    async def facts(self, status: str, most: int) -> list[Fact]:
        found: list[Fact] = []
        while len(found) < most:
            limit = min(PAGE, most - len(found))
            page = await self.bus.call(ListFacts(status=status, limit=limit, offset=len(found), **self.fields))
            require_readable(page)
            found += page.facts
            if len(page.facts) < limit:
                break
        return found

    async def conversation(self, conversation_id: str, limit: int = 1) -> ConversationMemory | None:
        """None: it is not read, or is none of this scope."""
        async with self._slots:
            found = await self.bus.call(GetConversation(conversation_id=conversation_id, limit=limit, **self.fields))
        self._may[conversation_id] = found.stats.get("read") != "off"
        return found.conversation if self._may[conversation_id] else None

    async def may_show(self, sources: Iterable[str]) -> set[str]:
        """Of the conversations those in which reading is not switched off."""
        wanted = {source for source in sources if source}
        unknown = [source for source in wanted if source not in self._may]
        await asyncio.gather(*(self.conversation(source) for source in unknown))
        return {source for source in wanted if self._may[source]}


async def _read_conversations(report: Report, reader: _Reader) -> None:
    listed = await reader.bus.call(ListConversations(limit=MOST_CONVERSATIONS, **reader.fields))
    require_readable(listed)
    report.conversation_count = listed.count
    shown = await reader.may_show(each.conversation_id for each in listed.conversations)
    report.conversations = [each for each in listed.conversations if each.conversation_id in shown]
    for each in report.conversations[:EXPLAINED_CONVERSATIONS]:
        whole = await reader.conversation(each.conversation_id, EXPLAINED_ANSWERS)
        for name, value in whole.metadata.items() if whole else ():
            if name.startswith("why:"):
                _add_timings(report.stages_ms, json.loads(value))


def _add_timings(stages: dict[str, list[float]], explanation: dict[str, Any]) -> None:
    for part in ("recalled", "cited"):
        for name, took in ((explanation.get(part) or {}).get("timings_ms") or {}).items():
            stages.setdefault(str(name), []).append(float(took))


async def _choose_facts(report: Report, reader: _Reader, active: Sequence[Fact], superseded: Sequence[Fact]) -> None:
    derived = [fact for fact in active if fact.kind not in (TURN, RULE)][:MOST_DERIVED]
    turns = [fact for fact in active if fact.kind == TURN][:MOST_TURNS]
    rules = [fact for fact in active if fact.kind == RULE][:MOST_DERIVED]
    replaced = list(superseded[:MOST_CHANGES])
    newer = {fact.id: fact for fact in active}
    if missing := list({fact.superseded_by for fact in replaced if fact.superseded_by} - newer.keys()):
        newer |= {fact.id: fact for fact in (await reader.bus.call(GetFacts(ids=missing, **reader.fields))).facts}
    chosen = [
        *derived,
        *turns,
        *rules,
        *replaced,
        *(newer[fact.superseded_by] for fact in replaced if fact.superseded_by in newer),
    ]
    shown = await reader.may_show(fact.source for fact in chosen)

    def visible(facts: Iterable[Fact]) -> list[Fact]:
        return [fact for fact in facts if not fact.source or fact.source in shown]

    report.dated = list(active)
    report.memories, report.turns, report.rules = visible(derived), visible(turns), visible(rules)
    for old in visible(replaced):
        new = newer.get(old.superseded_by)
        told = new if new is not None and new.status in ("active", "superseded") and visible([new]) else None
        report.changes.append(Replacement(old=old, new=told))
    report.switched_off = len({fact.id for fact in chosen} - {fact.id for fact in visible(chosen)})
    profile = await reader.bus.call(RetrieveFacts(query="", top_k=0, profile=True, **reader.fields))
    require_readable(profile)
    report.profile = profile.profile


async def _read_episodes(report: Report, reader: _Reader) -> None:
    listed = await reader.bus.call(ListEpisodes(limit=MOST_EPISODES, **reader.fields))
    require_readable(listed)
    report.episode_count = (await reader.bus.call(GetEpisodeStats(**reader.fields))).count
    shown = await reader.may_show(each.source for each in listed.episodes)
    report.episodes = [each for each in listed.episodes if not each.source or each.source in shown]
    report.switched_off += len(listed.episodes) - len(report.episodes)
