"""Prompt service for flows that have none: fills in a template, calls the model and reads its answer.

It behaves like TrustGraph's prompt service, with three additions: the prompts of this package need no installation, JSON is
parsed leniently, and a model whose JSON is invalid gets one chance to correct it.
"""

import asyncio
import json
import logging
from argparse import ArgumentParser
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import replace
from typing import Any

from trustgraph.base import ConsumerSpec, FlowProcessor, ProducerSpec, TextCompletionClientSpec
from trustgraph.schema import Error, PromptRequest, PromptResponse, TextCompletionRequest, TextCompletionResponse

from ..bus.client_specs import OptionalSpec
from ..bus.processor_mixin import DirectBus
from ..errors import BadRequest, ConfigurationError, MemoryServiceError, ModelAnswerError, ModelUnavailable, NoModel, NotFound
from ..extras import PROMPTS, require
from ..failure_log import log_failure
from ..telemetry.tracing import traced_request
from ..turn.events import Usage
from .operations.prompt_templates import WorkspacePrompts

default_ident = "prompt"
logger = logging.getLogger(__name__)

TIMEOUT_S = 600.0
Respond = Callable[[PromptResponse], Awaitable[None]]


class CompletionRefused(ModelUnavailable):
    """The error that text completion returned, with its type."""

    def __init__(self, wire_type: str, message: str) -> None:
        super().__init__(message)
        self.wire_type = wire_type  # type: ignore[misc]  # of this error, not of its class


class Processor(DirectBus, FlowProcessor):
    def __init__(self, **params: Any) -> None:
        super().__init__(**{"id": default_ident} | params)
        self._config_type = str(params.get("config_type") or "prompt")
        self._workspaces: dict[str, WorkspacePrompts] = {}
        self.register_specification(ConsumerSpec("request", PromptRequest, self.on_request))
        self.register_specification(
            OptionalSpec(TextCompletionClientSpec("text-completion-request", "text-completion-response"))
        )
        self.register_specification(ProducerSpec("response", PromptResponse))
        self.register_config_handler(self.on_prompt_config, types=[self._config_type])

    async def start(self) -> None:
        """Raises: MissingPackage."""
        require("the prompt service", *PROMPTS)
        await super().start()

    async def on_prompt_config(self, workspace: str, config: Mapping[str, Mapping[str, str]], version: int) -> None:
        try:
            self._workspaces[workspace] = WorkspacePrompts(config.get(self._config_type, {}))
        except ConfigurationError as error:
            logger.error("loading the prompts of workspace %s failed, the earlier ones are used: %s", workspace, error)

    @traced_request(default_ident)
    async def on_request(self, message: Any, consumer: Any, flow: Any) -> None:
        properties = {"id": message.properties().get("id", "")}

        async def respond(reply: PromptResponse) -> None:
            await flow("response").send(reply, properties=properties)

        try:
            await self._answer(message.value(), flow, respond)
        except asyncio.CancelledError:
            await respond(_error_response("llm-error", "the prompt service is stopping: try again"))
            raise
        except NotFound as error:
            await respond(_error_response("prompt-missing", str(error)))
        except MemoryServiceError as error:
            # Errors of answers and requests quote them, so the log has only their types.
            own = isinstance(error, ModelAnswerError | BadRequest | NoModel)
            cause = error.wire_type if own else f"{error.wire_type}: {error}"
            if not isinstance(error, CompletionRefused):
                logger.warning("prompt in flow %s of %s failed: %s", flow.name, flow.workspace, cause)
            kind = error.wire_type if own or isinstance(error, CompletionRefused) else "llm-error"
            await respond(_error_response(kind, str(error)))
        except Exception as error:
            # Broad because every caller must get a reply.  The error's text may hold the prompt, so only its type is sent.
            log_failure(logger, "prompt in flow %s of %s failed", flow.name, flow.workspace)
            await respond(_error_response("llm-error", f"the prompt service failed ({type(error).__name__}); see its log"))

    async def _answer(self, request: PromptRequest, flow: Any, respond: Respond) -> None:
        workspace = self._workspaces.get(flow.workspace)
        if workspace is None:
            workspace = self._workspaces[flow.workspace] = WorkspacePrompts()
        prompt = workspace.prompt(request.id)
        terms = _terms(request)
        client = flow("text-completion-request")
        if client is None:
            raise NoModel(
                "no language model is configured: set OPENAI_BASE_URL, or REACT_MEM_MODEL=local; "
                "in a TrustGraph flow, add the topics text-completion-request and -response"
            )
        asked = TextCompletionRequest(
            system=workspace.system(terms),
            prompt=prompt.render(terms),
            streaming=request.streaming,
            response_format="json" if prompt.response_type == "json" else None,
            schema=dict(prompt.schema) if prompt.response_type == "json" and prompt.schema else None,
        )
        if request.streaming:
            await self._stream(client, asked, respond)
            return
        text, usage = await self._complete(client, asked)
        reply = PromptResponse(text=text, object=None, end_of_stream=True)
        if prompt.response_type != "text":
            try:
                value = prompt.read(text)
            except ModelAnswerError as error:  # the model is asked once to correct it
                logger.info("the answer to prompt %s does not fit its schema, retry (%s)", prompt.id, error.wire_type)
                logger.debug("the answer to prompt %s that does not fit: %s", prompt.id, text)
                again = (
                    f"{asked.prompt}\n\nYour answer was:\n{text[:4000]}\n\nIt cannot be used: {error}.\n"
                    "Answer again with the corrected JSON only, no other words."
                )
                text, further = await self._complete(client, replace(asked, prompt=again))
                usage, value = usage.add(further), prompt.read(text)
            reply.text, reply.object = None, json.dumps(value)
        reply.in_token, reply.out_token, reply.model = usage.in_tokens, usage.out_tokens, usage.model
        await respond(reply)

    async def _complete(self, client: Any, asked: TextCompletionRequest) -> tuple[str, Usage]:
        response = await client.request(asked, timeout=TIMEOUT_S)
        if response.error:
            raise CompletionRefused(response.error.type, response.error.message)
        usage = Usage(in_tokens=response.in_token or 0, out_tokens=response.out_token or 0, model=response.model or "")
        return response.response or "", usage

    async def _stream(self, client: Any, asked: TextCompletionRequest, respond: Respond) -> None:
        async def forward(piece: TextCompletionResponse) -> bool:
            if piece.error:
                raise CompletionRefused(piece.error.type, piece.error.message)
            if piece.response or piece.end_of_stream:
                reply = PromptResponse(
                    text=piece.response or "",
                    object=None,
                    end_of_stream=piece.end_of_stream,
                    in_token=piece.in_token,
                    out_token=piece.out_token,
                    model=piece.model,
                )
                await respond(reply)
            return bool(piece.end_of_stream)

        await client.request(asked, timeout=TIMEOUT_S, recipient=forward)

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        FlowProcessor.add_args(parser)
        DirectBus.add_args(parser)
        parser.add_argument("--config-type", default="prompt", help="Configuration type of prompts (default: prompt)")


def _terms(request: PromptRequest) -> dict[str, Any]:
    terms = {}
    for name, value in request.terms.items():
        try:
            terms[name] = json.loads(value)
        except (TypeError, ValueError):
            raise BadRequest(f"term {name!r} of prompt {request.id!r} is not JSON: encode each term as JSON text") from None
    return terms


def _error_response(kind: str, message: str) -> PromptResponse:
    return PromptResponse(error=Error(type=kind, message=message), text=None, object=None, end_of_stream=True)


def run() -> None:
    Processor.launch(default_ident, __doc__)
