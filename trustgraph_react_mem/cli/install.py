"""`install` and `uninstall`: add memory to a running TrustGraph, and remove it."""

import asyncio
import difflib
import json
from typing import Annotated

import typer

from ..errors import BadRequest
from ..install import ConfigurationStore, Plan, PlannedChange, apply, contents, plan_install, plan_uninstall
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
DryRunOption = Annotated[bool, typer.Option("--dry-run", help="Show the changes without applying them.")]


@command(app, "install")
async def install(
    session: Session,
    blueprint: BlueprintOption = BLUEPRINT,
    api_url: ApiOption = API_URL,
    token: TokenOption = "",
    dry_run: DryRunOption = False,
) -> None:
    """Add memory to TrustGraph: a blueprint BLUEPRINT-mem, the prompts and agent-mem/default."""
    store = _open_store(session, api_url, token)
    plan = await asyncio.to_thread(plan_install, store, blueprint, contents())
    _show(session.screen, plan, dry_run=dry_run)
    if not dry_run and not plan.empty:
        await asyncio.to_thread(apply, store, plan)
    if not dry_run:
        session.screen.say(f"\nNow start a flow on it: tg-start-flow -n {plan.blueprint} -i mem -d 'agent with memory'")


@command(app, "uninstall")
async def uninstall(
    session: Session,
    blueprint: BlueprintOption = BLUEPRINT,
    api_url: ApiOption = API_URL,
    token: TokenOption = "",
    dry_run: DryRunOption = False,
) -> None:
    """Remove what `install` wrote for BLUEPRINT. Values edited by hand and all memories are kept."""
    store = _open_store(session, api_url, token)
    plan = await asyncio.to_thread(plan_uninstall, store, blueprint)
    _show(session.screen, plan, dry_run=dry_run)
    if not dry_run:
        await asyncio.to_thread(apply, store, plan)


def _open_store(session: Session, api_url: str, token: str) -> ConfigurationStore:
    from ..bus.config_api import ConfigClient

    if not api_url.startswith(("http://", "https://")):
        raise BadRequest(f"--api-url {api_url!r} is not an address: write it as {API_URL}")
    return ConfigClient(api_url, token=token, workspace=session.options.workspace)


def _show(screen: Screen, plan: Plan, *, dry_run: bool) -> None:
    for change in plan.changes:
        note = f"  ({change.note})" if change.note else ""
        style = _STYLES[change.action]
        screen.say(f"[{style}]{change.action:7}[/{style}] {escape(f'{change.type}/{change.key}{note}')}")
        for line in _diff(change) if dry_run else ():
            style = "green" if line.startswith("+") else "red" if line.startswith("-") else "dim"
            screen.say(f"  [{style}]{escape(line)}[/{style}]")
    if plan.empty:
        screen.say("Already installed: nothing to change.")
    changes = [_describe_change(change, dry_run=dry_run) for change in plan.changes]
    screen.data({"blueprint": plan.blueprint, "dry_run": dry_run, "changes": changes})


def _diff(change: PlannedChange) -> list[str]:
    """Unified diff: of a new blueprint against its base, of an updated value against the current one."""
    before = change.base if change.action == "create" else change.before if change.action == "update" else None
    if before is None or change.after is None:
        return []
    now, then = (json.dumps(json.loads(text), indent=1).splitlines() for text in (before, change.after))
    names = ("base" if change.action == "create" else "current", "new")
    return list(difflib.unified_diff(now, then, *names, lineterm="", n=1))


def _describe_change(change: PlannedChange, *, dry_run: bool) -> dict[str, str | list[str]]:
    row: dict[str, str | list[str]] = {"action": change.action, "type": change.type, "key": change.key, "note": change.note}
    return row | {"difference": _diff(change)} if dry_run else row
