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
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np
from threadpoolctl import ThreadpoolController

from ...erasure.redaction import FORGOTTEN
from ...errors import BadRequest, ConfigurationError, Conflict, NotFound
from ...indexing.embedding import embed_rows
from ...indexing.routing import EmbeddingIndex, UnavailableEmbedder
from ...jobs.delivery import JobOutcome, read_text, read_time
from ...memory.ports import IndexPoint, StoredWeights, Vector
from ...rerank import (
    BASE_FEATURE,
    CHANGED,
    Candidates,
    Experience,
    Outcome,
    Weights,
    feedback,
    flush,
    hyperparameters,
    learn,
)
from ...rerank.archive import decode
from ...rerank.citations import imitates_citation
from ...rerank.pretrain import Pretrained, pretrain
from ...rerank.reinforce import id_hash
from ...telemetry.metrics import record_reward
from ..context import Work, learns
from ..reward_log import citation_state, load_weights, reward_row

logger = logging.getLogger(__name__)

# The matrices of learning are small: more threads of the BLAS library take ten times the CPU time and several times as long.
_BLAS = ThreadpoolController().select(user_api="blas")
_TRIES = 3
_KEY = "text"  # the dense vector that the policy uses
_STATES = ("cited", "none", "malformed", "absent")

Change = Callable[[Weights | None], Weights | None]


@learns("reward", queue="write", submit="service")
async def reward(work: Work) -> JobOutcome:
    """Run the operation that the payload names; by default, learn from a turn.

    Raises:
        BadRequest: the payload is invalid.
        NotFound: none of the rated records exists.
        ConfigurationError: the stored weights are damaged.
        Conflict: other writers changed the weights during three attempts.
    """
    payload = work.job.payload
    if payload.get("import"):  # of version 0.1
        raise BadRequest("this job imports weights, which is no job any more: import an export, which carries them")
    space = await work.core.facts.router.read_index(work.scope)
    for name, change in (("feedback", _rate), ("pretrain", _pretrain), ("reset", _reset)):
        if payload.get(name):
            return await change(work, space, payload[name])
    return await _learn_turn(work, space)


# -- a turn ------------------------------------------------------------------------------------------------------


async def _learn_turn(work: Work, space: EmbeddingIndex) -> JobOutcome:
    settings, retrieval = work.settings, work.job.payload.get("retrieval")
    ended = bool(work.job.payload.get("end_of_conversation"))
    learning = settings.rmm_learning_rate > 0 and settings.rerank != "off"
    if not isinstance(retrieval, Mapping):
        if not ended or not learning:
            return JobOutcome(note="nothing")
        # A partial batch is applied at the end of a session.
        changed = await _update(
            work, space, lambda stored: flush(_with_rate(work, stored)) if stored and stored.pending else None
        )
        return JobOutcome(counts={"flushed": int(changed)})
    form = str(retrieval.get("mode") or settings.rerank)
    if form not in ("off", "paper", "calibrated"):
        raise ConfigurationError(f"a turn was ranked in mode {form!r}: use off, paper or calibrated")
    experience: Experience | None = None
    if isinstance(space.embedder, UnavailableEmbedder):  # the turn was ranked by keywords only
        learning = False
    else:
        experience = await _read_experience(work, retrieval, space)
    if await _was_forgotten(work):
        learning, experience = False, None
    weights: Weights | None = None
    outcome: Outcome = "empty"

    def learn_turn(stored: Weights | None) -> Weights | None:
        nonlocal weights, outcome
        before = weights = _with_rate(work, _in_form(stored, form, space))
        if experience is not None:
            weights, outcome = learn(before, experience)
        if ended:
            weights = flush(weights)
        return weights if weights is not before else None

    learning = learning and form != "off"
    if learning:
        await _update(work, space, learn_turn)
    row = reward_row(experience, weights, learns=learning) | {"bank_size": float(await space.index.count(work.scope))}
    if learning:
        row["learned"] = float(outcome in CHANGED)
    await work.core.graph.weights.log_reward(work.scope, read_time(work.job, "at"), row, work.job.id)
    record_reward(citation_state(row), row)
    if learning and outcome not in CHANGED:
        logger.info("reward job %s changed no weights: %s", work.job.id, outcome)
    return JobOutcome(counts={outcome if learning else "logged": 1})


async def _was_forgotten(work: Work) -> bool:
    """Whether the question was forgotten after this job was published.  It must not come back into the weights."""
    invocation_id = read_text(work.job, "invocation_id")
    if not invocation_id:
        return False  # published by version 0.1.0
    found = await work.core.graph.conversations.invocations(work.scope, [invocation_id])
    return not found or found[0].query == FORGOTTEN


async def _read_experience(work: Work, retrieval: Mapping[str, Any], space: EmbeddingIndex) -> Experience | None:
    """The turn with its records' vectors, without records that were forgotten since.  None: no shown record is left."""
    job, dimension = work.job, space.profile.dimension
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
    if BASE_FEATURE not in names:  # retrieval's order
        names.append(BASE_FEATURE)
        table = np.column_stack([table, -np.arange(len(ids), dtype=np.float64)])
    place = {record: index for index, record in enumerate(ids)}
    if not place.keys() >= set(shown_ids):
        state = "malformed"  # a record was shown that was not ranked: nothing can be learned
    points = await space.index.fetch(work.scope, list(ids), with_vectors=True)
    posing = {point.id for point in points if imitates_citation(str(point.payload.get("content", "")))}
    query = np.zeros(dimension, dtype=np.float32)
    if state in ("cited", "none"):
        query = (await embed_rows(space.embedder, [str(retrieval.get("query") or "")], role="query"))[0]
    turn = Experience(
        job_id=job.id,
        query=query,
        candidates=Candidates.of(ids, np.zeros((len(ids), 0), np.float32), table, names),
        shown=tuple(place[record] for record in shown_ids if record in place),
        cited=cited,
        state=state,  # type: ignore[arg-type]  # checked above
        seed=seed,
        sampled=work.settings.rerank_sampling,
        muted=frozenset(index for index, record in enumerate(ids) if record in posing),
        conversation_id=read_text(job, "conversation_id"),
        invocation_id=read_text(job, "invocation_id"),
    )
    return turn.with_vectors(_vectors(points))


# -- feedback, training, reset -----------------------------------------------------------------------------------


async def _rate(work: Work, space: EmbeddingIndex, entries: Any) -> JobOutcome:
    ratings = {}
    for entry in entries if isinstance(entries, list) else [None]:
        if not isinstance(entry, Mapping) or entry.get("rating") not in (1, -1) or not entry.get("id"):
            raise BadRequest(f"feedback in job {work.job.id} must be a list of {{'id': record, 'rating': 1 or -1}}")
        ratings[str(entry["id"])] = int(entry["rating"])
    vectors = _vectors(await space.index.fetch(work.scope, list(ratings), with_vectors=True))
    if not vectors:
        raise NotFound(f"none of the {len(ratings)} rated records is in this scope: check the ids")
    form = work.settings.rerank
    if form == "off":
        return JobOutcome(note="rerank is off")

    def apply_ratings(weights: Weights | None) -> Weights | None:
        grown = before = _in_form(weights, form, space)
        for record, vector in vectors.items():
            grown, _ = feedback(grown, f"{work.job.id}/{record}", vector, ratings[record])
        return grown if grown is not before else None

    changed = await _update(work, space, apply_ratings)
    return JobOutcome(counts={"rated": len(vectors), "changed": int(changed)})


async def _pretrain(work: Work, space: EmbeddingIndex, options: Any) -> JobOutcome:
    passes = options.get("passes", 5) if isinstance(options, Mapping) else 5
    if isinstance(passes, bool) or not isinstance(passes, int) or not 1 <= passes <= 50:
        raise BadRequest(f"passes = {passes!r} in job {work.job.id}: use a whole number from 1 to 50")
    _, stored = await load_weights(work.core, work.scope, space.profile)
    if stored is None:
        return JobOutcome(counts={"turns": 0})
    turns = [decode(entry) for entry in stored.archive]
    wanted = sorted({record for turn in turns for record in turn.candidates.ids})
    vectors = _vectors(await space.index.fetch(work.scope, wanted, with_vectors=True))
    experiences = [turn for turn in (entry.with_vectors(vectors) for entry in turns) if turn is not None]
    result = Pretrained(turns=0, passes=0, before=0.0, after=0.0)
    mark = id_hash(work.job.id)

    def train_weights(weights: Weights | None) -> Weights | None:
        nonlocal result
        if weights is None or mark in weights.seen:
            return None
        grown, result = pretrain(weights, experiences, passes=passes)
        return replace(grown, seen=(*grown.seen, mark)) if grown is not weights else None

    changed = await _update(work, space, train_weights)
    note = json.dumps({"before": round(result.before, 4), "after": round(result.after, 4)})
    return JobOutcome(counts={"turns": result.turns, "passes": result.passes, "changed": int(changed)}, note=note)


async def _reset(work: Work, space: EmbeddingIndex, _: Any) -> JobOutcome:
    """Replace the stored weights, which may be damaged, by new ones."""
    stored = await work.core.graph.weights.load(work.scope)
    if stored is None:
        return JobOutcome(counts={"reset": 0})
    form = "calibrated" if work.settings.rerank == "off" else work.settings.rerank
    await _save(work, _in_form(None, form, space), expected_version=stored.version)
    return JobOutcome(counts={"reset": 1})


# -- stored weights ----------------------------------------------------------------------------------------------


def _in_form(weights: Weights | None, form: str, space: EmbeddingIndex) -> Weights:
    """The weights if they have this form, otherwise new weights: weights of another form cannot be converted."""
    if weights is not None and weights.hyper.form == form:
        return weights
    return Weights.start(hyperparameters(form), profile=space.profile.name, dimension=space.profile.dimension)


def _with_rate(work: Work, weights: Weights) -> Weights:
    """The weights with the learning rate of the settings.  The rate is not stored with them."""
    return replace(weights, hyper=weights.hyper.with_rate(work.settings.rmm_learning_rate))


async def _update(work: Work, space: EmbeddingIndex, change: Change) -> bool:
    """Apply a change to the stored weights, with retries.  Returns False if ``change`` returns None or the same weights.

    Raises Conflict: other writers changed the weights during three attempts.
    """
    for _ in range(_TRIES):
        version, weights = await load_weights(work.core, work.scope, space.profile)
        with _BLAS.limit(limits=1):
            grown = change(weights)
        if grown is None or grown is weights:
            return False
        with suppress(Conflict):
            await _save(work, grown, expected_version=version)
            return True
    raise Conflict(f"the ranking weights of a scope changed {_TRIES} times while job {work.job.id} ran: retry")


async def _save(work: Work, weights: Weights, *, expected_version: int) -> None:
    """Store the weights, and notify caches.  Raises Conflict: another writer was faster."""
    new = StoredWeights(
        version=expected_version + 1,
        profile=weights.profile,
        dimension=weights.dimension,
        blob=weights.to_bytes(),
        updated_at=work.core.clock.now(),
    )
    await work.core.graph.weights.save(work.scope, new, expected_version=expected_version)
    await work.core.notifier.changed(work.scope, "weights")


def _vectors(points: Sequence[IndexPoint]) -> dict[str, Vector]:
    """The vectors that the policy uses, by record."""
    return {point.id: point.vectors[_KEY] for point in points if _KEY in point.vectors}
