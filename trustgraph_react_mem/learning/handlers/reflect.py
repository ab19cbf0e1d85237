"""The ``reflect`` job: RMM's prospective reflection over a finished session.

For each speaker, one structured model call extracts topics from the session (several calls if the session is too long for one
prompt).  Each topic is then added to the memory bank or merged into the most similar existing topics.  A merge supersedes the
old topic: both sources remain in the history, and the merged topic refers to all their turns.

Source: RMM, section 5; Algorithm 1, steps 7-8.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ...indexing.document import with_speaker
from ...indexing.embedding import embed_rows
from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text
from ...jobs.registry import job_handler
from ...memory.ports import Job, JsonValue
from ...memory.records import Fact, derived_id, in_language
from ..checks.grounding import GroundingCheck
from ..checks.merging import already_written
from ..context import HandlerContext
from ..dialogue import DialogueLine, number_lines, split_into_windows
from ..invocation import ASSISTANT
from ..llm_call import BackgroundModel
from ..progress import Session, sessions
from ..topics import MAX_ORIGINAL_CHARS, Add, Merge, Topic, ground_topic, parse_actions, parse_topics

NEAREST = 5
MIN_SIMILARITY = 0.4  # calibrated; less similar topics are not shown, because small models merge whatever they see


@job_handler("reflect", queue="model", submit="person", required=("conversation_id", "question"), obeys_switch=True)
class ReflectHandler:
    """Payload: ``conversation_id``; optional ``from`` and ``to`` (positions of invocations, inclusive).

    Without ``from``, the session begins where the last one ended.
    """

    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context = self._context
        conversation_id = read_text(job, "conversation_id", needed=True)
        counts: Counter[str] = Counter(turns=0)
        async for session in sessions(context.core, job, conversation_id, "reflected_to"):
            await self._reflect_on_session(job, conversation_id, session, counts)
        return JobOutcome(counts=counts)

    async def _reflect_on_session(self, job: Job, conversation_id: str, session: Session, counts: Counter[str]) -> None:
        graph = self._context.core.graph
        turns = await self._context.core.facts.graph.turns_near(
            job.scope, conversation_id, 2 * session.first, 2 * session.last + 1
        )
        lines = [line for line in number_lines([turn for turn in turns if turn.status == "active"]) if line.role != "tool"]
        people = _people(lines)
        if not people:
            return
        counts["turns"] += len(lines)
        covered: set[int] = set()
        for number, (prompt_id, speaker) in enumerate(zip(_prompts(job), people, strict=False)):
            place = f"{session.first}:{number}"
            await self._reflect_on(job, prompt_id, speaker, people, lines, place, counts, covered)
        left_out = [line for line in lines if line.number not in covered]
        counts["covered"] += len(covered)
        counts["left_out"] += len(left_out)
        named = ",".join(str(line.number) for line in left_out)
        await graph.conversations.set_metadata(job.scope, conversation_id, {"topics_left_out": named})

    async def _reflect_on(
        self,
        job: Job,
        prompt_id: str,
        speaker: str,
        people: Sequence[str],
        lines: Sequence[DialogueLine],
        place: str,
        counts: Counter[str],
        covered: set[int],
    ) -> None:
        model = self._context.model(job)
        check = GroundingCheck(self._context.core.facts.embedder)
        for number, window in enumerate(split_into_windows(lines)):
            variables: dict[str, JsonValue] = {
                "speaker": speaker,
                "other": next((name for name in (*people, ASSISTANT) if name != speaker), ASSISTANT),
                "lines": [line.payload() for line in window],
            }
            found = await model.ask(prompt_id, variables, lambda c, w=window: parse_topics(c, w))  # type: ignore[misc]
            counts["dropped"] += found.dropped
            for index, topic in enumerate(found.topics):
                screened = (await self._context.policy(job)).screen(topic.summary)
                grounded = await ground_topic(topic, check, speakers=list(dict.fromkeys(line.speaker for line in lines)))
                if screened.dropped or grounded is None:
                    counts["unsupported"] += 1
                    continue
                covered.update(line.number for line in topic.lines)
                kept = replace(grounded, summary=screened.text)
                await self._update_bank(job, model, speaker, kept, f"{place}:{number}:{index}", counts)

    async def _update_bank(
        self, job: Job, model: BackgroundModel, speaker: str, topic: Topic, place: str, counts: Counter[str]
    ) -> None:
        """Add the topic to the bank or merge it into existing topics.  Source: RMM, appendix D.1.2."""
        facts = self._context.core.facts
        new = self._fact(job, speaker, topic, place)
        ids = [new.id, *(derived_id(new.id, "merge", i) for i in range(NEAREST))]
        if await already_written(facts, job.scope, ids):
            counts["known"] += 1
            return
        existing = await self._nearest(new)
        if new.trust != "user":  # the assistant's words never replace what a person said
            existing = [fact for fact in existing if fact.trust != "user"]
        decided: Sequence[Add | Merge] = (Add(),)
        if existing:
            shown = [fact.content for fact in existing]
            variables: dict[str, JsonValue] = {
                "existing": [{"index": i, "summary": summary} for i, summary in enumerate(shown)],
                "new": topic.summary,
            }
            decided = await model.ask("memory-update-topics", variables, lambda c: parse_actions(c.text, shown, topic.summary))
        language = self._context.settings(job).language
        for action in decided:
            if isinstance(action, Add):
                await facts.store(job.scope, [in_language(new, language)], by=job.id, trigger=job.trigger)
                counts["added"] += 1
            else:
                old = existing[action.index]
                merged = in_language(_merge_topics(old, new, action), language)
                await facts.supersede(job.scope, [old.id], merged, by=job.id, trigger=job.trigger)
                counts["merged"] += 1

    async def _nearest(self, new: Fact) -> list[Fact]:
        facts = self._context.core.facts
        space = await facts.router.read_index(new.scope)
        vectors = await embed_rows(space.embedder, [with_speaker(new.speaker, new.content)], role="passage")
        if not vectors.any():
            return []
        match = {"kind": ["topic"], "status": ["active"]}
        hits = await space.index.search_dense(new.scope, "text", vectors[0], limit=NEAREST, match=match)
        profile = space.profile
        near = [hit.id for hit in hits if profile.calibrate(hit.score) >= MIN_SIMILARITY]
        records = {fact.id: fact for fact in await facts.graph.get(new.scope, near)}
        return [records[i] for i in near if i in records and records[i].status == "active"]

    def _fact(self, job: Job, speaker: str, topic: Topic, place: str) -> Fact:
        own = [line for line in topic.lines if line.role == "user"] if topic.trust == "user" else topic.lines
        said = [line.said_at for line in own if line.said_at is not None]
        return Fact(
            id=derived_id("topic", job.id, place),
            scope=job.scope,
            kind="topic",
            content=topic.summary,
            created_at=self._context.core.clock.now(),
            status="active",
            trust=topic.trust,
            speaker=speaker,
            source=read_text(job, "conversation_id"),
            said_at=max(said) if said else None,
            valid_from=min(said) if said else None,
            importance=0.6,
            turn_ids=tuple(dict.fromkeys(line.turn_id for line in topic.lines if line.turn_id)),
            job_id=job.id,
            trigger=job.trigger,
            metadata={
                "original": topic.original,
                "references": ",".join(str(line.number) for line in topic.lines),
            },
        )


def _merge_topics(old: Fact, new: Fact, action: Merge) -> Fact:
    originals = [fact.metadata.get("original", "") for fact in (old, new)]
    return replace(
        new,
        id=derived_id(new.id, "merge", action.index),
        content=action.summary,
        turn_ids=tuple(dict.fromkeys((*old.turn_ids, *new.turn_ids))),
        entities=tuple(dict.fromkeys((*old.entities, *new.entities))),
        importance=max(old.importance, new.importance),
        valid_from=min((at for at in (old.valid_from, new.valid_from) if at is not None), default=None),
        metadata={
            **new.metadata,
            "original": "\n".join(text for text in originals if text)[-MAX_ORIGINAL_CHARS:],
            "merged_from": old.id,
            "merged_summary": new.content,
        },
    )


def _people(lines: Sequence[DialogueLine]) -> list[str]:
    """The first two speakers other than the assistant, in order of appearance.  RMM has prompts for two speakers."""
    return list(dict.fromkeys(line.speaker for line in lines if line.role == "user"))[:2]


def _prompts(job: Job) -> tuple[str, str]:
    return ("memory-reflect-topics-speaker-1", "memory-reflect-topics-speaker-2")
