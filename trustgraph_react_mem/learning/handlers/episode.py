"""The ``episode`` job: records a task with its steps, its outcome and the lessons from it.

Failed attempts become episodes, too.  Without a model, or if its answers are unusable, the episode contains only what the agent
loop reported; ``told_by`` in its metadata is then ``loop``.  Lessons require a model.
"""

import json
from collections.abc import Mapping

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text, read_time
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import SPEAKER, derived_id, turn_id
from ..context import HandlerContext
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
from ..invocation import DEFAULT_SPEAKER, ToolStep, read_steps
from ..llm_call import count_unusable, json_object
from ..rules.advice import Said

MOST_EARLIER = 20  # exchanges of the conversation whose words are known


@job_handler("episode", queue="model", obeys_switch=True)
class EpisodeHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        conversation_id, invocation_id = read_text(job, "conversation_id", needed=True), read_text(job, "invocation_id")
        if not await self._is_remembered(job, conversation_id):
            return JobOutcome(counts={"forgotten": 1})
        episode_id = derived_id("episode", job.id)
        if await context.core.episodes.graph.get(job.scope, [episode_id]):
            return JobOutcome(counts={"known": 1})
        steps, succeeded = read_steps(job), job.payload.get("succeeded") is not False
        local = local_report(read_text(job, "question", needed=True), read_text(job, "answer"), steps)
        variables: dict[str, JsonValue] = {
            "question": read_text(job, "question"),
            "answer": read_text(job, "answer"),
            "succeeded": succeeded,
            "steps": [{"step": step.line()} for step in steps[:MOST_STEPS]],
        }
        report, source = await context.model(job).ask_with_fallback(
            local, "memory-record-episode", variables, lambda completion: _report(completion, local)
        )
        speaker = (await context.policy(job)).screen_name(read_text(job, "speaker"))
        task = Task(
            id=episode_id,
            conversation_id=conversation_id,
            at=read_time(job, "at"),
            said=await self._collect_said(job, steps),
            steps=steps,
            succeeded=succeeded,
            metadata={"invocation_id": invocation_id, SPEAKER: speaker},
        )
        await keep_episode(context, job, task, report)
        return JobOutcome(counts={**count_unusable(source), "episodes": 1})

    async def _collect_said(self, job: Job, steps: tuple[ToolStep, ...]) -> list[Said]:
        """What the lessons of the task can rest on, in the order in which the agent saw it.

        The summary of older exchanges comes last, because it does not tell who said what.
        """
        core, own = self._context.core, read_text(job, "invocation_id")
        asker = read_text(job, "speaker") or DEFAULT_SPEAKER
        talk = await core.graph.conversations.get(job.scope, read_text(job, "conversation_id"), limit=MOST_EARLIER)
        done = await core.graph.conversations.invocations(job.scope, [own])
        recalled = await core.facts.graph.get(job.scope, [each for item in done for each in item.recalled_ids])
        explanation = talk.metadata.get(f"why:{own}", "") if talk is not None else ""
        episodes = await core.episodes.graph.get(job.scope, _shown_episodes(explanation))
        until = next((item.at for item in done), job.created_at)
        earlier = [each for each in (talk.invocations if talk else ()) if each.id != own and each.at <= until]
        said = [
            *say_recalled(recalled, asker),
            *say_episodes(episodes),
            *say_exchanges(earlier, asker),
            *say_exchange(read_text(job, "question"), steps, read_text(job, "answer")),
        ]
        summary = talk.metadata.get("summary", "") if talk is not None and talk.turns > MOST_EARLIER else ""
        return [*said, *([Said("other", summary)] if summary else [])]

    async def _is_remembered(self, job: Job, conversation_id: str) -> bool:
        """Whether the turn still exists.  The payload has the text, so the job may run after the turn was deleted."""
        question = turn_id(job.scope, conversation_id, read_text(job, "invocation_id"), "question")
        return any(fact.status != "undone" for fact in await self._context.core.facts.graph.get(job.scope, [question]))


def _shown_episodes(explanation: str) -> list[str]:
    """Ids of the episodes that the answer was shown, by its stored explanation."""
    recalled = json.loads(explanation).get("recalled") if explanation else None
    ids = recalled.get("episodes") if isinstance(recalled, Mapping) else None
    return [str(record) for record in ids] if isinstance(ids, list) else []


def local_report(question: str, answer: str, steps: tuple[ToolStep, ...]) -> EpisodeReport:
    """The task as the agent loop reported it, without a model."""
    done = tuple(step.line() for step in steps if step.action)[:MOST_STEPS]
    return EpisodeReport(goal=question, steps=done, outcome=answer)


def _report(completion: Completion, local: EpisodeReport) -> EpisodeReport:
    report = read_report(json_object(completion), local)
    if not report.told:
        raise ValueError('an object with "goal", "outcome" and "lessons" is needed')
    return report
