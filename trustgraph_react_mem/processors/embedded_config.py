"""TrustGraph's configuration service, backed by one JSON file, for the embedded stack."""

import logging
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from trustgraph.base import AsyncProcessor
from trustgraph.schema import (
    ConfigPush,
    ConfigRequest,
    ConfigResponse,
    Error,
    config_push_queue,
    config_request_queue,
    config_response_queue,
)

from ..bus.processor_mixin import DirectBus
from ..errors import MemoryServiceError
from ..failure_log import log_failure
from .operations.config_file import ConfigChange, ConfigurationFile

default_ident = "config-svc-react-mem"
logger = logging.getLogger(__name__)


class Processor(DirectBus, AsyncProcessor):
    """Serves the system queue and one queue per workspace, and announces every change.  ``path``: the JSON file."""

    def __init__(self, **params: Any) -> None:
        self.file = ConfigurationFile(Path(params["path"]))
        if params.pop("seed", False):
            self.file.seed("default", "default", with_model=True)
        self._workspaces: dict[str, Any] = {}
        self._notify: Any = None
        # The stock class fetches the configuration at start, but this service is its source.
        super().__init__(**params)

    async def start(self) -> None:
        await self.receiver_pool.start()
        await self.sender_pool.start()
        self._notify = await self.sender_pool.add_producer(topic=config_push_queue, schema=ConfigPush)
        await self._serve(None)
        for workspace in self.file.workspaces:
            await self._serve(workspace)
        # Processors that started earlier have no configuration yet: the notification makes them fetch it.
        await self._notify.send(ConfigPush(version=self.file.version, changes={}))

    async def _serve(self, workspace: str | None) -> None:
        suffix = f":{workspace}" if workspace else ""
        replies = await self.sender_pool.add_producer(topic=config_response_queue + suffix, schema=ConfigResponse)

        async def handle(message: Any) -> None:
            response = await self._answer(message, workspace)
            await replies.send(response, properties={"id": message.properties().get("id", "")})

        registration = await self.receiver_pool.add_consumer(
            topic=config_request_queue + suffix, subscription=self.id, schema=ConfigRequest, handler=handle
        )
        if workspace:
            self._workspaces[workspace] = registration

    async def _answer(self, message: Any, workspace: str | None) -> ConfigResponse:
        try:
            request = message.value()
            if request.operation == "put":
                return await self._announce(self.file.put(workspace or request.workspace, request.values))
            if request.operation == "delete":
                return await self._announce(self.file.delete(workspace or request.workspace, request.keys))
            return self.file.answer(request, workspace)
        except MemoryServiceError as error:
            return ConfigResponse(error=Error(type=error.wire_type, message=str(error)))
        except OSError as error:
            log_failure(logger, "saving the configuration to %s failed", self.file.path)
            return ConfigResponse(error=Error(type="config-error", message=f"the configuration could not be saved: {error}"))

    async def _announce(self, change: ConfigChange) -> ConfigResponse:
        version = self.file.version
        if change.workspaces is not None:
            for name in change.workspaces.created:
                if name not in self._workspaces:
                    await self._serve(name)
            for name in change.workspaces.deleted:
                if name in self._workspaces:
                    await self._workspaces.pop(name).unregister()
        await self._notify.send(ConfigPush(version=version, changes=dict(change.types), workspace_changes=change.workspaces))
        return ConfigResponse(version=version)

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        AsyncProcessor.add_args(parser)
        DirectBus.add_args(parser)
        parser.add_argument("--path", required=True, help="JSON file that holds the configuration")
        parser.add_argument("--seed", action="store_true", help="Add the flow 'default', an agent with memory, to the file")


def run() -> None:
    Processor.launch(default_ident, __doc__)
