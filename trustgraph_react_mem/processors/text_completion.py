"""Text completion service for flows that have none: any OpenAI-compatible endpoint, Ollama, or a local model."""

import asyncio
import logging
from argparse import ArgumentParser
from collections.abc import Mapping
from typing import Any

from trustgraph.base import LlmService
from trustgraph.schema import Error, TextCompletionRequest, TextCompletionResponse

from ..bus.processor_mixin import DirectBus
from ..bus.trustgraph_adapter import asks_for_models, list_of_models
from ..errors import BadRequest, ConfigurationError, MemoryServiceError, ModelUnavailable, RateLimited
from ..failure_log import log_failure
from ..models.chat import ChatModel, ChatRequest
from ..models.endpoint import CHOICES, choose_chat_model
from ..telemetry.tracing import traced_request

default_ident = "text-completion"
logger = logging.getLogger(__name__)


class Processor(DirectBus, LlmService):
    """Serves one chat model.

    Extra parameters: ``chat_model``, a model that is open already, or ``model_source``, the name of the model to open.

    The model retries when it is rate limited, and then the error is returned to the caller: request topics have no
    redelivery.  Other requests are served meanwhile.
    """

    def __init__(self, **params: Any) -> None:
        self.model: ChatModel | None = params.pop("chat_model", None)
        self._source: str | None = params.get("model_source") or None
        super().__init__(**{"id": default_ident} | params)
        self._longest_answer: int | None = int(params.get("max_output") or 0) or None

    async def start(self) -> None:
        if self.model is None:
            self.model = self.opened = await choose_chat_model(self._source, report=logger.info, option="--model-source")
        if self.model is not None:
            logger.info("language model: %s (%s)", self.model.name, self.model.where)
        await super().start()

    @traced_request(default_ident)
    async def on_request(self, message: Any, consumer: Any, flow: Any) -> None:
        properties = {"id": message.properties().get("id", "")}
        respond = flow("response")
        try:
            request: TextCompletionRequest = message.value()
            if asks_for_models(request):
                await respond.send(list_of_models(await self._model().models()), properties=properties)
                return
            with LlmService.text_completion_metric.labels(processor=self.id).time():
                await self._complete(request, flow, properties)
        except asyncio.CancelledError:
            stopping = ModelUnavailable("text completion is stopping: try again")
            await respond.send(_error_response(stopping), properties=properties)
            raise
        except MemoryServiceError as error:
            cause = str(error).partition(": ")[0]  # what follows may be the endpoint's words, with the prompt in them
            logger.warning("completion in flow %s of %s failed: %s: %s", flow.name, flow.workspace, error.wire_type, cause)
            await respond.send(_error_response(error), properties=properties)
        except Exception as error:
            # Broad because every caller must get a reply.  The error's text may hold the prompt, so only its type is sent.
            log_failure(logger, "completion in flow %s of %s failed", flow.name, flow.workspace)
            reason = MemoryServiceError(f"text completion failed ({type(error).__name__}); see its log")
            await respond.send(_error_response(reason), properties=properties)

    async def _complete(self, request: TextCompletionRequest, flow: Any, properties: Mapping[str, str]) -> None:
        model = self._model()
        temperature = flow("temperature")
        asked = ChatRequest(
            system=request.system or "",
            prompt=request.prompt or "",
            temperature=float(temperature) if temperature not in (None, "") else None,
            max_tokens=self._longest_answer,
            schema=request.schema,
            json=request.response_format == "json",
            model=str(flow("model") or ""),
        )
        if not request.streaming:
            await flow("response").send(_response(await model.complete(asked)), properties=properties)
            return
        async for piece in model.stream(asked):
            await flow("response").send(_response(piece), properties=properties)

    def _model(self) -> ChatModel:
        if self.model is None:
            raise ModelUnavailable("no language model is configured: set OPENAI_BASE_URL, or REACT_MEM_MODEL=local")
        return self.model

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        LlmService.add_args(parser)
        DirectBus.add_args(parser)
        parser.add_argument("--model-source", default="", help=f"Which model: {', '.join(CHOICES)} (default: auto)")
        parser.add_argument(
            "--max-output", type=int, default=0, help="Maximum length of an answer in tokens (default: the model's limit)"
        )


def _response(piece: Any) -> TextCompletionResponse:
    if not piece.final:
        return TextCompletionResponse(response=piece.text, model=piece.model, end_of_stream=False)
    return TextCompletionResponse(
        response=piece.text, in_token=piece.in_tokens, out_token=piece.out_tokens, model=piece.model, end_of_stream=True
    )


def _error_response(error: MemoryServiceError) -> TextCompletionResponse:
    kind = error.wire_type if isinstance(error, RateLimited | BadRequest | ConfigurationError) else "llm-error"
    return TextCompletionResponse(error=Error(type=kind, message=str(error)), response="", end_of_stream=True)


def run() -> None:
    Processor.launch(default_ident, __doc__)
