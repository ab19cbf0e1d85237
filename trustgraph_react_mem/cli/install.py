"""`install` and `uninstall`: add memory to a running TrustGraph, and remove it."""

import asyncio
from typing import Annotated

import typer

from ..errors import BadRequest
from ..install.contents import contents
from ..install.plan import ConfigurationStore, Plan, apply, plan_install, plan_uninstall
from .application import app
from .console import escape
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
    await _carry_out(session, store, plan, dry_run=dry_run)
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
    await _carry_out(session, store, await asyncio.to_thread(plan_uninstall, store, blueprint), dry_run=dry_run)


def _open_store(session: Session, api_url: str, token: str) -> ConfigurationStore:
    """The configuration of the workspace.  Raises: BadRequest (no address)."""
    from ..bus.config_api import ConfigClient

    if not api_url.startswith(("http://", "https://")):
        raise BadRequest(f"--api-url {api_url!r} is not an address: write it as {API_URL}")
    return ConfigClient(api_url, token=token, workspace=session.options.workspace)


async def _carry_out(session: Session, store: ConfigurationStore, plan: Plan, *, dry_run: bool) -> None:
    screen = session.screen
    for change in plan.changes:
        style, note = _STYLES[change.action], f"  ({change.note})" if change.note else ""
        screen.say(f"[{style}]{change.action:7}[/{style}] {escape(f'{change.type}/{change.key}{note}')}")
    if plan.empty:
        screen.say("Already installed: nothing to change.")
    elif not dry_run:
        await asyncio.to_thread(apply, store, plan)
    rows = [{"action": c.action, "type": c.type, "key": c.key, "note": c.note} for c in plan.changes]
    workspace = session.options.workspace
    screen.data({"workspace": workspace, "blueprint": plan.blueprint, "dry_run": dry_run, "changes": rows})
