"""The ``record`` job: stores one finished request and creates the jobs that learn from it.

Order of effects: the invocation, its turns, the rules that the person gave, the explanation, then the follow-up jobs.  All ids
are derived from the request, so a job that is interrupted anywhere and repeated writes each record once.  No model is called.
"""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import TypeGuard

from ...jobs.delivery import JobOutcome, follow_up
from ...jobs.payload import inherit_payload, read_flow
from ...jobs.registry import job_handler
from ...memory.ports import Job, JsonValue, Vector
from ...memory.records import Conversation, turn_id
from ...memory.timefmt import format_time
from ...settings import AgentMemSettings
from ..context import HandlerContext
from ..inactivity import FLOW
from ..invocation import FinishedTurn, parse_finished_turn
from ..rules.keeping import keep_rules
from ..triggers import end_jobs, has_drifted, next_batch
from ..uses import count_uses

EXPLANATIONS_KEPT = 20  # per conversation


SUBMITTED = ("answer", "speaker", "speaker_proof", "asked_at", "answered_at", "recalled", "end_of_conversation")
"""What a client may say of an exchange besides its ids and its question.  An explanation is stored as it is, so only the agent
may send one."""


@job_handler(
    "record",
    queue="write",
    submit="service",
    required=("conversation_id", "invocation_id", "question"),
    accepts=SUBMITTED,
    obeys_switch=True,
    pipelined=True,
)
class RecordHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context, scope = self._context, job.scope
        settings = context.settings(job)
        turn = await parse_finished_turn(job, await context.policy(job), context.core.graph.owner_seal)
        await context.core.graph.conversations.append(scope, turn.invocation())
        talk = await context.core.graph.conversations.get(scope, turn.conversation_id, limit=EXPLANATIONS_KEPT + 1)
        position, began_at = await self._place(job, turn, talk)
        turns = turn.turns(scope, position, job=job)
        if turns:
            await context.core.facts.add_turns(scope, turn.conversation_id, turns, by=job.id, trigger=job.trigger)
        rules = await keep_rules(context, job, turn) if turns else {}
        await self._keep_metadata(job, turn, talk)
        if not _has_reward_job(job, settings):
            await count_uses(context.core.facts, scope, _cited_ids(job), at=turn.answered_at)
        follow_ups = await self._follow_ups(job, turn, talk, position, began_at, settings)
        if job.payload.get("end_of_conversation") is True:
            await context.core.graph.conversations.end(scope, turn.conversation_id, at=turn.answered_at)
        hidden = {f"hidden_{kind}": number for kind, number in turn.hidden.items()}
        return JobOutcome(counts={"turns": len(turns), **rules, **hidden}, follow_ups=tuple(follow_ups))

    async def _place(self, job: Job, turn: FinishedTurn, talk: Conversation | None) -> tuple[int, datetime | None]:
        """The invocation's position in its conversation, and the time when the conversation began.

        ``talk``: the conversation with its newest invocations.
        """
        if _ends_with(talk, turn):
            return talk.invocations[-1].position, talk.started_at
        # The job is being repeated after younger ones: search the whole conversation.
        whole = await self._context.core.graph.conversations.get(job.scope, turn.conversation_id, undone=True)
        places = {item.id: item.position for item in whole.invocations} if whole else {}
        return places.get(turn.invocation_id, 0), whole.started_at if whole else None

    async def _keep_metadata(self, job: Job, turn: FinishedTurn, talk: Conversation | None) -> None:
        """Store the flow, and what was recalled and cited (ids and scores, no text).  Older explanations are deleted."""
        if talk is None:
            return
        values = {FLOW: read_flow(job)} if talk.metadata.get(FLOW) != read_flow(job) else {}
        explanation = job.payload.get("explanation")
        if isinstance(explanation, Mapping):
            values[f"why:{turn.invocation_id}"] = json.dumps(explanation, ensure_ascii=False)
            kept = {item.id for item in talk.invocations[-EXPLANATIONS_KEPT:]}
            values |= {key: "" for key in talk.metadata if key.startswith("why:") and key.removeprefix("why:") not in kept}
        if values:
            await self._context.core.graph.conversations.set_metadata(job.scope, turn.conversation_id, values)

    async def _follow_ups(
        self,
        job: Job,
        turn: FinishedTurn,
        talk: Conversation | None,
        position: int,
        began_at: datetime | None,
        settings: AgentMemSettings,
    ) -> list[Job]:
        ended = job.payload.get("end_of_conversation") is True
        common: dict[str, JsonValue] = {**inherit_payload(job), "conversation_id": turn.conversation_id}
        jobs: list[Job] = []
        at = job.created_at  # not the clock: a repeated job must create identical follow-ups
        retrieval = job.payload.get("retrieval")
        if _has_reward_job(job, settings) or (settings.enable_retrospective_reflection and ended):
            payload = {
                **common,
                "invocation_id": turn.invocation_id,
                "retrieval": retrieval,
                "at": format_time(turn.answered_at),
                "end_of_conversation": ended,
            }
            jobs.append(follow_up(job, "reward", payload, trigger=job.trigger, at=at))
        if settings.enable_episode_recording and turn.task_like:
            jobs.append(follow_up(job, "episode", {**common, **_episode_payload(turn)}, trigger="invocation", at=at))
        drifted = not ended and await self._topic_drifted(job, turn, talk, settings)
        if batch := next_batch(position, settings=settings, drifted=drifted, ended=ended):
            jobs.append(follow_up(job, "understand", {**common, "to": batch.last}, trigger=batch.trigger, at=at))
        if ended:
            jobs += end_jobs(
                job.scope,
                turn.conversation_id,
                began_at=began_at,
                last_position=position,
                last_id=turn.invocation_id,
                settings=settings,
                inherited=inherit_payload(job),
                trigger="end",
                at=at,
                parent=job.id,
            )
        return jobs

    async def _topic_drifted(self, job: Job, turn: FinishedTurn, talk: Conversation | None, settings: AgentMemSettings) -> bool:
        if not settings.extract_every_turns or not settings.enable_auto_fact_extraction:
            return False
        if not _ends_with(talk, turn) or len(talk.invocations) < 2:
            return False
        ids = [turn_id(job.scope, turn.conversation_id, item.id, "question") for item in talk.invocations[-2:]]
        # The index already has the vectors of both questions, so nothing is embedded here.
        space = await self._context.core.facts.router.read_index(job.scope)
        points = await space.index.fetch(job.scope, ids, with_vectors=True)
        vectors: dict[str, Vector] = {point.id: point.vectors["text"] for point in points if "text" in point.vectors}
        return has_drifted(space.profile, vectors.get(ids[0]), vectors.get(ids[1]))


def _ends_with(talk: Conversation | None, turn: FinishedTurn) -> TypeGuard[Conversation]:
    return talk is not None and bool(talk.invocations) and talk.invocations[-1].id == turn.invocation_id


def _has_reward_job(job: Job, settings: AgentMemSettings) -> bool:
    """Whether a reward job follows.  It counts the uses of the cited memories, otherwise this job does."""
    return settings.enable_retrospective_reflection and isinstance(job.payload.get("retrieval"), Mapping)


def _cited_ids(job: Job) -> list[str]:
    """Ids of the memories that the answer cited."""
    explanation = job.payload.get("explanation")
    cited = explanation.get("cited") if isinstance(explanation, Mapping) else None
    ids = cited.get("ids") if isinstance(cited, Mapping) else None
    return [str(record) for record in ids] if isinstance(ids, list) else []


def _episode_payload(turn: FinishedTurn) -> dict[str, JsonValue]:
    return {
        "invocation_id": turn.invocation_id,
        "question": turn.question,
        "answer": turn.answer,
        "speaker": turn.speaker,
        "succeeded": turn.succeeded,
        "steps": [step.payload() for step in turn.steps],
        "at": format_time(turn.answered_at),
    }
