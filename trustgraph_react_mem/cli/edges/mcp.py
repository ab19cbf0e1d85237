"""`mcp`: the MCP server over stdio, its installation in other programs, and the import of a reference server's file.

MCP hosts wait for the start of the server, so this module imports little; ``cli.main`` loads it alone.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from typer.core import TyperGroup

from ...errors import BadRequest
from ...extras import require
from ..application import app
from ..connection import connect, find_deployment
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
    cls=ServeByDefault, help="Memory as an MCP server: serve (the default), install it in other programs, import a file."
)
app.add_typer(mcp_app, name="mcp")

NamesOption = Annotated[
    str | None,
    typer.Option(
        "--names",
        envvar="REACT_MEM_MCP_NAMES",
        show_default=False,
        help="Names of the tools: mem0 (the default), hindsight or openmemory.",
    ),
]
GroupsOption = Annotated[
    str | None,
    typer.Option(
        "--groups",
        envvar="REACT_MEM_MCP_GROUPS",
        show_default=False,
        help="Further tools, separated by commas: graph, agent, admin, refine.",
    ),
]


@command(mcp_app, SERVE)
async def serve_stdio(session: Session, names: NamesOption = None, groups: GroupsOption = None) -> None:
    """Serve MCP on standard input and output until the input ends. It uses the running stack, or --bus.

    It is for programs such as Claude Code, Cursor and VS Code; `react-mem mcp install` registers it there.
    """
    require("the MCP server", "mcp", extra="mcp")
    from ...mcp.settings import read_settings
    from ...mcp.stdio import LocalAccess, no_stack, serve

    options = session.options
    settings = read_settings(names=names, groups=groups)

    async def open_bus() -> "MemoryBus":
        from ...bus.external_client import MemoryBus
        from ...stack_state import running_stack

        found = find_deployment(options)
        if found is None:
            raise no_stack(str(options.data_dir))
        started = None if options.bus else running_stack(options.data_dir)
        bus = await MemoryBus.connect(found[0], workspace=options.workspace, flow=options.flow)
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


@command(mcp_app, "import")
async def import_graph(
    session: Session, file: Annotated[Path, typer.Argument(help="memory.jsonl of the reference memory server.", dir_okay=False)]
) -> None:
    """Import the file of the reference memory server (`MEMORY_FILE_PATH`), for the tools of the group `graph`."""
    require("the knowledge graph", "mcp", extra="mcp")
    from ...http.access import Access
    from ...http.principal import Principal
    from ...mcp.groups.graph import MOST_AT_ONCE, read_graph_file, store_graph

    try:
        entities, relations = read_graph_file(file.read_text("utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise BadRequest(f"{file} cannot be read: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}") from None
    except BadRequest as error:
        raise BadRequest(f"{file}: {error}") from None
    options = session.options
    async with connect(session) as bus:
        principal = Principal(key_id="local", kind="user", workspace=options.workspace, user=options.user)
        access = Access(principal=principal, user=options.user, collection=options.collection, services=bus)
        new = [0, 0]
        for some in _pages(entities, MOST_AT_ONCE):
            new[0] += len((await store_graph(access, some, [])).entities)
        for some in _pages(relations, MOST_AT_ONCE):
            new[1] += len((await store_graph(access, [], some)).relations)
    session.screen.say(f"imported {new[0]} entities and {new[1]} relations; the others were there already")
    session.screen.data({"entities": new[0], "relations": new[1]})


def _pages(items: Sequence[Any], size: int) -> list[Sequence[Any]]:
    return [items[start : start + size] for start in range(0, len(items), size)]
