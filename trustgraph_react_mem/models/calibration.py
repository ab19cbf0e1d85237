"""Calibrate an embedding model on sentences: the mean cosine of unrelated texts, and the cosine above which two texts say the
same.  The profiles in ``memory/embedding.py`` were measured with these sentences.
"""

import numpy as np

from ..memory.embedding import EmbeddingProfile
from ..memory.ports import Matrix

# No two of these are related: topic, speaker, tense and form all differ.
UNRELATED = (
    "Maria: I finally booked the ferry to Crete for the last week of June.",
    "The compressor in the cold store trips whenever the second fan starts.",
    "Tom: my daughter's recital went so well that she wants a bigger violin now.",
    "Refunds above 500 euros need the signature of two people.",
    "A lemon tree wants a pot with good drainage and as much sun as you can give it.",
    "Quarterly revenue in the north fell by six percent against last year.",
    "Ana: the vet says the puppy may have both vaccines on the same day.",
    "To reset the router, hold the small button at the back for ten seconds.",
    "The treaty was signed in 1648 and ended thirty years of war.",
    "Sam: I have been off sugar since January and sleep much better.",
    "Deploy the service with two replicas and a read-only file system.",
    "He scored twice in the last five minutes, and the stadium went silent.",
    "Lena: we painted the kitchen green, and now the tiles look wrong.",
    "Interest is calculated daily and paid into the account each month.",
    "Basalt columns form when lava cools slowly and cracks into hexagons.",
    "Please bring your passport and two photographs to the appointment.",
)

# Each pair says the same thing; no two pairs do.
PARAPHRASES = (
    ("Maria is allergic to peanuts.", "Maria has a peanut allergy."),
    ("The user prefers answers in German.", "The user would rather have answers in German."),
    ("Tom moved to Lisbon in 2019.", "In 2019, Tom moved to Lisbon."),
    ("The nightly backup failed because the disk was full.", "Because the disk was full, the backup at night failed."),
    ("Ana works as a nurse in a children's hospital.", "Ana is a nurse at a hospital for children."),
    ("The meeting was moved from Monday to Wednesday.", "The meeting was postponed from Monday to Wednesday."),
    ("Sam has two cats called Miso and Udon.", "Sam's two cats are named Miso and Udon."),
    ("The invoice must be paid within 30 days.", "The invoice is due within 30 days."),
)


def unrelated_mean(rows: Matrix) -> float:
    """Mean cosine over all pairs of UNRELATED's rows."""
    cosines = rows @ rows.T
    return float(cosines[np.triu_indices(len(rows), k=1)].mean())


def calibrate_profile(name: str, rows: Matrix) -> EmbeddingProfile:
    """``rows``: vectors of UNRELATED, then of PARAPHRASES pair by pair, each of unit length."""
    unrelated = unrelated_mean(rows[: len(UNRELATED)])
    pairs = rows[len(UNRELATED) :].reshape(len(PARAPHRASES), 2, -1)
    same = np.sort((pairs[:, 0] * pairs[:, 1]).sum(axis=1))
    return EmbeddingProfile(
        name=name,
        dimension=rows.shape[1],
        # Rounded, so that a restart gives the same value.
        unrelated=round(max(0.0, unrelated), 2),
        # The median: a duplicate too many is better than a lost fact.
        near_duplicate=round(float(np.median(same)), 2),
    )
