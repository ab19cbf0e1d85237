"""The ``episode`` job: records a task with its steps, its outcome and the lessons from it.

Failed attempts become episodes, too.  A bad rating of an answer marks its episode as failed; an answer without an episode gets
one if the model draws a lesson from it.  Without a model, or if its answers are unusable, the episode contains only what the
agent loop reported; ``told_by`` in its metadata is then ``loop``.  Lessons require a model.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text, read_time
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import SPEAKER, TURN_PARTS, Episode, derived_id, turn_id
from ...settings import is_personal
from ..context import HandlerContext
from ..episodes import (
    MOST_EARLIER,
    MOST_STEPS,
    EpisodeReport,
    earlier_exchanges,
    keep_episode,
    keep_lessons_of,
    read_report,
    say_exchange,
    say_exchanges,
    say_recalled,
)
from ..invocation import DEFAULT_SPEAKER, ToolStep, has_failed
from ..llm_call import count_unusable, json_object
from ..rules.advice import Said, Task
from ..rules.kept_lessons import Origin


@job_handler("episode", queue="model", obeys_switch=True)
class EpisodeHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        conversation_id = read_text(job, "conversation_id", needed=True)
        if not await self._is_remembered(job, conversation_id):
            return JobOutcome(counts={"forgotten": 1})
        rated = await self._find_rated_episode(job)
        steps, succeeded = _steps(job), job.payload.get("succeeded") is not False
        local = local_report(read_text(job, "question", needed=True), read_text(job, "answer"), steps)
        variables: dict[str, JsonValue] = {
            "question": read_text(job, "question"),
            "answer": read_text(job, "answer"),
            "succeeded": succeeded,
            "steps": [{"step": step.line()} for step in steps[:MOST_STEPS]],
        }
        said, source = await context.model(job).ask_with_fallback(
            local, "memory-record-episode", variables, lambda completion: _report(completion, local)
        )
        counts: Counter[str] = Counter(count_unusable(source))
        task = await self._task(job, rated.id if rated else derived_id("episode", job.id), steps)
        origin = _origin(job, conversation_id, succeeded=succeeded)
        if rated is not None:
            await context.core.episodes.store(job.scope, [replace(rated, succeeded=False)])
        elif not await context.core.episodes.graph.get(job.scope, [task.episode]) and (said.lessons or not _is_rated(job)):
            speaker = (await context.policy(job)).screen_name(read_text(job, "speaker"))
            metadata = {"invocation_id": origin.invocation_id, SPEAKER: speaker}
            await keep_episode(context, job, task, said, origin, succeeded=succeeded, metadata=metadata)
            counts["episodes"] += 1
        await keep_lessons_of(context, job, task, said, origin, counts)
        return JobOutcome(counts=counts)

    async def _find_rated_episode(self, job: Job) -> Episode | None:
        """The episode of an answer that a person rated as bad, if its task was recorded when it was answered."""
        if not _is_rated(job):
            return None
        recorded = await self._context.core.episodes.graph.by_source(
            job.scope, invocation_ids=[read_text(job, "invocation_id")]
        )
        return next((each for each in recorded if each.undone_at is None), None)

    async def _task(self, job: Job, episode_id: str, steps: tuple[ToolStep, ...]) -> Task:
        """What the lessons of the task can rest on.

        What a recalled tool, document or other person once said comes first, then the exchanges that the agent had before it:
        an answer that repeats a tool does not make its words the agent's own.  The summary of older exchanges comes last,
        because it does not tell who said what.
        """
        core, own, settings = self._context.core, read_text(job, "invocation_id"), self._context.settings(job)
        asker = read_text(job, "speaker") or DEFAULT_SPEAKER
        talk = await core.graph.conversations.get(job.scope, read_text(job, "conversation_id"), limit=MOST_EARLIER)
        done = await core.graph.conversations.invocations(job.scope, [own])
        recalled = await core.facts.graph.get(job.scope, [each for item in done for each in item.recalled_ids])
        earlier = await earlier_exchanges(self._context, job, talk, own, recalled)
        said = [
            *say_recalled(recalled, asker),
            *say_exchanges(earlier, asker),
            *say_exchange(read_text(job, "question"), steps, read_text(job, "answer"), asker),
        ]
        summary = talk.metadata.get("summary", "") if talk is not None and talk.turns > MOST_EARLIER else ""
        return Task(
            episode=episode_id,
            said=[*said, *([Said("tool", summary)] if summary else [])],
            steps=steps,
            shared=not is_personal(settings, job.scope.user, job.scope.collection),
        )

    async def _is_remembered(self, job: Job, conversation_id: str) -> bool:
        """Whether the turn still exists.  The payload has the text, so the job may run after the turn was deleted."""
        question = turn_id(job.scope, conversation_id, read_text(job, "invocation_id"), "question")
        return any(fact.status != "undone" for fact in await self._context.core.facts.graph.get(job.scope, [question]))


def _is_rated(job: Job) -> bool:
    """Whether the job is about an answer that a person rated as bad."""
    return job.payload.get("rated") is True


def _origin(job: Job, conversation_id: str, *, succeeded: bool) -> Origin:
    """After a failure there is no record of the answer."""
    invocation_id = read_text(job, "invocation_id")
    parts = TURN_PARTS if succeeded else TURN_PARTS[:1]
    return Origin(
        conversation_id=conversation_id,
        invocation_id=invocation_id,
        turn_ids=tuple(turn_id(job.scope, conversation_id, invocation_id, part) for part in parts),
        at=read_time(job, "at"),
    )


def local_report(question: str, answer: str, steps: tuple[ToolStep, ...]) -> EpisodeReport:
    """The task as the agent loop reported it, without a model."""
    done = tuple(step.line() for step in steps if step.action)[:MOST_STEPS]
    return EpisodeReport(goal=question, steps=done, outcome=answer)


def _report(completion: Completion, local: EpisodeReport) -> EpisodeReport:
    report = read_report(json_object(completion), local)
    if not report.told:
        raise ValueError('an object with "goal", "outcome" and "lessons" is needed')
    return report


def _steps(job: Job) -> tuple[ToolStep, ...]:
    raw = job.payload.get("steps")
    return tuple(
        ToolStep(
            thought=str(step.get("thought") or ""),
            action=str(step.get("action") or ""),
            arguments=str(step.get("arguments") or ""),
            observation=str(step.get("observation") or ""),
            failed=has_failed(step),
            about=str(step.get("about") or ""),
        )
        for step in (raw if isinstance(raw, list) else [])
        if isinstance(step, Mapping)
    )
