"""The ``episode`` job: records a task with its steps, its outcome and the lessons from it.

Failed attempts become episodes, too.  A bad rating of an answer marks its episode as failed; an answer without an episode gets
one if the model draws a lesson from it.  Without a model, or if its answers are unusable, the episode contains only what the
agent loop reported; ``told_by`` in its metadata is then ``loop``.  Lessons require a model.  They are part of the episode, and
each becomes a rule of its own (``rules/lessons.py``).
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text, read_time
from ...jobs.registry import job_handler
from ...memory.ports import Completion, Job, JsonValue
from ...memory.records import SPEAKER, Conversation, Episode, Fact, Invocation, derived_id, in_language, turn_id
from ...memory.text.pasted import split_pasted
from ...memory.trust.quarantine import OUTSIDERS
from ..checks.advice import Task
from ..checks.storing import check_and_store
from ..context import HandlerContext
from ..dialogue import MOST_STORED, DialogueLine, Role, stored_lines
from ..invocation import DEFAULT_SPEAKER, ToolStep, has_failed
from ..llm_call import Source, count_unusable, json_object
from ..rules.lessons import MOST_LESSONS, Lesson, one_line, read_lessons, shown_records

FROM_LOOP = "loop"
LONGEST_GOAL, LONGEST_OUTCOME, LONGEST_LESSONS, MOST_STEPS = 400, 800, 800, 12
MOST_EARLIER = 20  # exchanges whose words are known


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeReport:
    """A model's description of a task.  ``lessons``: as text.  ``drawn``: the same, one by one."""

    goal: str
    steps: tuple[str, ...]
    outcome: str
    lessons: str
    drawn: tuple[Lesson, ...] = ()


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
        episode_id = rated.id if rated else derived_id("episode", job.id)
        steps = _steps(job)
        local = local_report(read_text(job, "question", needed=True), read_text(job, "answer"), steps)
        variables: dict[str, JsonValue] = {
            "question": read_text(job, "question"),
            "answer": read_text(job, "answer"),
            "succeeded": job.payload.get("succeeded") is not False,
            "steps": [{"step": step.line()} for step in steps[:MOST_STEPS]],
        }
        said, source = await context.model(job).ask_with_fallback(
            local, "memory-record-episode", variables, lambda c: _report(c, local)
        )
        counts: Counter[str] = Counter(count_unusable(source))
        drawn = said.drawn[: context.settings(job).lessons_per_episode]
        task = await self._task(job, episode_id, steps)
        if rated is not None:
            await context.core.episodes.store(job.scope, [replace(rated, succeeded=False)])
        elif not await context.core.episodes.graph.get(job.scope, [episode_id]) and (drawn or not _is_rated(job)):
            episode = in_language(await self._episode(job, task, said, source), context.settings(job).language)
            await context.core.episodes.store(job.scope, [episode])
            counts["episodes"] += 1
        if drawn:
            items = [lesson.item() for lesson in drawn]
            await check_and_store(context, job, items, task.lines, place="rule", recalled=[], counts=counts, task=task)
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
        core, own = self._context.core, _lines(job, steps)
        first = own[0]
        talk = await core.graph.conversations.get(job.scope, read_text(job, "conversation_id"), limit=MOST_EARLIER)
        said = await core.graph.conversations.invocations(job.scope, [read_text(job, "invocation_id")])
        recalled = await core.facts.graph.get(job.scope, [each for item in said for each in item.recalled_ids])
        earlier = await self._earlier(job, talk, recalled)

        def make_line(role: Role, speaker: str, text: str) -> DialogueLine:
            return replace(first, role=role, speaker=speaker, text=text[:MOST_STORED], turn_id="")

        foreign = [make_line("tool", "Tool", fact.content) for fact in recalled if fact.trust in OUTSIDERS]
        others = [
            make_line("user", fact.speaker, fact.content)
            for fact in recalled
            if fact.trust not in (*OUTSIDERS, "assistant") and fact.speaker not in ("", first.speaker)
        ]
        summary = talk.metadata.get("summary", "") if talk is not None and talk.turns > MOST_EARLIER else ""
        before = stored_lines(earlier, first.speaker)
        lines = [*foreign, *others, *before, *own, *([make_line("tool", "Tool", summary)] if summary else [])]
        return Task(
            episode=episode_id,
            lines=[replace(line, number=number) for number, line in enumerate(lines)],
            deeds=[f"{step.action} {step.arguments}" for step in steps if step.action],
            succeeded=job.payload.get("succeeded") is not False,
            shared=job.scope.user == "",
        )

    async def _earlier(self, job: Job, talk: Conversation | None, recalled: Sequence[Fact]) -> list[Invocation]:
        """The exchanges before this one in its conversation, and those of recalled answers and episodes, oldest first."""
        core, own = self._context.core, read_text(job, "invocation_id")
        answers = [fact for fact in recalled if fact.trust == "assistant"]
        turns = await core.facts.graph.get(job.scope, [turn for fact in answers for turn in fact.turn_ids])
        kept = talk.metadata.get(f"why:{own}", "") if talk is not None else ""
        episodes = await core.episodes.graph.get(job.scope, shown_records(json.loads(kept), "episodes")) if kept else []
        ids = [fact.invocation_id for fact in (*answers, *turns)]
        ids += [each.metadata.get("invocation_id", "") for each in episodes]
        wanted = [each for each in dict.fromkeys(ids) if each][:MOST_EARLIER]
        found = await core.graph.conversations.invocations(job.scope, wanted)
        exchanges = {each.id: each for each in (*(talk.invocations if talk else ()), *found)}
        until = exchanges.pop(own).at if own in exchanges else read_time(job, "at")
        return sorted((each for each in exchanges.values() if each.at <= until), key=lambda each: each.at)

    async def _is_remembered(self, job: Job, conversation_id: str) -> bool:
        """Whether the turn still exists.  The payload has the text, so the job may run after the turn was deleted."""
        question = turn_id(job.scope, conversation_id, read_text(job, "invocation_id"), "question")
        return any(fact.status != "undone" for fact in await self._context.core.facts.graph.get(job.scope, [question]))

    async def _episode(self, job: Job, task: Task, said: EpisodeReport, source: Source) -> Episode:
        policy = await self._context.policy(job)
        withholding = task.shared and not self._context.settings(job).share_lessons
        lessons = policy.screen(said.lessons).text
        drawn = said.drawn or (Lesson(title="", when="", what=lessons),)
        withheld = withholding or any(
            task.is_tools_advice(each.what, when=each.when, title=each.title)
            or task.is_persons_advice(each.what, when=each.when)
            for each in drawn
        )
        metadata = {"invocation_id": read_text(job, "invocation_id"), SPEAKER: policy.screen_name(read_text(job, "speaker"))}
        if source != "model":
            metadata["told_by"] = FROM_LOOP
        if withheld and lessons:
            # In a shared memory one person's lesson must not influence the others; a tool's advice must not influence anyone.
            metadata["withheld_lessons"] = lessons
        return Episode(
            id=task.episode,
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


def _is_rated(job: Job) -> bool:
    """Whether the job is about an answer that a person rated as bad."""
    return job.payload.get("rated") is True


def local_report(question: str, answer: str, steps: tuple[ToolStep, ...]) -> EpisodeReport:
    """The task as the agent loop reported it, without a model."""
    return EpisodeReport(
        goal=question[:LONGEST_GOAL],
        steps=tuple(step.line() for step in steps if step.action)[:MOST_STEPS],
        outcome=answer[:LONGEST_OUTCOME],
        lessons="",
    )


def _report(completion: Completion, local: EpisodeReport) -> EpisodeReport:
    said = json_object(completion)
    drawn = read_lessons(said.get("lessons"), MOST_LESSONS)
    goal, outcome = one_line(said.get("goal")), one_line(said.get("outcome"))
    lessons = one_line(said.get("lessons")) or " ".join(_as_sentence(lesson.what) for lesson in drawn)
    if not goal and not outcome and not lessons:
        raise ValueError('an object with "goal", "outcome" and "lessons" is needed')
    raw_steps = said.get("steps")
    steps = [one_line(step) for step in raw_steps] if isinstance(raw_steps, list) else []
    return EpisodeReport(
        goal=(goal or local.goal)[:LONGEST_GOAL],
        steps=tuple(step for step in steps if step)[:MOST_STEPS] or local.steps,
        outcome=(outcome or local.outcome)[:LONGEST_OUTCOME],
        lessons=lessons[:LONGEST_LESSONS],
        drawn=drawn or _former_rule(said.get("rule")),
    )


def _former_rule(value: JsonValue) -> tuple[Lesson, ...]:
    """The rule in an answer to the prompt of an earlier version, which a workspace may have changed and kept."""
    rule = value if isinstance(value, Mapping) else {}
    return read_lessons([{"when": rule.get("condition"), "what": rule.get("action")}], 1)


def _as_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?")) else f"{text}."


def _steps(job: Job) -> tuple[ToolStep, ...]:
    raw = job.payload.get("steps")
    return tuple(
        ToolStep(
            thought=str(step.get("thought") or ""),
            action=str(step.get("action") or ""),
            arguments=str(step.get("arguments") or ""),
            observation=str(step.get("observation") or ""),
            failed=has_failed(step),
        )
        for step in (raw if isinstance(raw, list) else [])
        if isinstance(step, Mapping)
    )


def _lines(job: Job, steps: tuple[ToolStep, ...]) -> list[DialogueLine]:
    """Sources for a rule: the question, the agent's own actions, and the tool results.

    Pasted text is a document, and so is the answer that renders it.
    """
    at, invocation_id = read_time(job, "at"), read_text(job, "invocation_id")
    conversation_id = read_text(job, "conversation_id")
    lines: list[DialogueLine] = []

    def add(role: Role, speaker: str, text: str, part: str) -> None:
        if text:
            lines.append(
                DialogueLine(
                    number=len(lines),
                    role=role,
                    speaker=speaker,
                    text=text,
                    turn_id=turn_id(job.scope, conversation_id, invocation_id, part) if part else "",
                    invocation_id=invocation_id,
                    said_at=at,
                )
            )

    own, pasted = split_pasted(read_text(job, "question"))
    add("user", read_text(job, "speaker") or DEFAULT_SPEAKER, own, "question")
    add("tool", "Tool", pasted, "" if own else "question")
    for step in steps:
        add("assistant", "Assistant", f"{step.thought} {step.action} {step.arguments}".strip(), "")
        add("tool", "Tool", step.observation, "")
    kept = "answer" if job.payload.get("succeeded") is not False else ""
    add(*(("tool", "Tool") if pasted else ("assistant", "Assistant")), read_text(job, "answer"), kept)
    return lines
