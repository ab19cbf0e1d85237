"""The ``record`` job: stores one finished request and creates the jobs that learn from it.

Order of effects: the invocation, its turns, the rules that the person gave, the explanation, then the follow-up jobs.  All ids
are derived from the request, so a job that is interrupted anywhere and repeated writes each record once.  No model is called.
"""

import json
from collections.abc import Mapping

from ...jobs.delivery import JobOutcome, follow_up, inherit_payload, read_flow
from ...memory.ports import Job, JobKind, JsonValue
from ...memory.records import Conversation, turn_id
from ...memory.timefmt import format_time
from ...rerank.citations import imitates_citation
from ..context import Work, learns
from ..invocation import DRIFT, FinishedTurn, end_jobs, next_batch, parse_finished_turn
from ..rules.keeping import keep_rules
from ..sweeps import FLOW

EXPLANATIONS_KEPT = 20  # per conversation


SUBMITTED = ("answer", "speaker", "speaker_proof", "asked_at", "answered_at", "recalled", "end_of_conversation")
"""What a client may say of an exchange besides its ids and its question.  An explanation is stored as it is, so only the agent
may send one."""


@learns(
    "record",
    queue="write",
    submit="service",
    required=("conversation_id", "invocation_id", "question"),
    accepts=SUBMITTED,
    obeys_switch=True,
    pipelined=True,
)
async def record(work: Work) -> JobOutcome:
    job, scope, settings = work.job, work.scope, work.settings
    conversations, policy = work.core.graph.conversations, await work.policy()
    turn = await parse_finished_turn(job, policy, work.core.graph.owner_seal)
    await conversations.append(scope, turn.invocation())
    talk = await conversations.get(scope, turn.conversation_id, limit=EXPLANATIONS_KEPT + 1)
    stored = [*talk.invocations[-1:]] if talk else []
    if is_older := [item.id for item in stored] != [turn.invocation_id]:  # the job is being repeated after younger ones
        stored = await conversations.invocations(scope, [turn.invocation_id])
    own = stored[0] if stored else turn.invocation()
    position = own.position
    turns = turn.turns(job, position)
    if turns:
        await work.core.facts.add_turns(scope, turn.conversation_id, turns, by=job.id, trigger=job.trigger)
    # Where a model understands, only what the agent wrote changes rules at once.
    is_about_rules = bool(turns) and (bool(job.payload.get("rules")) or not work.understands)
    rules = await keep_rules(work, turn, policy) if is_about_rules else {}
    await _keep_metadata(work, turn, talk)
    await _count_uses(work, turn)
    ended = job.payload.get("end_of_conversation") is True
    jobs = _follow_ups(work, turn, ended)
    batch = next_batch(position, settings=settings, drifted=False, ended=ended)
    after_drift = next_batch(position, settings=settings, drifted=True, ended=ended)
    if batch is None and after_drift is not None and talk and not is_older and await _has_drifted(work, talk):
        batch = after_drift
    if batch is not None:
        payload: dict[str, JsonValue] = {"conversation_id": turn.conversation_id, "to": batch[0]}
        jobs.append(follow_up(job, "understand", inherit_payload(job) | payload, trigger=batch[1], at=job.created_at))
    if ended:
        began, inherited = talk.started_at if talk else None, inherit_payload(job)
        jobs += end_jobs(scope, own, began, settings, inherited=inherited, trigger="end", at=job.created_at, parent=job.id)
        await conversations.end(scope, turn.conversation_id, at=turn.answered_at)
    hidden = {f"hidden_{kind}": number for kind, number in turn.hidden.items()}
    return JobOutcome(counts={"turns": len(turns), **rules, **hidden}, follow_ups=tuple(jobs))


async def _keep_metadata(work: Work, turn: FinishedTurn, talk: Conversation | None) -> None:
    """Store the flow, and what was recalled and cited (ids and scores, no text).  Older explanations are deleted."""
    if talk is None:
        return
    flow, explanation = read_flow(work.job), work.job.payload.get("explanation")
    values = {FLOW: flow} if talk.metadata.get(FLOW) != flow else {}
    if isinstance(explanation, Mapping):
        values[f"why:{turn.invocation_id}"] = json.dumps(explanation, ensure_ascii=False)
        kept = {item.id for item in talk.invocations[-EXPLANATIONS_KEPT:]}
        values |= {key: "" for key in talk.metadata if key.startswith("why:") and key.removeprefix("why:") not in kept}
    if values:
        await work.core.graph.conversations.set_metadata(work.scope, turn.conversation_id, values)


def _follow_ups(work: Work, turn: FinishedTurn, ended: bool) -> list[Job]:
    """The jobs that learn from the exchange itself.  A repeated job creates identical ones."""
    jobs: list[Job] = []

    def add(kind: JobKind, trigger: str, **payload: JsonValue) -> None:
        common = {"conversation_id": turn.conversation_id, "invocation_id": turn.invocation_id}
        about = {**inherit_payload(work.job), **common, "at": format_time(turn.answered_at), **payload}
        jobs.append(follow_up(work.job, kind, about, trigger=trigger, at=work.job.created_at))

    retrieval = work.job.payload.get("retrieval")
    if isinstance(retrieval, Mapping) or ended:
        add("reward", work.job.trigger, retrieval=retrieval, end_of_conversation=ended)
    if work.settings.enable_episode_recording and turn.task_like:
        add(
            "episode",
            "invocation",
            question=turn.question,
            answer=turn.answer,
            speaker=turn.speaker,
            succeeded=turn.succeeded,
            steps=[step.payload() for step in turn.steps],
        )
    return jobs


async def _has_drifted(work: Work, talk: Conversation) -> bool:
    """Whether the newest two questions are so unlike that the topic has changed."""
    ids = [turn_id(work.scope, talk.id, item.id, "question") for item in talk.invocations[-2:]]
    # The index already has the vectors of both questions, so nothing is embedded here.
    space = await work.core.facts.router.read_index(work.scope)
    points = await space.index.fetch(work.scope, ids, with_vectors=True)
    vectors = [point.vectors["text"] for point in points if "text" in point.vectors]
    return len(vectors) == 2 and space.profile.calibrate(float(vectors[0] @ vectors[1])) < DRIFT


async def _count_uses(work: Work, turn: FinishedTurn) -> None:
    """Count one use of each memory that the answer cites.  ``retain`` keeps them longer, and ranking has a feature for it.

    An answer is counted once, even if its job is repeated.  Memories whose own text imitates a citation are not counted,
    because they could otherwise protect themselves from being forgotten.
    """
    explanation = work.job.payload.get("explanation")
    cited = explanation.get("cited") if isinstance(explanation, Mapping) else None
    ids = cited.get("ids") if isinstance(cited, Mapping) else None
    found = await work.core.facts.graph.get(work.scope, list(map(str, ids))) if isinstance(ids, list) else []
    if useful := [fact.id for fact in found if not imitates_citation(fact.content)]:
        await work.core.facts.touch(work.scope, useful, at=turn.answered_at)
