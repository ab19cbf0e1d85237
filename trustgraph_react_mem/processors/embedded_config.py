"""TrustGraph's configuration service, backed by one JSON file, for the embedded stack.

Invariants:
- The file is replaced atomically and synced before a change is confirmed, so it is never half written and never older than a
  confirmed change.
- The version grows by one with every change.
"""

import json
import logging
from argparse import ArgumentParser
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from trustgraph.base import AsyncProcessor
from trustgraph.schema import (
    ConfigKey,
    ConfigPush,
    ConfigRequest,
    ConfigResponse,
    ConfigValue,
    Error,
    WorkspaceChanges,
    config_push_queue,
    config_request_queue,
    config_response_queue,
)

from ..bus.processor_mixin import DirectBus
from ..config.blueprint import embedded_interfaces, embedded_processors, fill_topics
from ..directories import replace_private_file
from ..errors import BadRequest, ConfigurationError, MemoryServiceError
from ..failure_log import log_failure

default_ident = "config-svc-react-mem"
logger = logging.getLogger(__name__)

WORKSPACES, WORKSPACE_TYPE = "__workspaces__", "workspace"  # where the names of the workspaces are
OPERATIONS = ("get", "list", "getvalues", "config", "put", "delete")


class ConfigurationFile:
    """The values of all workspaces, in memory and in the file ``path``."""

    def __init__(self, path: Path) -> None:
        """Raises: ConfigurationError (the file exists but is not a configuration file, or its folder does not)."""
        self.path = path
        self.version = 1
        self.values: dict[str, dict[str, dict[str, str]]] = {}  # workspace -> type -> key -> value
        if not path.parent.is_dir():
            raise ConfigurationError(f"the configuration file {path} cannot be written: {path.parent} is not a folder")
        if path.exists():
            try:
                stored = json.loads(path.read_text("utf-8"))
                self.version, self.values = int(stored["version"]), stored["values"]
            except OSError as error:
                raise ConfigurationError(f"the configuration file {path} cannot be read ({error.strerror})") from None
            except (ValueError, KeyError, TypeError):
                raise ConfigurationError(
                    f"the configuration file {path} cannot be read as JSON with version and values: restore or remove it"
                ) from None

    @property
    def workspaces(self) -> list[str]:
        return list(self.values.get(WORKSPACES, {}).get(WORKSPACE_TYPE, {}))

    def answer(self, request: ConfigRequest, workspace: str | None) -> ConfigResponse:
        """Run a read operation.  ``workspace`` is that of the queue.  None: the system queue, where the request names it.

        Raises: BadRequest (not a read operation).
        """
        own = self.values.get(workspace or request.workspace, {})
        found = own.get(request.type, {})
        answer = ConfigResponse(version=self.version)
        match request.operation:
            case "get":
                wanted = [(key.type, key.key) for key in request.keys]
                answer.values = [ConfigValue(type=kind, key=key, value=own.get(kind, {}).get(key)) for kind, key in wanted]
            case "list":
                answer.directory = list(found)
            case "getvalues":
                answer.values = [ConfigValue(type=request.type, key=key, value=value) for key, value in found.items()]
            case "config":
                answer.config = own
            case "getvalues-all-ws" | "getkeys-all-ws" if workspace is None:
                with_values = request.operation == "getvalues-all-ws"
                answer.values = [
                    ConfigValue(workspace=name, type=request.type, key=key, value=value if with_values else "")
                    for name, types in self.values.items()
                    for key, value in types.get(request.type, {}).items()
                ]
            case _:
                known = (*OPERATIONS, *(("getvalues-all-ws", "getkeys-all-ws") if workspace is None else ()))
                raise BadRequest(f"configuration operation {request.operation!r} is unknown here: one of {', '.join(known)}")
        return answer

    def put(self, workspace: str, entries: Sequence[ConfigValue]) -> ConfigPush:
        """Store values.  Raises: BadRequest (no workspace, or a value that is not a text)."""
        for entry in entries:
            if not entry.type or not entry.key or not isinstance(entry.value, str):
                raise BadRequest(f"a configuration value needs a type, a key and a text, not {entry.type!r}/{entry.key!r}")
        known = self.workspaces
        own = self.values.setdefault(_require(workspace), {})
        for entry in entries:
            own.setdefault(entry.type, {})[entry.key] = entry.value
        return self._save(workspace, {entry.type for entry in entries}, known)

    def delete(self, workspace: str, keys: Sequence[ConfigKey]) -> ConfigPush:
        """Delete keys.  Unknown keys are ignored.  Raises: BadRequest (no workspace)."""
        known = self.workspaces
        own = self.values.get(_require(workspace), {})
        for key in keys:
            own.get(key.type, {}).pop(key.key, None)
        return self._save(workspace, {key.type for key in keys}, known)

    def _save(self, workspace: str, kinds: Collection[str], known: Collection[str]) -> ConfigPush:
        """Write the file.  Returns the notification of the change.  ``known``: the workspaces before it."""
        created = [name for name in self.workspaces if name not in known]
        deleted = [name for name in known if name not in self.workspaces]
        for name in deleted:
            self.values.pop(name, None)
        self.version += 1
        replace_private_file(self.path, json.dumps({"version": self.version, "values": self.values}, indent=1))
        return ConfigPush(
            version=self.version,
            changes={} if workspace.startswith("_") else {kind: [workspace] for kind in kinds},
            workspace_changes=WorkspaceChanges(created=created, deleted=deleted) if created or deleted else None,
        )

    def seed(self, workspace: str, flow: str, *, with_model: bool) -> None:
        """Write the embedded flow as TrustGraph's flow service would.  Other configuration is not changed."""
        names = {"workspace": workspace, "id": flow}
        wanted: dict[str, Any] = {
            f"processor:{name.partition(':')[0]}": {
                "topics": fill_topics(definition["topics"], **names),
                "parameters": definition["parameters"],
            }
            for name, definition in embedded_processors(with_model=with_model).items()
        }
        interfaces = embedded_interfaces(with_model=with_model)
        record = {
            "description": "Agent with memory on one machine",
            "blueprint-name": "embedded",
            "interfaces": {name: fill_topics(topics, **names) for name, topics in interfaces.items()},
            "parameters": {},
        }
        if workspace not in self.workspaces:
            self.put(WORKSPACES, [ConfigValue(type=WORKSPACE_TYPE, key=workspace, value=json.dumps({"enabled": True}))])
        own = self.values.setdefault(workspace, {})
        stale = [kind for kind in own if kind.startswith("processor:") and kind not in wanted and flow in own[kind]]
        if stale:
            self.delete(workspace, [ConfigKey(type=kind, key=flow) for kind in stale])
        texts = {(kind, flow): json.dumps(value) for kind, value in (wanted | {"flow": record}).items()}
        changed = {name: text for name, text in texts.items() if own.get(name[0], {}).get(name[1]) != text}
        if "default" not in own.get("agent-mem", {}):
            changed["agent-mem", "default"] = "{}"
        if changed:
            self.put(workspace, [ConfigValue(type=kind, key=key, value=text) for (kind, key), text in changed.items()])


def _require(workspace: str) -> str:
    if not workspace:
        raise BadRequest("a configuration change needs a workspace: name one, such as 'default'")
    return workspace


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
        for workspace in (None, *self.file.workspaces):
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

    async def _announce(self, change: ConfigPush) -> ConfigResponse:
        if (workspaces := change.workspace_changes) is not None:
            for name in workspaces.created:
                await self._serve(name)
            for name in workspaces.deleted:
                await self._workspaces.pop(name).unregister()
        await self._notify.send(change)
        return ConfigResponse(version=change.version)

    @staticmethod
    def add_args(parser: ArgumentParser) -> None:
        AsyncProcessor.add_args(parser)
        DirectBus.add_args(parser)
        parser.add_argument("--path", required=True, help="JSON file that holds the configuration")
        parser.add_argument("--seed", action="store_true", help="Add the flow 'default', an agent with memory, to the file")


def run() -> None:
    Processor.launch(default_ident, __doc__)
