"""Open the key directory of a graph, and move keys into it that are still in the graph."""

import base64
import secrets
from pathlib import Path

from ...errors import ConfigurationError
from ...memory.scope import Scope
from ..graph.engine import GraphEngine, Statement, cypher
from . import SCOPE_KEY
from .files import FileKeyStore


async def open_key_store(engine: GraphEngine, directory: Path | None) -> FileKeyStore | None:
    """The key store of this graph.  None: its keys are kept in the graph.

    ``directory`` can serve several graphs: each has a folder of its own in it, whose name is recorded in the graph.

    Raises: ConfigurationError (the recorded folder is missing, or no directory was given for it).
    """
    rows = await engine.read(cypher("scope_state")["key_place"], {})
    if directory is None:
        if rows:
            raise ConfigurationError(
                "the keys of this graph are in a directory: set REACT_MEM_SCOPE_KEYS to it, in each process that opens it"
            )
        return None
    folder = directory / _name(rows[0]["place"]) if rows else await _choose_folder(engine, directory)
    if not folder.is_dir():
        raise ConfigurationError(
            f"the keys of this graph are missing: {folder} does not exist; restore it from a backup, or check that "
            "REACT_MEM_SCOPE_KEYS or REACT_MEM_KEYS names the shared volume (an empty folder loses the jobs that wait)"
        )
    store = FileKeyStore(folder)
    await _move_keys(engine, store)
    return store


async def _choose_folder(engine: GraphEngine, directory: Path) -> Path:
    place = secrets.randbits(62)
    folder = directory / _name(place)
    FileKeyStore(folder)  # before it is recorded, so that a recorded folder exists
    ((row,),) = await engine.write([Statement(cypher("scope_state")["set_key_place"], {"place": place})])
    if row["place"] != place:  # another process was first
        folder.rmdir()
    return directory / _name(row["place"])


async def _move_keys(engine: GraphEngine, store: FileKeyStore) -> None:
    """Move keys of earlier versions out of the graph.  An interruption leaves each key in one of the two places, or in both."""
    statements = cypher("scope_state")
    if not await engine.read(statements["all_keys"], {}):
        return
    async with store.lock():  # what another process has moved, and perhaps destroyed, must not be moved again
        for row in await engine.read(statements["all_keys"], {}):
            scope = Scope.from_key(row["scope"])
            name = row["uid"].removeprefix(f"{scope.key}|") if row["uid"] != scope.key else SCOPE_KEY
            await store.adopt(scope, name, base64.b64decode(row["wrapped"]))
            await engine.write([Statement(statements["destroy_key"], {"uid": row["uid"]})])


def _name(place: int) -> str:
    return f"{place:016x}"
