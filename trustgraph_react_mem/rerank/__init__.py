"""The learned ranking: one policy per scope, trained on the citations in the model's answers.

Pure numpy without I/O and without async.  ``policy`` ranks, ``reinforce`` learns, ``citations`` parses the reward signal.
"""

from .citations import Citations, CitationState, CitationStripper, imitates_citation, neutralise
from .hyperparameters import CALIBRATED, PAPER, Hyperparameters, hyperparameters
from .policy import rank
from .ranking import BASE_FEATURE, Candidates, Experience, Ranking
from .reinforce import CHANGED, Outcome, feedback, flush, learn
from .weights import OuterProducts, Weights
