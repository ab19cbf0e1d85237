"""For your own tests: a language model that follows a script, and embeddings without a model."""

from .hashed_embedder import HashedEmbedder
from .scripted_model import Rule, ScriptedModel

__all__ = ["HashedEmbedder", "Rule", "ScriptedModel"]
