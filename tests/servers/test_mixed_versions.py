"""Two versions of the processors beside each other on the same topics and stores, forward and back again.

The earlier version is a commit of this repository.  The newer one is this version with one kind of jobs more, so that the
earlier one meets jobs that it does not know.
"""

import asyncio
import contextlib
import shutil
import subprocess
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.crash.people import People
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.requests import ListJobs, SubmitJob

from .conftest import PLAIN
from .deployment import OURS, Addresses, Deployment

pytestmark = [pytest.mark.servers, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
EARLIER = "a5924ee7"
"""The commit of the earlier version: before requests were handed over, lessons and refinement."""
SOURCES = ("trustgraph_react_mem", "schema", "config")  # the package, and the folders that it links

USERS = 3
TURNS = 6
NEW_JOBS = 12
"""Of as many people, so that both workers get some of them."""

PATIENCE_S = 240.0  # bounds a failure
SETTINGS = {**PLAIN, "recall-deadline-ms": 60_000}

HANDLER = '''"""A kind of jobs that earlier versions do not know."""

import os
from pathlib import Path

from ...jobs.delivery import JobOutcome
from ...jobs.registry import job_handler
from ...memory.ports import Job
from ..context import HandlerContext


@job_handler("tomorrow", queue="write", submit="person")
class TomorrowHandler:
    def __init__(self, context: HandlerContext) -> None:
        self._context = context

    async def __call__(self, job: Job) -> JobOutcome:
        with Path(os.environ["REACT_MEM_HOME"], "tomorrow").open("a") as runs:
            runs.write(f"{job.id}\\\\n")
        return JobOutcome()
'''


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """The sources of both."""
    folder = tmp_path_factory.mktemp("versions")
    archive = folder / "earlier.tar"
    made = subprocess.run(
        ["git", "-C", str(ROOT), "archive", f"--output={archive}", EARLIER, *SOURCES],
        capture_output=True,
        text=True,
        check=False,
    )
    if made.returncode:
        pytest.skip(f"the commit {EARLIER} is needed: fetch the repository's history ({made.stderr.strip()})")
    shutil.unpack_archive(archive, folder / "earlier", filter="data")
    shutil.copytree(ROOT / "trustgraph_react_mem", folder / "newer" / "trustgraph_react_mem")
    handlers = folder / "newer" / "trustgraph_react_mem" / "learning" / "handlers"
    (handlers / "tomorrow.py").write_text(HANDLER, "utf-8")
    return {version: folder / version for version in ("earlier", "newer")}


class Mixed:
    """A deployment whose processors are replaced by those of another version."""

    def __init__(self, deployment: Deployment, people: People) -> None:
        self._deployment = deployment
        self._people = people
        self.submitted: list[str] = []

    async def start(self, version: str, replicas: int) -> None:
        """``replicas``: of all versions, with these."""
        self._deployment.start(*(f"{name}.{version}" for name in OURS))
        await asyncio.to_thread(self._deployment.wait_ready, replicas=replicas)

    async def end(self, version: str) -> None:
        """While nobody asks, because the earlier version hands no requests over.  Its worker has jobs, and is killed."""
        self._deployment.kill(f"agent-memory-jobs.{version}")
        self._people.silence()
        await self._people.at_rest()
        self._deployment.stop(*(f"{name}.{version}" for name in OURS))
        await asyncio.to_thread(self._deployment.wait_ready, replicas=1)
        self._people.resume()

    async def answer(self) -> None:
        await self._people.acknowledged(TURNS, PATIENCE_S)

    async def submit(self) -> None:
        """Jobs of the new kind.  The earlier version refuses the request."""
        async with await self._deployment.connect() as bus:
            for _ in range(NEW_JOBS):
                request = SubmitJob(kind="tomorrow", user=f"later{len(self.submitted)}")
                self.submitted.append(await _accepted(bus, request))

    def runs(self) -> Counter[str]:
        """Of jobs of the new kind, by job."""
        runs = self._deployment.store_settings.home / "tomorrow"
        return Counter(runs.read_text("utf-8").split() if runs.exists() else [])

    async def states(self) -> dict[str, str]:
        """Of the jobs of the new kind."""
        async with await self._deployment.connect() as bus:
            listed = await bus.call(ListJobs(kind="tomorrow", all_scopes=True, limit=1000))
        return {job.id: job.status for job in listed.jobs}


async def _accepted(bus: MemoryBus, request: SubmitJob) -> str:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            with contextlib.suppress(BadRequest):
                return (await bus.call(request)).job_id


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await holds():  # noqa: ASYNC110 - what other processes do
            await asyncio.sleep(0.5)


@pytest.fixture(scope="module")
def deployment(addresses: Addresses, versions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """Without our processors: the test starts them."""
    folder = tmp_path_factory.mktemp("mixed")
    return Deployment(folder, addresses, replicas=0, workspace="mixed", settings=SETTINGS, versions=versions)


async def test_two_versions_share_topics_and_stores_forward_and_back(deployment: Deployment) -> None:
    with deployment.running():
        people = People(deployment.connect, USERS, named="mixed", turn_timeout_s=PATIENCE_S)
        mixed = Mixed(deployment, people)

        async def all_ran() -> bool:
            return set(mixed.runs()) == set(mixed.submitted) and set((await mixed.states()).values()) == {"done"}

        async def all_are_kept() -> bool:
            return set(await mixed.states()) == set(mixed.submitted)

        await mixed.start("earlier", 1)
        async with people.asking():
            await mixed.answer()
            await mixed.start("newer", 2)
            await mixed.submit()
            await mixed.answer()
            await mixed.end("earlier")
            await mixed.answer()
            await _until(all_ran)

            await mixed.start("earlier", 2)
            await mixed.submit()
            await mixed.answer()
            await mixed.end("newer")
            await mixed.answer()
            await _until(all_are_kept)
            assert set((await mixed.states()).values()) <= {"done", "deferred"}

            await mixed.start("newer", 2)
            await mixed.answer()
            await mixed.end("earlier")
            await _until(all_ran)
            people.silence()
            await people.at_rest()
        assert people.unacknowledged == []
        assert people.missing == [], "an answer without all parts of recall"
        assert set(mixed.runs().values()) == {1}, "a job ran twice"
        tally = await people.count()
        assert (tally.lost, tally.doubled) == ([], [])
