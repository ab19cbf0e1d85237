"""The row that each rewarded turn leaves behind, and what the rows of a scope say together."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..rerank import Experience, Weights

MEANS = ("reward", "citation_rate", "recall_prior", "mrr_prior", "mrr_shown")


def reward_row(self_learned: Experience | None, weights: Weights | None, *, arm: bool) -> dict[str, float]:
    """Figures of one turn; those that its citations do not tell are left out.

    - ``citation_rate``: share of the memories shown that the answer cites; ``reward``: mean of +1 and -1 over them.
    - ``recall_prior``: share of the cited that retrieval's own order would have shown too.  Only what is shown can be cited, so
      with learning it is 1: what is missing here is what learning brought in.  What it pushed out cannot be seen.
    - ``mrr_shown``, ``mrr_prior``: 1 / place of the first cited among those shown, as they were shown and in retrieval's order.
    """
    state = self_learned.state if self_learned is not None else "absent"
    row = {
        "learning": float(arm),
        "malformed": float(state == "malformed"),
        "absent": float(state == "absent"),
        "weight_norm": weights.norm if weights is not None else 0.0,
        "trust": weights.trust if weights is not None else 0.0,
    }
    if self_learned is None or state not in ("cited", "none") or not self_learned.shown:
        return row
    shown = self_learned.shown
    cited = [shown[position] for position in self_learned.cited if 0 <= position < len(shown)]
    row["citation_rate"] = len(cited) / len(shown)
    row["reward"] = 2 * row["citation_rate"] - 1
    base = self_learned.candidates.base
    if cited and np.isfinite(base).all():
        prior = np.argsort(-base, kind="stable").tolist()
        first = set(prior[: len(shown)])
        row["recall_prior"] = sum(index in first for index in cited) / len(cited)
        row["mrr_shown"] = 1 / (1 + min(shown.index(index) for index in cited))
        among = [index for index in prior if index in shown]
        row["mrr_prior"] = 1 / (1 + min(among.index(index) for index in cited))
    return row


def citation_of(row: Mapping[str, float]) -> str:
    """cited, none, malformed or absent."""
    for state in ("malformed", "absent"):
        if row.get(state):
            return state
    return "cited" if row.get("citation_rate") else "none"


def learning_status(rows: Sequence[Mapping[str, float]], version: int, weights: Weights | None) -> dict[str, Any]:
    """``rows``: one a rewarded turn, oldest first; ``rates``: means over those that tell; ``policy``: what is learned now."""
    rates: dict[str, float] = {"turns": len(rows)}
    for name in MEANS:
        told = [row[name] for row in rows if name in row and citation_of(row) in ("cited", "none")]
        if told:
            rates[name] = sum(told) / len(told)
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
