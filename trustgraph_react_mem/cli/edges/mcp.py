"""`mcp`: the MCP server over stdio.

MCP hosts wait for the start of the server, so this module imports little; ``cli.main`` loads it alone.
"""

from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ...extras import require
from ..application import app
from ..connection import find_deployment
from ..options import Session, command

if TYPE_CHECKING:
    from ...bus.external_client import MemoryBus

__all__ = ["app", "mcp_app"]

SERVE = "serve"


class ServeByDefault(TyperGroup):
    """``react-mem mcp`` means ``react-mem mcp serve``: so hosts call it."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        if not args or (args[0].startswith("-") and "--help" not in args):
            args = [SERVE, *args]
        return super().parse_args(ctx, args)


mcp_app = typer.Typer(
    cls=ServeByDefault, help="Memory as an MCP server: serve (the default), or how to register it in other programs."
)
app.add_typer(mcp_app, name="mcp")

GroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups",
        envvar="REACT_MEM_MCP_GROUPS",
        show_default=False,
        help="Further tools, separated by commas: agent, refine.",
    ),
]


@command(mcp_app, SERVE)
async def serve_stdio(session: Session, groups: GroupsOption = None) -> None:
    """Serve MCP on standard input and output until the input ends. It uses the running stack, or --bus.

    It is for programs such as Claude Code, Cursor and VS Code; `react-mem mcp install` says how to register it there.
    """
    require("the MCP server", "mcp", extra="mcp")
    from ...mcp.settings import McpSettings
    from ...mcp.stdio import LocalAccess, no_stack, serve

    options = session.options
    settings = McpSettings() if groups is None else McpSettings(groups=groups)  # type: ignore[arg-type]  # which it splits

    async def open_bus() -> "MemoryBus":
        from ...bus.external_client import MemoryBus
        from ...stack_state import running_stack

        found = find_deployment(options)
        if found is None:
            raise no_stack(str(options.data_dir))
        started = None if options.bus else running_stack(options.data_dir)
        bus = await MemoryBus.connect(found.address, workspace=options.workspace, flow=options.flow)
        if started is not None:
            bus.find_loss = lambda: "" if running_stack(options.data_dir) == started else "the stack ended"
        try:
            await bus.check()
        except BaseException:
            await bus.close()
            raise
        return bus

    access = LocalAccess(open_bus, workspace=options.workspace, user=options.user, collection=options.collection)
    await serve(access, settings)
