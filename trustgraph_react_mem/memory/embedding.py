"""What must be known about an embedding model to use its vectors: prefixes, dimension, the range of its cosines.

Cosines of different models mean different things (e5's lie between 0.7 and 1), so thresholds are stated on a calibrated
scale 0..1: 0 = what two unrelated texts score, 1 = identical.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProfile:
    """``unrelated`` is the mean cosine of unrelated texts, ``near_duplicate`` the cosine above which two say the same."""

    name: str
    dimension: int
    query_prefix: str = ""
    passage_prefix: str = ""
    unrelated: float = 0.0
    near_duplicate: float = 0.9

    @property
    def key(self) -> str:
        """Tells one model's vectors from another's."""
        return f"{self.name}@{self.dimension}"

    def calibrated(self, cosine: float) -> float:
        """Cosine on the scale 0..1 that thresholds use."""
        return max(0.0, min(1.0, (cosine - self.unrelated) / (1.0 - self.unrelated)))


# Measured on the sentences of models/calibration.py; e5 keeps 0.90 for pairs that share nearly all words and say something
# else, MiniLM 0.85.
PROFILES: dict[str, EmbeddingProfile] = {
    profile.name: profile
    for profile in (
        EmbeddingProfile(
            name="e5-small-v2",
            dimension=384,
            query_prefix="query: ",
            passage_prefix="passage: ",
            unrelated=0.73,
            near_duplicate=0.96,
        ),
        EmbeddingProfile(name="all-MiniLM-L6-v2-int8", dimension=384, unrelated=0.04, near_duplicate=0.90),
        # What TrustGraph's embeddings service runs unless told otherwise; the numbers are measured with the int8 form.
        EmbeddingProfile(name="all-MiniLM-L6-v2", dimension=384, unrelated=0.04, near_duplicate=0.90),
        # Its publisher gives the same range as for the English ones; not measured by us.
        EmbeddingProfile(
            name="multilingual-e5-small",
            dimension=384,
            query_prefix="query: ",
            passage_prefix="passage: ",
            unrelated=0.75,
            near_duplicate=0.96,
        ),
    )
}


def stored_profile(name: str, dimension: int) -> EmbeddingProfile:
    """Of the model that stored vectors were made with, as far as it is known here."""
    known = PROFILES.get(name)
    return known if known is not None and known.dimension == dimension else EmbeddingProfile(name=name, dimension=dimension)
