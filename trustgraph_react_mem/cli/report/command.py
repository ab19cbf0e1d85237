"""`report`: one page about a scope."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from ...directories import replace_private_file
from ...errors import BadRequest
from ..application import app
from ..connection import connect
from ..console import count_of, escape
from ..options import Session, command, new_file
from .collect import collect
from .page import render


@command(app, "report")
async def report(
    session: Session,
    file: Annotated[Path, typer.Argument(help="File to write, such as memory.html.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Write a page about a scope: what is remembered, how it changed, what was learned, and what it cost.

    The page is one HTML file for any browser, and for paper. It loads nothing from the network. Memories are plain text in it,
    so keep it as you keep an export. Of a large scope it shows the newest memories, and says what it leaves out.
    """
    new_file(file, force=force)
    async with connect(session) as bus:
        made = await collect(bus, session, datetime.now(UTC))
    try:
        replace_private_file(file, render(made), sync=False)
    except OSError as error:
        raise BadRequest(f"cannot write {file} ({error.strerror}): choose a file in a directory that you can write") from None
    listed = len(made.memories) + len(made.turns) + len(made.rules)
    total = sum(made.counts.values())
    of = f" of {total}" if total > listed else ""
    session.screen.say(f"report on {listed}{of} {count_of(total, 'memory').split(maxsplit=1)[1]}: {escape(str(file))}")
    session.screen.data({"file": file, "memories": total, "listed": listed})
