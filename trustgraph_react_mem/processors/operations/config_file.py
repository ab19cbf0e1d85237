"""Configuration of workspaces in one JSON file, with the operations of TrustGraph's configuration service.

Invariants:
- The file is replaced atomically and synced before a change is confirmed, so it is never half written and never older than a
  confirmed change.
- The version grows by one with every change.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from trustgraph.schema import ConfigKey, ConfigRequest, ConfigResponse, ConfigValue, WorkspaceChanges

from ...config.blueprint import embedded_interfaces, embedded_processors, fill_topics
from ...directories import replace_private_file
from ...errors import BadRequest, ConfigurationError

WORKSPACES = "__workspaces__"
TEMPLATE = "__template__"
WORKSPACE_TYPE = "workspace"

Values = dict[str, dict[str, dict[str, str]]]  # workspace -> type -> key -> value


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigChange:
    """Content of a change notification: types with the workspaces where they changed, and workspaces created or deleted."""

    types: Mapping[str, list[str]] = field(default_factory=dict)
    workspaces: WorkspaceChanges | None = None


class ConfigurationFile:
    """The values of all workspaces, in memory and in the file ``path``."""

    def __init__(self, path: Path) -> None:
        """Raises: ConfigurationError (the file exists but is not a configuration file, or its folder does not)."""
        self.path = path
        self.version = 1
        self.values: Values = {}
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
        of_workspace = self.values.get(workspace or request.workspace, {})
        match request.operation:
            case "get":
                entries = [
                    ConfigValue(type=key.type, key=key.key, value=of_workspace.get(key.type, {}).get(key.key))
                    for key in request.keys
                ]
                return ConfigResponse(version=self.version, values=entries)
            case "list":
                return ConfigResponse(version=self.version, directory=list(of_workspace.get(request.type, {})))
            case "getvalues":
                found = of_workspace.get(request.type, {})
                entries = [ConfigValue(type=request.type, key=key, value=value) for key, value in found.items()]
                return ConfigResponse(version=self.version, values=entries)
            case "config":
                return ConfigResponse(version=self.version, config=of_workspace)
            case "getvalues-all-ws" | "getkeys-all-ws" if workspace is None:
                return ConfigResponse(
                    version=self.version,
                    values=self._list_all_workspaces(request.type, with_values=request.operation == "getvalues-all-ws"),
                )
        raise BadRequest(
            f"configuration operation {request.operation!r} is unknown here: one of get, list, getvalues, put, delete, config"
            + (", getvalues-all-ws, getkeys-all-ws" if workspace is None else "")
        )

    def _list_all_workspaces(self, config_type: str, *, with_values: bool) -> list[ConfigValue]:
        return [
            ConfigValue(workspace=workspace, type=config_type, key=key, value=value if with_values else "")
            for workspace, types in self.values.items()
            for key, value in types.get(config_type, {}).items()
        ]

    def put(self, workspace: str, entries: Sequence[ConfigValue]) -> ConfigChange:
        """Store values.  A new workspace starts with the values of the template.

        Raises: BadRequest (no workspace, or a value that is not a text).
        """
        _require_workspace(workspace)
        for entry in entries:
            if not entry.type or not entry.key or not isinstance(entry.value, str):
                raise BadRequest(f"a configuration value needs a type, a key and a text, not {entry.type!r}/{entry.key!r}")
        known = set(self.workspaces)
        for entry in entries:
            self.values.setdefault(workspace, {}).setdefault(entry.type, {})[entry.key] = entry.value
        created = [name for name in self.workspaces if name not in known]
        changed = {entry.type: [workspace] for entry in entries}
        for name in created:
            self._start_from_template(name, changed)
        return self._save(changed, WorkspaceChanges(created=created) if created else None)

    def delete(self, workspace: str, keys: Sequence[ConfigKey]) -> ConfigChange:
        """Delete keys.  Unknown keys are ignored.  Raises: BadRequest (no workspace)."""
        _require_workspace(workspace)
        known = self.workspaces
        for key in keys:
            self.values.get(workspace, {}).get(key.type, {}).pop(key.key, None)
        left = set(self.workspaces)
        deleted = [name for name in known if name not in left]
        for name in deleted:
            self.values.pop(name, None)
        return self._save({key.type: [workspace] for key in keys}, WorkspaceChanges(deleted=deleted) if deleted else None)

    def seed(self, workspace: str, flow: str, *, with_model: bool) -> None:
        """Write the embedded flow as TrustGraph's flow service would.  Other configuration is not changed."""
        variables = {"workspace": workspace, "id": flow}
        flows = {
            f"processor:{name.partition(':')[0]}": {
                "topics": fill_topics(definition["topics"], **variables),
                "parameters": definition["parameters"],
            }
            for name, definition in embedded_processors(with_model=with_model).items()
        }
        interfaces = embedded_interfaces(with_model=with_model)
        record = {
            "description": "Agent with memory on one machine",
            "blueprint-name": "embedded",
            "interfaces": {name: fill_topics(topics, **variables) for name, topics in interfaces.items()},
            "parameters": {},
        }
        if workspace not in self.workspaces:
            self.put(WORKSPACES, [ConfigValue(type=WORKSPACE_TYPE, key=workspace, value=json.dumps({"enabled": True}))])
        own = self.values.setdefault(workspace, {})
        stale = [ConfigKey(type=kind, key=flow) for kind in own if kind.startswith("processor:") and kind not in flows]
        if any(flow in own[key.type] for key in stale):
            self.delete(workspace, stale)
        wanted = [ConfigValue(type=kind, key=flow, value=json.dumps(value)) for kind, value in flows.items()]
        wanted.append(ConfigValue(type="flow", key=flow, value=json.dumps(record)))
        changed = [entry for entry in wanted if own.get(entry.type, {}).get(entry.key) != entry.value]
        if "default" not in own.get("agent-mem", {}):
            changed.append(ConfigValue(type="agent-mem", key="default", value="{}"))
        if changed:
            self.put(workspace, changed)

    def _start_from_template(self, workspace: str, changed: dict[str, list[str]]) -> None:
        for config_type, entries in self.values.get(TEMPLATE, {}).items():
            own = self.values.setdefault(workspace, {}).setdefault(config_type, {})
            for key, value in entries.items():
                own.setdefault(key, value)
            changed.setdefault(config_type, []).append(workspace)

    def _save(self, changed: Mapping[str, list[str]], workspaces: WorkspaceChanges | None) -> ConfigChange:
        self.version += 1
        replace_private_file(self.path, json.dumps({"version": self.version, "values": self.values}, indent=1))
        public = {kind: [name for name in names if not name.startswith("_")] for kind, names in changed.items()}
        return ConfigChange(types={kind: names for kind, names in public.items() if names}, workspaces=workspaces)


def _require_workspace(workspace: str) -> None:
    if not workspace:
        raise BadRequest("a configuration change needs a workspace: name one, such as 'default'")
