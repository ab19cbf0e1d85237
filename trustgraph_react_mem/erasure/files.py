"""Rewrite the files of the engines after erasures, and note it in the receipts.

- One rewrite serves all erasures that were reported before it began.  It starts ``SETTLE_S`` seconds after the last one, and
  rests at least ``REST`` times as long as the processor worked for the last one, so that a large store is not rewritten all
  the time.
- What is to be rewritten is noted in a file until it was done.  After a crash or a stop, the next start continues.
- The file holds ids of jobs, no text.
"""

import asyncio
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from ..directories import replace_private_file
from ..errors import MemoryServiceError
from ..memory.json_object import read_json_object
from ..memory.ports import Clock, Job, JobStore, JsonValue, Rewritable
from ..memory.scope import Scope
from .receipt import FILES

logger = logging.getLogger(__name__)

SETTLE_S = 5.0
REST = 10.0
FAILED_S = 300.0  # pause after a rewrite that failed
NOTES_FILE = "erasures.json"
PENDING: JsonValue = {"state": "pending"}


@dataclass(frozen=True, slots=True)
class _Erasure:
    job_id: str
    scope: str = ""  # key of the job's scope


class FileRewriter:
    """``ErasedFiles`` of one process.

    ``directory``: of the embedded engines; None if all engines are servers.  ``engines``: by name, for the progress.
    """

    def __init__(self, engines: Mapping[str, Rewritable], job_store: JobStore, clock: Clock, *, directory: Path | None) -> None:
        self._engines, self._job_store, self._clock = dict(engines), job_store, clock
        self._file = directory / NOTES_FILE if directory is not None else None
        self._erasures = {one.job_id: one for one in _load(self._file)}
        self._changed = asyncio.Event()
        self._rest_until = 0.0
        self.progress = ""

    @property
    def notes(self) -> Sequence[str]:
        return tuple(dict.fromkeys(each.remains for each in self._engines.values() if each.remains))

    async def report(self, job: Job) -> JsonValue:
        self._erasures[job.id] = _Erasure(job.id, job.scope.key)
        await self._save(sync=False)  # ``run`` synchronises it at once: the receipt need not wait for the disk
        self._changed.set()
        return PENDING

    async def request(self) -> None:
        """Have the files rewritten although no erasure was reported, such as after a migration."""
        self._erasures[""] = _Erasure("")
        await self._save()
        self._changed.set()

    async def run(self) -> None:
        """Rewrite when it is due, until cancelled."""
        while True:
            while not self._erasures:
                self._changed.clear()
                await self._changed.wait()
            self._changed.clear()
            await self._save()
            await asyncio.sleep(max(SETTLE_S, self._rest_until - time.monotonic()))
            if self._changed.is_set():  # more erasures came: wait until they have settled, too
                continue
            try:
                await self.rewrite_all()
            except (MemoryServiceError, OSError) as error:
                logger.error("rewriting the files after an erasure failed, will retry in %.0f s: %s", FAILED_S, error)
                self._rest_until = time.monotonic() + FAILED_S
            finally:
                self.progress = ""

    async def rewrite_all(self) -> None:
        """Rewrite now, if an erasure was reported.  Raises: MemoryServiceError, OSError (the old files stay in use)."""
        served = list(self._erasures.values())
        if not served:
            return
        began, worked = time.monotonic(), time.process_time()
        for number, (name, engine) in enumerate(self._engines.items(), 1):
            self.progress = f"rewriting {name} ({number} of {len(self._engines)})"
            logger.info("erasure: %s", self.progress)
            await engine.rewrite()
        for one in served:
            await self._update_receipt(one)
            self._erasures.pop(one.job_id, None)
        await self._save()
        took_s, worked_s = time.monotonic() - began, time.process_time() - worked
        self._rest_until = time.monotonic() + REST * worked_s
        logger.info("erasure: rewrote the files for %d erasures in %.1f s (%.1f s of work)", len(served), took_s, worked_s)

    async def _update_receipt(self, erasure: _Erasure) -> None:
        if not erasure.scope:
            return
        for entry in await self._job_store.get([(Scope.from_key(erasure.scope), erasure.job_id)]):
            if entry.state != "done" or not entry.summary.startswith("{"):
                continue
            receipt = read_json_object(entry.summary, "the receipt")
            receipt[FILES] = {"state": "rewritten", "at": self._clock.now().isoformat(timespec="seconds")}
            await self._job_store.save([replace(entry, summary=json.dumps(receipt, sort_keys=True))])

    async def _save(self, *, sync: bool = True) -> None:
        if self._file is not None:
            await asyncio.to_thread(_write, self._file, [asdict(one) for one in self._erasures.values()], sync=sync)


def _load(file: Path | None) -> list[_Erasure]:
    try:
        noted = json.loads(file.read_text("utf-8")) if file is not None else []
        return [_Erasure(one["job_id"], one["scope"]) for one in noted]
    except FileNotFoundError:
        return []
    except (ValueError, TypeError, KeyError) as error:
        # The files are rewritten nevertheless, only the receipts cannot be completed.
        logger.error("reading %s failed, the files are rewritten without updating receipts: %s", file, error)
        return [_Erasure("")]


def _write(file: Path, erasures: Sequence[Mapping[str, object]], *, sync: bool) -> None:
    if not erasures:
        file.unlink(missing_ok=True)
        return
    replace_private_file(file, json.dumps(erasures), sync=sync)
