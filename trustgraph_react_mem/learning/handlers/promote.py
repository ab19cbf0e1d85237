"""The ``promote`` job: moves what matters from a finished conversation to long-term memory.

High-value facts are checked as in extraction.  A session with several requests becomes one episode.  If the model's answer
about a window is unusable, the window adds no facts (``extract`` has read it, too), and the failure is counted.

Source: agentic memory specification, Conversation End.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import Conversation, Episode, derived_id, in_language
from ..checks.advice import Task
from ..context import HandlerContext
from ..dialogue import DialogueLine, split_into_windows, stored_lines
from ..invocation import DEFAULT_SPEAKER
from ..llm_call import count_unusable, json_object
from ..progress import Session, sessions
from .episode import FROM_LOOP
from .extract import check_and_store, read_part, recalled_texts

HIGH_VALUE = 0.6
MOST_STEPS = 20
LONGEST = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    facts: Sequence[Mapping[str, JsonValue]]
    goal: str
    outcome: str
    lessons: str


@job_handler("promote", queue="model", submit="person", required=("conversation_id",), obeys_switch=True)
class PromoteHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        conversation_id = read_text(job, "conversation_id", needed=True)
        counts: Counter[str] = Counter(invocations=0)
        async for session in sessions(context.core, job, conversation_id, "promoted_to"):
            await self._promote(job, conversation_id, session, counts)
        return JobOutcome(counts=counts)

    async def _promote(self, job: Job, conversation_id: str, session: Session, counts: Counter[str]) -> None:
        context = self._context
        lines, conversation = await read_part(context, job, conversation_id, session.first, session.last)
        if conversation is None or not conversation.invocations:
            return
        counts["invocations"] += len(conversation.invocations)
        said = Promotion(facts=(), goal="", outcome="", lessons="")
        settings = context.settings(job)
        model = context.model(job)
        recalled = await recalled_texts(context, job, conversation, {line.invocation_id for line in lines})
        for number, window in enumerate(split_into_windows([line for line in lines if line.role != "tool"])):
            nothing = replace(said, facts=())
            said, source = await model.ask_with_fallback(nothing, "memory-promote", _variables(window, said), _promotion)
            counts.update(count_unusable(source))
            if settings.enable_auto_fact_extraction:
                await check_and_store(
                    context,
                    job,
                    said.facts,
                    window,
                    place=f"promote:{session.first}:{number}",
                    recalled=recalled,
                    counts=counts,
                    least_importance=HIGH_VALUE,
                )
        if settings.enable_episode_recording and len(conversation.invocations) > 1:
            episode_id = derived_id("episode", job.scope.key, conversation_id, "conversation", conversation.invocations[-1].id)
            if not await context.core.episodes.graph.get(job.scope, [episode_id]):
                episode = in_language(await self._episode(job, conversation, said, episode_id), settings.language)
                await context.core.episodes.store(job.scope, [episode])
                counts["episodes"] += 1

    async def _episode(self, job: Job, conversation: Conversation, said: Promotion, episode_id: str) -> Episode:
        """The session as one episode.  Without a model, its goal is the first question."""
        policy = await self._context.policy(job)
        asked = [item.query for item in conversation.invocations]
        lessons = policy.screen(said.lessons).text
        task = Task(
            episode=episode_id,
            lines=stored_lines(conversation.invocations, DEFAULT_SPEAKER),
            deeds=[step.partition(" -> ")[0] for item in conversation.invocations for step in item.steps if " -> " in step],
            shared=job.scope.user == "",
        )
        # In a shared memory one person's lesson must not influence the others; a tool's advice must not influence anyone.
        withheld = task.shared or task.is_tools_advice(lessons, when="") or task.is_persons_advice(lessons, when="")
        return Episode(
            id=episode_id,
            scope=job.scope,
            goal=(policy.screen(said.goal).text or asked[0])[:LONGEST],
            steps=tuple(asked[:MOST_STEPS]),
            outcome=(policy.screen(said.outcome).text or conversation.invocations[-1].result)[:LONGEST],
            lessons="" if withheld else lessons,
            created_at=conversation.last_at or job.created_at,
            succeeded=conversation.invocations[-1].succeeded,
            source=conversation.id,
            job_id=job.id,
            metadata={
                "of": "conversation",
                **({} if said.goal or said.outcome else {"told_by": FROM_LOOP}),
                **({"withheld_lessons": lessons} if withheld and lessons else {}),
            },
        )


def _variables(window: Sequence[DialogueLine], so_far: Promotion) -> dict[str, JsonValue]:
    return {"lines": [line.payload() for line in window], "before": so_far.outcome}


def _promotion(completion: Completion) -> Promotion:
    said = json_object(completion)
    facts, episode = said.get("facts"), said.get("episode")
    if not isinstance(facts, list) and not isinstance(episode, dict):
        raise ValueError('an object with a list "facts" and an object "episode" is needed')
    fields = episode if isinstance(episode, dict) else {}
    goal, outcome, lessons = (str(fields.get(key) or "")[:LONGEST] for key in ("goal", "outcome", "lessons"))
    items = [item for item in facts if isinstance(item, dict)] if isinstance(facts, list) else []
    return Promotion(facts=items, goal=goal, outcome=outcome, lessons=lessons)
