"""The folder of fetched models.

A model is there when its manifest is; the manifest is written last, after every file's SHA-256 was checked, and each file
is moved into place whole.  So whoever finds a manifest finds a verified model, whatever was interrupted, and two processes
that fetch the same model at once do it once.
"""

import asyncio
import fcntl
import json
import logging
import os
import shutil
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from platformdirs import user_cache_path

from ..errors import ModelUnavailable
from .catalogue import ModelEntry
from .progress import DownloadProgress, Report, silent
from .sources import Fetcher, SourceFailed, sha256_of

logger = logging.getLogger(__name__)

MANIFEST = "manifest.json"
LOCK_POLL_S = 0.2


def models_folder(env: Mapping[str, str] = os.environ) -> Path:
    """``$REACT_MEM_MODELS``, else ``react-mem/models`` in the user's cache."""
    named = env.get("REACT_MEM_MODELS", "")
    return Path(named).expanduser() if named else user_cache_path("react-mem") / "models"


class ModelStore:
    def __init__(self, root: Path, *, fetcher: Fetcher | None = None) -> None:
        self.root = root
        self._fetcher = fetcher or Fetcher()

    def folder(self, entry: ModelEntry) -> Path:
        return self.root / entry.name

    def manifest(self, entry: ModelEntry) -> Mapping[str, str] | None:
        """What is known of a fetched model (``source``), or None when it is not there whole."""
        folder = self.folder(entry)
        try:
            manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
            sizes = {file.name: (folder / file.name).stat().st_size for file in entry.files}
        except (OSError, ValueError):
            return None
        expected = {file.name: file.sha256 for file in entry.files}
        whole = manifest.get("files") == expected and all(sizes[file.name] == file.bytes for file in entry.files)
        return {"source": str(manifest.get("source", ""))} if whole else None

    def verify(self, entry: ModelEntry) -> list[str]:
        """Names of files whose bytes are no longer those of the catalogue.  Reads all of them."""
        folder = self.folder(entry)
        return [
            file.name
            for file in entry.files
            if not (folder / file.name).exists() or sha256_of(folder / file.name) != file.sha256
        ]

    async def ensure(self, entry: ModelEntry, report: Report = silent) -> Path:
        """The folder with the model's files, fetched first when they are not there.

        Raises:
            ModelUnavailable: no source gave it; the message names each with its reason, and the remedy.
        """
        folder = self.folder(entry)
        if self.manifest(entry):
            return folder
        folder.mkdir(parents=True, exist_ok=True)
        async with self._locked(entry, report):
            if self.manifest(entry):  # another process fetched it while we waited
                return folder
            await self._fetch(entry, folder, report)
        return folder

    async def _fetch(self, entry: ModelEntry, folder: Path, report: Report) -> None:
        free = shutil.disk_usage(folder).free
        if free < entry.bytes * 1.2:
            raise ModelUnavailable(
                f"{entry.name} takes {entry.bytes / 1e6:.0f} MB and {self.root} has {free / 1e6:.0f} MB free: "
                "make room, or set REACT_MEM_MODELS to another folder"
            )
        reasons = []
        for source in entry.sources:
            # Per source: what one source left half done must not be continued from another, whose bytes may differ.
            partial = folder / f"partial-{type(source).__name__.removesuffix('Source').lower()}"
            partial.mkdir(exist_ok=True)
            report(DownloadProgress(model=entry.name, source=source.title, note=f"Fetching {entry.name} from {source.title}"))
            try:
                await self._fetcher.fetch(source, entry, partial, report)
                await asyncio.to_thread(self._settle, entry, partial, folder, source.title)
            except (SourceFailed, OSError) as error:
                logger.info("A source did not give the model", extra={"model": entry.name, "source": source.title})
                report(DownloadProgress(model=entry.name, source=source.title, note=f"{source.title}: {error}"))
                reasons.append(f"{source.title}: {error}")
                continue
            report(
                DownloadProgress(
                    model=entry.name, source=source.title, note=f"{entry.name}: fetched from {source.title}, SHA-256 verified"
                )
            )
            return
        raise ModelUnavailable(
            f"{entry.name} could not be fetched ({'; '.join(reasons)}): connect to the network and run `react-mem doctor`, "
            f"or put its files ({', '.join(file.name for file in entry.files)}) into {folder / 'partial-https'} "
            "with .part behind their names, or choose another model"
        )

    @staticmethod
    def _settle(entry: ModelEntry, partial: Path, folder: Path, title: str) -> None:
        for file in entry.files:
            part = partial / f"{file.name}.part"
            found = sha256_of(part)
            if found != file.sha256:
                part.unlink()
                raise SourceFailed(
                    f"{file.name} has SHA-256 {found[:12]}…, the catalogue names {file.sha256[:12]}…: thrown away"
                )
        for file in entry.files:
            os.replace(partial / f"{file.name}.part", folder / file.name)
        manifest = {"source": title, "licence": entry.licence, "files": {file.name: file.sha256 for file in entry.files}}
        draft = folder / f"{MANIFEST}.draft"
        draft.write_text(json.dumps(manifest, indent=1), encoding="utf-8")
        os.replace(draft, folder / MANIFEST)
        for left in folder.glob("partial-*"):
            shutil.rmtree(left, ignore_errors=True)

    @asynccontextmanager
    async def _locked(self, entry: ModelEntry, report: Report) -> AsyncIterator[None]:
        """One process at a time.  The kernel frees the lock of a process that dies."""
        with (self.root / f".{entry.name}.lock").open("w") as lock:
            told = False
            while True:
                try:
                    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    break
                except BlockingIOError:
                    if not told:
                        report(
                            DownloadProgress(model=entry.name, note=f"Another process is fetching {entry.name}: waiting for it")
                        )
                        told = True
                    await asyncio.sleep(LOCK_POLL_S)
            yield
