"""The ``episode`` job: records a task with its steps, its outcome and the lessons from it.

Failed attempts become episodes, too.  Without a model, or if its answers are unusable, the episode contains only what the agent
loop reported; ``told_by`` in its metadata is then ``loop``.  Lessons require a model.
"""

import json
from collections.abc import Mapping, Sequence

from ...jobs.delivery import JobOutcome, read_text, read_time
from ...memory.ports import JsonValue
from ...memory.records import SPEAKER, derived_id, turn_id
from ..context import Work, learns
from ..episodes import (
    MOST_STEPS,
    EpisodeReport,
    Task,
    keep_episode,
    read_report,
    say_episodes,
    say_exchange,
    say_exchanges,
    say_recalled,
)
from ..invocation import DEFAULT_SPEAKER, read_steps
from ..llm_call import ask_with_fallback
from ..rules.advice import Said

MOST_EARLIER = 20  # exchanges of the conversation whose words are known


@learns("episode", queue="model", obeys_switch=True)
async def record_episode(work: Work) -> JobOutcome:
    job, core = work.job, work.core
    conversation_id, invocation_id = read_text(job, "conversation_id", needed=True), read_text(job, "invocation_id")
    question_id = turn_id(job.scope, conversation_id, invocation_id, "question")
    # The payload has the text, so the job may run after the turn was deleted.
    if all(fact.status == "undone" for fact in await core.facts.graph.get(job.scope, [question_id])):
        return JobOutcome(counts={"forgotten": 1})
    episode_id = derived_id("episode", job.id)
    if await core.episodes.graph.get(job.scope, [episode_id]):
        return JobOutcome(counts={"known": 1})
    steps, succeeded = read_steps(job), job.payload.get("succeeded") is not False
    question, answer = read_text(job, "question", needed=True), read_text(job, "answer")
    done = tuple(step.line() for step in steps if step.action)[:MOST_STEPS]
    local = EpisodeReport(goal=question, steps=done, outcome=answer)
    variables: dict[str, JsonValue] = {
        "question": question,
        "answer": answer,
        "succeeded": succeeded,
        "steps": [{"step": step.line()} for step in steps[:MOST_STEPS]],
    }
    report, counts = await ask_with_fallback(
        work, local, "memory-record-episode", variables, lambda said: _report(said.object, local)
    )
    task = Task(
        id=episode_id,
        conversation_id=conversation_id,
        at=read_time(job, "at"),
        said=await _collect_said(work, conversation_id, invocation_id, say_exchange(question, steps, answer)),
        steps=steps,
        succeeded=succeeded,
        metadata={
            "invocation_id": invocation_id,
            SPEAKER: (await work.policy()).screen_name(read_text(job, "speaker")),
        },
    )
    await keep_episode(work, task, report)
    return JobOutcome(counts={**counts, "episodes": 1})


async def _collect_said(work: Work, conversation_id: str, own: str, exchange: Sequence[Said]) -> list[Said]:
    """What the lessons of the task can rest on, in the order in which the agent saw it.

    The summary of older exchanges comes last, because it does not tell who said what.
    """
    conversations, scope = work.core.graph.conversations, work.scope
    asker = read_text(work.job, "speaker") or DEFAULT_SPEAKER
    talk = await conversations.get(scope, conversation_id, limit=MOST_EARLIER)
    done = await conversations.invocations(scope, [own])
    recalled = await work.core.facts.graph.get(scope, [each for item in done for each in item.recalled_ids])
    explanation = talk.metadata.get(f"why:{own}", "") if talk is not None else ""
    episodes = await work.core.episodes.graph.get(scope, _shown_episodes(explanation))
    until = next((item.at for item in done), work.job.created_at)
    earlier = [each for each in (talk.invocations if talk else ()) if each.id != own and each.at <= until]
    said = [*say_recalled(recalled, asker), *say_episodes(episodes), *say_exchanges(earlier, asker), *exchange]
    summary = talk.metadata.get("summary", "") if talk is not None and talk.turns > MOST_EARLIER else ""
    return [*said, *([Said("other", summary)] if summary else [])]


def _shown_episodes(explanation: str) -> list[str]:
    """Ids of the episodes that the answer was shown, by its stored explanation."""
    recalled = json.loads(explanation).get("recalled") if explanation else None
    ids = recalled.get("episodes") if isinstance(recalled, Mapping) else None
    return [str(record) for record in ids] if isinstance(ids, list) else []


def _report(said: object, local: EpisodeReport) -> EpisodeReport:
    if not isinstance(said, dict):
        raise ValueError("a JSON object is needed")
    report = read_report(said, local)
    if not report.told:
        raise ValueError('an object with "goal", "outcome" and "lessons" is needed')
    return report
