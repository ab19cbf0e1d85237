"""`mcp`: the MCP server over stdio, and how to register it in another program.

MCP hosts wait for the start of the server, so this module imports little; ``cli.main`` loads it alone.
"""

import json
import os
import shutil
import sys
from typing import Annotated, Any, Literal

import typer
from typer.core import TyperGroup

from ..bus.external_client import MemoryBus
from ..errors import BadRequest, EngineUnavailable
from ..extras import require
from ..mcp.install import FILES, KEY_VARIABLE, Program, Server, register
from ..stack_state import running_stack
from .application import app
from .connection import find_deployment
from .console import escape
from .options import Session, command

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


@command(mcp_app, SERVE)
async def serve_stdio(
    session: Session,
    groups: Annotated[
        Literal["refine"] | None, typer.Option(help="Further tools. Default: REACT_MEM_MCP_GROUPS.", show_default=False)
    ] = None,
) -> None:
    """Serve MCP on standard input and output until the input ends. It uses the running stack, or --bus.

    It is for programs such as Claude Code, Cursor and VS Code; `react-mem mcp install` says how to register it there.
    """
    require("the MCP server", "mcp", extra="mcp")
    from ..http.settings import McpSettings
    from ..mcp.stdio import LocalAccess, serve

    options = session.options
    settings = McpSettings.load(**({"groups": groups} if groups else {}))

    async def open_bus() -> MemoryBus:
        found = find_deployment(options)
        if found is None:
            raise EngineUnavailable(
                f"no memory stack runs over {options.data_dir}: start one with `react-mem up`, or name a deployment with --bus "
                "(REACT_MEM_BUS) when this server is installed"
            )
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


@command(mcp_app, "install")
async def install(
    session: Session,
    client: Annotated[Program, typer.Option("--client", help="The program.", show_default=False)],
    url: Annotated[
        str,
        typer.Option(
            "--url",
            show_default=False,
            help="Use the HTTP listener at this address, such as http://127.0.0.1:8850/mcp, "
            f"with the key in the variable {KEY_VARIABLE}. Default: the program starts `react-mem mcp`.",
        ),
    ] = "",
) -> None:
    """Show how to register the MCP server in a program: its own command, or the entry for its file. Nothing is written."""
    if url and not url.startswith(("http://", "https://")):
        raise BadRequest(f"--url {url!r}: use an address such as http://127.0.0.1:8850/mcp")
    server = Server(url=url) if url else _own_command(session)
    shown = register(client, server)
    commands, entry = (shown, None) if isinstance(shown, list) else ([], shown)
    file = FILES[client] if entry else ""
    for line in commands:
        session.screen.say(escape(line))
    if entry:
        session.screen.note(f"add this to {file}")
        session.screen.say(escape(json.dumps(entry, indent=2, ensure_ascii=False)))
    if url:
        session.screen.note(f"make a key with `react-mem keys create`, and give it to the program as {KEY_VARIABLE}")
    session.screen.data({"commands": commands, "entry": entry, "file": file})


def _own_command(session: Session) -> Server:
    """This command, by its full path, because programs with windows do not have the shell's PATH; and this call's options."""
    options = session.options
    environment = {
        "REACT_MEM_HOME": str(options.data_dir),
        "REACT_MEM_USER": options.user,
        "REACT_MEM_BUS": options.bus,
        "REACT_MEM_COLLECTION": options.collection,
        "TRUSTGRAPH_WORKSPACE": options.workspace,
        "REACT_MEM_FLOW": options.flow,
    }
    usual = dict.fromkeys(("REACT_MEM_COLLECTION", "TRUSTGRAPH_WORKSPACE", "REACT_MEM_FLOW"), "default") | {"REACT_MEM_BUS": ""}
    named = {key: value for key, value in environment.items() if value != usual.get(key)}
    return Server(command=os.path.abspath(shutil.which(sys.argv[0]) or sys.argv[0]), environment=named)
