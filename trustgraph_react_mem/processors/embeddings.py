"""Embeddings service for flows that have none: a local ONNX model, or any OpenAI-compatible endpoint."""

import logging
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any

import numpy as np
from trustgraph.base import EmbeddingsService

from ..bus.processor_mixin import DirectBus
from ..errors import ModelUnavailable
from ..models.embedder import open_embedding_model
from ..models.embedding_model import EmbeddingModel
from ..telemetry.tracing import traced_request

default_ident = "embeddings"
logger = logging.getLogger(__name__)

# Six decimals change a cosine by less than a millionth and halve the message.
DECIMALS = 6


class Processor(DirectBus, EmbeddingsService):
    """Serves one embedding model.

    Extra parameters: ``embedding_model``, a model that is open already, or ``model_source``, the name of the model to open.

    The ``model`` parameter of a flow is ignored: questions and stored texts must be embedded with the same model.
    """

    def __init__(self, **params: Any) -> None:
        self.model: EmbeddingModel | None = params.pop("embedding_model", None)
        self._source: str | None = params.get("model_source") or None
        super().__init__(**{"id": default_ident} | params)

    async def start(self) -> None:
        if self.model is None:
            self.model = self.opened = await open_embedding_model(self._source, report=logger.info, option="--model-source")
        logger.info("embedding model: %s (%s)", self.model.profile.name, self.model.where)
        await super().start()

    @traced_request(default_ident)
    async def on_embeddings(self, texts: Sequence[str], model: str | None = None) -> list[list[float]]:
        if self.model is None:
            raise ModelUnavailable("the embeddings service is still starting: try again in a moment")
        rows = await self.model.vectors(texts)
        vectors: list[list[float]] = np.round(rows.astype(np.float64), DECIMALS).tolist()
        return vectors

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        EmbeddingsService.add_args(parser)
        DirectBus.add_args(parser)
        parser.add_argument(
            "--model-source", default="", help="Which model: auto, a name of the catalogue, or openai:MODEL (default: auto)"
        )


def run() -> None:
    Processor.launch(default_ident, __doc__)
