"""The ``promote`` job: what a finished conversation leaves behind.

High-value facts go through the same checks as extraction, and a conversation of several requests becomes one episode.  A part
about which the model has said nothing usable leaves no facts (the extraction has read it too) and is counted.
Source: agentic memory specification, Conversation End.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..memory.ports import Completion, Job, JsonValue
from ..memory.records import Conversation, Episode, derived_id
from .asking import counted, json_object
from .delivery import Outcome
from .dialogue import Line, numbered, windows
from .episode import TOLD_BY_LOOP
from .extract import learn, recalled_texts
from .workshop import Workshop, text_of

HIGH_VALUE = 0.6
MOST_STEPS = 20
LONGEST = 800


@dataclass(frozen=True, slots=True, kw_only=True)
class Promotion:
    facts: Sequence[Mapping[str, JsonValue]]
    goal: str
    outcome: str
    lessons: str


class PromoteHandler:
    def __init__(self, workshop: Workshop) -> None:
        self._shop = workshop

    async def __call__(self, job: Job) -> Outcome:
        shop = self._shop
        conversation_id = text_of(job, "conversation_id", needed=True)
        conversation = await shop.conversations.get(job.scope, conversation_id)
        if conversation is None or not conversation.invocations:
            return Outcome(counts={"invocations": 0})
        if not (await shop.switches.get(job.scope, conversation_id)).write:
            return Outcome(counts={"switched_off": 1})
        counts: Counter[str] = Counter(invocations=len(conversation.invocations))
        said = Promotion(facts=(), goal="", outcome="", lessons="")
        settings = shop.settings(job)
        model = shop.model(job)
        if model.configured:
            last = 2 * conversation.invocations[-1].position + 1
            turns = await shop.facts.graph.turns_near(job.scope, conversation_id, 0, last)
            lines = numbered([turn for turn in turns if turn.status == "active"], conversation)
            recalled = await recalled_texts(shop, job, conversation, {line.invocation_id for line in lines})
            for number, window in enumerate(windows([line for line in lines if line.role != "tool"])):
                nothing = replace(said, facts=())
                said, told_by = await model.ask_or(nothing, "memory-promote", _variables(window, said), _promotion)
                counts.update(counted(told_by))
                if settings.enable_auto_fact_extraction:
                    await learn(
                        shop,
                        job,
                        said.facts,
                        window,
                        place=f"promote:{number}",
                        recalled=recalled,
                        counts=counts,
                        least_importance=HIGH_VALUE,
                    )
        if settings.enable_episode_recording and len(conversation.invocations) > 1:
            episode_id = derived_id("episode", job.scope.key, conversation_id, "conversation", conversation.invocations[-1].id)
            if not await shop.episodes.get(job.scope, [episode_id]):
                await shop.episodes.store(job.scope, [self._episode(job, conversation, said, episode_id)])
                counts["episodes"] += 1
        return Outcome(counts=counts)

    def _episode(self, job: Job, conversation: Conversation, said: Promotion, episode_id: str) -> Episode:
        """The conversation as one episode; without a model its goal is what was asked first."""
        policy = self._shop.policy(job)
        shared = job.scope.user == ""
        asked = [item.query for item in conversation.invocations]
        lessons = policy.screen(said.lessons).text
        return Episode(
            id=episode_id,
            scope=job.scope,
            goal=(policy.screen(said.goal).text or asked[0])[:LONGEST],
            steps=tuple(asked[:MOST_STEPS]),
            outcome=(policy.screen(said.outcome).text or conversation.invocations[-1].result)[:LONGEST],
            lessons="" if shared else lessons,
            created_at=conversation.last_at or job.created_at,
            succeeded=conversation.invocations[-1].succeeded,
            source=conversation.id,
            job_id=job.id,
            metadata={
                "of": "conversation",
                **({} if said.goal or said.outcome else {"told_by": TOLD_BY_LOOP}),
                **({"withheld_lessons": lessons} if shared and lessons else {}),
            },
        )


def _variables(window: Sequence[Line], so_far: Promotion) -> dict[str, JsonValue]:
    return {"lines": [line.payload() for line in window], "before": so_far.outcome}


def _promotion(completion: Completion) -> Promotion:
    said = json_object(completion)
    facts, episode = said.get("facts"), said.get("episode")
    if not isinstance(facts, list) and not isinstance(episode, dict):
        raise ValueError('an object with a list "facts" and an object "episode" is needed')
    told = episode if isinstance(episode, dict) else {}
    goal, outcome, lessons = (str(told.get(key) or "")[:LONGEST] for key in ("goal", "outcome", "lessons"))
    items = [item for item in facts if isinstance(item, dict)] if isinstance(facts, list) else []
    return Promotion(facts=items, goal=goal, outcome=outcome, lessons=lessons)
