"""The folder of downloaded models.

A model is complete when its manifest exists.  The manifest is written last, after the SHA-256 of every file was checked, and
files are moved into place atomically.  Two processes that need the same model download it once.  The manifest has the time of
each file; if a file has another time when it is loaded, its SHA-256 is checked again.
"""

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from ..errors import ModelUnavailable
from .catalogue import ModelEntry
from .sources import Fetcher, Report, SourceFailed, sha256_of, silent

logger = logging.getLogger(__name__)

MANIFEST = "manifest.json"
LOCK_POLL_S = 0.2


def models_folder(env: Mapping[str, str] = os.environ) -> Path:
    """``$REACT_MEM_MODELS``, else ``react-mem/models`` in the user's cache."""
    named = env.get("REACT_MEM_MODELS", "")
    return Path(named).expanduser() if named else user_cache_path("react-mem") / "models"


class ModelStore:
    def __init__(self, root: Path) -> None:
        self.root = root
        self._fetcher = Fetcher()

    def source_of(self, entry: ModelEntry) -> str:
        """Where a model was downloaded from; "" if it is missing, incomplete or changed.  Reads files with a new time."""
        folder = self.root / entry.name
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            sizes = {file.name: (folder / file.name).stat().st_size for file in entry.files}
            expected = {file.name: file.sha256 for file in entry.files}
            if manifest.get("files") != expected or any(sizes[file.name] != file.bytes for file in entry.files):
                return ""
            times = _times(folder, entry)
            if manifest.get("times") != times:
                if any(sha256_of(folder / name) != sha256 for name, sha256 in expected.items()):
                    logger.warning(
                        "model %s in %s failed its check: a file was changed, it is downloaded again", entry.name, folder
                    )
                    return ""
                with contextlib.suppress(OSError):  # in a read-only folder it is checked each time
                    _write_manifest(folder, {**manifest, "times": times})
            return str(manifest.get("source", ""))
        except (OSError, ValueError, AttributeError):
            return ""

    async def ensure(self, entry: ModelEntry, report: Report = silent) -> Path:
        """The folder with the model's files.  Missing files are downloaded.

        Raises:
            ModelUnavailable: every source failed; the message gives each reason and the remedy.
        """
        folder = self.root / entry.name
        if await asyncio.to_thread(self.source_of, entry):
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        async with self._locked(entry, report):
            if await asyncio.to_thread(self.source_of, entry):  # another process downloaded it meanwhile
                return folder
            await self._fetch(entry, folder, report)
        return folder

    async def _fetch(self, entry: ModelEntry, folder: Path, report: Report) -> None:
        free = shutil.disk_usage(folder).free
        if free < entry.bytes * 1.2:
            raise ModelUnavailable(
                f"{entry.name} needs {entry.bytes / 1e6:.0f} MB and {self.root} has {free / 1e6:.0f} MB free: "
                "free some space, or set REACT_MEM_MODELS to another folder"
            )

        reasons = []
        for source in entry.sources:
            # One folder per source: a partial download must not be resumed from another source, whose bytes may differ.
            part = folder / f"partial-{type(source).__name__.removesuffix('Source').lower()}"
            part.mkdir(exist_ok=True)
            report(f"Downloading {entry.name} from {source.title}")
            try:
                await self._fetcher.fetch(source, entry, part, report)
                await asyncio.to_thread(self._settle, entry, part, folder, source.title)
            except (SourceFailed, OSError) as error:
                logger.info("failed to download model %s from %s: %s", entry.name, source.title, error)
                report(f"{source.title}: {error}")
                reasons.append(f"{source.title}: {error}")
            else:
                report(f"{entry.name}: downloaded from {source.title}, SHA-256 verified")
                return
        raise ModelUnavailable(
            f"failed to download {entry.name} ({'; '.join(reasons)}): check the network and run `react-mem doctor`, "
            f"or copy its files ({', '.join(file.name for file in entry.files)}) to {folder / 'partial-https'} "
            "with the suffix .part, or choose another model"
        )

    @staticmethod
    def _settle(entry: ModelEntry, partial: Path, folder: Path, title: str) -> None:
        for file in entry.files:
            part = partial / f"{file.name}.part"
            found = sha256_of(part)
            if found != file.sha256:
                part.unlink()
                raise SourceFailed(
                    f"{file.name} has SHA-256 {found[:12]}…, the catalogue lists {file.sha256[:12]}…: file deleted"
                )
        for file in entry.files:
            os.replace(partial / f"{file.name}.part", folder / file.name)
        files = {file.name: file.sha256 for file in entry.files}
        _write_manifest(folder, {"source": title, "licence": entry.licence, "files": files, "times": _times(folder, entry)})
        for left in folder.glob("partial-*"):
            shutil.rmtree(left, ignore_errors=True)

    @asynccontextmanager
    async def _locked(self, entry: ModelEntry, report: Report) -> AsyncIterator[None]:
        """One process at a time.  The kernel releases the lock of a process that dies."""
        with (self.root / f".{entry.name}.lock").open("w") as lock:
            reported = False
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if not reported:
                        report(f"Another process is downloading {entry.name}: waiting")
                        reported = True
                    await asyncio.sleep(LOCK_POLL_S)
            yield


def _times(folder: Path, entry: ModelEntry) -> dict[str, int]:
    return {file.name: (folder / file.name).stat().st_mtime_ns for file in entry.files}


def _write_manifest(folder: Path, manifest: Mapping[str, Any]) -> None:
    draft = folder / f"{MANIFEST}.draft"
    draft.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
    os.replace(draft, folder / MANIFEST)
