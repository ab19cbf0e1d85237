"""Every number of the policy, in one frozen record for each named form.

``PAPER`` is RMM (Tan et al., ACL 2025, appendix A.1), with its start N(0, 0.01) read as mean and standard deviation, and the
M best shown instead of a sample.  Read as a variance, the start alone reorders all that a good retriever found
(docs/rmm.md; ``bench/methods.py`` has that reading).

``CALIBRATED`` is the default: it starts as the fusion itself and adds small, bounded, decaying corrections.  It has no
matrices: they added nothing that could be measured.  Its steps, ``reach`` and ``log_probability`` were chosen on two
conversations and are frozen here; docs/rmm.md has what was measured.
"""

from dataclasses import dataclass
from typing import Literal

from ..errors import ConfigurationError

Form = Literal["paper", "calibrated"]
Likelihood = Literal["softmax", "plackett-luce", "pairwise"]  # of equation 2; of the ordered sample; among the shown alone


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperparameters:
    """The logit of candidate i is ``base_i + trust * (scale * v.m_i + theta.f_i)``; each field says what it does to it."""

    form: Form

    # What the logit is made of
    use_base: bool  # add the retrieval score, scaled to mean 0 and standard deviation 1 over the K candidates
    use_vector: bool  # one learned vector u per scope, whatever the question
    use_features: bool  # theta.f over the named feature columns
    use_matrices: bool  # Wq and Wm of equation 1, with its identity: the raw similarity q.m is part of the score
    centred: bool  # for u: memories minus their running mean, renormalised
    scale: float  # factor of the vector and matrix part
    start_deviation: float  # standard deviation of each element of Wq and Wm at the start; 0 = zero start
    temperature: float  # tau of equation 2, divides the logits

    # How it learns (equation 3)
    log_probability: Likelihood  # of the vector and the matrices
    feature_log_probability: Likelihood  # of the head
    baseline: float  # b; -1 means that only citations push
    matrix_step: float  # eta of Wq and Wm
    vector_step: float  # eta of u
    feature_step: float  # eta of theta
    batch: int  # turns whose gradients are applied together
    average: bool  # the batch's mean gradient is applied; otherwise their sum, as printed

    # What bounds it (not in the paper: protection, and a prior that is never lost)
    advantage_limit: float  # limit of |R - b|
    turn_limit: float  # limit of the Euclidean norm of one turn's gradient, for u, theta and a matrix's factors each
    reach: float  # limit of how far learning moves a candidate; retrieval's scores have standard deviation 1
    decay: float  # share of u and theta that each applied batch takes back towards the prior
    vector_radius: float  # limit of the norm of u
    feature_radius: float  # limit of the norm of theta
    repeat_memory: int  # newest cited records remembered: a record's n-th citation among them counts 1/n
    check: bool  # compare the learned with the prior order on each citation, and weigh it by the result (trust)

    # What bounds its size
    newest_products: int  # outer products kept of each matrix, one a turn
    archive: int  # newest turns kept for offline training


PAPER = Hyperparameters(
    form="paper",
    use_base=False,
    use_vector=False,
    use_features=False,
    use_matrices=True,
    centred=False,
    scale=1.0,
    start_deviation=0.01,
    temperature=0.5,
    log_probability="softmax",
    feature_log_probability="softmax",
    baseline=0.5,
    matrix_step=1e-3,
    vector_step=0.0,
    feature_step=0.0,
    batch=4,
    average=False,
    advantage_limit=2.0,
    turn_limit=1e6,
    reach=1e9,
    decay=0.0,
    vector_radius=1e6,
    feature_radius=1e6,
    repeat_memory=0,
    check=False,
    newest_products=56,
    archive=32,
)

CALIBRATED = Hyperparameters(
    form="calibrated",
    use_base=True,
    use_vector=True,
    use_features=True,
    use_matrices=False,
    centred=True,
    scale=4.0,
    start_deviation=0.0,
    temperature=1.0,
    log_probability="plackett-luce",
    feature_log_probability="pairwise",
    baseline=-1.0,
    matrix_step=0.0,
    vector_step=0.05,
    feature_step=0.003,
    batch=4,
    average=True,
    advantage_limit=2.0,
    turn_limit=8.0,
    reach=1.0,
    decay=0.005,
    vector_radius=1.0,
    feature_radius=0.5,
    repeat_memory=256,
    check=True,
    newest_products=0,
    archive=64,
)

_FORMS: dict[str, Hyperparameters] = {"paper": PAPER, "calibrated": CALIBRATED}


def hyperparameters(form: str) -> Hyperparameters:
    """The record of a named form.

    Raises:
        ConfigurationError: the form is neither ``paper`` nor ``calibrated`` (``off`` has no policy).
    """
    try:
        return _FORMS[form]
    except KeyError:
        raise ConfigurationError(f"rerank = {form!r} has no policy: use one of {', '.join(sorted(_FORMS))}, or off") from None
