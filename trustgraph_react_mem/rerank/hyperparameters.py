"""Every number of the policy, in one frozen record for each named form.

``PAPER`` is RMM as printed (Tan et al., ACL 2025, appendix A.1): start drawn N(0, 0.01), read as mean and VARIANCE, so each
element has a standard deviation of 0.1; no retrieval score in the logit; sampling while serving.  It is kept for comparison:
at that variance the start alone reorders everything a good retriever found.

``CALIBRATED`` is the default: it starts as the fusion itself and adds small, bounded, decaying corrections.  Its steps,
``reach`` and ``log_probability`` were chosen on two conversations and are frozen here; docs/rmm.md has what was measured.
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
    residual: bool  # equation 1 with its identity: the raw similarity q.m is part of the learned score
    use_vector: bool  # a constant 1 appended to the query: one learned vector u per user, v = u + ...
    use_features: bool  # theta.f over the named feature columns
    matrices: Literal["none", "memory", "both"]  # which of Wq and Wm are learned
    centred: bool  # memories and queries minus their running means, renormalised
    scale: float  # factor of the vector and matrix part
    start_variance: float  # of each element of Wq and Wm at the start; 0 = zero start

    # How it is sampled
    sample_while_serving: bool  # Gumbel top-M; otherwise the M best
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

    # What bounds it (no paper: protection, and a prior that is never lost)
    advantage_limit: float  # |R - b| is cut here
    turn_limit: float  # most Euclidean norm of one turn's gradient, for u, theta and a matrix's factors each
    reach: float  # most that learning moves a candidate from the mean; retrieval's scores have standard deviation 1
    decay: float  # share of the learned part that each applied batch takes back towards the prior
    vector_radius: float  # most norm of u
    feature_radius: float  # most norm of theta
    matrix_radius: float  # most Frobenius norm of what a matrix learned
    repeat_memory: int  # newest cited records remembered: a record's n-th citation among them counts 1/n
    check: bool  # compare the learned with the prior order on each citation and give it the say it earned

    # What bounds its size
    max_rank: int  # outer products kept before recompression
    keep_rank: int  # singular directions kept by it
    archive: int  # newest turns kept for offline training


PAPER = Hyperparameters(
    form="paper",
    use_base=False,
    residual=True,
    use_vector=False,
    use_features=False,
    matrices="both",
    centred=False,
    scale=1.0,
    start_variance=0.01,
    sample_while_serving=True,
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
    matrix_radius=1e6,
    repeat_memory=0,
    check=False,
    max_rank=56,
    keep_rank=28,
    archive=32,
)

CALIBRATED = Hyperparameters(
    form="calibrated",
    use_base=True,
    residual=False,
    use_vector=True,
    use_features=True,
    matrices="memory",
    centred=True,
    scale=4.0,
    start_variance=0.0,
    sample_while_serving=False,
    temperature=1.0,
    log_probability="plackett-luce",
    feature_log_probability="pairwise",
    baseline=-1.0,
    matrix_step=0.05,
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
    matrix_radius=1.5,
    repeat_memory=256,
    check=True,
    max_rank=64,
    keep_rank=48,
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
