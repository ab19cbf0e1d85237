"""All hyperparameters of the policy: one frozen record for each form.

``PAPER`` is RMM (Tan et al., ACL 2025, appendix A.1).  Its start N(0, 0.01) is read as mean and standard deviation, and the M
best records are shown instead of a sample.  If 0.01 is read as a variance, the random start already destroys a good retriever's
order (docs/rmm.md; ``bench/methods.py`` contains that variant).

``CALIBRATED`` is the default.  It starts as the fusion score and adds small, bounded, decaying corrections.  It has no
matrices, because they had no measurable benefit.  Its steps, ``reach`` and ``log_probability`` were chosen on two conversations
and are frozen here; docs/rmm.md has the measurements.
"""

from dataclasses import dataclass, replace
from typing import Literal

from ..errors import ConfigurationError

Form = Literal["paper", "calibrated"]
#: softmax: equation 2.  plackett-luce: the shown records as an ordered sample.  pairwise: pairs of shown records.
Likelihood = Literal["softmax", "plackett-luce", "pairwise"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Hyperparameters:
    """The logit of candidate i is ``base_i + trust * (scale * v.m_i + theta.f_i)``.  The defaults are the paper's."""

    form: Form

    # Parts of the logit
    use_base: bool = False  # add the retrieval score, scaled to mean 0 and standard deviation 1 over the K candidates
    use_vector: bool = False  # one learned vector u per scope, independent of the question
    use_features: bool = False  # theta.f over the named feature columns
    use_matrices: bool = True  # Wq and Wm of equation 1 including the identity, so the raw similarity q.m is part of the score
    centred: bool = False  # for u: subtract the running mean from the memories and renormalise them
    scale: float = 1.0  # factor of the vector and matrix part
    start_deviation: float = 0.01  # standard deviation of the initial elements of Wq and Wm; 0 = zero start
    temperature: float = 0.5  # tau of equation 2, divides the logits

    # Learning (equation 3)
    log_probability: Likelihood = "softmax"  # for the vector and the matrices
    feature_log_probability: Likelihood = "softmax"  # for the head
    baseline: float = 0.5  # b; with -1 only cited records have a gradient
    matrix_step: float = 1e-3  # eta of Wq and Wm
    vector_step: float = 0.0  # eta of u
    feature_step: float = 0.0  # eta of theta
    batch: int = 4  # turns whose gradients are applied together
    average: bool = False  # apply the batch's mean gradient; otherwise the sum, as printed in the paper

    # Bounds (not in the paper: they protect against manipulation and preserve the prior)
    advantage_limit: float = 2.0  # maximum of |R - b|
    turn_limit: float = 1e6  # maximum Euclidean norm of one turn's gradient, for u, theta and a matrix's factors each
    reach: float = 1e9  # maximum change of a candidate's logit by learning; retrieval's scores have standard deviation 1
    decay: float = 0.0  # share of u and theta by which each applied batch shrinks them
    vector_radius: float = 1e6  # maximum norm of u
    feature_radius: float = 1e6  # maximum norm of theta
    repeat_memory: int = 0  # number of newest cited records remembered; a record's n-th citation among them counts 1/n
    check: bool = False  # compare learned and prior order on each citation, and weight learning by the result (trust)

    # Size
    newest_products: int = 56  # outer products kept of each matrix; each turn adds one
    archive: int = 32  # newest turns kept for offline training

    def with_rate(self, factor: float) -> "Hyperparameters":
        """The same with all steps (eta) multiplied by ``factor``."""
        return replace(
            self,
            matrix_step=self.matrix_step * factor,
            vector_step=self.vector_step * factor,
            feature_step=self.feature_step * factor,
        )


PAPER = Hyperparameters(form="paper")

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
    average=True,
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
    """The hyperparameters of a named form.

    Raises:
        ConfigurationError: the form is neither ``paper`` nor ``calibrated`` (``off`` has no policy).
    """
    try:
        return _FORMS[form]
    except KeyError:
        raise ConfigurationError(f"rerank = {form!r} has no policy: use one of {', '.join(sorted(_FORMS))}, or off") from None
