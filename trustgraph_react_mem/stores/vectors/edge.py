"""The embedded vector engine: one Qdrant shard in this process, in a separate directory.

The binding holds the GIL during a call, so running calls in threads would not help.  Calls run on the event loop and are kept
short instead: a query takes 0.1 to 0.3 ms for a scope of hundreds of records, and about 0.1 microseconds per record for
larger ones.  Writes are split into slices of ``SLICE`` points (about 5 ms), and yield to the event loop in between.  Every
update is in the write-ahead log before the call returns.
"""

import asyncio
import json
import shutil
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import qdrant_edge as edge

from ...directories import replace_private_file
from ...disk import DiskSpace
from ...errors import ConfigurationError, EngineUnavailable
from ...memory.embedding import EmbeddingProfile
from ...telemetry.tracing import traced_store
from ..data_faults import DATA_FAULTS, unstorable
from .point_index import WHAT, PointIndex
from .points import (
    DENSE,
    INDEXED,
    SERVER_DEFAULTS,
    SPARSE,
    EngineOptions,
    StoredIndex,
    check_profile,
    is_named,
    profile_entry,
    read_entries,
)

DROPPED = ".dropped"  # suffix of a folder that is being deleted
SLICE = 100  # points in one update
SHARD, REWRITTEN, REPLACED = "shard", "shard.rewritten", "shard.replaced"
FLUSH_EVERY = 5000  # points: a flush writes what was added since the last one, on the event loop


class EdgeIndex(PointIndex):
    """Open with ``await EdgeIndex.open(directory, profile, name="facts")``."""

    remains = ""
    kit: ClassVar[Any] = edge
    point = edge.Point
    number = np.float16  # the write-ahead log takes three bytes for a number that has 16 bits, and five for one of 32
    slice = SLICE

    def __init__(self, shard: Any, directory: Path, profile: EmbeddingProfile, disk: DiskSpace | None = None) -> None:
        self.profile = profile
        self._disk = disk
        self._shard: Any = shard
        self._copy: Any = None  # while the shard is being rewritten: gets every update, too
        self._directory = directory

    @classmethod
    async def open(
        cls, where: Path | str, profile: EmbeddingProfile, *, name: str = "facts", options: EngineOptions = SERVER_DEFAULTS
    ) -> "EdgeIndex":
        directory = Path(where) / name
        _prepare_directory(directory, profile, options.generation)
        return cls(await asyncio.to_thread(_open_shard, directory, profile), directory, profile, options.disk)

    @staticmethod
    async def list_indexes(
        where: Path | str, *, name: str = "facts", options: EngineOptions = SERVER_DEFAULTS
    ) -> list[StoredIndex]:
        return read_entries(await asyncio.to_thread(_entries, Path(where), name))

    @traced_store("qdrant-edge", "upsert")
    async def _put(self, points: list[Any]) -> None:
        self._update(edge.UpdateOperation.upsert_points(points))

    @traced_store("qdrant-edge", "delete")
    async def _remove(self, keys: list[Any]) -> None:
        self._update(edge.UpdateOperation.delete_points(keys))

    @traced_store("qdrant-edge", "delete")
    async def _remove_where(self, where: Any) -> None:
        self._update(edge.UpdateOperation.delete_points_by_filter(where))

    @traced_store("qdrant-edge", "fetch")
    async def _retrieve(self, keys: list[str], with_vectors: bool) -> Sequence[Any]:
        found: Sequence[Any] = self._call("retrieve", keys, True, with_vectors)
        return found

    async def _scroll(self, where: Any, offset: Any, limit: int, with_vectors: bool) -> tuple[Sequence[Any], Any]:
        request = edge.ScrollRequest(offset=offset, limit=limit, filter=where, with_payload=True, with_vector=with_vectors)
        found: tuple[Sequence[Any], Any] = self._call("scroll", request)
        return found

    async def _count(self, where: Any) -> int:
        return int(self._call("count", edge.CountRequest(filter=where)))

    @traced_store("qdrant-edge", "search")
    async def _query(self, name: str, query: Any, limit: int, where: Any, corpus: Any) -> Sequence[Any]:
        params = edge.SearchParams(idf=edge.IdfParams(corpus=corpus)) if corpus is not None else None
        nearest = edge.Query.Nearest(query, using=name)
        request = edge.QueryRequest(limit=limit, query=nearest, filter=where, with_payload=True, params=params)
        found: Sequence[Any] = self._call("query", request)
        return found

    async def _facet(self, field: str, limit: int) -> Sequence[Any]:
        hits: Sequence[Any] = self._call("facet", edge.FacetRequest(field, limit=limit, exact=True)).hits
        return hits

    async def maintain(self) -> None:
        """Flush the write-ahead log to the segments, so that the next start is fast.  Why nothing more: docs/adr/0004."""
        self._check_room("flushing")
        self._call("flush")

    async def rewrite(self) -> None:
        """Copy all points into a new shard, which then replaces the old one.  Deleted points are not in it.

        Slices of points are copied in between other work.  An update during the copy is applied to both shards.  The
        directories are exchanged by renaming; a crash leaves the old shard or the new one (``_finish_exchange``).
        """
        if self._shard is None:
            return
        self._check_room("rewriting")
        draft = self._directory / REWRITTEN
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir()
        try:
            await asyncio.to_thread(_create_shard, draft, self.profile)
            self._copy = edge.EdgeShard.load(str(draft))
            await self._copy_points()
            self._exchange(draft)
        finally:
            if self._copy is not None:
                self._copy.close()
                self._copy = None
            shutil.rmtree(draft, ignore_errors=True)

    async def _copy_points(self) -> None:
        offset: Any = None
        copied = 0
        while True:
            began = time.perf_counter()
            request = edge.ScrollRequest(offset=offset, limit=SLICE, with_payload=True, with_vector=True)
            records, offset = self._call("scroll", request)  # no await until they are in the copy
            points = [edge.Point(record.id, record.vector, record.payload) for record in records]
            self._check_room("rewriting")
            self._update_copy(edge.UpdateOperation.upsert_points(points))
            copied += len(points)
            if offset is None:
                return
            if copied % FLUSH_EVERY == 0:
                self._copy.flush()
            await asyncio.sleep(time.perf_counter() - began)  # half of the time is left to others

    def _exchange(self, draft: Path) -> None:
        counts = [int(shard.count(edge.CountRequest())) for shard in (self._shard, self._copy)]
        if counts[0] != counts[1]:
            raise EngineUnavailable(f"rewriting the vector index failed: {counts[1]} of {counts[0]} points were copied")
        self._copy.flush()
        self._copy.close()
        self._copy = None
        self._shard.close()
        shard, old = self._directory / SHARD, self._directory / REPLACED
        try:
            shard.rename(old)
            draft.rename(shard)
            shutil.rmtree(old)
        finally:
            _finish_exchange(self._directory)
            self._shard = edge.EdgeShard.load(str(shard))

    async def close(self) -> None:
        if self._shard is not None:
            shard, self._shard = self._shard, None
            await asyncio.to_thread(shard.close)

    async def drop(self) -> None:
        await self.close()
        await asyncio.to_thread(_delete_directory, self._directory)

    def _update(self, operation: Any) -> None:
        self._check_room("writing to")
        self._call("update", operation)
        if self._copy is not None:
            self._update_copy(operation)

    def _check_room(self, work: str) -> None:
        """A shard writes to mapped files: on a full disk that would end this process with SIGBUS.  Raises: DiskFull."""
        if self._disk is not None:
            self._disk.check(f"{work} the vector index")

    def _update_copy(self, operation: Any) -> None:
        try:
            self._copy.update(operation)
        except Exception as error:  # the binding raises nothing more precise
            raise EngineUnavailable("the vector engine failed in update of the new shard") from error

    def _call(self, method: str, *arguments: Any) -> Any:
        if self._shard is None:
            raise EngineUnavailable("the vector index is closed")
        try:
            return getattr(self._shard, method)(*arguments)
        except DATA_FAULTS as error:
            raise unstorable(WHAT) from error
        except Exception as error:  # the binding raises nothing more precise
            raise EngineUnavailable(f"the vector engine failed in {method}") from error


def _prepare_directory(directory: Path, profile: EmbeddingProfile, generation: str) -> None:
    """Create the folder, or check that it belongs to this model.  Also complete interrupted deletions."""
    for leftover in directory.parent.glob(f"*{DROPPED}"):
        shutil.rmtree(leftover, ignore_errors=True)
    directory.mkdir(parents=True, exist_ok=True)
    file = directory / "profile.json"
    if file.exists():
        entry = json.loads(file.read_text("utf-8"))
        check_profile(f"the vector index at {directory}", entry, profile)
        if generation and not entry.get("generation"):
            replace_private_file(file, json.dumps(entry | {"generation": generation}))
        return
    replace_private_file(file, json.dumps(profile_entry(profile, generation)))


def _delete_directory(directory: Path) -> None:
    """Delete an index.  The folder is renamed first, so that a half-deleted index is never opened."""
    leftover = directory.with_name(directory.name + DROPPED)
    shutil.rmtree(leftover, ignore_errors=True)
    if directory.exists():
        directory.rename(leftover)
        shutil.rmtree(leftover)


def _open_shard(directory: Path, profile: EmbeddingProfile) -> Any:
    shard = directory / SHARD
    try:
        _finish_exchange(directory)
        if not shard.exists():
            draft = directory / "shard.new"
            shutil.rmtree(draft, ignore_errors=True)  # left by an interrupted start
            draft.mkdir()
            _create_shard(draft, profile)
            draft.rename(shard)
        return edge.EdgeShard.load(str(shard))
    except Exception as error:  # the binding raises nothing more precise
        if "WouldBlock" in str(error):
            raise ConfigurationError(
                f"the vector index at {directory} is open in another process: stop that one, use another data directory, or "
                "let the processes share a Qdrant (REACT_MEM_VECTOR_URL)"
            ) from error
        raise ConfigurationError(
            f"the vector index at {directory} cannot be opened ({error}): restore it, or remove it and re-embed"
        ) from error


def _finish_exchange(directory: Path) -> None:
    """After an interruption of ``_exchange``: the shard that was there, or the new one if it is in place."""
    shard, old = directory / SHARD, directory / REPLACED
    if old.exists() and not shard.exists():
        old.rename(shard)
    shutil.rmtree(old, ignore_errors=True)
    shutil.rmtree(directory / REWRITTEN, ignore_errors=True)


def _create_shard(path: Path, profile: EmbeddingProfile) -> None:
    half = edge.VectorStorageDatatype.Float16
    dense = {name: edge.EdgeVectorParams(profile.dimension, edge.Distance.Cosine, datatype=half) for name in DENSE}
    sparse = {name: edge.EdgeSparseVectorParams(modifier=edge.Modifier.Idf) for name in SPARSE}
    shard = edge.EdgeShard.create(str(path), edge.EdgeConfig(vectors=dense, sparse_vectors=sparse))
    for field in INDEXED:
        shard.update(edge.UpdateOperation.create_field_index(field, edge.PayloadSchemaType.Keyword))
    shard.flush()
    shard.close()


def _entries(path: Path, name: str) -> dict[str, Any]:
    files = {file.parent.name: file for file in path.glob(f"{name}*/profile.json") if file.parent.suffix != DROPPED}
    return {folder: json.loads(file.read_text("utf-8")) for folder, file in files.items() if is_named(folder, name)}
