"""`import` and `export`: transcripts, and exports of a whole scope."""

import asyncio
from collections.abc import Iterable, Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..bus.external_client import MemoryBus
from ..directories import open_private_file
from ..errors import BadRequest
from ..memory.requests import ExportFacts, ImportLines, ImportTurns, ListJobs, WaitUntilIdle
from ..memory.sizes import check_size, split_by_size, wire_size
from ..schema import Turn
from ..transcripts import Transcript, read_chats
from ..transfer.files import ExportFile, validate_file
from .application import app
from .connection import call, connect, prove
from .console import count_of, escape
from .options import Session, command

PAGE = 500  # records per export message: responses are broadcast, so they stay small
PAGE_BYTES = 1_000_000  # per import message, as JSON: brokers reject messages above 5 MB
BATCH = 100  # turns per import message
IMPORT_TIMEOUT_S = 300.0
QUICK_S = 3.0  # jobs that need no model are finished by then

import_app = typer.Typer(help="Import memories from a transcript or an export.", no_args_is_help=True)
app.add_typer(import_app, name="import")


def _whole(file: Path) -> Path:
    """Raises: typer.BadParameter."""
    if not file.is_file():  # a pipe can be read once only, and an import reads its file twice
        raise typer.BadParameter(f"{file} is not a regular file: write its content to a file first")
    return file


FileArgument = Annotated[
    Path, typer.Argument(exists=True, dir_okay=False, readable=True, callback=_whole, help="File to read.")
]


@command(import_app, "chatml")
async def import_chatml(session: Session, file: FileArgument) -> None:
    """Import chats: JSON or JSON Lines of {"role", "content"} messages, as OpenAI-compatible programs write them.

    Every message becomes a searchable memory at once, without a model.
    """
    transcripts = read_chats(file)
    for transcript in transcripts:
        for number, turn in enumerate(transcript.turns, start=1):
            check_size(f"{file}: turn {number} of dialogue {transcript.id!r}", turn.text)
    total = sum(len(transcript.turns) for transcript in transcripts)
    if not total:
        raise BadRequest(f"{file} has no messages: choose another file, or export the chat again")
    batches = ((len(turns), ImportTurns(source=source, turns=turns)) for source, turns in _batches(transcripts))
    stored = await _send(session, file, batches, total, "turn")
    summary = f"{count_of(stored, 'memory')} from {count_of(total, 'turn')} of {count_of(len(transcripts), 'dialogue')}"
    session.screen.say(f"{summary}; search them with `react-mem memories search`" if stored else f"{summary}: all existed")
    session.screen.data({"file": file, "turns": total, "stored": stored, "dialogues": len(transcripts)})


def _batches(transcripts: Iterable[Transcript]) -> Iterator[tuple[str, list[Turn]]]:
    """(conversation id, turns).  A session of a dialogue is one conversation; long ones are split into batches."""
    for transcript in transcripts:
        for name, turns in transcript.sessions.items():
            source = f"{transcript.id}/{name}" if name else transcript.id
            for batch in split_by_size(turns, lambda turn: wire_size(asdict(turn)), most=BATCH, most_size=PAGE_BYTES):
                yield source, batch


@command(app, "export")
async def export(
    session: Session,
    file: Annotated[Path, typer.Argument(dir_okay=False, help="File to write: JSON Lines, a heading and one record per line.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite an existing file.")] = False,
) -> None:
    """Export a whole scope. `react-mem import memory FILE` restores it.

    The file holds every version and the history of each record, undone records, switches and the learned ranking.
    Unfinished jobs are not included: the command reports their number, and `react-mem jobs wait` waits for them.
    """
    if file.exists() and not force:
        raise BadRequest(f"{file} exists: choose another file, or repeat with --force")
    unfinished = file.with_name(file.name + ".part")  # a reader never sees half an export under the real name
    async with connect(session) as bus:
        waiting = (await call(session, bus, WaitUntilIdle(timeout_s=QUICK_S))).count
        waiting += len((await call(session, bus, ListJobs(status="deferred", limit=1000))).jobs)
        try:
            with open_private_file(unfinished, errors="surrogatepass") as out:
                written = ExportFile(out, session.options.scope, waiting=waiting, at=datetime.now(UTC))
                await _write_pages(bus, session, written)
            unfinished.replace(file)
        except OSError as error:
            raise BadRequest(
                f"cannot write {file} ({error.strerror}): choose a file in a directory that you can write"
            ) from None
    session.screen.say(f"{count_of(written.records, 'record')} written to {escape(str(file))}")
    if waiting:
        session.screen.say(
            f"not in the file: the results of {count_of(waiting, 'unfinished job')} (`react-mem jobs list`); "
            "export again later, or wait with `react-mem jobs wait`"
        )
    session.screen.data({"file": file, "records": written.records, "waiting_jobs": waiting})


async def _write_pages(bus: MemoryBus, session: Session, written: ExportFile) -> None:
    cursor, more = "", True
    while more:
        page = await call(session, bus, ExportFacts(limit=PAGE, cursor=cursor), IMPORT_TIMEOUT_S)
        written.add(page.data, page.count)
        more = bool(cursor := page.stats.get("next", ""))
    written.end()


@command(import_app, "memory")
async def import_memory(session: Session, file: FileArgument) -> None:
    """Import an export into the scope given by the options. Importing twice changes nothing.

    The whole file is verified before anything is stored. Existing records are not changed.
    """
    export = validate_file(file)
    pages = split_by_size(export.lines(), wire_size, most=PAGE, most_size=PAGE_BYTES)
    texts = ((len(page), "\n".join(page)) for page in pages)
    requests = ((size, ImportLines(lines=lines, proof=prove(session, "import", lines))) for size, lines in texts)
    stored = await _send(session, file, requests, export.records, "record")
    others = " (the others already existed)" if stored < export.records else ""
    session.screen.say(f"{stored} of {count_of(export.records, 'record')} stored{others}")
    if export.waiting:
        session.screen.say(f"not in the file: the results of {count_of(export.waiting, 'job')} unfinished at the export")
    session.screen.data({"file": file, "records": export.records, "stored": stored, "waiting_jobs": export.waiting})


async def _send(
    session: Session, file: Path, requests: Iterable[tuple[int, ImportTurns | ImportLines]], total: int, unit: str
) -> int:
    """Send the requests, each with its number of turns or records, and show the progress.  Returns how many were new."""
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    stored = done = 0
    async with connect(session) as bus:
        try:
            with Progress(*columns, console=session.screen.err, disable=session.options.json_output) as progress:
                task = progress.add_task(f"importing {file.name}", total=total)
                for size, request in requests:
                    stored += (await call(session, bus, request, IMPORT_TIMEOUT_S)).count
                    done += size
                    progress.advance(task, size)
        except asyncio.CancelledError:
            session.screen.say(
                f"interrupted after {done} of {count_of(total, unit)}: {count_of(stored, 'memory')} stored; the same command "
                f"continues with the rest of {escape(str(file))}"
            )
            session.screen.data({"file": file, "stored": stored, "interrupted": True})
            raise
    return stored
