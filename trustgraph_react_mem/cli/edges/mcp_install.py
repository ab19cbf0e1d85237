"""`mcp install`: registers the MCP server in another program."""

import json
import os
import shutil
import sys
from pathlib import Path
from typing import Annotated, Literal

import typer

from ...errors import BadRequest
from ...mcp.install import trustgraph
from ...mcp.install.clients import KEY_VARIABLE, PROGRAMS, Target, entry_of, file_of
from ...mcp.install.files import read_file, replace_file, snippet, with_entry
from ..connection import connect
from ..console import escape
from ..options import Session, command
from .mcp import mcp_app

NAME = "react-mem"
Client = Literal["claude-code", "claude-desktop", "cursor", "vscode", "codex", "windsurf", "trustgraph"]


@command(mcp_app, "install")
async def install(
    session: Session,
    client: Annotated[Client, typer.Option("--client", help="The program.", show_default=False)],
    scope: Annotated[
        Literal["user", "project"],
        typer.Option("--scope", help="user: for you, in every project. project: a file in the current directory."),
    ] = "user",
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
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Show the entry and where it belongs; write nothing.")] = False,
) -> None:
    """Register the MCP server in a program. Other entries of its file stay, and the former file is kept as a backup."""
    if not name.isascii() or not name.replace("-", "").replace("_", "").isalnum():
        raise BadRequest(f"--name {name!r}: use letters, digits, - and _")
    if url and not url.startswith(("http://", "https://")):
        raise BadRequest(f"--url {url!r}: use an address such as http://127.0.0.1:8850/mcp")
    if client == "trustgraph":
        await _install_in_trustgraph(session, name, url, dry_run)
        return
    program = PROGRAMS[client]
    path = file_of(client, scope, home=Path.home(), project=Path.cwd())
    entry = entry_of(client, Target(url=url) if url else _own_command(session))
    shown = snippet(program, name, entry, remote=bool(url))
    before = read_file(path)
    try:
        after = with_entry(before, program, name, entry, remote=bool(url))
    except BadRequest as error:
        raise BadRequest(f"{path} was left unchanged: {error}. Add this to it by hand:\n{shown}") from None
    backup = None
    if not dry_run and after != before:
        backup = replace_file(path, before, after)
    session.screen.say(("would write to " if dry_run else "registered in ") + escape(str(path)))
    session.screen.say(escape(shown))
    if backup is not None:
        session.screen.say(f"the former file is {escape(str(backup))}")
    if url:
        session.screen.say(f"make a key with `react-mem keys create`, and give it to the program as {KEY_VARIABLE}")
    session.screen.data(
        {"file": str(path), "entry": entry, "written": not dry_run and after != before, "backup": str(backup or "")}
    )


def _own_command(session: Session) -> Target:
    """This command, by its full path, because programs with windows do not have the shell's PATH; and this call's options."""
    options = session.options
    found = shutil.which(sys.argv[0]) or sys.argv[0]
    environment = {
        "REACT_MEM_HOME": str(options.data_dir),
        "REACT_MEM_USER": options.user,
        "REACT_MEM_BUS": options.bus,
        **({"REACT_MEM_COLLECTION": options.collection} if options.collection != "default" else {}),
        **({"TRUSTGRAPH_WORKSPACE": options.workspace} if options.workspace != "default" else {}),
        **({"REACT_MEM_FLOW": options.flow} if options.flow != "default" else {}),
    }
    if not options.bus:
        del environment["REACT_MEM_BUS"]
    return Target(command=os.path.abspath(found), arguments=("mcp",), environment=environment)


async def _install_in_trustgraph(session: Session, name: str, url: str, dry_run: bool) -> None:
    if not url:
        raise BadRequest("TrustGraph's mcp-tool service needs --url: the address of /mcp as it sees it")
    key = os.environ.get(KEY_VARIABLE, "")
    if not key and not dry_run:
        raise BadRequest(f"set {KEY_VARIABLE} to a key (`react-mem keys create`): it is stored in TrustGraph's configuration")
    values = trustgraph.entries(name, url, key)
    shown = trustgraph.entries(name, url, f"${KEY_VARIABLE}")
    if not dry_run:
        async with connect(session) as bus:
            await bus.config_put(trustgraph.TYPE, values)
    session.screen.say("would store" if dry_run else f"stored in workspace {escape(session.options.workspace)}")
    for each, value in shown.items():
        session.screen.say(escape(f"{trustgraph.TYPE} {each} = {value}"))
    session.screen.say("an agent gets one as a tool by: tg-set-tool --type mcp-tool --mcp-tool KEY ...")
    session.screen.data({"entries": {each: json.loads(value) for each, value in shown.items()}, "written": not dry_run})
