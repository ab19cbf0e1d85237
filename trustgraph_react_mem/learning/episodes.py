"""Episodes: a task, or a conversation of several requests, with its steps, its outcome and the lessons from it.

Lessons are part of the episode, and each becomes a rule of its own (``rules/kept_lessons.py``).  A lesson that is not the
agent's own advice, or not to be shared, is kept apart in the episode (``withheld_lessons``) and never shown.
"""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..memory.policies import DataPolicy
from ..memory.ports import Job, JsonValue
from ..memory.records import (
    RETRIEVE_FACTS,
    STORE_FACT,
    Conversation,
    Episode,
    Fact,
    Invocation,
    derived_id,
    in_language,
    turn_id,
)
from ..memory.text.pasted import split_pasted
from ..memory.trust.quarantine import OUTSIDERS
from ..settings import is_personal
from .context import HandlerContext
from .invocation import DEFAULT_SPEAKER, NOT_KEPT, ToolStep, read_step
from .rules.advice import Said, Task
from .rules.kept_lessons import Origin, keep_lessons, screen_lesson
from .rules.lessons import MOST_LESSONS, Lesson, one_line, read_lessons, shown_records

FROM_LOOP = "loop"  # told_by in the metadata of an episode without a usable answer of a model
LONGEST_GOAL, LONGEST_OUTCOME, LONGEST_STEP, MOST_STEPS, MOST_REQUESTS = 400, 800, 600, 12, 20
MOST_EARLIER = 20  # exchanges whose words are known
MOST_STORED = 4_000  # characters of a text that are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeReport:
    """A description of a task.  ``told``: a model wrote it."""

    goal: str
    steps: tuple[str, ...]
    outcome: str
    lessons: tuple[Lesson, ...] = ()
    told: bool = False


def read_report(said: Mapping[str, JsonValue], local: EpisodeReport) -> EpisodeReport:
    """A model's report, with the parts of ``local`` that it lacks."""
    raw = said.get("steps")
    steps = tuple(step for step in map(one_line, raw if isinstance(raw, list) else ()) if step)
    goal, outcome = one_line(said.get("goal")), one_line(said.get("outcome"))
    lessons = read_lessons(said.get("lessons"), MOST_LESSONS)
    return EpisodeReport(
        goal=goal or local.goal,
        steps=steps or local.steps,
        outcome=outcome or local.outcome,
        lessons=lessons,
        told=bool(goal or outcome or lessons),
    )


async def keep_conversation_episode(
    context: HandlerContext, job: Job, conversation: Conversation, said: Mapping[str, JsonValue], counts: Counter[str]
) -> None:
    """Store a conversation of several requests as one episode, and the lessons from it.

    ``conversation``: with the invocations that the episode is about.  ``said``: the model's object with ``goal``, ``outcome``,
    ``steps`` and ``lessons`` (each with ``title``, ``when`` and ``what``).  What it lacks is taken from the requests.
    The episode is derived from the last invocation, so a repeated job writes it once.  Raises: EngineUnavailable.
    """
    settings, exchanges = context.settings(job), conversation.invocations
    if not settings.enable_episode_recording or conversation.turns < 2 or not exchanges:
        return
    last = exchanges[-1]
    episode_id = derived_id("episode", job.scope.key, conversation.id, "conversation", last.id)
    if await context.core.episodes.graph.get(job.scope, [episode_id]):
        return
    asked = tuple(each.query for each in exchanges[:MOST_REQUESTS])
    report = read_report(said, EpisodeReport(goal=asked[0], steps=asked, outcome=last.result))
    recalled = await context.core.facts.graph.get(job.scope, [each for item in exchanges for each in item.recalled_ids])
    asker = exchanges[0].speaker or DEFAULT_SPEAKER
    task = Task(
        episode=episode_id,
        said=[*say_recalled(recalled, asker), *say_exchanges(exchanges, asker)],
        steps=[read_step(line) for each in exchanges for line in each.steps],
        shared=not is_personal(settings, job.scope.user, job.scope.collection),
    )
    at = conversation.last_at or job.created_at
    origin = Origin(
        conversation_id=conversation.id,
        invocation_id=last.id,
        turn_ids=tuple(turn_id(job.scope, conversation.id, each.id, "question") for each in exchanges),
        at=at,
    )
    await keep_episode(context, job, task, report, origin, succeeded=last.succeeded, metadata={"of": "conversation"})
    counts["episodes"] += 1
    await keep_lessons_of(context, job, task, report, origin, counts)


async def keep_episode(
    context: HandlerContext,
    job: Job,
    task: Task,
    report: EpisodeReport,
    origin: Origin,
    *,
    succeeded: bool,
    metadata: Mapping[str, str],
) -> None:
    """Store the episode of a task, without the lessons that must not take effect."""
    settings, policy = context.settings(job), await context.policy(job)
    own, withheld = list[str](), list[str]()
    for lesson in _lessons_of(report, policy, settings.lessons_per_episode):
        is_own = task.source_of(lesson.what, when=lesson.when, title=lesson.title) == "own"
        # In a shared memory one person's lesson must not influence the others; a tool's advice must not influence anyone.
        (own if is_own and (settings.share_lessons or not task.shared) else withheld).append(_as_sentence(lesson.what))
    more = {"told_by": FROM_LOOP} if not report.told else {}
    if withheld:
        more["withheld_lessons"] = " ".join(withheld)
    episode = Episode(
        id=task.episode,
        scope=job.scope,
        goal=policy.screen(report.goal[:LONGEST_GOAL]).text or NOT_KEPT,
        steps=tuple(policy.screen(step[:LONGEST_STEP]).text for step in report.steps),
        outcome=policy.screen(report.outcome[:LONGEST_OUTCOME]).text,
        lessons=" ".join(own),
        created_at=origin.at,
        succeeded=succeeded,
        source=origin.conversation_id,
        job_id=job.id,
        metadata={**metadata, **more},
    )
    await context.core.episodes.store(job.scope, [in_language(episode, settings.language)])


async def keep_lessons_of(
    context: HandlerContext, job: Job, task: Task, report: EpisodeReport, origin: Origin, counts: Counter[str]
) -> None:
    """Store the lessons of a report as rules."""
    policy = await context.policy(job)
    lessons = _lessons_of(report, policy, context.settings(job).lessons_per_episode)
    await keep_lessons(context, job, task, lessons, origin, counts)


def say_recalled(recalled: Iterable[Fact], asker: str) -> list[Said]:
    """What tools, documents and other persons had said before, as the agent recalled it."""
    foreign = [Said("tool", fact.content) for fact in recalled if fact.trust in OUTSIDERS]
    others = [
        Said("person", fact.content, fact.speaker)
        for fact in recalled
        if fact.trust not in (*OUTSIDERS, "assistant") and fact.speaker not in ("", asker)
    ]
    return [*foreign, *others]


def say_exchanges(exchanges: Iterable[Invocation], asker: str) -> list[Said]:
    """What was said in stored exchanges.  ``asker``: who asked where an exchange does not say it."""
    said: list[Said] = []
    for each in exchanges:
        steps = [read_step(line) for line in each.steps]
        said += say_exchange(each.query, steps, each.result, each.speaker or asker)
    return said


def say_exchange(question: str, steps: Sequence[ToolStep], answer: str, speaker: str) -> list[Said]:
    """What was said in one exchange, in order.

    What stands below the first line of a question may be pasted: it counts as a document, and so does the answer, which renders
    it.
    """
    own, pasted = split_pasted(question)
    own, _, below = own.strip().partition("\n")
    pasted += below
    said = [Said("person", own, speaker), Said("tool", pasted)]
    for step in steps:
        said += [Said("agent", step.thought), Said("call", f"{step.action} {step.arguments} {step.about}".strip())]
        # Facts that were looked up are known with their trust (``say_recalled``).
        looked_up = step.action in (RETRIEVE_FACTS, STORE_FACT)
        said.append(Said("agent" if looked_up else "tool", step.observation))
    said.append(Said("tool" if pasted else "agent", answer))
    return [Said(each.by, each.text[:MOST_STORED], each.speaker) for each in said if each.text.strip()]


async def earlier_exchanges(
    context: HandlerContext, job: Job, talk: Conversation | None, own: str, recalled: Sequence[Fact]
) -> list[Invocation]:
    """The exchanges before this one in its conversation, and those of recalled answers and episodes, oldest first.

    ``own``: id of this exchange.
    """
    core = context.core
    answers = [fact for fact in recalled if fact.trust == "assistant"]
    turns = await core.facts.graph.get(job.scope, [turn for fact in answers for turn in fact.turn_ids])
    kept = talk.metadata.get(f"why:{own}", "") if talk is not None else ""
    episodes = await core.episodes.graph.get(job.scope, shown_records(json.loads(kept), "episodes")) if kept else []
    ids = [fact.invocation_id for fact in (*answers, *turns)]
    ids += [each.metadata.get("invocation_id", "") for each in episodes]
    wanted = [each for each in dict.fromkeys(ids) if each][:MOST_EARLIER]
    found = await core.graph.conversations.invocations(job.scope, wanted)
    exchanges = {each.id: each for each in (*(talk.invocations if talk else ()), *found)}
    until = exchanges.pop(own).at if own in exchanges else job.created_at
    return sorted((each for each in exchanges.values() if each.at <= until), key=lambda each: each.at)


def _lessons_of(report: EpisodeReport, policy: DataPolicy, most: int) -> list[Lesson]:
    screened = (screen_lesson(lesson, policy) for lesson in report.lessons[:most])
    return [lesson for lesson in screened if lesson is not None]


def _as_sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "。")) else f"{text}."
