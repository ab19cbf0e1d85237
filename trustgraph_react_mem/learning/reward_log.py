"""What a scope has learned: its weights, one row of metrics for each rewarded turn, and the summary of these rows.

Only the handler of ``reward`` jobs writes the weights.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..memory.embedding import EmbeddingProfile
from ..memory.scope import Scope
from ..repositories.core import MemoryCore
from ..rerank import Experience, Weights

MOST_REWARDS = 1000
MEANS = ("reward", "citation_rate", "recall_prior", "mrr_prior", "mrr_shown")


def reward_row(experience: Experience | None, weights: Weights | None, *, learns: bool) -> dict[str, float]:
    """Metrics of one turn.  Metrics that need citations are left out if the answer has no valid ones.

    - ``citation_rate``: share of the shown memories that the answer cites.  ``reward``: mean of +1 and -1 over them.
    - ``recall_prior``: share of the cited memories that retrieval's own order would also have shown.  The remaining ones were
      shown because of learning.  What learning pushed out of view is not counted: only shown memories can be cited.
    - ``mrr_shown``, ``mrr_prior``: 1 / rank of the first cited memory among those shown, in the order shown and in
      retrieval's order.

    ``learns``: whether the ranking learns from the turn.
    """
    state = experience.state if experience is not None else "absent"
    row = {
        "learning": float(learns),
        "malformed": float(state == "malformed"),
        "absent": float(state == "absent"),
        "weight_norm": weights.norm if weights is not None else 0.0,
        "trust": weights.trust if weights is not None else 0.0,
    }
    if experience is None or state not in ("cited", "none") or not experience.shown:
        return row
    shown = experience.shown
    cited = [shown[position] for position in experience.cited if 0 <= position < len(shown)]
    row["citation_rate"] = len(cited) / len(shown)
    row["reward"] = 2 * row["citation_rate"] - 1
    base = experience.candidates.base
    if cited and np.isfinite(base).all():
        prior = np.argsort(-base, kind="stable").tolist()
        first = set(prior[: len(shown)])
        row["recall_prior"] = sum(index in first for index in cited) / len(cited)
        row["mrr_shown"] = 1 / (1 + min(shown.index(index) for index in cited))
        among = [index for index in prior if index in shown]
        row["mrr_prior"] = 1 / (1 + min(among.index(index) for index in cited))
    return row


def citation_state(row: Mapping[str, float]) -> str:
    """The citation state of a row: cited, none, malformed or absent."""
    for state in ("malformed", "absent"):
        if row.get(state):
            return state
    return "cited" if row.get("citation_rate") else "none"


async def load_weights(core: MemoryCore, scope: Scope, profile: EmbeddingProfile) -> tuple[int, Weights | None]:
    """Version (0: nothing stored) and stored weights of a scope.

    ``profile``: the embedding model that the scope is searched with.  Weights of another model are converted, see
    ``Weights.for_model``.  Raises ConfigurationError: the stored weights are damaged.
    """
    stored = await core.graph.weights.load(scope)
    if stored is None:
        return 0, None
    return stored.version, Weights.from_bytes(stored.blob, profile=profile.name, dimension=profile.dimension, carry=True)


async def learning_status(core: MemoryCore, scope: Scope) -> dict[str, Any]:
    """Report of the newest rewarded turns and the current weights."""
    logged = await core.graph.weights.reward_log(scope, limit=MOST_REWARDS)
    rows = [{"at": each.at.timestamp(), **each.row} for each in logged]
    return describe_learning(rows, *await load_weights(core, scope, (await core.facts.router.read_index(scope)).profile))


def describe_learning(rows: Sequence[Mapping[str, float]], version: int, weights: Weights | None) -> dict[str, Any]:
    """The report of a scope's learning.

    ``rows``: one for each rewarded turn, oldest first.  ``rates``: means over the rows that have the metric.  ``policy``: the
    current weights.
    """
    rates: dict[str, float] = {"turns": len(rows)}
    for name in MEANS:
        values = [row[name] for row in rows if name in row and citation_state(row) in ("cited", "none")]
        if values:
            rates[name] = sum(values) / len(values)
    for name in ("malformed", "absent"):
        if rows:
            rates[name] = sum(row.get(name, 0.0) for row in rows) / len(rows)
    policy: dict[str, Any] = {"version": version}
    if weights is not None:
        policy |= {
            "form": weights.hyper.form,
            "turns": weights.turns,
            "updates": weights.updates,
            "waiting": len(weights.pending),
            "weight_norm": weights.norm,
            "trust": weights.trust,
            "won": weights.won,
            "lost": weights.lost,
            "features": dict(sorted(weights.theta.items(), key=lambda item: -abs(item[1]))),
        }
    return {"rows": [dict(row) for row in rows], "rates": rates, "policy": policy}
