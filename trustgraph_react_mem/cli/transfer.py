"""Memory in and out: transcripts without a model, exports of a whole scope."""

import json
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from ..errors import BadRequest
from ..schema import FactsRequest, Turn
from ..transcripts import Transcript, TranscriptFormat, read_transcripts
from .application import app
from .connection import connected
from .options import Session, command

FORMAT = "trustgraph-react-mem"
SCHEMA_VERSION = 2
PAGE = 500  # records of one export message: responses are broadcast, so they stay small
PAGE_BYTES = 1_000_000  # of one import message as JSON text: brokers refuse messages of more than 5 MB
BATCH = 100  # turns of one import message
IMPORT_TIMEOUT_S = 300.0

import_app = typer.Typer(help="Memory from a transcript or an export.", no_args_is_help=True)
app.add_typer(import_app, name="import")

FileArgument = Annotated[Path, typer.Argument(help="The file to read.")]


@command(import_app, "locomo")
async def import_locomo(session: Session, file: FileArgument) -> None:
    """Dialogues of a LoCoMo file: every turn becomes a memory, found by questions at once."""
    await _import_transcripts(session, file, "locomo")


@command(import_app, "chatml")
async def import_chatml(session: Session, file: FileArgument) -> None:
    """Chats as JSON or JSON Lines of {"role", "content"} messages, as OpenAI-compatible programs write them."""
    await _import_transcripts(session, file, "chatml")


async def _import_transcripts(session: Session, file: Path, form: TranscriptFormat) -> None:
    transcripts = read_transcripts(_readable(file), form)
    total = sum(len(transcript.turns) for transcript in transcripts)
    stored = 0
    async with connected(session) as bus:
        with _progress(session) as progress:
            task = progress.add_task(f"importing {file.name}", total=total)
            for source, turns in _batches(transcripts):
                response = await bus.facts(
                    FactsRequest(operation="import", source=source, turns=turns, trust="import", **session.scope_fields),
                    timeout_s=IMPORT_TIMEOUT_S,
                )
                stored += response.count
                progress.advance(task, len(turns))
    session.screen.say(
        f"{stored} memories from {total} turns of {len(transcripts)} dialogues; ask about them with `react-mem memories search`"
    )
    session.screen.data({"file": file, "turns": total, "stored": stored, "dialogues": len(transcripts)})


def _batches(transcripts: Iterable[Transcript]) -> Iterator[tuple[str, list[Turn]]]:
    """(conversation id, turns): a session of a dialogue is one conversation; long ones come in several batches."""
    for transcript in transcripts:
        for name, turns in transcript.sessions.items():
            source = f"{transcript.id}/{name}" if name else transcript.id
            for start in range(0, len(turns), BATCH):
                yield source, list(turns[start : start + BATCH])


@command(app, "export")
async def export(
    session: Session,
    file: Annotated[Path, typer.Argument(help="The file to write, JSON Lines; a record a line after a heading line.")],
    force: Annotated[bool, typer.Option("--force", help="Overwrite.")] = False,
) -> None:
    """All memories of a scope: `react-mem import memory FILE` brings them back.

    With relations, replacements, switches and learned ranking; without earlier versions of a memory but the one that a
    replacement ended, without the record of rewards, and without waiting jobs. Vectors are made anew.
    """
    if file.exists() and not force:
        raise BadRequest(f"{file} exists: name another file, or repeat with --force")
    if not file.parent.is_dir():
        raise BadRequest(f"the folder {file.parent} does not exist: make it first")
    records = 0
    unfinished = file.with_name(file.name + ".part")
    async with connected(session) as bus:
        with unfinished.open("w", encoding="utf-8") as out:
            unfinished.chmod(0o600)
            out.write(json.dumps(_heading(session)) + "\n")
            while True:
                page = await bus.facts(
                    FactsRequest(operation="export", limit=PAGE, offset=records, **session.scope_fields),
                    timeout_s=IMPORT_TIMEOUT_S,
                )
                if not page.count:
                    break
                out.write(page.data.rstrip("\n") + "\n")
                records += page.count
    unfinished.replace(file)  # a reader never sees half an export under the real name
    session.screen.say(f"{records} records written to {file}")
    session.screen.data({"file": file, "records": records})


def _heading(session: Session) -> dict[str, Any]:
    scope = session.options.scope
    return {
        "format": FORMAT,
        "schema": SCHEMA_VERSION,
        "workspace": scope.workspace,
        "user": scope.user,
        "collection": scope.collection,
        "exported_at": datetime.now(UTC).isoformat(),
    }


@command(import_app, "memory")
async def import_memory(session: Session, file: FileArgument) -> None:
    """An export of this program, into the scope that the options name; importing twice changes nothing."""
    lines = _records(_readable(file))
    stored = 0
    async with connected(session) as bus:
        with _progress(session) as progress:
            task = progress.add_task(f"importing {file.name}", total=len(lines))
            for page in _pages(lines):
                response = await bus.facts(
                    FactsRequest(operation="import", data="\n".join(page), **session.scope_fields), timeout_s=IMPORT_TIMEOUT_S
                )
                stored += response.count
                progress.advance(task, len(page))
    session.screen.say(f"{stored} of {len(lines)} records stored (the others were there)")
    session.screen.data({"file": file, "records": len(lines), "stored": stored})


def _pages(lines: Iterable[str]) -> Iterator[list[str]]:
    """At most ``PAGE`` lines each, and about ``PAGE_BYTES``, but at least one."""
    page: list[str] = []
    size = 0
    for line in lines:
        bytes_of_line = len(json.dumps(line))
        if page and (len(page) == PAGE or size + bytes_of_line > PAGE_BYTES):
            yield page
            page, size = [], 0
        page.append(line)
        size += bytes_of_line
    if page:
        yield page


def _records(file: Path) -> list[str]:
    """The record lines of an export, after its heading was checked."""
    lines = [line for line in file.read_text(encoding="utf-8").split("\n") if line.strip()]
    try:
        heading = json.loads(lines[0]) if lines else {}
    except json.JSONDecodeError:
        heading = {}
    if not isinstance(heading, dict) or heading.get("format") != FORMAT:
        raise BadRequest(
            f"{file} is not an export of react-mem (its first line must name the format {FORMAT!r}): "
            "for a transcript use `react-mem import chatml` or `react-mem import locomo`"
        )
    if heading.get("schema") != SCHEMA_VERSION:
        raise BadRequest(
            f"{file} has schema version {heading.get('schema')!r}, this program reads {SCHEMA_VERSION}: "
            "use the version of react-mem that wrote it, or a newer one"
        )
    for number, line in enumerate(lines[1:], start=2):
        try:
            json.loads(line)
        except json.JSONDecodeError as error:
            raise BadRequest(f"{file}, line {number} is not JSON ({error.msg}): the file is damaged; export it again") from None
    return lines[1:]


def _readable(file: Path) -> Path:
    if not file.is_file():
        raise BadRequest(f"there is no file {file}: check the path")
    return file


def _progress(session: Session) -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=session.screen.err,
        disable=session.options.json_output,
    )
