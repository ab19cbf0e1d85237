"""Retrieves and ranks the memories of one scope for a question.

Steps: candidates -> fused score -> threshold -> learned policy -> the M records to show, each with an explanation of its score.
Candidates come from memory (candidate_pool.py), or from the engine (engine_search.py) if the scope is too large or loading.
"""

import asyncio
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from operator import itemgetter

import numpy as np

from ..errors import ConfigurationError
from ..indexing.document import wire_from_payload
from ..indexing.embedding import Embedded, embed_question
from ..indexing.token_signs import MOST_ASKED, thin_out
from ..indexing.tokenizer import general_terms, guess_language, load_in_background
from ..memory.former import has_begun, mark_former
from ..memory.ports import Clock, Embedder, JsonValue, TokenEmbedder, Vector, VectorIndex, WeightStore
from ..memory.scope import Scope
from ..memory.trust.owner_seal import OwnerSeal
from ..rerank import Candidates, Ranking, rank
from ..schema import Fact, MemoryChanged
from .candidate_pool import CandidatePool, candidates_in_memory, cap_per_person, drop_duplicates
from .columns.scope_cache import PATIENCE_S, ScopeCache
from .columns.scope_columns import ScopeColumns
from .engine_ranking import EngineScope
from .engine_search import candidates_from_engine
from .features import Question
from .places import UNNAMED, choose_places
from .policy_cache import PolicyCache
from .query import POLICY_FEATURES, RetrievalQuery, Retrieved
from .standing_rules import add_similar, standing_rules
from .temporal.lexicon import exclusive_words
from .weighting import FEATURE_NAMES

DATED_FLOOR = 0.5  # share of the floor if a memory is of the time that the question names
MANY = 1.5  # times the floor of a question without a common word, in a large memory
CONTEXT_FLOOR = 2.0  # times the floor, for the context of a turn in a small memory
_DATE = FEATURE_NAMES.index("date")
HOT_RECORDS = 20_000  # larger scopes are searched in the engine
HOT_BYTES = 512 * 2**20  # memory for all scopes
# Scoring this many records takes a few milliseconds, less than a switch to another thread on a busy machine.
SCORED_IN_LOOP = 5000


class Retriever:
    """Ranks the records of one index.

    ``weight_store`` None: no learned ranking.  ``hot_records``: maximum size of a scope in memory.  ``seal``: checks the
    names of speakers; None: no speaker is verified.
    ``patience_s``: seconds that questions wait for a scope to load before the engine is used.
    """

    def __init__(
        self,
        index: VectorIndex,
        embedder: Embedder,
        *,
        weight_store: WeightStore | None = None,
        clock: Clock | None = None,
        hot_records: int = HOT_RECORDS,
        patience_s: float = PATIENCE_S,
        seal: OwnerSeal | None = None,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._clock = clock
        self._seal = seal
        self._scopes = ScopeCache(index, max_records=hot_records, max_bytes=HOT_BYTES, patience_s=patience_s)
        load_in_background()
        threading.Thread(target=exclusive_words, name="time-words", daemon=True).start()  # a tenth of a second
        self._policies = PolicyCache(weight_store, index.profile)

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> Retrieved:
        """Retrieve memories.  If the embedding model is not available, only keywords are used.

        Raises:
            EngineUnavailable: the index does not answer.
            ConfigurationError: the question's embedding is from another model, or the stored weights are damaged.
        """
        timer = _Timer()
        if not query.question.strip() and (
            query.vector is None or not np.any(query.vector)
        ):  # nothing to search for: only what always applies
            held = await self._scopes.get(scope)
            standing = await standing_rules(self._index, scope, held, query, self._now())
            timer.lap("load")
            return Retrieved(rules=standing, timings_ms=timer.took_ms)
        # Embedding takes longest, so it runs while the scope is loaded and the terms are analysed.
        embedding = asyncio.create_task(self._embed(query))
        try:
            await asyncio.sleep(0)  # if the query has a vector, the task finishes here
            held = await self._scopes.get(scope)
            weights, version = await self._policies.get(scope, query.rerank)
            timer.lap("load")
            question = Question.read(
                query.question,
                asked_at=query.asked_at,
                zone=query.zone,
                fallback_language=held.language or "en",
                spoken=held.languages,
                asker="" if query.asker.casefold() in UNNAMED else query.asker,
            )
            embedded = await embedding
        finally:
            embedding.cancel()
        timer.lap("embed")
        vector = embedded.vector
        pool, rules = await self._candidates(scope, held, replace(question, vector=vector), query)
        if embedded.tokens is not None and pool.ids:
            pool = pool.match_tokens(thin_out(embedded.tokens, MOST_ASKED))
        ranges = question.times(0.0 if isinstance(held, EngineScope) else held.newest)
        if ranges:
            pool = pool.match_times(ranges, question.zone)
        timer.lap("score")
        pool = drop_duplicates(pool, query.candidates)
        found = len(pool.ids)
        pool = self._relevant(pool, question, query, vector, held.language)
        rules = rules.rules_for_task(self._index.profile)
        features = np.vstack([pool.base, pool.table]).T
        ranking = rank(
            weights,
            vector,
            Candidates.of(pool.ids, pool.vectors, features.astype(np.float64), POLICY_FEATURES),
            top_m=query.top_k,
            sample=query.sampling,
            seed=query.seed,
        )
        order = list(ranking.order) if scope.user else self._cap_per_person(scope, ranking.order, pool, question, query.top_k)
        rows = choose_places(
            order,
            pool.ids,
            pool.payloads,
            top_k=len(ranking.selected),
            asked=question.terms,
            exclude=query.exclude,
            newer={record_id: (*each.ids, *each.turns) for record_id, each in pool.replaced.items()},
            keeps_rank=lambda record_id: any(asked.start < pool.replaced[record_id].since for asked in ranges),
        )
        facts = tuple(self._fact(pool, ranking, row) for row in rows)
        similar = tuple(self._rule(rules, row) for row, rule in enumerate(rules.payloads) if has_begun(rule, self._now()))
        standing = await standing_rules(self._index, scope, held, query, self._now())
        timer.lap("rank")
        return Retrieved(
            facts=facts,
            rules=add_similar(standing, similar),
            candidate_ids=tuple(pool.ids),
            features=features,
            policy_version=version,
            abstained=found > 0 and not pool.ids,
            unranked=ranking.fallback if ranking.fallback in ("not-finite", "dimension") else "",
            timings_ms=timer.took_ms,
        )

    def _cap_per_person(
        self, scope: Scope, order: Sequence[int], pool: CandidatePool, question: Question, top_k: int
    ) -> list[int]:
        if self._seal is None:
            return list(order)
        people = [
            self._seal.person(scope, str(each.get("speaker") or ""), str(each.get("content") or ""), each.get("metadata"))  # type: ignore[arg-type]
            for each in pool.payloads
        ]
        return cap_per_person(order, people, question, top_k)

    async def _candidates(
        self,
        scope: Scope,
        held: ScopeColumns,
        question: Question,
        query: RetrievalQuery,
    ) -> tuple[CandidatePool, CandidatePool]:
        now = self._now()
        if isinstance(held, EngineScope):
            return await candidates_from_engine(self._index, scope, held, question, query, now)
        if held.n > SCORED_IN_LOOP:
            return await asyncio.to_thread(candidates_in_memory, held, question, query, now)
        return candidates_in_memory(held, question, query, now)

    def _now(self) -> datetime:
        return self._clock.now() if self._clock else datetime.now(UTC)

    async def _embed(self, query: RetrievalQuery) -> Embedded:
        """The question as the model reads it.  The query's vector is used; its tokens are known to a model in this process."""
        if query.vector is not None and len(query.vector):
            vector = np.ascontiguousarray(query.vector, np.float32)
            profile = self._index.profile
            if vector.shape != (profile.dimension,):
                raise ConfigurationError(
                    f"the question's embedding has {vector.size} dimensions, the memories have {profile.dimension} "
                    f"({profile.name}): use that model for both, or re-embed the memories"
                )
            if not isinstance(self._embedder, TokenEmbedder) or not vector.any():
                return Embedded(vector)
            return replace(await embed_question(self._embedder, query.question, query.patience_s), vector=vector)
        return await embed_question(self._embedder, query.question, query.patience_s)

    def _relevant(
        self, pool: CandidatePool, question: Question, query: RetrievalQuery, vector: Vector, language: str
    ) -> CandidatePool:
        """The candidates that are similar enough to the question: by the query's threshold, else by the model's floors."""
        profile = self._index.profile
        # Without an embedding no similarity is known: the words decide.
        if query.threshold > 0 or not np.any(vector):
            return pool.above([query.threshold] * len(pool.ids), profile) if query.threshold > 0 else pool
        # The floor was measured on single statements.  A context of several turns is similar to any question, so it needs more,
        # unless the memory is large: there, many turns can only be understood in their context.
        share = CONTEXT_FLOOR if len(pool.ids) < query.candidates else 1.0
        best = profile.calibrate(float((pool.vectors @ vector).max(initial=-1.0)))
        dated = pool.table[_DATE].max(initial=0.0) >= 1  # "What did we eat at Christmas?": the day is evidence, too
        large = len(pool.ids) >= query.candidates
        if profile.unworded_floor and language == "en" and not dated and _is_unworded(question.terms, pool, large=large):
            least = profile.unworded_floor * (MANY if large else 1.0)
            return pool if best >= least else pool.take(pool.rows_that_name(question.names))
        best = max(best, profile.calibrate(float(pool.cosines.max(initial=-1.0))) / share)
        floor = profile.fact_floor * (DATED_FLOOR if dated else 1.0)
        # Across languages similarities are lower, and a question that consists of a memory's words means that memory.
        asked_in = guess_language(question.text)
        if best >= floor or asked_in not in ("", language) or pool.contains_most(question.terms):
            return pool
        foreign = [row for row, each in enumerate(pool.payloads) if asked_in and _is_foreign(each, asked_in)]
        # A name that memory knows is evidence where a long text is similar to nothing, such as a row of a pasted table.
        return pool.take(sorted({*foreign, *pool.rows_that_name(question.names)}))

    def changed(self, change: MemoryChanged | None) -> None:
        """Update the caches after a change of records or weights.  None: anything may have changed (connection lost)."""
        self._policies.changed(change)
        if change is None:
            self._scopes.drop()
        elif change.store in ("facts", "weights") and not change.collection:
            self._scopes.drop(change.workspace)
        elif change.store == "facts":
            scope = Scope(workspace=change.workspace, user=change.user, collection=change.collection)
            self._scopes.changed(scope, change.ids, change.forgotten)

    def _fact(self, pool: CandidatePool, ranking: Ranking, row: int) -> Fact:
        fact = wire_from_payload(pool.ids[row], pool.payloads[row], self._now())
        fact.score = float(ranking.logits[row])
        fact.retrieval_score = float(pool.base[row])
        fact.similarity = self._index.profile.calibrate(float(pool.cosines[row]))
        fact.probability = float(ranking.probabilities[row])
        fact.rank_before = row
        if pool.is_former(row):
            replaced = pool.replaced[fact.id]
            mark_former(fact, replaced.since, replaced.text)
        parts = dict(zip(FEATURE_NAMES, (pool.weights * pool.table[:, row]).tolist(), strict=True))
        parts |= {name: float(values[row]) for name, values in ranking.parts.items()}
        large = [(abs(value), name, value) for name, value in parts.items() if abs(value) >= 0.05]
        fact.why = {name: f"{value:.3f}" for _, name, value in sorted(large, key=itemgetter(0), reverse=True)}
        return fact

    def _rule(self, rules: CandidatePool, row: int) -> Fact:
        fact = wire_from_payload(rules.ids[row], rules.payloads[row], self._now())
        fact.score = fact.retrieval_score = float(rules.base[row])
        fact.similarity = self._index.profile.calibrate(float(rules.cosines[row]))
        fact.rank_before = row
        return fact


def _is_unworded(asked: Sequence[str], pool: CandidatePool, *, large: bool) -> bool:
    """Whether a question shares no telling word with a candidate.

    In a small memory, words of any subject are no evidence: "How do vaccines work?" is not about "I work nights".
    """
    vague = frozenset() if large else general_terms()
    return not pool.contains_any([each for each in asked if each not in vague])


def _is_foreign(payload: Mapping[str, JsonValue], language: str) -> bool:
    """Whether a person said it in another language than this one."""
    return payload.get("trust") == "user" and payload.get("language") not in (None, "", language)


class _Timer:
    """Milliseconds between laps, by name."""

    def __init__(self) -> None:
        self.took_ms: dict[str, float] = {}
        self._started = time.perf_counter()

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.took_ms[name], self._started = (now - self._started) * 1000, now
