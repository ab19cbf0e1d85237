"""Full disks, and ends by SIGTERM."""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from tests.crash.rounds import ROOT
from trustgraph_react_mem.errors import MemoryServiceError

from .attack import Harm, NotRun, attack, require
from .machine import Machine, eventually

DISK_MB = 700


@asynccontextmanager
async def _small_disk(machine: Machine) -> AsyncIterator[Path]:
    """The data directory on a disk of its own; yields the name of a file that fills it."""
    machine.data.mkdir(mode=0o700, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={DISK_MB}m,mode=0700", "tmpfs", machine.data], capture_output=True, check=False
    )
    if mounted.returncode:
        raise NotRun("a disk of its own cannot be mounted here: run as root")
    try:
        yield machine.data / "ballast"
    finally:
        await machine.kill()
        subprocess.run(["umount", "-l", machine.data], check=False)


def _fill(ballast: Path, *, leave_mb: float = 0.0) -> None:
    """To the last byte, but for ``leave_mb``."""
    ballast.unlink(missing_ok=True)
    free = shutil.disk_usage(ballast.parent).free - int(max(leave_mb, 1) * 2**20)  # all at once may be refused as a whole
    with ballast.open("wb") as file:
        os.posix_fallocate(file.fileno(), 0, max(free, 1))
    with ballast.open("ab") as file, contextlib.suppress(OSError):
        while shutil.disk_usage(ballast.parent).free > leave_mb * 2**20:
            os.write(file.fileno(), b"x" * 4096)
    require(shutil.disk_usage(ballast.parent).free <= leave_mb * 2**20 + 4096, "the control fails: the disk is not full")


async def _ask_on(
    machine: Machine, times: int, first: int = 0, timeout_s: float = 20.0, more: str = ""
) -> tuple[list[str], list[str]]:
    """Words of the turns that were acknowledged, and what was said of the others.  ``more``: what makes them long."""
    acknowledged, refusals = [], []
    for number in range(first, first + times):
        word = f"umbrella{number:03}"
        try:
            trace = await machine.ask(f"I keep {word} in the hall {more}", "ana", timeout_s=timeout_s)
        except (TimeoutError, MemoryServiceError) as error:
            refusals.append(type(error).__name__)
            continue
        if trace.cited.get("recorded") is True:
            acknowledged.append(word)
        else:
            refusals.append(f"{trace.error} {trace.cited.get('notice', '')} {trace.cited.get('reason', '')}")
    return acknowledged, refusals


async def _all_kept_once(machine: Machine, words: list[str], within_s: float = 60.0) -> None:
    async def kept() -> bool:
        try:
            contents = [fact.content for fact in await machine.facts("ana", kinds=["turn"])]
        except MemoryServiceError:
            return False
        return all(any(word in content for content in contents) for word in words)

    found = await eventually(kept, within_s, 2)
    contents = [fact.content for fact in await machine.facts("ana", kinds=["turn"])]
    lost = [word for word in words if not any(word in content for content in contents)]
    require(found, f"{len(lost)} of {len(words)} acknowledged turns are lost: {lost[:5]}")
    doubled = [word for word in words if sum(content.startswith(f"I keep {word}") for content in contents) > 1]
    require(not doubled, f"doubled: {doubled[:5]}")


@attack(
    on="disk",
    holds="full while turns are being asked, then the stack is killed: it starts, and loses nothing",
    own=True,
    limit_s=240,
)
async def a_disk_that_fills_up_and_a_crash(machine: Machine) -> None:
    async with _small_disk(machine) as ballast:
        await machine.up()
        asking = asyncio.create_task(_ask_on(machine, 6, timeout_s=6, more="in the rain " * 4000))
        await asyncio.sleep(1.5)
        _fill(ballast)
        words, _ = await asking
        await machine.kill()
        ballast.unlink()
        await machine.up()
        await _all_kept_once(machine, words)
        await machine.still_records()


@attack(on="end as process 1 of a container", holds="SIGTERM ends it well", own=True, limit_s=90)
async def sigterm_as_process_1(machine: Machine) -> None:
    if subprocess.run(["unshare", "-pf", "--mount-proc", "true"], capture_output=True, check=False).returncode:
        raise NotRun("a process namespace cannot be made here: run as root")
    with (machine.home / "stack.log").open("ab") as log:
        process = await asyncio.create_subprocess_exec(
            "unshare",
            "-pf",
            "--mount-proc",
            "--kill-child",
            sys.executable,
            "-m",
            "tests.hostile.stack",
            str(machine.home),
            stdout=asyncio.subprocess.PIPE,
            stderr=log,
            cwd=ROOT,
            start_new_session=True,
        )
    try:
        assert process.stdout is not None
        async with asyncio.timeout(60):
            require(await process.stdout.readline(), "it does not start as process 1")
        [child] = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        os.kill(int(child), signal.SIGTERM)
        try:
            async with asyncio.timeout(25):
                code = await process.wait()
        except TimeoutError:
            raise Harm("it does not end within 25 s of SIGTERM") from None
        require(code == 0, f"exit code {code}")
    finally:
        if process.returncode is None:
            os.killpg(process.pid, signal.SIGKILL)
            await process.wait()
