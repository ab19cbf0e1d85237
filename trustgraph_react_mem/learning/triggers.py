"""Decides when to learn: after an invocation, every N turns, at a topic drift, at the end of a conversation, after inactivity.

Decisions depend only on a turn's position in its conversation, never on earlier decisions, so a repeated record job publishes
the same jobs with the same ids.  Source: semantic router memory, section 6.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from ..memory.ports import Job, JobKind, JsonValue
from ..memory.records import Invocation, derived_id
from ..memory.scope import Scope
from ..settings import AgentMemSettings

Trigger = Literal["invocation", "turns", "drift", "end", "inactivity", "management"]


LEAST_OF_DRIFT = 5  # invocations since the last full batch
DRIFT = 0.25  # calibrated similarity of consecutive questions below which the topic has changed


def next_batch(position: int, *, settings: AgentMemSettings, drifted: bool, ended: bool) -> tuple[int, Trigger] | None:
    """What to learn from after the invocation at ``position`` (from 0): the last position to read, and the reason.

    All invocations up to it that were not read yet are read.  None: nothing yet.

    A drift leaves out the newest invocation, which is about the new topic.  Few invocations wait for more or for the end: each
    call of the model reads the instructions and the entries again.  The end of a conversation has its own jobs (``end_jobs``).

    >>> next_batch(9, settings=AgentMemSettings(), drifted=False, ended=False)
    (9, 'turns')
    """
    if ended or not settings.enable_auto_fact_extraction or not settings.extract_every_turns:
        return None
    if (position + 1) % settings.extract_every_turns == 0:
        return position, "turns"
    waiting = position % settings.extract_every_turns
    return (position - 1, "drift") if drifted and waiting >= LEAST_OF_DRIFT else None


def end_jobs(
    scope: Scope,
    last: Invocation,
    began_at: datetime | None,
    settings: AgentMemSettings,
    *,
    inherited: Mapping[str, JsonValue],
    trigger: Trigger,
    at: datetime,
    parent: str = "",
) -> list[Job]:
    """The jobs that follow the end of a conversation whose last invocation is ``last``.

    Publish the jobs before marking the conversation as ended: ids are derived, so ending it twice creates the same jobs.
    ``inherited``: payload keys that every job gets (flow, settings).  ``began_at``: time of the first request.  It is part of
    the ids, so a new conversation that reuses the ids of a forgotten one gets its own jobs.
    """
    began = began_at.isoformat() if began_at is not None else ""
    wanted: list[tuple[JobKind, dict[str, JsonValue]]] = []
    if settings.enable_auto_fact_extraction or settings.enable_prospective_reflection:
        wanted.append(("understand", {"conversation_id": last.conversation_id, "to": last.position, "ended": True}))
    # These run after the jobs above, in the same queue, and check then whether they are due or anything changed.
    if settings.enable_prospective_reflection:
        wanted += [("consolidate", {"when_due": True}), ("insight", {"when_due": True})]
    if settings.fact_quota or settings.fact_ttl_days or settings.episode_ttl_days:
        wanted.append(("retain", {}))
    return [
        Job(
            id=derived_id("job", scope.key, last.conversation_id, "end", began, last.position, last.id, kind),
            kind=kind,
            scope=scope,
            payload={**inherited, **payload},
            created_at=at,
            trigger=trigger,
            parent=parent,
        )
        for kind, payload in wanted
    ]
