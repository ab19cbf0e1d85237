"""The ``reward`` job: the only writer of a scope's ranking weights.

A turn's job names the candidates, the memories shown and those cited.  Their vectors are read from the index here.  The ids of
the newest jobs are saved with the weights, so a job that is repeated after a crash finds its id and changes nothing.  Order of
effects: weights (compare-and-set), change notification, reward row.

Payloads: ``{"retrieval": {...} | null, "end_of_conversation": bool, "at", "settings"}``, ``{"feedback": [{"id", "rating"}]}``,
``{"pretrain": {"passes"}}`` or ``{"reset": true}``.
"""

import json
import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from ...erasure.redaction import FORGOTTEN
from ...errors import BadRequest, ConfigurationError, Conflict, NotFound
from ...indexing.embedding import embed_rows
from ...indexing.routing import EmbeddingIndex, UnavailableEmbedder
from ...jobs.delivery import JobOutcome
from ...jobs.payload import read_text, read_time
from ...jobs.registry import job_handler
from ...memory.embedding import EmbeddingProfile
from ...memory.ports import IndexPoint, Job, StoredWeights, Vector
from ...memory.scope import Scope
from ...rerank import BASE_FEATURE, Experience, LearnResult, Weights, feedback, flush, hyperparameters, learn
from ...rerank.archive import ArchivedTurn, decode
from ...rerank.citations import imitates_citation
from ...rerank.pretrain import Pretrained, pretrain
from ...rerank.reinforce import id_hash
from ...settings import AgentMemSettings
from ..context import HandlerContext
from ..reward_log import reward_row
from ..status import LearningStatus
from ..uses import count_uses

logger = logging.getLogger(__name__)

# The matrices of learning are small: more threads of the BLAS library take ten times the CPU time and several times as long.
_BLAS = ThreadpoolController().select(user_api="blas")
_TRIES = 3
_KEY = "text"  # the dense vector that the policy uses
_STATES = ("cited", "none", "malformed", "absent")


@job_handler("reward", queue="write", submit="service")
class RewardHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._core = context.core
        self._store = context.core.graph.weights
        self._status = LearningStatus(context.core)
        self._spaces = context.core.facts.router
        self._on_reward = context.on_reward
        self._settings = context.settings

    async def __call__(self, job: Job) -> JobOutcome:
        """Run the operation that the payload names; by default, learn from a turn.

        Raises:
            BadRequest: the payload is invalid.
            NotFound: none of the rated records exists.
            ConfigurationError: the stored weights are damaged.
            Conflict: other writers changed the weights during three attempts.
        """
        payload = job.payload
        if payload.get("import"):  # of version 0.1
            raise BadRequest("this job imports weights, which is no job any more: import an export, which carries them")
        for name, work in (("feedback", self._feedback), ("pretrain", self._pretrain), ("reset", self._reset)):
            if payload.get(name):
                return await work(job, payload[name])
        outcome = await self._turn(job)
        await count_uses(self._core.facts, job.scope, cited_ids(payload.get("retrieval")), at=read_time(job, "at"))
        return outcome

    # -- a turn --------------------------------------------------------------------------------------------------

    async def _turn(self, job: Job) -> JobOutcome:
        settings = self._settings(job)
        retrieval = job.payload.get("retrieval")
        ended = bool(job.payload.get("end_of_conversation"))
        learning = settings.enable_retrospective_reflection and settings.rerank != "off"
        space = await self._spaces.read_index(job.scope)
        if not isinstance(retrieval, Mapping):
            return await self._flush(job.scope, space, settings) if ended and learning else JobOutcome(note="nothing")
        form = _form(retrieval, settings)
        if isinstance(space.embedder, UnavailableEmbedder):  # the turn was ranked by keywords only
            learning, experience = False, None
        else:
            experience = await self._experience(job, retrieval, space, sampled=settings.rerank_sampling)
        if await self._was_forgotten(job):
            learning, experience = False, None
        if not learning or form is None:
            row = reward_row(experience, None, learns=False)
            await self._log(job, row | {"bank_size": float(await space.index.count(job.scope))})
            return JobOutcome(counts={"logged": 1})
        weights: Weights | None = None
        learned = LearnResult(outcome="empty")

        def learn_turn(stored: Weights | None) -> Weights | None:
            nonlocal weights, learned
            before = weights = _with_rate(self._for_form(stored, form, space.profile), settings)
            if experience is not None:
                weights, learned = learn(before, experience)
            if ended:
                weights = flush(weights)
            return weights if weights is not before else None

        await self._update_weights(job.scope, space.profile, learn_turn)
        row = reward_row(experience, weights, learns=True) | {"learned": float(learned.changed)}
        await self._log(job, row | {"bank_size": float(await space.index.count(job.scope))})
        if not learned.changed:
            logger.info("reward job %s changed no weights: %s", job.id, learned.outcome)
        return JobOutcome(counts={learned.outcome: 1})

    async def _was_forgotten(self, job: Job) -> bool:
        """Whether the question was forgotten after this job was published.  It must not come back into the weights."""
        invocation_id = read_text(job, "invocation_id")
        if not invocation_id:
            return False  # published by version 0.1.0
        found = await self._core.graph.conversations.invocations(job.scope, [invocation_id])
        return not found or found[0].query == FORGOTTEN

    async def _experience(
        self, job: Job, retrieval: Mapping[str, Any], space: EmbeddingIndex, *, sampled: bool
    ) -> Experience | None:
        """The turn with its records' vectors, without records that were forgotten since.  None: no shown record is left."""
        turn = await self._read_turn(job, retrieval, space)
        if not turn.shown:
            return None
        points = await space.index.fetch(job.scope, list(turn.ids), with_vectors=True)
        posing = {point.id for point in points if imitates_citation(str(point.payload.get("content", "")))}
        muted = frozenset(index for index, record in enumerate(turn.ids) if record in posing)
        again = replace(turn, muted=muted).with_vectors(_vectors(points))
        return replace(again, sampled=sampled) if again is not None else None

    async def _read_turn(self, job: Job, retrieval: Mapping[str, Any], space: EmbeddingIndex) -> ArchivedTurn:
        try:
            ids = tuple(str(record) for record in retrieval.get("candidate_ids") or ())
            shown_ids = [str(record) for record in retrieval.get("shown_ids") or ()]
            names = [str(name) for name in retrieval.get("feature_names") or ()]
            table = np.asarray(retrieval.get("features") or np.zeros((len(ids), len(names))), dtype=np.float64)
            table = table.reshape(len(ids), len(names))
            cited = tuple(int(position) for position in retrieval.get("cited") or ())
            seed = int(retrieval.get("seed") or 0)
        except (TypeError, ValueError):
            raise BadRequest(
                f"the retrieval of reward job {job.id} is inconsistent: features needs one row per entry of candidate_ids and"
                " one column per entry of feature_names"
            ) from None
        state = str(retrieval.get("citation") or "absent")
        if state not in _STATES:
            raise BadRequest(f"citation = {state!r} in reward job {job.id}: use one of {', '.join(_STATES)}")
        place = {record: index for index, record in enumerate(ids)}
        if any(record not in place for record in shown_ids):
            state = "malformed"  # a record was shown that was not ranked: nothing can be learned
        base = table[:, names.index(BASE_FEATURE)] if BASE_FEATURE in names else -np.arange(len(ids), dtype=np.float64)
        keep = [column for column, name in enumerate(names) if name != BASE_FEATURE]
        if state in ("cited", "none"):
            query = (await embed_rows(space.embedder, [str(retrieval.get("query") or "")], role="query"))[0]
        else:
            query = np.zeros(space.profile.dimension, dtype=np.float32)
        return ArchivedTurn(
            job_id=job.id,
            ids=ids,
            shown=tuple(place[record] for record in shown_ids if record in place),
            cited=cited,
            state=state,  # type: ignore[arg-type]  # checked above
            seed=seed,
            muted=frozenset(),
            query=query,
            base=base,
            features=table[:, keep],
            feature_names=tuple(names[column] for column in keep),
            conversation_id=read_text(job, "conversation_id"),
            invocation_id=read_text(job, "invocation_id"),
        )

    async def _flush(self, scope: Scope, space: EmbeddingIndex, settings: AgentMemSettings) -> JobOutcome:
        """Apply a partial batch at the end of a session."""

        def apply(weights: Weights | None) -> Weights | None:
            return flush(_with_rate(weights, settings)) if weights is not None and weights.pending else None

        changed = await self._update_weights(scope, space.profile, apply)
        return JobOutcome(counts={"flushed": int(changed)})

    async def _log(self, job: Job, row: Mapping[str, float]) -> None:
        await self._store.log_reward(job.scope, read_time(job, "at"), row, job.id)
        if self._on_reward is not None:
            self._on_reward(job.scope, row)

    # -- feedback, training, reset ---------------------------------------------------------------------------------

    async def _feedback(self, job: Job, entries: Any) -> JobOutcome:
        ratings = {}
        for entry in entries if isinstance(entries, list) else [None]:
            if not isinstance(entry, Mapping) or entry.get("rating") not in (1, -1) or not entry.get("id"):
                raise BadRequest(f"feedback in job {job.id} must be a list of {{'id': record, 'rating': 1 or -1}}")
            ratings[str(entry["id"])] = int(entry["rating"])
        space = await self._spaces.read_index(job.scope)
        vectors = _vectors(await space.index.fetch(job.scope, list(ratings), with_vectors=True))
        if not vectors:
            raise NotFound(f"none of the {len(ratings)} rated records is in this scope: check the ids")
        form = self._settings(job).rerank
        if form == "off":
            return JobOutcome(note="rerank is off")

        def apply_ratings(weights: Weights | None) -> Weights | None:
            grown = self._for_form(weights, form, space.profile)
            before = grown
            for record, vector in vectors.items():
                grown, _ = feedback(grown, f"{job.id}/{record}", vector, ratings[record])
            return grown if grown is not before else None

        changed = await self._update_weights(job.scope, space.profile, apply_ratings)
        return JobOutcome(counts={"rated": len(vectors), "changed": int(changed)})

    async def _pretrain(self, job: Job, options: Any) -> JobOutcome:
        passes = options.get("passes", 5) if isinstance(options, Mapping) else 5
        if isinstance(passes, bool) or not isinstance(passes, int) or not 1 <= passes <= 50:
            raise BadRequest(f"passes = {passes!r} in job {job.id}: use a whole number from 1 to 50")
        space = await self._spaces.read_index(job.scope)
        stored = await self._status.load(job.scope, space.profile)
        if stored.weights is None:
            return JobOutcome(counts={"turns": 0})
        turns = [decode(entry) for entry in stored.weights.archive]
        wanted = sorted({record for turn in turns for record in turn.ids})
        vectors = _vectors(await space.index.fetch(job.scope, wanted, with_vectors=True))
        experiences = [turn for turn in (entry.with_vectors(vectors) for entry in turns) if turn is not None]
        result = Pretrained(turns=0, passes=0, before=0.0, after=0.0)
        mark = id_hash(job.id)

        def train_weights(weights: Weights | None) -> Weights | None:
            nonlocal result
            if weights is None or mark in weights.seen:
                return None
            grown, result = pretrain(weights, experiences, passes=passes)
            return replace(grown, seen=(*grown.seen, mark)) if grown is not weights else None

        changed = await self._update_weights(job.scope, space.profile, train_weights)
        note = json.dumps({"before": round(result.before, 4), "after": round(result.after, 4)})
        return JobOutcome(counts={"turns": result.turns, "passes": result.passes, "changed": int(changed)}, note=note)

    async def _reset(self, job: Job, _: Any) -> JobOutcome:
        settings = self._settings(job)
        form = "calibrated" if settings.rerank == "off" else settings.rerank
        fresh = self._for_form(None, form, (await self._spaces.read_index(job.scope)).profile)
        for _try in range(_TRIES):
            stored = await self._store.load(job.scope)
            if stored is None or await self._try_save(job.scope, fresh, stored.version):
                return JobOutcome(counts={"reset": int(stored is not None)})
        raise Conflict(f"the ranking weights of a scope changed {_TRIES} times while job {job.id} ran: retry")

    # -- stored weights ---------------------------------------------------------------------------------------------

    def _for_form(self, weights: Weights | None, form: str, profile: EmbeddingProfile) -> Weights:
        """The weights if they have this form, otherwise new weights: weights of another form cannot be converted."""
        if weights is not None and weights.hyper.form == form:
            return weights
        return Weights.start(hyperparameters(form), profile=profile.name, dimension=profile.dimension)

    async def _try_save(self, scope: Scope, weights: Weights, version: int) -> bool:
        """Save as the next version and notify caches.  Returns False if another writer has changed the weights."""
        stored = StoredWeights(
            version=version + 1,
            profile=weights.profile,
            dimension=weights.dimension,
            blob=weights.to_bytes(),
            updated_at=self._core.clock.now(),
        )
        try:
            await self._store.save(scope, stored, expected_version=version)
        except Conflict:
            return False
        await self._core.notifier.changed(scope, "weights")
        return True

    async def _update_weights(
        self, scope: Scope, profile: EmbeddingProfile, change: Callable[[Weights | None], Weights | None]
    ) -> bool:
        """Apply a change to the stored weights, with retries.  Returns False if ``change`` returns None or the same weights.

        Raises Conflict: other writers changed the weights during three attempts.
        """
        for _ in range(_TRIES):
            stored = await self._status.load(scope, profile)
            with _BLAS.limit(limits=1):
                grown = change(stored.weights)
            if grown is None or grown is stored.weights:
                return False
            if await self._try_save(scope, grown, stored.version):
                return True
        raise Conflict(f"the ranking weights of a scope changed {_TRIES} times: retry")


def _vectors(points: Sequence[IndexPoint]) -> dict[str, Vector]:
    """The vectors that the policy uses, by record."""
    return {point.id: point.vectors[_KEY] for point in points if _KEY in point.vectors}


def cited_ids(retrieval: Any) -> list[str]:
    """Ids of the memories that the answer cited."""
    if not isinstance(retrieval, Mapping) or retrieval.get("citation") != "cited":
        return []
    shown = [str(record) for record in retrieval.get("shown_ids") or ()]
    return [shown[position] for position in map(int, retrieval.get("cited") or ()) if 0 <= position < len(shown)]


def _with_rate(weights: Weights, settings: AgentMemSettings) -> Weights:
    """The weights with the learning rate of the settings.  The rate is not stored with them."""
    return replace(weights, hyper=weights.hyper.with_rate(settings.rmm_learning_rate))


def _form(retrieval: Mapping[str, Any], settings: AgentMemSettings) -> str | None:
    """The form of the policy that ranked the turn; None if the turn was not reranked."""
    mode = str(retrieval.get("mode") or settings.rerank)
    if mode == "off":
        return None
    if mode not in ("paper", "calibrated"):
        raise ConfigurationError(f"a turn was ranked in mode {mode!r}: use off, paper or calibrated")
    return mode
