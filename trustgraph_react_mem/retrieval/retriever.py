"""From a question to ranked memories of one scope.

candidates -> fused score -> threshold -> learned policy -> the M to show, with what each is ranked by.
Superseded, quarantined and expired records are never candidates; two records with the same words count once.
"""

import asyncio
import logging
import time
from collections import Counter, OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from ..errors import ConfigurationError
from ..indexing.document import moment, query_sparse, wire_from_payload
from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Clock, Embedder, JsonValue, Matrix, Vector, VectorIndex, WeightStore
from ..memory.scope import Scope
from ..rerank import BASE_FEATURE, Candidates, Ranking, Weights, hyperparameters, rank
from ..schema import Fact, MemoryChanged
from .engine_ranking import EngineScope
from .features import FEATURE_NAMES, WEIGHTS, Question, columns, fused
from .question_vector import question_vector
from .scope_cache import PATIENCE_S, ScopeCache
from .scope_columns import KINDS, ScopeColumns
from .shortlist import QueryTerms, shortlist
from .speakers import find_named
from .vectors import SketchedKeys

logger = logging.getLogger(__name__)

Rerank = Literal["off", "paper", "calibrated"]
POLICY_FEATURES: tuple[str, ...] = (BASE_FEATURE, *FEATURE_NAMES)

SPARE = 30  # candidates beyond K, for those that turn out to be doubles
PER_KEY = 40  # asked from the engine under each key of a large scope
RECENT_TURNS = 12  # of the running conversation: they are in the prompt already
RULE_SIMILARITY = 0.35  # calibrated; a rule must be about the task
WEIGHTS_KEPT = 10_000
HOT_RECORDS = 200_000  # a scope of more is answered from the engine
AT_ONCE = (
    25_000  # records of which scoring takes about a millisecond: less than handing it to a thread and back on a busy machine
)
NOBODY = frozenset({"", "user", "assistant"})  # speakers that are no one's name
_TEXT, _WORDS = FEATURE_NAMES.index("text"), FEATURE_NAMES.index("words")
_PROCEDURAL = KINDS.index("procedural")


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalQuery:
    """``vector`` None: the text is embedded here.  ``kinds`` empty: all.  ``threshold``: least calibrated similarity."""

    text: str
    vector: Vector | None = None
    top_k: int = 5
    candidates: int = 20
    rules: int = 0
    kinds: Sequence[str] = ()
    threshold: float = 0.0
    rerank: Rerank = "calibrated"
    seed: int = 0
    asked_at: datetime | None = None
    exclude: Sequence[str] = ()
    conversation_id: str = ""
    patience_s: float = 0.0  # so long the embedding is waited for, then words decide; 0: until the model gives up


@dataclass(frozen=True, slots=True, kw_only=True)
class Retrieved:
    """``features`` is (K, F) float32, rows as ``candidate_ids`` (retrieval order), columns as ``feature_names``.

    ``abstained``: there were records, but none as similar as the threshold asks.  ``unranked``: why the learned order could not
    be had ("not-finite", "dimension") and retrieval's own stands; empty when it could, or nothing is learned.
    """

    facts: tuple[Fact, ...] = ()
    rules: tuple[Fact, ...] = ()
    candidate_ids: tuple[str, ...] = ()
    feature_names: tuple[str, ...] = POLICY_FEATURES
    features: NDArray[np.float32] = field(default_factory=lambda: np.zeros((0, len(POLICY_FEATURES)), np.float32))
    policy_version: int = 0
    abstained: bool = False
    unranked: str = ""
    timings_ms: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Records that may be recalled, best first: (P, d) vectors, (F, P) columns, (P,) fused scores and cosines."""

    ids: Sequence[str]
    payloads: Sequence[Mapping[str, JsonValue]]
    vectors: Matrix
    table: NDArray[np.float32]
    base: NDArray[np.float32]
    cosines: NDArray[np.float32]

    def take(self, rows: Sequence[int]) -> "Pool":
        return Pool(
            ids=[self.ids[row] for row in rows],
            payloads=[self.payloads[row] for row in rows],
            vectors=self.vectors[rows],
            table=self.table[:, rows],
            base=self.base[rows],
            cosines=self.cosines[rows],
        )


class Retriever:
    """One index's records, ranked.  ``weight_store`` None: no learned part."""

    def __init__(
        self,
        index: VectorIndex,
        embedder: Embedder,
        *,
        weight_store: WeightStore | None = None,
        clock: Clock | None = None,
        hot_records: int = HOT_RECORDS,
        hot_bytes: int = 512 * 2**20,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._index = index
        self._embedder = embedder
        self._weight_store = weight_store
        self._clock = clock
        self._scopes = ScopeCache(index, max_records=hot_records, max_bytes=hot_bytes, patience_s=patience_s)
        self._weights: OrderedDict[str, tuple[Weights | None, int]] = OrderedDict()
        self._weight_changes = 0

    # ------------------------------------------------------------------------------------------------ retrieval

    async def retrieve(self, scope: Scope, query: RetrievalQuery) -> Retrieved:
        """Without an embedding model words alone decide.

        Raises:
            EngineUnavailable: the index does not answer.
            ConfigurationError: the question's embedding is of another model, or the stored weights are damaged.
        """
        started = time.perf_counter()
        timings: dict[str, float] = {}

        def lap(name: str) -> None:
            nonlocal started
            now = time.perf_counter()
            timings[name], started = (now - started) * 1000, now

        embedding = asyncio.create_task(self._vector(query))
        try:
            await asyncio.sleep(0)  # a vector that is given is there now
            held = await self._scopes.get(scope)
            weights, version = await self._policy(scope, query.rerank)
            lap("load")
            question = Question.read(query.text, asked_at=query.asked_at, fallback_language=held.language or "en")
            read: QueryTerms | None = None
            if not embedding.done() and isinstance(held, ScopeColumns) and isinstance(held.vectors, SketchedKeys):
                read = await asyncio.to_thread(_read, held, question)
            vector = await embedding
        finally:
            embedding.cancel()
        lap("embed")
        question = replace(question, vector=vector)
        now = self._clock.now() if self._clock else datetime.now(UTC)
        if isinstance(held, ScopeColumns):
            if held.n > AT_ONCE:  # milliseconds of arithmetic: others go on meanwhile
                pool, rules = await asyncio.to_thread(self._from_memory, held, question, query, now, read)
            else:
                pool, rules = self._from_memory(held, question, query, now, read)
        else:
            pool, rules = await self._from_engine(scope, held, question, query, now)
        lap("score")
        pool = _without_doubles(pool, query.candidates)
        found = len(pool.ids)
        pool = self._above(pool, query.threshold)
        features = np.vstack([pool.base, pool.table]).T
        ranking = rank(
            weights,
            vector,
            Candidates.of(pool.ids, pool.vectors, features.astype(np.float64), POLICY_FEATURES),
            top_m=query.top_k,
            seed=query.seed,
        )
        selected = ranking.selected if scope.user else _shared_out(ranking.order, pool, question, query.top_k)
        facts = tuple(self._shown(pool, ranking, row) for row in selected)
        shown_rules = tuple(self._rule(rules, row) for row in range(len(rules.ids)))
        lap("rank")
        return Retrieved(
            facts=facts,
            rules=shown_rules,
            candidate_ids=tuple(pool.ids),
            features=features,
            policy_version=version,
            abstained=found > 0 and not pool.ids,
            unranked=ranking.fallback if ranking.fallback in ("not-finite", "dimension") else "",
            timings_ms=timings,
        )

    async def _vector(self, query: RetrievalQuery) -> Vector:
        if query.vector is not None and len(query.vector):
            vector = np.ascontiguousarray(query.vector, np.float32)
            profile = self._index.profile
            if vector.shape != (profile.dimension,):
                raise ConfigurationError(
                    f"the question's embedding has {vector.size} dimensions, the memories have {profile.dimension} "
                    f"({profile.name}): use that model for both, or re-embed the memories"
                )
            return vector
        return await question_vector(self._embedder, query.text, query.patience_s)

    def changed(self, change: MemoryChanged | None) -> None:
        """Records or weights of a scope changed; None: anything may have (a connection was lost)."""
        if change is None or change.store == "weights":
            self._weight_changes += 1
        if change is None:
            self._scopes.drop()
            self._weights.clear()
        elif change.store in ("facts", "weights") and not change.collection:
            self._scopes.drop(change.workspace)
            self._weights.clear()
        elif change.store == "facts":
            self._scopes.changed(_scope(change), change.ids, change.forgotten)
        elif change.store == "weights":
            self._weights.pop(_scope(change).key, None)

    # ------------------------------------------------------------------------------------------------ candidates

    def _from_memory(
        self, scope: ScopeColumns, question: Question, query: RetrievalQuery, now: datetime, read: QueryTerms | None
    ) -> tuple[Pool, Pool]:
        with scope.lock:
            allowed = _allowed(scope, query, now)
            kind = scope.column("kind")
            ruling = allowed & (kind == _PROCEDURAL) if query.rules else np.zeros(scope.n, np.bool_)
            if query.kinds:
                allowed &= np.isin(kind, [KINDS.index(name) for name in query.kinds if name in KINDS])
            elif query.rules:
                allowed &= kind != _PROCEDURAL
            if isinstance(scope.vectors, SketchedKeys):
                (slots, table), (rule_slots, rule_table) = shortlist(scope, question, [allowed, ruling], read=read)
            else:
                everything = columns(scope, question)
                slots, rule_slots = np.flatnonzero(allowed), np.flatnonzero(ruling)
                table, rule_table = everything[:, slots], everything[:, rule_slots]
            pool = _pool(scope, slots, table, fused(table), question, query.candidates + SPARE)
            rules = _pool(scope, rule_slots, rule_table, rule_table[_TEXT] + rule_table[_WORDS], question, query.rules)
            return pool, self._about(rules)

    async def _from_engine(
        self, scope: Scope, sample: EngineScope, question: Question, query: RetrievalQuery, now: datetime
    ) -> tuple[Pool, Pool]:
        # The engine reads the payload of every record it must match, which nearly doubles a search; few records are not active,
        # so they are dropped afterwards, and only a scope where many are is searched again with the condition.
        kinds = {"kind": list(query.kinds)} if query.kinds else {}
        ids = await self._candidates(scope, sample, question, query, now, kinds)
        if len(ids) < query.candidates:
            ids = await self._candidates(scope, sample, question, query, now, {"status": ["active"], **kinds})
        points = await self._index.fetch(scope, ids, with_vectors=True)
        table, cosines = sample.columns(question, points)
        pool = Pool(
            ids=[point.id for point in points],
            payloads=[point.payload for point in points],
            vectors=np.array([point.vectors["text"] for point in points], np.float32).reshape(len(points), -1),
            table=table,
            base=fused(table),
            cosines=cosines,
        )
        order = np.argsort(-pool.base, kind="stable").tolist()
        procedural = [row for row in order if pool.payloads[row].get("kind") == "procedural"]
        if query.kinds:  # rules were sought besides
            order = [row for row in order if pool.payloads[row].get("kind") in query.kinds]
        elif query.rules:
            order = [row for row in order if pool.payloads[row].get("kind") != "procedural"]
        rules = self._about(pool.take(procedural[: query.rules]))
        return pool.take(order[: query.candidates + SPARE]), rules

    async def _candidates(
        self,
        scope: Scope,
        sample: EngineScope,
        question: Question,
        query: RetrievalQuery,
        now: datetime,
        match: Mapping[str, Sequence[str]],
    ) -> list[str]:
        """Ids under every key of the engine, those left out that must not be recalled."""
        words = query_sparse(query.text, fallback=sample.language or "en")
        dense = ("text", "context") if question.vector.any() else ()
        searches = [self._index.search_dense(scope, name, question.vector, limit=PER_KEY, match=match) for name in dense]
        if words.indices:
            searches += [
                self._index.search_sparse(scope, name, words, limit=PER_KEY, match=match) for name in ("words", "words_context")
            ]
        if query.rules and dense:
            rules = {"status": ["active"], "kind": ["procedural"]}
            searches.append(self._index.search_dense(scope, "text", question.vector, limit=query.rules, match=rules))
        found = await asyncio.gather(*searches)
        wanted = {hit.id: hit.payload for hits in found for hit in hits}
        newest = max((_place(payload, query.conversation_id) for payload in wanted.values()), default=-1)
        excluded = set(query.exclude)
        return [
            record_id
            for record_id, payload in wanted.items()
            if record_id not in excluded and _is_open(payload, now) and not _is_recent(payload, query.conversation_id, newest)
        ]

    def _about(self, rules: Pool) -> Pool:
        return self._above(rules, RULE_SIMILARITY)

    def _above(self, pool: Pool, threshold: float) -> Pool:
        if threshold <= 0:
            return pool
        profile = self._index.profile
        return pool.take([row for row, cosine in enumerate(pool.cosines.tolist()) if profile.calibrated(cosine) >= threshold])

    # ------------------------------------------------------------------------------------------------ policy and answer

    async def _policy(self, scope: Scope, mode: Rerank) -> tuple[Weights | None, int]:
        if mode == "off":
            return None, 0
        weights, version = await self._stored(scope)
        if weights is not None and weights.hyper.form == mode:
            return weights, version
        if mode == "paper":  # its start is not plain retrieval
            profile = self._index.profile
            return Weights.start(hyperparameters("paper"), profile=profile.name, dimension=profile.dimension), 0
        return None, 0

    async def _stored(self, scope: Scope) -> tuple[Weights | None, int]:
        if self._weight_store is None:
            return None, 0
        known = self._weights.get(scope.key)
        if known is None:
            changes = self._weight_changes
            stored = await self._weight_store.load(scope)
            profile: EmbeddingProfile = self._index.profile
            known = (
                (
                    Weights.from_bytes(stored.blob, profile=profile.name, dimension=profile.dimension, carry=True),
                    stored.version,
                )
                if stored
                else (None, 0)
            )
            if changes == self._weight_changes:  # else what was read may be old already
                self._weights[scope.key] = known
            if len(self._weights) > WEIGHTS_KEPT:
                self._weights.popitem(last=False)
        return known

    def _shown(self, pool: Pool, ranking: Ranking, row: int) -> Fact:
        fact = wire_from_payload(pool.ids[row], pool.payloads[row])
        fact.score = float(ranking.logits[row])
        fact.retrieval_score = float(pool.base[row])
        fact.similarity = self._index.profile.calibrated(float(pool.cosines[row]))
        fact.probability = float(ranking.probabilities[row])
        fact.rank_before = row
        parts = dict(zip(FEATURE_NAMES, (WEIGHTS * pool.table[:, row]).tolist(), strict=True))
        parts |= {name: value for name, value in ranking.why(row).items() if name != "retrieval"}
        fact.why = {
            name: f"{value:.3f}" for name, value in sorted(parts.items(), key=lambda p: -abs(p[1])) if abs(value) >= 0.05
        }
        return fact

    def _rule(self, rules: Pool, row: int) -> Fact:
        fact = wire_from_payload(rules.ids[row], rules.payloads[row])
        fact.score = fact.retrieval_score = float(rules.base[row])
        fact.similarity = self._index.profile.calibrated(float(rules.cosines[row]))
        fact.rank_before = row
        return fact


def _read(scope: ScopeColumns, question: Question) -> QueryTerms:
    with scope.lock:
        return QueryTerms.of(scope, question)


def _allowed(scope: ScopeColumns, query: RetrievalQuery, now: datetime) -> NDArray[np.bool_]:
    """(n,) which records may be recalled now, whatever their kind."""
    allowed: NDArray[np.bool_] = scope.column("active") & (scope.column("valid_to") > now.timestamp())
    for record_id in query.exclude:
        if record_id in scope.slots:
            allowed[scope.slots[record_id]] = False
    if query.conversation_id in scope.sources:
        here = np.flatnonzero((scope.column("source") == scope.sources[query.conversation_id]) & (scope.column("kind") == 0))
        newest = here[np.argsort(scope.column("position")[here])[-RECENT_TURNS:]]
        allowed[newest] = False
    return allowed


def _pool(
    scope: ScopeColumns,
    slots: NDArray[Any],
    table: NDArray[np.float32],
    scores: NDArray[np.float32],
    question: Question,
    limit: int,
) -> Pool:
    """The ``limit`` best of some slots; columns of ``table`` and ``scores`` are theirs."""
    usable = np.flatnonzero(np.isfinite(scores))
    limit = min(limit, len(usable))
    best = usable[np.argpartition(-scores[usable], limit - 1)[:limit]] if limit else np.zeros(0, np.intp)
    # Equal scores in a fixed order, so that a rebuilt scope answers the same.
    order = sorted(best.tolist(), key=lambda row: (-scores[row], scope.ids[slots[row]]))
    rows = slots[order].tolist()
    vectors, context = scope.vectors.rows("text", rows), scope.vectors.rows("context", rows)
    return Pool(
        ids=[scope.ids[row] for row in rows],
        payloads=[scope.payloads[row] for row in rows],
        vectors=vectors,
        table=table[:, order],
        base=scores[order].astype(np.float32),
        cosines=np.nan_to_num(np.maximum(vectors @ question.vector, context @ question.vector)),
    )


def _shared_out(order: Sequence[int], pool: Pool, question: Question, limit: int) -> list[int]:
    """In a memory of several people no named one fills more than half of what is shown, unless the question names that one:
    whoever plants many records that meet many questions takes half of the places at most, not all."""
    speakers = [str(payload.get("speaker") or "").casefold() for payload in pool.payloads]
    people = set(speakers) - NOBODY
    capped = people - set(find_named(question.text, people))
    most, taken = (limit + 1) // 2, Counter[str]()
    chosen: list[int] = []
    left: list[int] = []
    for row in order:
        who = speakers[row]
        if who in capped and taken[who] == most:
            left.append(row)
            continue
        taken[who] += 1
        chosen.append(row)
        if len(chosen) == limit:
            return chosen
    return [*chosen, *left[: limit - len(chosen)]]


def _without_doubles(pool: Pool, limit: int) -> Pool:
    seen: set[str] = set()
    rows = []
    for row, payload in enumerate(pool.payloads):
        words = f"{payload.get('speaker') or ''}\x1f{payload.get('content') or ''}".casefold().strip()
        if words not in seen:
            seen.add(words)
            rows.append(row)
        if len(rows) == limit:
            break
    return pool.take(rows)


def _is_open(payload: Mapping[str, JsonValue], now: datetime) -> bool:
    until = moment(payload.get("valid_to"))
    return (until is None or until > now) and (payload.get("status") or "active") == "active"


def _place(payload: Mapping[str, JsonValue], conversation_id: str) -> int:
    if not conversation_id or payload.get("source") != conversation_id or payload.get("kind") != "turn":
        return -1
    return int(payload.get("position") or 0)  # type: ignore[arg-type]


def _is_recent(payload: Mapping[str, JsonValue], conversation_id: str, newest: int) -> bool:
    place = _place(payload, conversation_id)
    return place >= 0 and place > newest - RECENT_TURNS


def _scope(change: MemoryChanged) -> Scope:
    return Scope(workspace=change.workspace, user=change.user, collection=change.collection)
