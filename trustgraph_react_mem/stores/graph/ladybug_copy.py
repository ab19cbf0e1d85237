"""Copy a Ladybug database into a new file.

The engine leaves the text of deleted records in its pages.  A copy has the live records only.
"""

import contextlib
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ladybug

from .engine import schema_statements

MAX_BYTES = 2**36


def copy_path(path: Path) -> Path:
    return path.with_name(f"{path.name}.rewrite")


def discard_copy(path: Path) -> None:
    """Remove what an interrupted copy left."""
    shutil.rmtree(_folder(path), ignore_errors=True)
    for leftover in path.parent.glob(f"{copy_path(path).name}*"):
        leftover.unlink()


def copy_database(source: Any, path: Path, pool_bytes: int) -> Path:
    """Copy everything that the connection ``source`` sees, table by table, and return the path of the new database.

    Nothing may be written meanwhile.  ``pool_bytes``: memory that the engine may use for the copy.  Raises RuntimeError.
    """
    discard_copy(path)
    folder, target = _folder(path), copy_path(path)
    folder.mkdir(mode=0o700)
    try:
        database = ladybug.Database(str(target), buffer_pool_size=pool_bytes, max_db_size=MAX_BYTES)
        with contextlib.closing(database), contextlib.closing(ladybug.Connection(database)) as copy:
            for statement in schema_statements("ladybug", 0):
                _run(copy, statement)
            nodes, edges = _tables(copy, "NODE"), _tables(copy, "REL")
            missing = {*_tables(source, "NODE"), *_tables(source, "REL")} - {*nodes, *edges}
            if missing:
                raise RuntimeError(f"tables that this program does not know: {', '.join(sorted(missing))}")
            for table in nodes:
                _copy_nodes(source, copy, table, folder)
            for table in edges:
                _copy_edges(source, copy, table, folder)
            for kind in ("(n)", "()-[n]->()"):
                counts = [_run(each, f"MATCH {kind} RETURN count(*)")[0][0] for each in (source, copy)]
                if counts[0] != counts[1]:
                    raise RuntimeError(f"the copy has {counts[1]} instead of {counts[0]} records")
            _run(copy, "CHECKPOINT")
        return target
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy_nodes(source: Any, copy: Any, table: str, folder: Path) -> None:
    columns = [row[1] for row in _run(copy, f"CALL table_info('{table}') RETURN *")]
    with _file(folder, table) as file:
        values = ", ".join(f"n.{column}" for column in columns)
        _run(source, f"COPY (MATCH (n:{table}) RETURN {values}) TO '{file}'")
        _run(copy, f"COPY {table} FROM '{file}'")


def _copy_edges(source: Any, copy: Any, table: str, folder: Path) -> None:
    columns = [row[1] for row in _run(copy, f"CALL table_info('{table}') RETURN *")]
    for begin, end, begin_key, end_key in _run(copy, f"CALL show_connection('{table}') RETURN *"):
        with _file(folder, f"{table}-{begin}-{end}") as file:
            values = ", ".join([f"a.{begin_key}", f"b.{end_key}", *(f"r.{column}" for column in columns)])
            _run(source, f"COPY (MATCH (a:{begin})-[r:{table}]->(b:{end}) RETURN {values}) TO '{file}'")
            _run(copy, f"COPY {table} FROM '{file}' (from='{begin}', to='{end}')")


@contextlib.contextmanager
def _file(folder: Path, name: str) -> Iterator[Path]:
    file = folder / f"{name}.parquet"
    try:
        yield file
    finally:
        file.unlink(missing_ok=True)


def _tables(connection: Any, kind: str) -> list[str]:
    return [row[0] for row in _run(connection, "CALL show_tables() RETURN name, type") if row[1] == kind]


def _run(connection: Any, statement: str) -> list[list[Any]]:
    result = connection.execute(statement)
    try:
        rows: list[list[Any]] = result.get_all()
        return rows
    finally:
        result.close()


def _folder(path: Path) -> Path:
    return path.with_name(f"{path.name}.export")
