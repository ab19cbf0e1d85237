"""Properties of embedding models: prefixes, dimension, and the range of their cosines.

Cosines of different models are not comparable (those of e5 are between 0.7 and 1).  Thresholds therefore use a calibrated
scale from 0 (the score of two unrelated texts) to 1 (identical).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProfile:
    """One embedding model.

    ``unrelated``: mean cosine of two unrelated texts.  ``near_duplicate``: cosine above which two texts mean the same.
    """

    name: str
    dimension: int
    query_prefix: str = ""
    passage_prefix: str = ""
    unrelated: float = 0.0
    near_duplicate: float = 0.9

    @property
    def key(self) -> str:
        """Identifies the vector space: vectors with different keys must never be compared."""
        return f"{self.name}@{self.dimension}"

    def calibrated(self, cosine: float) -> float:
        """The cosine on the calibrated scale from 0 to 1."""
        return max(0.0, min(1.0, (cosine - self.unrelated) / (1.0 - self.unrelated)))


# Measured on the sentences of models/calibration.py.  Pairs that share nearly all words but differ in meaning still score
# 0.90 with e5 and 0.85 with MiniLM.
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
        # The default of TrustGraph's embeddings service.  The numbers were measured with the int8 form.
        EmbeddingProfile(name="all-MiniLM-L6-v2", dimension=384, unrelated=0.04, near_duplicate=0.90),
        # Not measured here.  Its publisher states the same range as for the English models.
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
    """The profile of the model that made stored vectors; without prefixes and calibration if the model is unknown."""
    known = PROFILES.get(name)
    return known if known is not None and known.dimension == dimension else EmbeddingProfile(name=name, dimension=dimension)
