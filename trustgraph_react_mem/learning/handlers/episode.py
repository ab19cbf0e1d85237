"""The ``episode`` job: records a task with its steps, its outcome and the lessons from it.

Failed attempts become episodes, too.  Without a model, or if its answers are unusable, the episode contains only what the agent
loop reported; ``told_by`` in its metadata is then ``loop``.  Lessons require a model.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text, read_time
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import SPEAKER, Episode, derived_id, in_language, turn_id
from ..checks.grounding import ENOUGH_WORDS, word_share
from ..context import HandlerContext
from ..dialogue import DialogueLine
from ..invocation import DEFAULT_SPEAKER, ToolStep
from ..llm_call import Source, count_unusable, json_object
from .extract import check_and_store

FROM_LOOP = "loop"
LONGEST_GOAL, LONGEST_OUTCOME, LONGEST_LESSONS, MOST_STEPS = 400, 800, 800, 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """A model's description of a task.  ``rule``: a procedural item in the format of extraction, or None."""

    goal: str
    steps: tuple[str, ...]
    outcome: str
    lessons: str
    rule: Mapping[str, JsonValue] | None


@job_handler("episode", queue="model")
class EpisodeHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        conversation_id = read_text(job, "conversation_id", needed=True)
        if not (await context.core.graph.switches.get(job.scope, conversation_id)).write:
            return JobOutcome(counts={"switched_off": 1})
        if not await self._is_remembered(job, conversation_id):
            return JobOutcome(counts={"forgotten": 1})
        episode_id = derived_id("episode", job.id)
        steps = _steps(job)
        local = local_lesson(read_text(job, "question", needed=True), read_text(job, "answer"), steps)
        variables: dict[str, JsonValue] = {
            "question": read_text(job, "question"),
            "answer": read_text(job, "answer"),
            "succeeded": job.payload.get("succeeded") is not False,
            "steps": [{"step": step.line()} for step in steps[:MOST_STEPS]],
        }
        said, source = await context.model(job).ask_with_fallback(
            local, "memory-record-episode", variables, lambda c: _lesson(c, local)
        )
        counts: Counter[str] = Counter(count_unusable(source))
        if not await context.core.episodes.graph.get(job.scope, [episode_id]):
            episode = in_language(await self._episode(job, episode_id, said, source), context.settings(job).language)
            await context.core.episodes.store(job.scope, [episode])
            counts["episodes"] += 1
        if said.rule is not None:
            lines = _lines(job, steps)
            await check_and_store(context, job, [said.rule], lines, place="rule", recalled=[], counts=counts, own_work=True)
        return JobOutcome(counts=counts)

    async def _is_remembered(self, job: Job, conversation_id: str) -> bool:
        """Whether the turn still exists.  The payload has the text, so the job may run after the turn was deleted."""
        question = turn_id(job.scope, conversation_id, read_text(job, "invocation_id"), "question")
        return any(fact.status != "undone" for fact in await self._context.core.facts.graph.get(job.scope, [question]))

    async def _episode(self, job: Job, episode_id: str, said: Lesson, source: Source) -> Episode:
        policy = await self._context.policy(job)
        shared = job.scope.user == ""
        lessons = policy.screen(said.lessons).text
        withheld = shared or _tool_speaks(lessons, _lines(job, _steps(job)))
        metadata = {"invocation_id": read_text(job, "invocation_id"), SPEAKER: policy.screen_name(read_text(job, "speaker"))}
        if source != "model":
            metadata["told_by"] = FROM_LOOP
        if withheld and lessons:
            # In a shared memory one person's lesson must not influence the others; a tool's advice must not influence anyone.
            metadata["withheld_lessons"] = lessons
        return Episode(
            id=episode_id,
            scope=job.scope,
            goal=policy.screen(said.goal).text,
            steps=tuple(policy.screen(step).text for step in said.steps),
            outcome=policy.screen(said.outcome).text,
            lessons="" if withheld else lessons,
            created_at=read_time(job, "at"),
            succeeded=job.payload.get("succeeded") is not False,
            source=read_text(job, "conversation_id"),
            job_id=job.id,
            metadata=metadata,
        )


def _tool_speaks(lessons: str, lines: list[DialogueLine]) -> bool:
    """Whether a lesson repeats a tool's output rather than what a person said or the agent did."""
    returned = [line.text for line in lines if line.role == "tool"]
    others = [line.text for line in lines if line.role != "tool"]
    return bool(returned and lessons) and word_share(lessons, returned) >= ENOUGH_WORDS > word_share(lessons, others)


def local_lesson(question: str, answer: str, steps: tuple[ToolStep, ...]) -> Lesson:
    """The task as the agent loop reported it, without a model."""
    return Lesson(
        goal=question[:LONGEST_GOAL],
        steps=tuple(step.line() for step in steps if step.action)[:MOST_STEPS],
        outcome=answer[:LONGEST_OUTCOME],
        lessons="",
        rule=None,
    )


def _lesson(completion: Completion, local: Lesson) -> Lesson:
    said = json_object(completion)
    goal, outcome, lessons = (_sentence(said.get(key)) for key in ("goal", "outcome", "lessons"))
    if not goal and not outcome and not lessons:
        raise ValueError('an object with "goal", "outcome" and "lessons" is needed')
    raw_steps = said.get("steps")
    steps = [_sentence(step) for step in raw_steps] if isinstance(raw_steps, list) else []
    rule = said.get("rule")
    usable = isinstance(rule, dict) and _sentence(rule.get("condition")) and _sentence(rule.get("action"))
    return Lesson(
        goal=(goal or local.goal)[:LONGEST_GOAL],
        steps=tuple(step for step in steps if step)[:MOST_STEPS] or local.steps,
        outcome=(outcome or local.outcome)[:LONGEST_OUTCOME],
        lessons=lessons[:LONGEST_LESSONS],
        rule={**rule, "kind": "procedural"} if isinstance(rule, dict) and usable else None,
    )


def _sentence(value: JsonValue) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _steps(job: Job) -> tuple[ToolStep, ...]:
    raw = job.payload.get("steps")
    return tuple(
        ToolStep(
            thought=str(step.get("thought") or ""),
            action=str(step.get("action") or ""),
            arguments=str(step.get("arguments") or ""),
            observation=str(step.get("observation") or ""),
        )
        for step in (raw if isinstance(raw, list) else [])
        if isinstance(step, Mapping)
    )


def _lines(job: Job, steps: tuple[ToolStep, ...]) -> list[DialogueLine]:
    """Sources for a rule: the question, the agent's own actions, and the tool results."""
    at, invocation_id = read_time(job, "at"), read_text(job, "invocation_id")
    conversation_id = read_text(job, "conversation_id")
    lines: list[DialogueLine] = []

    def add(role: str, speaker: str, text: str, part: str) -> None:
        if text:
            lines.append(
                DialogueLine(
                    number=len(lines),
                    role="user" if role == "user" else ("tool" if role == "tool" else "assistant"),
                    speaker=speaker,
                    text=text,
                    turn_id=turn_id(job.scope, conversation_id, invocation_id, part) if part else "",
                    invocation_id=invocation_id,
                    said_at=at,
                )
            )

    add("user", read_text(job, "speaker") or DEFAULT_SPEAKER, read_text(job, "question"), "question")
    for step in steps:
        add("assistant", "Assistant", f"{step.thought} {step.action} {step.arguments}".strip(), "")
        add("tool", "Tool", step.observation, "")
    add("assistant", "Assistant", read_text(job, "answer"), "answer" if job.payload.get("succeeded") is not False else "")
    return lines
