"""The ``profile`` job: a standing summary of a person, at most 150 tokens, made from their facts.

Only what a person said themself counts.  A model writes sentences with the numbers of their facts, and each is checked against
these; without a usable answer the most important facts are taken as they are.  A run without changed facts changes nothing,
so an undone profile stays undone until there is something new to say.
"""

from collections.abc import Mapping, Sequence

from ...indexing.text.speakers import names_speaker
from ...jobs.delivery import JobOutcome
from ...jobs.registry import job_handler
from ...memory.digest import content_digest
from ...memory.ports import Completion, Job, JsonValue
from ...memory.profile import (
    PROFILE,
    PROFILE_SOURCE,
    SENTENCES,
    Sentence,
    encode_sentences,
    join_sentences,
    source_digest,
    within_tokens,
)
from ...memory.records import FACT_STATUSES, Fact, derived_id, in_language
from ...settings import is_personal
from ..checks.grounding import GroundingCheck, word_share
from ..context import HandlerContext
from ..llm_call import count_unusable, json_items

MOST_READ = 500  # newest facts among which the most important are chosen
MOST_FACTS = 30
MOST_SENTENCES = 12
LONGEST_FACT, LONGEST_SENTENCE = 300, 300  # characters
REPEATED = 0.8  # share of a fact's words in a chosen one, above which it adds nothing
UNCHANGED, SHARED = "unchanged", "shared"  # notes of jobs that did nothing


@job_handler("profile", queue="model", submit="person")
class ProfileHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        context, scope = self._context, job.scope
        if not is_personal(context.settings(job), scope.user, scope.collection):
            return JobOutcome(note=SHARED)
        facts = await self._facts(job)
        if not facts:
            return JobOutcome(counts={"facts": 0})
        state = content_digest("\n".join(sorted(f"{fact.id} {source_digest(fact.content)}" for fact in facts)))
        former = await context.core.facts.graph.listing(
            scope, kinds=("reflective",), statuses=FACT_STATUSES, source=PROFILE_SOURCE, limit=MOST_READ
        )
        if former and former[0].metadata.get(PROFILE) == state:
            return JobOutcome(counts={"facts": len(facts)}, note=UNCHANGED)
        written, source = await context.model(job).ask_with_fallback(
            list[Mapping[str, JsonValue]](), "memory-profile", _variables(facts), _sentences
        )
        sentences = within_tokens(await self._keep_supported(job, written, facts))
        # What a model saw may be in any of its sentences; a fact's own text is only in its own.
        seen = [fact.id for fact in facts]
        if not sentences:
            sentences = within_tokens(_own_texts(facts))
            seen = [fact.id for fact in facts if any(fact.id in each.sources for each in sentences)]
        if not sentences:
            return JobOutcome(counts={"facts": len(facts), "sentences": 0})
        profile = Fact(
            id=derived_id("profile", job.id, state),
            scope=scope,
            kind="reflective",
            content=join_sentences(sentences),
            created_at=context.core.clock.now(),
            trust="assistant",
            source=PROFILE_SOURCE,
            importance=1.0,
            job_id=job.id,
            trigger=job.trigger,
            metadata={PROFILE: state, SENTENCES: encode_sentences(sentences), "sources": ",".join(seen)},
        )
        profile = in_language(profile, context.settings(job).language)
        active = [fact.id for fact in former if fact.status == "active" and fact.id != profile.id]
        await context.core.facts.supersede(scope, active, profile, by=job.id, trigger=job.trigger)
        return JobOutcome(
            counts={
                "facts": len(facts),
                "sentences": len(sentences),
                "unsupported": max(0, len(written) - len(sentences)) if written else 0,
                **count_unusable(source),
            }
        )

    async def _facts(self, job: Job) -> list[Fact]:
        """What the person said about themself and still holds, the most important and newest first."""
        now = self._context.core.clock.now()
        found = await self._context.core.facts.graph.listing(job.scope, kinds=("semantic", "topic"), limit=MOST_READ)
        found = [fact for fact in found if fact.trust == "user" and (fact.valid_to is None or fact.valid_to > now)]
        named = {fact.speaker.casefold() for fact in found if fact.speaker and not names_speaker(fact.speaker)}
        if len(named) > 1:  # which of several speakers is the user is not known
            found = [fact for fact in found if fact.speaker.casefold() not in named]
        found.sort(key=lambda fact: (round(fact.importance, 1), fact.said_at or fact.created_at, fact.id), reverse=True)
        return found[:MOST_FACTS]

    async def _keep_supported(
        self, job: Job, written: Sequence[Mapping[str, JsonValue]], facts: Sequence[Fact]
    ) -> list[Sentence]:
        """The model's sentences that the facts they name support."""
        check, policy = GroundingCheck(self._context.core.facts.embedder), await self._context.policy(job)
        kept: list[Sentence] = []
        for item in written[:MOST_SENTENCES]:
            text, numbers = item.get("text"), item.get("lines")
            named = sorted({n for n in numbers if type(n) is int and 0 <= n < len(facts)}) if isinstance(numbers, list) else []
            if not isinstance(text, str) or not text.strip() or len(text) > LONGEST_SENTENCE or not named:
                continue
            support = [facts[n] for n in named]
            screened = policy.screen(" ".join(text.split()))
            speakers = sorted({fact.speaker for fact in support} - {""})
            if screened.dropped or not await check.is_supported(
                screened.text, [fact.content for fact in support], speakers=speakers
            ):
                continue
            kept.append(_sentence(screened.text, support))
        return kept


def _own_texts(facts: Sequence[Fact]) -> list[Sentence]:
    """A sentence for each fact, without those that repeat another."""
    chosen: list[Fact] = []
    for fact in facts:
        short = len(fact.content) <= LONGEST_FACT
        if short and not any(word_share(fact.content, [other.content]) >= REPEATED for other in chosen):
            chosen.append(fact)
    return [_sentence(" ".join(fact.content.split()), [fact]) for fact in chosen]


def _sentence(text: str, support: Sequence[Fact]) -> Sentence:
    return Sentence(text=text, sources={fact.id: source_digest(fact.content) for fact in support})


def _variables(facts: Sequence[Fact]) -> dict[str, JsonValue]:
    return {"facts": [{"number": n, "text": " ".join(fact.content.split())[:LONGEST_FACT]} for n, fact in enumerate(facts)]}


def _sentences(completion: Completion) -> list[Mapping[str, JsonValue]]:
    return json_items(completion, "sentences")
