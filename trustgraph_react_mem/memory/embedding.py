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

    def calibrate(self, cosine: float) -> float:
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


_RETRIEVAL = "Represent this sentence for searching relevant passages: "
# Model that TrustGraph's embeddings service offers -> dimension, prefix of a question, prefix of a passage: the enumeration
# of its parameter type "embeddings-model", with the values of the models' publishers.  Not measured here, apart from the first.
_OFFERED: dict[str, tuple[int, str, str]] = {
    "sentence-transformers/all-MiniLM-L6-v2": (384, "", ""),
    "BAAI/bge-small-en-v1.5": (384, _RETRIEVAL, ""),
    "BAAI/bge-small-zh-v1.5": (512, "为这个句子生成表示以用于检索相关文章：", ""),
    "snowflake/snowflake-arctic-embed-xs": (384, _RETRIEVAL, ""),
    "jinaai/jina-embeddings-v2-small-en": (512, "", ""),
    "nomic-ai/nomic-embed-text-v1.5-Q": (768, "search_query: ", "search_document: "),
    "snowflake/snowflake-arctic-embed-s": (384, _RETRIEVAL, ""),
    "BAAI/bge-small-en": (384, _RETRIEVAL, ""),
    "BAAI/bge-base-en-v1.5": (768, _RETRIEVAL, ""),
    "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2": (384, "", ""),
    "Qdrant/clip-ViT-B-32-text": (512, "", ""),
    "jinaai/jina-embeddings-v2-base-de": (768, "", ""),
    "BAAI/bge-base-en": (768, _RETRIEVAL, ""),
    "snowflake/snowflake-arctic-embed-m": (768, _RETRIEVAL, ""),
    "thenlper/gte-base": (768, "", ""),
    "jinaai/jina-embeddings-v2-base-en": (768, "", ""),
    "nomic-ai/nomic-embed-text-v1": (768, "search_query: ", "search_document: "),
    "nomic-ai/nomic-embed-text-v1.5": (768, "search_query: ", "search_document: "),
    "snowflake/snowflake-arctic-embed-m-long": (768, _RETRIEVAL, ""),
    "jinaai/jina-clip-v1": (768, "", ""),
    "mixedbread-ai/mxbai-embed-large-v1": (1024, _RETRIEVAL, ""),
    "jinaai/jina-embeddings-v2-base-es": (768, "", ""),
    "jinaai/jina-embeddings-v2-base-code": (768, "", ""),
    "jinaai/jina-embeddings-v2-base-zh": (768, "", ""),
    "sentence-transformers/paraphrase-multilingual-mpnet-base-v2": (768, "", ""),
    "snowflake/snowflake-arctic-embed-l": (1024, _RETRIEVAL, ""),
    "BAAI/bge-large-en-v1.5": (1024, _RETRIEVAL, ""),
    "thenlper/gte-large": (1024, "", ""),
    "intfloat/multilingual-e5-large": (1024, "query: ", "passage: "),
}


def _short(name: str) -> str:
    return name.rpartition("/")[2]


TRUSTGRAPH_MODELS: dict[str, EmbeddingProfile] = {
    name: PROFILES.get(_short(name))
    or EmbeddingProfile(name=_short(name), dimension=dimension, query_prefix=query, passage_prefix=passage)
    for name, (dimension, query, passage) in _OFFERED.items()
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
