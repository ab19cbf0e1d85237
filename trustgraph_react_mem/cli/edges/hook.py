"""`hook`: called by other programs at their events."""

import asyncio
import json
import sys
from typing import Annotated, Literal

import typer

from ...errors import MemoryServiceError
from ...http.access import Access
from ...http.principal import Principal
from ...mcp.claude_code.hooks import MOST_INPUT, HookInput, handle
from ..application import app
from ..connection import connect, find_deployment
from ..options import Session, command


@command(app, "hook")
async def hook(
    session: Session, program: Annotated[Literal["claude-code"], typer.Argument(help="The program that calls it.")]
) -> None:
    """Recall at the start of a session, capture at its end. Reads the event from standard input, as Claude Code writes it.

    Errors go to standard error and never stop the caller. Without a running stack nothing happens.
    """
    try:
        given = HookInput.parse(await asyncio.to_thread(sys.stdin.read, MOST_INPUT))
        if find_deployment(session.options) is None:
            session.screen.problem("no memory stack runs: `react-mem up` starts one")
            return
        options = session.options
        async with connect(session) as bus:
            principal = Principal(key_id="local", kind="user", workspace=options.workspace, user=options.user)
            access = Access(principal=principal, user=options.user, collection=options.collection, services=bus)
            output = await handle(access, given)
    except MemoryServiceError as error:
        session.screen.problem(str(error))
        return
    if output is not None:
        print(json.dumps(output))  # the answer to the calling program, with or without --json
