"""`mcp install`: says how to register the MCP server in another program."""

import json
import os
import shutil
import sys
from typing import Annotated

import typer

from ...errors import BadRequest
from ...mcp.install import FILES, KEY_VARIABLE, Program, Server, register
from ..console import escape
from ..options import Session, command
from .mcp import mcp_app

NAME = "react-mem"


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
    name: Annotated[str, typer.Option("--name", help="Name of the entry.")] = NAME,
) -> None:
    """Show how to register the MCP server in a program: its own command, or the entry for its file. Nothing is written."""
    if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise BadRequest(f"--name {name!r}: use letters, digits, - and _")
    if url and not url.startswith(("http://", "https://")):
        raise BadRequest(f"--url {url!r}: use an address such as http://127.0.0.1:8850/mcp")
    server = Server(name=name, url=url) if url else _own_command(session, name)
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


def _own_command(session: Session, name: str) -> Server:
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
    return Server(name=name, command=os.path.abspath(shutil.which(sys.argv[0]) or sys.argv[0]), environment=named)
