"""Two versions of the processors beside each other on the same topics and stores, forward and back again.

The earlier version is a commit of this repository.  The newer one is this version with one kind of jobs more, so that the
earlier one meets jobs that it does not know.
"""

import asyncio
import os
import shutil
import subprocess
import sys
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from tests.crash.people import People
from trustgraph_react_mem.bus import external_client
from trustgraph_react_mem.bus.external_client import MemoryBus
from trustgraph_react_mem.config.blueprint import SERVICES
from trustgraph_react_mem.errors import BadRequest
from trustgraph_react_mem.memory.requests import ListJobs, SubmitJob

from .conftest import PATIENCE_S, PATIENT, Say
from .deployment import AGENT, OURS, Addresses, Deployment

pytestmark = [pytest.mark.servers, pytest.mark.slow]

ROOT = Path(__file__).resolve().parents[2]
EARLIER = "a5924ee7"
"""The commit of the earlier version: before requests were handed over, lessons and refinement."""
SOURCES = ("trustgraph_react_mem", "schema", "config")  # the package, and the folders that it links

WORKERS = "agent-memory-jobs"
USERS = 3
TURNS = 6
NEW_JOBS = 12
"""Of as many people, so that both workers get some of them."""

LONGEST_DEFERRAL_S = 900.0  # of a job that a worker does not know

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
            runs.write(f"{job.id}\\n")
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
    found = {version: folder / version for version in ("earlier", "newer")}
    for source in found.values():
        where = [sys.executable, "-c", "import trustgraph_react_mem; print(trustgraph_react_mem.__file__)"]
        imported = subprocess.check_output(where, cwd=folder, env={**os.environ, "PYTHONPATH": str(source)}, text=True)
        assert source in Path(imported.strip()).parents
    return found


class Mixed:
    """A deployment whose agent and workers are replaced by those of another version."""

    def __init__(self, deployment: Deployment, people: People) -> None:
        self._deployment = deployment
        self._people = people
        self.submitted: list[str] = []

    async def start_worker(self, version: str) -> None:
        """Beside one of the other version."""
        self._deployment.start(f"{WORKERS}.{version}")
        await asyncio.to_thread(self._deployment.wait_ready, WORKERS, replicas=2)

    async def kill_worker(self, version: str) -> None:
        """With jobs in hand, which the other one gets."""
        self._deployment.kill(f"{WORKERS}.{version}")
        await asyncio.to_thread(self._deployment.wait_ready, WORKERS, replicas=1)

    async def replace_agent(self) -> None:
        """Call it while no requests are sent: the earlier version does not hand them over."""
        self._people.silence()
        await self._people.answered()
        self._deployment.start(f"{AGENT}.newer")
        await asyncio.to_thread(self._deployment.wait_ready, AGENT, replicas=2)
        self._deployment.stop(f"{AGENT}.earlier")
        await asyncio.to_thread(self._deployment.wait_ready, AGENT, replicas=1)
        self._people.resume()

    async def answer(self) -> None:
        await self._people.acknowledged(TURNS, PATIENCE_S)

    async def submit(self) -> None:
        """Jobs of the new kind.  The earlier version refuses the request."""
        async with await self._deployment.connect() as bus:
            for _ in range(NEW_JOBS):
                request = SubmitJob(kind="tomorrow", user=f"later{len(self.submitted)}")
                self.submitted.append(await _accepted(bus, request))

    async def not_run(self) -> list[str]:
        """Jobs of the new kind that have not run, or are not known to have, each with its state."""
        runs = self._deployment.store_settings.home / "tomorrow"
        ran = Counter(runs.read_text("utf-8").split() if runs.exists() else [])
        states = await self._states()
        return [f"{job} is {states.get(job)}" for job in self.submitted if not ran[job] or states.get(job) != "done"]

    async def not_kept(self) -> list[str]:
        """Jobs of the new kind that have neither run nor wait for a newer worker, each with its state."""
        states = await self._states()
        return [f"{job} is {states.get(job)}" for job in self.submitted if states.get(job) not in ("done", "deferred")]

    async def _states(self) -> dict[str, str]:
        """Of the jobs of the new kind."""
        states: dict[str, str] = {}
        async with await self._deployment.connect() as bus:
            for number in range(len(self.submitted)):
                listed = await bus.call(ListJobs(kind="tomorrow", user=f"later{number}"), PATIENCE_S)
                states.update({job.id: job.status for job in listed.jobs})
        return states


async def _accepted(bus: MemoryBus, request: SubmitJob) -> str:
    """Ask until a newer worker gets the request.  Raises: BadRequest (none did)."""
    deadline = time.monotonic() + PATIENCE_S
    while True:
        try:
            return (await bus.call(request, PATIENCE_S)).job_id
        except BadRequest:
            if time.monotonic() > deadline:
                raise


async def _none_left(find: Callable[[], Awaitable[list[str]]]) -> None:
    """Until nothing is found.  Raises: TimeoutError (as much was left for the longest time that a job may be deferred)."""
    left, patience_s = await find(), LONGEST_DEFERRAL_S + PATIENCE_S
    deadline = time.monotonic() + patience_s
    while left:
        await asyncio.sleep(0.5)
        before, left = left, await find()
        if len(left) < len(before):
            deadline = time.monotonic() + patience_s
        elif time.monotonic() > deadline:
            raise TimeoutError(f"for {patience_s:.0f} s: {', '.join(left)}")


@pytest.fixture(scope="module")
def deployment(addresses: Addresses, versions: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """Without our processors: the test starts them."""
    folder = tmp_path_factory.mktemp("mixed")
    return Deployment(
        folder, addresses, replicas=0, workspace=f"mixed{uuid.uuid4().hex[:8]}", settings=PATIENT, versions=versions
    )


async def test_two_versions_share_topics_and_stores_forward_and_back(
    deployment: Deployment, say: Say, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An agent of the earlier version asks services of the newer one.  Workers of both share the jobs of both agents."""
    monkeypatch.setattr(external_client, "FIRST_MESSAGE_TIMEOUT_S", PATIENCE_S)
    with deployment.running():
        people = People(deployment.connect, USERS, named="mixed", turn_timeout_s=PATIENCE_S)
        mixed = Mixed(deployment, people)
        newer = [f"{name}.newer" for name in SERVICES if name != WORKERS]
        deployment.start(*newer, f"{AGENT}.earlier", f"{WORKERS}.earlier")
        await asyncio.to_thread(deployment.wait_ready, *OURS, replicas=1)
        async with people.asking():
            await mixed.answer()
            say("forward: a newer worker joins an earlier agent and worker")
            await mixed.start_worker("newer")
            await mixed.submit()
            await mixed.answer()
            await mixed.kill_worker("earlier")
            await mixed.answer()
            say("the newer worker runs all jobs of the new kind")
            await _none_left(mixed.not_run)

            say("the agent is replaced by a newer one")
            await mixed.replace_agent()
            await mixed.answer()
            say("back: an earlier worker takes over")
            await mixed.start_worker("earlier")
            await mixed.submit()
            await mixed.answer()
            await mixed.kill_worker("newer")
            await mixed.answer()
            say("the earlier worker keeps the jobs of the new kind")
            await _none_left(mixed.not_kept)

            say("forward again: a newer worker runs them")
            await mixed.start_worker("newer")
            await mixed.answer()
            await mixed.kill_worker("earlier")
            await _none_left(mixed.not_run)
            people.silence()
            await people.answered()
        assert people.unacknowledged == []
        assert people.missing == [], "answers without all parts of recall"
        say(f"counting what is kept of {len(people.tally.acknowledged)} acknowledged turns")
        tally = await people.count()
        assert (tally.lost, tally.doubled) == ([], [])
