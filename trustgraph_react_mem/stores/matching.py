"""Whether graph, vectors, keys and broker data belong together.  Checked when they are opened, before anything is written.

The graph holds the generation id of its data.  Vector indexes and the broker directory are created with the same id, and the
graph knows the fingerprint of its master key.  Stores from before these marks get them when they are opened.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from pathlib import Path

from ..errors import ConfigurationError, ScopeErased
from ..memory.ports import KeyRing
from ..memory.scope import Scope
from .graph.marks import GraphMarks, fingerprint
from .keys.master import load_master_key, master_key_from
from .vectors.points import StoredIndex

logger = logging.getLogger(__name__)


async def find_master_key(marks: GraphMarks, given: str, path: Path) -> bytes:
    """The master key: ``given`` in Base64, or the content of the file.  A missing file is created only beside empty stores.

    Raises: ConfigurationError (no key beside existing data, or another key than that of the data).
    """
    known = await marks.master_key()
    if given:
        key = master_key_from(given)
    else:
        if not await asyncio.to_thread(path.exists) and (known is not None or await marks.holds_data()):
            raise ConfigurationError(
                f"the key file {path} is missing, but there is data that was written with it: restore the file from a backup, "
                "name its directory with REACT_MEM_KEYS, or start empty with another data directory (REACT_MEM_HOME)"
            )
        key = load_master_key(path)
    if known is not None and known != fingerprint(key):
        where = "REACT_MEM_MASTER_KEY" if given else f"the key in {path}"
        raise ConfigurationError(
            f"{where} is not the master key that this data was written with: restore the right one from a backup, or name its "
            "directory with REACT_MEM_KEYS"
        )
    return key


async def mark_master_key(marks: GraphMarks, keyring: KeyRing, key: bytes, scope: Scope | None) -> None:
    """Store the fingerprint of the key.  ``scope``: one that has a key.

    Raises: ConfigurationError (older data, written with another key).
    """
    if await marks.master_key() is not None:
        return
    if scope is not None:
        with suppress(ScopeErased):  # the sealed text is empty; only whether the scope's key can be read matters
            await keyring.open(scope, "")
    await marks.set_master_key(fingerprint(key))


async def match_vectors(
    marks: GraphMarks, stored: Sequence[StoredIndex], *, where: str, has_points: Callable[[], Awaitable[bool]]
) -> str:
    """The generation id of graph and vectors.  ``where``: of the vectors, for errors.

    Raises: ConfigurationError (the graph is empty beside vectors, or they belong to other data).
    """
    generation = await marks.generation()
    of_vectors = sorted({index.generation for index in stored} - {""})
    if not generation and not await marks.holds_data() and await has_points():
        raise ConfigurationError(
            f"the graph is empty, but the vectors at {where} hold memories: restore the graph from a backup, or move the "
            "vectors away to start empty"
        )
    if not generation:
        generation = await marks.set_generation(of_vectors[-1] if of_vectors else "")
    if others := [each for each in of_vectors if each != generation]:
        raise ConfigurationError(
            f"the vectors at {where} belong to other data ({others[0]}) than the graph ({generation}): put the right ones "
            "in place, or move these away, and they are created again from the graph"
        )
    return generation


class OpeningCount:
    """How often an embedded stack has opened the stores, counted in the graph and beside the vectors.

    Different counts say that one of them was replaced by a copy of another time.  They stay different until the stores were
    compared and repaired, so that a process that dies before that leaves the doubt to the next one.
    """

    def __init__(self, marks: GraphMarks, vectors: Path) -> None:
        self._marks, self._file = marks, vectors / "opened"
        self.in_step = True

    async def begin(self) -> None:
        """Compare the counts, and count this opening if they are equal."""
        of_graph, of_vectors = await self._marks.count_openings(), self._read()
        self.in_step = of_graph == of_vectors
        if self.in_step:
            await self._write(of_graph + 1)
        else:
            older = "graph" if of_graph < of_vectors else "vector index"
            logger.warning("the %s is older than the other store: all scopes are compared and repaired", older)

    async def agree(self) -> None:
        """The stores were compared and repaired: make the counts equal."""
        if not self.in_step:
            await self._write(max(await self._marks.count_openings(), self._read()) + 1)
            self.in_step = True

    def _read(self) -> int:
        try:
            return int(self._file.read_text("ascii"))
        except (OSError, ValueError):
            return 0  # no vectors yet, or none any more

    async def _write(self, number: int) -> None:
        await self._marks.set_opened(number)
        draft = self._file.with_suffix(".new")
        draft.write_text(f"{number}\n", "ascii")
        draft.replace(self._file)
