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
from dataclasses import replace
from pathlib import Path

from ..directories import replace_private_file
from ..errors import MemoryServiceError
from ..memory.json_object import read_json_object
from ..memory.ports import Clock, Job, JobStore, JsonValue, Rewritable
from ..memory.scope import Scope

logger = logging.getLogger(__name__)

SETTLE_S = 5.0
REST = 10.0
FAILED_S = 300.0  # pause after a rewrite that failed
NOTES_FILE = "erasures.json"
FILES = "files"  # the line of a receipt about the files of the engines
PENDING: JsonValue = {"state": "pending"}


class FileRewriter:
    """Engines hide deleted text, but leave it in their files.  Rewrites those of one process some time after an erasure.

    ``directory``: of the embedded engines; None if all engines are servers.  ``engines``: by name, for the progress.
    """

    def __init__(self, engines: Mapping[str, Rewritable], job_store: JobStore, clock: Clock, *, directory: Path | None) -> None:
        self._engines, self._job_store, self._clock = dict(engines), job_store, clock
        self._file = directory / NOTES_FILE if directory is not None else None
        self._erasures = _load(self._file)  # id of the job -> key of its scope
        self._changed = asyncio.Event()
        self._rest_until = 0.0
        self.progress = ""  # what is being rewritten, for people; "" if nothing is

    @property
    def notes(self) -> Sequence[str]:
        """What cannot be removed from the files by force, as sentences for receipts."""
        return tuple(dict.fromkeys(each.remains for each in self._engines.values() if each.remains))

    async def report(self, job: Job) -> JsonValue:
        """The erasure has removed its records.  Returns the line of its receipt for the files, which is updated later."""
        self._erasures[job.id] = job.scope.key
        await self._save(sync=False)  # ``run`` synchronises it at once: the receipt need not wait for the disk
        self._changed.set()
        return PENDING

    async def request(self) -> None:
        """Have the files rewritten although no erasure was reported, such as after a migration."""
        self._erasures[""] = ""
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
        served = dict(self._erasures)
        if not served:
            return
        began, worked = time.monotonic(), time.process_time()
        for number, (name, engine) in enumerate(self._engines.items(), 1):
            self.progress = f"rewriting {name} ({number} of {len(self._engines)})"
            logger.info("erasure: %s", self.progress)
            await engine.rewrite()
        for job_id, scope in served.items():
            if scope:
                await self._update_receipt(Scope.from_key(scope), job_id)
            self._erasures.pop(job_id, None)
        await self._save()
        took_s, worked_s = time.monotonic() - began, time.process_time() - worked
        self._rest_until = time.monotonic() + REST * worked_s
        logger.info("erasure: rewrote the files for %d erasures in %.1f s (%.1f s of work)", len(served), took_s, worked_s)

    async def _update_receipt(self, scope: Scope, job_id: str) -> None:
        for entry in await self._job_store.get([(scope, job_id)]):
            if entry.state != "done" or not entry.summary.startswith("{"):
                continue
            receipt = read_json_object(entry.summary, "the receipt")
            receipt[FILES] = {"state": "rewritten", "at": self._clock.now().isoformat(timespec="seconds")}
            await self._job_store.save([replace(entry, summary=json.dumps(receipt, sort_keys=True))])

    async def _save(self, *, sync: bool = True) -> None:
        if self._file is not None:
            await asyncio.to_thread(_write, self._file, dict(self._erasures), sync=sync)


def _load(file: Path | None) -> dict[str, str]:
    try:
        noted = json.loads(file.read_text("utf-8")) if file is not None else []
        return {one["job_id"]: one["scope"] for one in noted}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError) as error:
        # The files are rewritten nevertheless, only the receipts cannot be completed.
        logger.error("reading %s failed, the files are rewritten without updating receipts: %s", file, error)
        return {"": ""}


def _write(file: Path, erasures: Mapping[str, str], *, sync: bool) -> None:
    if not erasures:
        file.unlink(missing_ok=True)
        return
    noted = [{"job_id": job_id, "scope": scope} for job_id, scope in erasures.items()]
    replace_private_file(file, json.dumps(noted), sync=sync)
