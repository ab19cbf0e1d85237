"""`install` and `uninstall`: add memory to a running TrustGraph, and remove it."""

import asyncio
import difflib
import json
from typing import Annotated

import typer

from ..errors import BadRequest, NotFound
from ..install import ConfigurationStore, Plan, PlannedChange, apply, contents, plan_install, plan_uninstall
from ..install.plan import BLUEPRINT as BLUEPRINT_TYPE
from ..install.plan import MANIFEST, SUFFIX
from .application import app
from .console import Screen, escape
from .options import Session, command

BLUEPRINT = "everything"
API_URL = "http://localhost:8888/"
_STYLES = {"create": "green", "update": "yellow", "delete": "red", "keep": "dim"}

BlueprintOption = Annotated[str, typer.Option("--blueprint", help="Installed blueprint to extend with memory.")]
ApiOption = Annotated[
    str, typer.Option("--api-url", "-u", envvar="TRUSTGRAPH_URL", help="Address of TrustGraph's API gateway.")
]
TokenOption = Annotated[
    str, typer.Option("--token", "-t", envvar="TRUSTGRAPH_TOKEN", show_default=False, help="Token for the gateway.")
]
EveryOption = Annotated[
    bool, typer.Option("--all-workspaces", help="Apply to every workspace that the token may use and that has the blueprint.")
]
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show the changes without applying them.")]


@command(app, "install")
async def install(
    session: Session,
    blueprint: BlueprintOption = BLUEPRINT,
    api_url: ApiOption = API_URL,
    token: TokenOption = "",
    all_workspaces: EveryOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Add memory to TrustGraph: a blueprint BLUEPRINT-mem, the prompts and agent-mem/default."""
    stores = await asyncio.to_thread(_open_stores, session, api_url, token, BLUEPRINT_TYPE, blueprint, every=all_workspaces)
    plans = {each: await asyncio.to_thread(plan_install, store, blueprint, contents()) for each, store in stores.items()}
    await _carry_out(session.screen, stores, plans, dry_run=dry_run)
    if not dry_run:
        target = next(iter(plans.values())).blueprint
        session.screen.say(f"\nNow start a flow on it: tg-start-flow -n {target} -i mem -d 'agent with memory'")


@command(app, "uninstall")
async def uninstall(
    session: Session,
    blueprint: BlueprintOption = BLUEPRINT,
    api_url: ApiOption = API_URL,
    token: TokenOption = "",
    all_workspaces: EveryOption = False,
    dry_run: DryRunOption = False,
) -> None:
    """Remove what `install` wrote for BLUEPRINT. Values edited by hand and all memories are kept."""
    target = blueprint + SUFFIX
    stores = await asyncio.to_thread(_open_stores, session, api_url, token, MANIFEST, target, every=all_workspaces)
    plans = {each: await asyncio.to_thread(plan_uninstall, store, blueprint) for each, store in stores.items()}
    await _carry_out(session.screen, stores, plans, dry_run=dry_run)


def _open_stores(
    session: Session, api_url: str, token: str, type_: str, key: str, *, every: bool
) -> dict[str, ConfigurationStore]:
    """The configurations of the chosen workspace, or of ``every`` workspace that has this key.

    Raises: BadRequest (no address), EngineUnavailable, NotFound (no workspace has it).
    """
    from ..bus.config_api import ConfigClient, list_workspaces

    if not api_url.startswith(("http://", "https://")):
        raise BadRequest(f"--api-url {api_url!r} is not an address: write it as {API_URL}")
    if not every:
        workspace = session.options.workspace
        return {workspace: ConfigClient(api_url, token=token, workspace=workspace)}
    found = {each: ConfigClient(api_url, token=token, workspace=each) for each in list_workspaces(api_url, token=token)}
    stores: dict[str, ConfigurationStore] = {each: store for each, store in found.items() if key in store.values(type_)}
    if not stores:
        raise NotFound(f"none of {len(found)} workspaces has {type_}/{key}: name another with --blueprint")
    for workspace in found.keys() - stores.keys():
        session.screen.say(f"[dim]workspace {escape(workspace)}: no {escape(f'{type_}/{key}')}, not changed[/dim]")
    return stores


async def _carry_out(screen: Screen, stores: dict[str, ConfigurationStore], plans: dict[str, Plan], *, dry_run: bool) -> None:
    """Every plan was made before the first is applied: a workspace that refuses leaves the others as they are."""
    for workspace, plan in plans.items():
        if len(plans) > 1:
            screen.say(f"[bold]workspace {escape(workspace)}[/bold]")
        _show(screen, workspace, plan, dry_run=dry_run)
        if not dry_run and not plan.empty:
            await asyncio.to_thread(apply, stores[workspace], plan)


def _show(screen: Screen, workspace: str, plan: Plan, *, dry_run: bool) -> None:
    rows = []
    for change in plan.changes:
        note, style, diff = (
            f"  ({change.note})" if change.note else "",
            _STYLES[change.action],
            _diff(change) if dry_run else [],
        )
        screen.say(f"[{style}]{change.action:7}[/{style}] {escape(f'{change.type}/{change.key}{note}')}")
        for line in diff:
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
            screen.say(f"  [{style}]{escape(line)}[/{style}]")
        row = {"action": change.action, "type": change.type, "key": change.key, "note": change.note}
        rows.append({**row, **({"difference": diff} if dry_run else {})})
    if plan.empty:
        screen.say("Already installed: nothing to change.")
    screen.data({"workspace": workspace, "blueprint": plan.blueprint, "dry_run": dry_run, "changes": rows})


def _diff(change: PlannedChange) -> list[str]:
    """Unified diff: of a new blueprint against its base, of an updated value against the current one."""
    before = change.base if change.action == "create" else change.before if change.action == "update" else None
    if before is None or change.after is None:
        return []
    now, then = (json.dumps(json.loads(text), indent=1).splitlines() for text in (before, change.after))
    names = ("base" if change.action == "create" else "current", "new")
    return list(difflib.unified_diff(now, then, *names, lineterm="", n=1))
