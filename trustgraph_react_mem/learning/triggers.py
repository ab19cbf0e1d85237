"""Decides when to learn: after an invocation, every N turns, at a topic drift, at the end of a conversation, after inactivity.

Decisions depend only on a turn's position in its conversation, never on earlier decisions, so a repeated record job publishes
the same jobs with the same ids.  Source: semantic router memory, section 6.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Job, JobKind, JsonValue, Vector
from ..memory.records import derived_id
from ..memory.scope import Scope
from ..settings import AgentMemSettings, is_personal

Trigger = Literal["invocation", "turns", "drift", "end", "inactivity", "management"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnBatch:
    """Positions of the invocations to learn from (both inclusive), and the reason."""

    first: int
    last: int
    trigger: Trigger


def extraction_batches(position: int, *, settings: AgentMemSettings, drifted: bool, ended: bool) -> list[TurnBatch]:
    """The batches to extract after the invocation at ``position`` (from 0).

    A batch of N invocations overlaps the previous one by ``extract_overlap``.  The end of the conversation extracts the rest
    after the last full batch.  A drift extracts up to the previous invocation.

    >>> [b.first for b in extraction_batches(9, settings=AgentMemSettings(), drifted=False, ended=False)]
    [0]
    """
    if not settings.enable_auto_fact_extraction:
        return []
    every, said = settings.extract_every_turns, position + 1
    full = bool(every) and said % every == 0
    boundary = (said // every) * every if every else 0
    batches = []
    if settings.extract_each_invocation:
        batches.append(TurnBatch(first=position, last=position, trigger="invocation"))
    if full:
        batches.append(TurnBatch(first=max(0, said - every - settings.extract_overlap), last=position, trigger="turns"))
    elif ended:
        first = 0 if not boundary else max(0, boundary - settings.extract_overlap)
        batches.append(TurnBatch(first=first, last=position, trigger="end"))
    elif drifted and position > boundary:
        batches.append(TurnBatch(first=boundary, last=position - 1, trigger="drift"))
    return batches


def has_drifted(profile: EmbeddingProfile, before: Vector | None, now: Vector | None, *, threshold: float) -> bool:
    """Whether the calibrated similarity of two consecutive questions (unit vectors) is below ``threshold``; 0 = never."""
    if not threshold or before is None or now is None:
        return False
    return profile.calibrate(float(before @ now)) < threshold


def end_jobs(
    scope: Scope,
    conversation_id: str,
    *,
    began_at: datetime | None,
    last_position: int,
    last_id: str = "",
    settings: AgentMemSettings,
    inherited: Mapping[str, JsonValue],
    trigger: Trigger,
    at: datetime,
    parent: str = "",
    extract: bool = True,
) -> list[Job]:
    """The jobs that follow the end of a conversation whose last invocation is ``last_id`` at ``last_position``.

    Publish the jobs before marking the conversation as ended: ids are derived, so ending it twice creates the same jobs.
    ``inherited``: payload keys that every job gets (flow, settings).  ``began_at``: time of the first request.  It is part of
    the ids, so a new conversation that reuses the ids of a forgotten one gets its own jobs.
    """
    name: JsonValue = conversation_id
    began = began_at.isoformat() if began_at is not None else ""
    wanted: list[tuple[JobKind, dict[str, JsonValue]]] = []
    if extract:
        for batch in extraction_batches(last_position, settings=settings, drifted=False, ended=True):
            wanted.append(("extract", {"conversation_id": name, "from": batch.first, "to": batch.last}))
    if settings.enable_prospective_reflection:
        wanted.append(("reflect", {"conversation_id": name, "to": last_position}))
    if settings.promote_at_end:
        wanted.append(("promote", {"conversation_id": name, "to": last_position}))
    # These run after the jobs above, in the same queue, and check then whether they are due or anything changed.
    if settings.consolidate_after_facts:
        wanted.append(("consolidate", {"when_due": True}))
    if settings.insight_after_episodes:
        wanted.append(("insight", {"when_due": True}))
    if settings.enable_profile and is_personal(settings, scope.user, scope.collection):
        wanted.append(("profile", {}))
    if settings.fact_quota or settings.episode_quota or settings.fact_ttl_days or settings.episode_ttl_days:
        wanted.append(("retain", {}))
    return [
        Job(
            id=derived_id("job", scope.key, conversation_id, "end", began, last_position, last_id, kind),
            kind=kind,
            scope=scope,
            payload={**inherited, **payload},
            created_at=at,
            trigger=trigger,
            parent=parent,
        )
        for kind, payload in wanted
    ]
