"""Export files: a header with format and schema, the lines, and a trailer with their number and checksum.

A file is read twice: first completely, so that a truncated or damaged file, or one of another version, is rejected before
anything is stored; then to import it.
"""

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TextIO

from ..errors import BadRequest
from ..memory.scope import Scope
from ..memory.sizes import wire_size
from .lines import FORMAT, MOST_LINE_BYTES, SCHEMA_VERSION, read_lines

_ANYONE = Scope(workspace="check", user="", collection="default")


class ExportFile:
    """Writes an export file: the header on creation, lines with ``add``, the trailer with ``end``."""

    def __init__(self, out: TextIO, scope: Scope, *, waiting: int, at: datetime) -> None:
        """``waiting``: number of unfinished jobs of the scope, whose results are not in the file."""
        self._out = out
        self._digest = hashlib.sha256()
        self.records = 0
        self._write(
            {
                "format": FORMAT,
                "schema": SCHEMA_VERSION,
                "workspace": scope.workspace,
                "user": scope.user,
                "collection": scope.collection,
                "exported_at": at.isoformat(),
                "waiting_jobs": waiting,
            }
        )

    def add(self, lines: str, count: int) -> None:
        """Write complete lines, each with its line feed.  ``count``: their number."""
        self._digest.update(lines.encode("utf-8", "surrogatepass"))
        self._out.write(lines)
        self.records += count

    def end(self) -> None:
        self._write({"type": "end", "records": self.records, "sha256": self._digest.hexdigest()})

    def _write(self, row: Mapping[str, Any]) -> None:
        self._out.write(json.dumps(row) + "\n")


@dataclass(frozen=True, slots=True, kw_only=True)
class ValidatedFile:
    """A complete and valid export file.  ``waiting``: number of unfinished jobs when it was written."""

    path: Path
    records: int
    waiting: int

    def lines(self) -> Iterator[str]:
        """The lines of records, without line feeds."""
        for number, line in _numbered_lines(self.path):
            if number > 1 and not line.startswith('{"type": "end"'):
                yield line


def validate_file(path: Path) -> ValidatedFile:
    """Check a whole file.  Raises: BadRequest (the message has the line number and the reason)."""
    heading: Mapping[str, Any] | None = None
    end: Mapping[str, Any] | None = None
    digest, records, number = hashlib.sha256(), 0, 0
    for number, line in _numbered_lines(path):
        if heading is None:
            heading = _heading(path, line)
            continue
        if end is not None:
            raise BadRequest(f"{path}, line {number}: data after the end of the export: export it again")
        if line.startswith('{"type": "end"'):
            end = _row(path, line, number)
            continue
        if wire_size(line) > MOST_LINE_BYTES:
            raise BadRequest(
                f"{path}, line {number}: a record of {wire_size(line) / 1e6:.1f} MB does not go over the bus, which takes "
                f"{MOST_LINE_BYTES / 1e6:.0f} MB: shorten the record in the memory it comes from, and export it again"
            )
        try:
            read_lines(_ANYONE, line, None, first=number)
        except BadRequest as error:
            raise BadRequest(f"{path}, {error}") from None
        digest.update((line + "\n").encode("utf-8", "surrogatepass"))
        records += 1
    if heading is None:
        raise BadRequest(f"{path} is empty: import a file that `react-mem export` wrote")
    if end is None:
        raise BadRequest(f"{path} is cut off after line {number}: the trailer is missing; export it again")
    if (end.get("records"), end.get("sha256")) != (records, digest.hexdigest()):
        raise BadRequest(
            f"{path} is damaged: its {records} records do not match the trailer ({end.get('records')} records and a "
            "checksum); export it again"
        )
    return ValidatedFile(path=path, records=records, waiting=int(heading.get("waiting_jobs") or 0))


def _heading(path: Path, line: str) -> Mapping[str, Any]:
    try:
        heading = json.loads(line)
    except (ValueError, RecursionError):
        heading = {}
    if not isinstance(heading, dict) or heading.get("format") != FORMAT:
        raise BadRequest(
            f"{path} is not an export of react-mem (its first line must name the format {FORMAT!r}): "
            "for a transcript use `react-mem import chatml`"
        )
    schema = heading.get("schema")
    if schema != SCHEMA_VERSION:
        raise BadRequest(
            f"{path} has schema version {schema!r}, this program reads {SCHEMA_VERSION}: "
            "use the version of react-mem that wrote it, or a newer one"
        )
    return heading


def _row(path: Path, line: str, number: int) -> Mapping[str, Any]:
    try:
        row: Mapping[str, Any] = json.loads(line)
    except (ValueError, RecursionError) as error:
        wrong = getattr(error, "msg", "nested too deeply")
        raise BadRequest(f"{path}, line {number} is not JSON ({wrong}): the file is damaged; export it again") from None
    return row


def _numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    """Lines that are not blank, with line numbers.  Only a line feed ends a line: JSON texts can contain other separators."""
    try:
        with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield number, line.rstrip("\n")
    except UnicodeDecodeError as error:
        raise BadRequest(f"{path} is not UTF-8 text (byte {error.start}): the file is damaged; export it again") from None
