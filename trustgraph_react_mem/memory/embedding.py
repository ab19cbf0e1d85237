"""Properties of embedding models: prefixes, dimension, the range of their cosines, and floors.

Cosines of different models are not comparable (those of e5 are between 0.7 and 1).  Thresholds therefore use a calibrated
scale from 0 (the score of two unrelated texts) to 1 (identical).

A question that memory knows nothing about gets no memories: if not even the most similar fact reaches ``fact_floor``, none is
shown.  Single facts have no floor, because a turn may be needed for its neighbourhood, although it is not similar itself.

A question that shares no word with any candidate ("Explain entropy", "Why is the sky blue?") is usually one about the world.
In an English memory it needs the higher ``unworded_floor``, and in a large one, where the most similar of many is more similar
by chance, half as much again.  In other languages the model finds such questions as similar as those about the person: a floor
would hide most answers, so that something unrelated may be shown instead.

``python -m bench embedding`` measures the floors.  No statistic of the similarities within a scope replaces that: none tells
the questions to a person's own memory from those to another's (582 questions of a LoCoMo file).
"""

import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingProfile:
    """One embedding model.

    ``unrelated``: mean cosine of two unrelated texts.  ``near_duplicate``: cosine above which two texts mean the same.
    Floors are calibrated similarities, 0 to 1; 0: none was measured.  ``episode_floor``: of each episode.
    """

    name: str
    dimension: int
    query_prefix: str = ""
    passage_prefix: str = ""
    unrelated: float = 0.0
    near_duplicate: float = 0.9
    fact_floor: float = 0.0
    episode_floor: float = 0.0
    unworded_floor: float = 0.0

    @property
    def key(self) -> str:
        """Identifies the vector space: vectors with different keys must never be compared."""
        return f"{self.name}@{self.dimension}"

    def calibrate(self, cosine: float) -> float:
        """The cosine on the calibrated scale from 0 to 1."""
        return max(0.0, min(1.0, (cosine - self.unrelated) / (1.0 - self.unrelated)))


def _short(name: str) -> str:
    return name.rpartition("/")[2]


_MODELS: dict[str, dict[str, Any]] = tomllib.loads((resources.files(__package__) / "embedding_models.toml").read_text("utf-8"))
PROFILES = {name: EmbeddingProfile(name=name, **values) for name, values in _MODELS["calibrated"].items()}
TRUSTGRAPH_MODELS = {
    name: PROFILES.get(_short(name)) or EmbeddingProfile(name=_short(name), **values)
    for name, values in _MODELS["trustgraph"].items()
}
"""TrustGraph's id -> profile, named without the publisher."""

_BY_NAME = {profile.name: profile for profile in TRUSTGRAPH_MODELS.values()} | TRUSTGRAPH_MODELS | PROFILES


def find_profile(name: str) -> EmbeddingProfile | None:
    """The profile of a known model, by its name or TrustGraph's id."""
    return _BY_NAME.get(name)


def makes_vectors_of(model: str, profile: EmbeddingProfile) -> bool:
    """Whether this model, named as in the record of a flow, makes the vectors of ``profile``."""
    known = find_profile(model)
    # An int8 form is another file of the same model.
    same = _short(known.name if known else model).casefold() == _short(profile.name).removesuffix("-int8").casefold()
    return same and (known is None or known.dimension == profile.dimension)


def stored_profile(name: str, dimension: int) -> EmbeddingProfile:
    """The profile of the model that made stored vectors; without prefixes and calibration if the model is unknown."""
    known = find_profile(name)
    return known if known is not None and known.dimension == dimension else EmbeddingProfile(name=name, dimension=dimension)
