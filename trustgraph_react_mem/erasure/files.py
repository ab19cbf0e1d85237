"""Rewrite the files of the engines after erasures, and write into the receipts what was left in them.

- One rewrite serves all erasures that were reported before it began.  It starts ``SETTLE_S`` seconds after the last one, and
  rests at least ``REST`` times as long as the processor worked for the last one, so that a large store is not rewritten all
  the time.
- What is to be rewritten is noted in a file until it was done.  After a crash or a stop, the next start continues.
- The file holds ids of jobs and keyed hashes, no text.
"""

import asyncio
import json
import logging
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from ..directories import replace_private_file
from ..errors import MemoryServiceError
from ..memory.json_object import read_json_object
from ..memory.ports import Clock, Job, JobStore, JsonValue, Rewritable
from ..memory.scope import Scope
from .marks import Marks
from .receipt import FILES

logger = logging.getLogger(__name__)

SETTLE_S = 5.0
REST = 10.0
FAILED_S = 300.0  # pause after a rewrite that failed
NOTES_FILE = "erasures.json"
PENDING: JsonValue = {"state": "pending"}


@dataclass(slots=True)
class _Erasure:
    """``marks``: of the erased words.  ``before``: how often the files contained them; -1 = not counted yet."""

    job_id: str
    scope: str = ""  # key of the job's scope
    marks: list[int] = field(default_factory=list)
    reported: bool = False
    before: int = -1


class FileRewriter:
    """``ErasedFiles`` of one process.

    ``directory``: of the embedded engines, whose files are counted; None if all engines are servers.
    ``engines``: by name, for the progress.
    """

    def __init__(
        self,
        engines: Mapping[str, Rewritable],
        job_store: JobStore,
        clock: Clock,
        *,
        directory: Path | None,
        key: bytes,
    ) -> None:
        self._engines, self._job_store, self._clock = dict(engines), job_store, clock
        self._directory, self._marks = directory, Marks(key)
        self._file = directory / NOTES_FILE if directory is not None else None
        self._erasures = {one.job_id: one for one in _load(self._file)}
        self._changed = asyncio.Event()
        self._rest_until = 0.0
        self.progress = ""

    @property
    def notes(self) -> Sequence[str]:
        return tuple(dict.fromkeys(limit for each in self._engines.values() if (limit := _limit(each))))

    async def expect(self, job: Job, texts: Sequence[str]) -> None:
        if job.id not in self._erasures:
            marks = self._marks.of(texts) if self._directory is not None else []
            self._erasures[job.id] = _Erasure(job.id, job.scope.key, marks)
            await self._save(sync=False)  # after a power failure without it, the words are not counted; nothing else is lost

    async def report(self, job: Job) -> JsonValue:
        self._erasures.setdefault(job.id, _Erasure(job.id, job.scope.key)).reported = True
        await self._save(sync=False)  # ``run`` synchronises it at once: the receipt need not wait for the disk
        self._changed.set()
        return PENDING

    async def request(self) -> None:
        """Have the files rewritten although no erasure was reported, such as after a migration."""
        self._erasures.setdefault("", _Erasure("")).reported = True
        await self._save()
        self._changed.set()

    async def run(self) -> None:
        """Rewrite when it is due, until cancelled."""
        while True:
            while not any(one.reported for one in self._erasures.values()):
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
        served = [one for one in self._erasures.values() if one.reported]
        if not served:
            return
        began, worked = time.monotonic(), time.process_time()
        counts = await self._count([one for one in served if one.before < 0])
        for one in served:
            one.before = sum(counts.get(mark, 0) for mark in one.marks) if one.before < 0 else one.before
        await self._save()  # the counts cannot be taken again once the files are rewritten
        for number, (name, engine) in enumerate(self._engines.items(), 1):
            self.progress = f"rewriting {name} ({number} of {len(self._engines)})"
            logger.info("erasure: %s", self.progress)
            await _rewrite(engine)
        counts = await self._count(served)
        for one in served:
            await self._update_receipt(one, sum(counts.get(mark, 0) for mark in one.marks))
            self._erasures.pop(one.job_id, None)
        await self._save()
        took_s, worked_s = time.monotonic() - began, time.process_time() - worked
        self._rest_until = time.monotonic() + REST * worked_s
        logger.info("erasure: rewrote the files for %d erasures in %.1f s (%.1f s of work)", len(served), took_s, worked_s)

    async def _count(self, erasures: Sequence[_Erasure]) -> dict[int, int]:
        marks = sorted({mark for one in erasures for mark in one.marks})
        if self._directory is None or not marks:
            return {}
        self.progress = "counting erased words in the files"
        return await asyncio.to_thread(self._marks.count, self._directory, marks)

    async def _update_receipt(self, erasure: _Erasure, after: int) -> None:
        if not erasure.scope:
            return
        for entry in await self._job_store.get([(Scope.from_key(erasure.scope), erasure.job_id)]):
            if entry.state != "done" or not entry.summary.startswith("{"):
                continue
            receipt = read_json_object(entry.summary, "the receipt")
            at = self._clock.now().isoformat(timespec="seconds")
            counted: dict[str, JsonValue] = {"before": erasure.before, "after": after} if erasure.marks else {}
            receipt[FILES] = {"state": "rewritten", "at": at, **counted}
            await self._job_store.save([replace(entry, summary=json.dumps(receipt, sort_keys=True))])

    async def _save(self, *, sync: bool = True) -> None:
        if self._file is not None:
            await asyncio.to_thread(_write, self._file, [asdict(one) for one in self._erasures.values()], sync=sync)


def _limit(engine: Rewritable) -> str:
    return engine.remains


async def _rewrite(engine: Rewritable) -> None:
    await engine.rewrite()


def _load(file: Path | None) -> list[_Erasure]:
    try:
        return [_Erasure(**one) for one in json.loads(file.read_text("utf-8"))] if file is not None else []
    except FileNotFoundError:
        return []
    except (ValueError, TypeError) as error:
        # The files are rewritten nevertheless, only the receipts cannot be completed.
        logger.error("reading %s failed, the files are rewritten without updating receipts: %s", file, error)
        return [_Erasure("", reported=True)]


def _write(file: Path, erasures: Sequence[Mapping[str, object]], *, sync: bool) -> None:
    if not erasures:
        file.unlink(missing_ok=True)
        return
    replace_private_file(file, json.dumps(erasures), sync=sync)
