"""The changes of an installation or removal in TrustGraph's configuration, computed before anything is written.

Invariants: a value edited by hand is never overwritten or deleted; a second run changes nothing; a removal restores the
configuration from before the installation.
"""

import contextlib
import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, Literal, Protocol

from pydantic import Field, TypeAdapter, ValidationError

from .. import __version__
from ..errors import ConfigurationError, NotFound
from .overlay import overlay_blueprint

MANIFEST = "agent-mem-install"
BLUEPRINT = "flow-blueprint"
SUFFIX = "-mem"
EDITED = "edited by hand: not changed"

Key = tuple[str, str]  # configuration type, key
_WRITTEN = TypeAdapter(dict[Annotated[str, Field(pattern="/")], str])  # type/key -> digest


class ConfigurationStore(Protocol):
    """One workspace's configuration in TrustGraph."""

    def values(self, type: str) -> dict[str, str]: ...
    def put(self, values: Sequence[tuple[str, str, str]]) -> None:
        """(type, key, value), all in one version of the configuration."""
        ...

    def delete(self, keys: Sequence[Key]) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedChange:
    """``keep``: the value is not changed, for the reason in ``note``."""

    action: Literal["create", "update", "delete", "keep"]
    type: str
    key: str
    after: str | None = None
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    blueprint: str
    changes: tuple[PlannedChange, ...]

    @property
    def empty(self) -> bool:
        return all(change.action == "keep" for change in self.changes)


def digest(value: str) -> str:
    """Digest of the JSON value, ignoring whitespace; of the text if it is not JSON."""
    with contextlib.suppress(json.JSONDecodeError):
        value = json.dumps(json.loads(value), sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(value.encode()).hexdigest()


def plan_install(store: ConfigurationStore, base: str, extras: Mapping[Key, str]) -> Plan:
    """Changes that install ``<base>-mem`` and ``extras`` (prompts, agent-mem/default, interface descriptions).

    Raises:
        NotFound: no such blueprint.
        ConfigurationError: no agent in it, or ``<base>-mem`` was changed by hand.
    """
    blueprints = store.values(BLUEPRINT)
    if base not in blueprints:
        known = ", ".join(sorted(blueprints)) or "none"
        raise NotFound(f"no blueprint {base!r} in this workspace: choose one of {known} with --blueprint")
    target = base + SUFFIX
    manifest = _manifest(store, target)
    made = json.dumps(overlay_blueprint(_json(blueprints[base], f"blueprint {base!r}"), base), indent=2)
    if target in blueprints and digest(blueprints[target]) not in {manifest.get(f"{BLUEPRINT}/{target}"), digest(made)}:
        raise ConfigurationError(
            f"blueprint {target!r} was not written by this installer or was edited since: delete it "
            f"(tg-delete-flow-blueprint -n {target}) or choose another base blueprint"
        )
    changes = []
    written: dict[str, str] = {}
    for (type_, key), value in {**extras, (BLUEPRINT, target): made}.items():
        name, present = f"{type_}/{key}", store.values(type_).get(key)
        change = partial(PlannedChange, type=type_, key=key)
        if present is None:
            changes.append(change(action="create", after=value))
        elif digest(present) == digest(value):
            if name not in manifest and (type_, key) != (BLUEPRINT, target):
                changes.append(change(action="keep", note="already the same"))
                continue
        elif digest(present) == manifest.get(name):
            note = _explain_restart(store, target) if type_ == BLUEPRINT else ""
            changes.append(change(action="update", after=value, note=note))
        else:
            changes.append(change(action="keep", note=EDITED))
            continue
        written[name] = digest(value)
    kept = {name: old for name, old in manifest.items() if name not in written and _still_ours(store, name, old)}
    record = json.dumps({"version": __version__, "base": base, "written": {**kept, **written}}, sort_keys=True)
    before = store.values(MANIFEST).get(target)
    if before is None or digest(before) != digest(record):
        action: Literal["create", "update"] = "create" if before is None else "update"
        changes.append(PlannedChange(action=action, type=MANIFEST, key=target, after=record))
    return Plan(blueprint=target, changes=tuple(changes))


def plan_uninstall(store: ConfigurationStore, base: str) -> Plan:
    """Changes that remove ``<base>-mem``.  Values that another installed overlay uses are kept.

    Raises:
        NotFound: nothing is installed for this base.
        ConfigurationError: a flow still uses it.
    """
    target = base + SUFFIX
    raw = store.values(MANIFEST).get(target)
    if raw is None:
        installed = ", ".join(sorted(name.removesuffix(SUFFIX) for name in store.values(MANIFEST)))
        if not installed:
            raise NotFound("memory is not installed in this workspace: choose another with --workspace")
        raise NotFound(
            f"memory is not installed for blueprint {base!r} in this workspace, but for {installed}: choose another with "
            "--blueprint or --workspace"
        )
    running = _flows_on(store, target)
    if running:
        raise ConfigurationError(
            f"flow {', '.join(running)} uses blueprint {target!r}: stop it first (tg-stop-flow -i {running[0]})"
        )
    shared = {name for other in store.values(MANIFEST) if other != target for name in _manifest(store, other)}
    changes = []
    for name, written in sorted(_manifest(store, target).items()):
        type_, key = name.split("/", 1)
        present = store.values(type_).get(key)
        change = partial(PlannedChange, type=type_, key=key)
        if present is None:
            continue
        if name in shared:
            changes.append(change(action="keep", note="another overlay uses it"))
        elif digest(present) != written:
            changes.append(change(action="keep", note=EDITED))
        else:
            changes.append(change(action="delete"))
    changes.append(PlannedChange(action="delete", type=MANIFEST, key=target))
    return Plan(blueprint=target, changes=tuple(changes))


def apply(store: ConfigurationStore, plan: Plan) -> None:
    """Write all values in one version of the configuration, then delete."""
    puts = [(c.type, c.key, c.after) for c in plan.changes if c.action in ("create", "update") and c.after is not None]
    if puts:
        store.put(puts)
    deletions = [(c.type, c.key) for c in plan.changes if c.action == "delete"]
    if deletions:
        store.delete(deletions)


def _flows_on(store: ConfigurationStore, blueprint: str) -> list[str]:
    flows = store.values("flow")
    return sorted(name for name, text in flows.items() if _json(text, f"flow {name!r}").get("blueprint-name") == blueprint)


def _explain_restart(store: ConfigurationStore, blueprint: str) -> str:
    running = _flows_on(store, blueprint)
    return f"restart flow {', '.join(running)} to apply it" if running else ""


def _manifest(store: ConfigurationStore, target: str) -> dict[str, str]:
    raw = store.values(MANIFEST).get(target)
    written = _json(raw, f"{MANIFEST}/{target}").get("written", {}) if raw else {}
    try:
        return _WRITTEN.validate_python(written, strict=True)
    except ValidationError:
        raise ConfigurationError(
            f"{MANIFEST}/{target} is not a valid installation record (edited by hand?): restore it, or delete it and reinstall"
        ) from None


def _still_ours(store: ConfigurationStore, name: str, written: str) -> bool:
    type_, key = name.split("/", 1)
    present = store.values(type_).get(key)
    return present is not None and digest(present) == written


def _json(raw: str, what: str) -> dict[str, Any]:
    try:
        value = json.loads(raw)
    except json.JSONDecodeError as error:
        raise ConfigurationError(f"{what} is not JSON ({error.msg}): repair it in TrustGraph's configuration") from None
    if not isinstance(value, dict):
        raise ConfigurationError(f"{what} is not a JSON object: repair it in TrustGraph's configuration")
    return value
