"""Episodes: a task, or a conversation of several requests, with its steps, its outcome and the lessons from it.

A lesson is part of its episode and shown with it.  One that is not the agent's own advice, or that several people would share,
is kept apart in the metadata (``withheld_lessons``) and never shown.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from ..memory.ports import JsonValue
from ..memory.records import RETRIEVE_FACTS, STORE_FACT, Conversation, Episode, Fact, Invocation, derived_id
from ..memory.text.pasted import split_pasted
from .context import Work
from .invocation import DEFAULT_SPEAKER, NOT_KEPT, ToolStep, read_step
from .rules.advice import Said, is_own_advice

FROM_LOOP = "loop"  # told_by in the metadata of an episode without a usable answer of a model
LONGEST_GOAL, LONGEST_OUTCOME, LONGEST_STEP, MOST_STEPS, MOST_REQUESTS = 400, 800, 600, 12, 20
LONGEST_LESSON, MOST_LESSONS = 1000, 3
MOST_STORED = 4_000  # characters of a text that are compared


@dataclass(frozen=True, slots=True, kw_only=True)
class EpisodeReport:
    """A description of a task.  ``lessons``: of each, for which tasks it is, and what to do.  ``told``: a model wrote it."""

    goal: str
    steps: tuple[str, ...]
    outcome: str
    lessons: tuple[tuple[str, str], ...] = ()
    told: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """What an episode is about.  ``at``: when the task ended.  ``said``, ``steps``: see ``is_own_advice``."""

    id: str
    conversation_id: str
    at: datetime
    said: Sequence[Said]
    steps: Sequence[ToolStep]
    succeeded: bool
    metadata: Mapping[str, str]


def read_report(said: Mapping[str, JsonValue], local: EpisodeReport) -> EpisodeReport:
    """A model's report, with the parts of ``local`` that it lacks."""
    raw, given = said.get("steps"), said.get("lessons")
    steps = tuple(step for step in map(_one_line, raw if isinstance(raw, list) else ()) if step)
    goal, outcome = _one_line(said.get("goal")), _one_line(said.get("outcome"))
    items = [item for item in given if isinstance(item, Mapping)] if isinstance(given, list) else []
    lessons = [(_one_line(item.get("when")), _one_line(item.get("what"))) for item in items]
    usable = tuple(lesson for lesson in lessons if all(lesson))[:MOST_LESSONS]
    return EpisodeReport(
        goal=goal or local.goal,
        steps=steps or local.steps,
        outcome=outcome or local.outcome,
        lessons=usable,
        told=bool(goal or outcome or usable),
    )


async def keep_conversation_episode(work: Work, conversation: Conversation, said: Mapping[str, JsonValue]) -> bool:
    """Store a conversation of several requests as one episode.  Returns whether there is a new one.

    ``conversation``: with the invocations that the episode is about.  ``said``: the model's object with ``goal``, ``outcome``,
    ``steps`` and ``lessons`` (each with ``when`` and ``what``).  What it lacks is taken from the requests.
    The episode is derived from the last invocation, so a repeated job writes it once.  Raises: EngineUnavailable.
    """
    exchanges, scope = conversation.invocations, work.scope
    if not work.settings.enable_episode_recording or conversation.turns < 2 or not exchanges:
        return False
    last = exchanges[-1]
    episode_id = derived_id("episode", scope.key, conversation.id, "conversation", last.id)
    if await work.core.episodes.graph.get(scope, [episode_id]):
        return False
    asked = tuple(each.query for each in exchanges[:MOST_REQUESTS])
    report = read_report(said, EpisodeReport(goal=asked[0], steps=asked, outcome=last.result))
    recalled = await work.core.facts.graph.get(scope, [each for item in exchanges for each in item.recalled_ids])
    asker = exchanges[0].speaker or DEFAULT_SPEAKER
    task = Task(
        id=episode_id,
        conversation_id=conversation.id,
        at=conversation.last_at or work.job.created_at,
        said=[*say_recalled(recalled, asker), *say_exchanges(exchanges, asker)],
        steps=[read_step(line) for each in exchanges for line in each.steps],
        succeeded=last.succeeded,
        metadata={"of": "conversation"},
    )
    await keep_episode(work, task, report)
    return True


async def keep_episode(work: Work, task: Task, report: EpisodeReport) -> None:
    """Store the episode of a task, without the lessons that must not take effect."""
    policy = await work.policy()
    own, withheld = list[str](), list[str]()
    for lesson in report.lessons:
        screened = [policy.screen(part) for part in lesson]
        when, what = (part.text for part in screened)
        if any(part.dropped for part in screened) or not what or len(when) + len(what) > LONGEST_LESSON:
            continue
        # In a shared memory one person's lesson must not influence the others; a tool's advice must not influence anyone.
        is_own = not work.is_shared and is_own_advice(task.said, task.steps, what, when=when)
        (own if is_own else withheld).append(what if what.endswith((".", "!", "?", "。")) else f"{what}.")
    more = {"told_by": FROM_LOOP} if not report.told else {}
    if withheld:
        more["withheld_lessons"] = " ".join(withheld)
    episode = Episode(
        id=task.id,
        scope=work.scope,
        goal=policy.screen(report.goal[:LONGEST_GOAL]).text or NOT_KEPT,
        steps=tuple(policy.screen(step[:LONGEST_STEP]).text for step in report.steps),
        outcome=policy.screen(report.outcome[:LONGEST_OUTCOME]).text,
        lessons=" ".join(own),
        created_at=task.at,
        succeeded=task.succeeded,
        source=task.conversation_id,
        job_id=work.job.id,
        metadata={**task.metadata, **more},
    )
    await work.core.episodes.store(work.scope, [episode])


def say_recalled(recalled: Iterable[Fact], asker: str) -> list[Said]:
    """What tools, documents, answers and other persons had said before, as the agent recalled it.

    An answer counts as another's words, because it may repeat a tool.
    """
    return [Said("other", fact.content) for fact in recalled if fact.trust != "user" or fact.speaker not in ("", asker)]


def say_episodes(episodes: Iterable[Episode]) -> list[Said]:
    """What earlier tasks say, as the agent recalled them: only their lessons are its own words."""
    said: list[Said] = []
    for each in episodes:
        said += [Said("agent", each.lessons), Said("other", " ".join((each.goal, *each.steps, each.outcome)))]
    return said


def say_exchanges(exchanges: Iterable[Invocation], asker: str) -> list[Said]:
    """What was said in stored exchanges.  ``asker``: who asks now."""
    said: list[Said] = []
    for each in exchanges:
        said += say_exchange(each.query, list(map(read_step, each.steps)), each.result, is_asker=each.speaker in ("", asker))
    return said


def say_exchange(question: str, steps: Sequence[ToolStep], answer: str, *, is_asker: bool = True) -> list[Said]:
    """What was said in one exchange, in order.  ``is_asker``: the person who asks now asked it.

    What stands below the first line of a question may be pasted: it counts as a document, and so does the answer, which renders
    it.
    """
    own, pasted = split_pasted(question)
    own, _, below = own.strip().partition("\n")
    pasted += below
    said = [Said("person" if is_asker else "other", own), Said("other", pasted)]
    for step in steps:
        said += [Said("agent", step.thought), Said("call", f"{step.action} {step.arguments} {step.about}".strip())]
        # Facts that were looked up are known with their trust (``say_recalled``).
        looked_up = step.action in (RETRIEVE_FACTS, STORE_FACT)
        said.append(Said("agent" if looked_up else "other", step.observation))
    said.append(Said("other" if pasted else "agent", answer))
    return [Said(each.by, each.text[:MOST_STORED]) for each in said if each.text.strip()]


def _one_line(value: JsonValue) -> str:
    """A text without line breaks and repeated spaces.  "": the value is no text."""
    return " ".join(value.split()) if isinstance(value, str) else ""
