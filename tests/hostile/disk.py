"""Full disks, a broker that is harmed, and ends by SIGTERM."""

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
TURNS, ROTATE_BYTES = 40, 2**20  # turns of 50 kB, each of which adds more than that to the bus
NOTICED_S = 75.0  # a publish that does not come back is noticed within 60 s


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


@attack(
    on="disk",
    holds="under the limit of free space turns are answered, not recorded, and told 'disk full'; then all goes on",
    own=True,
    limit_s=180,
)
async def a_disk_with_little_room(machine: Machine) -> None:
    async with _small_disk(machine) as ballast:
        await machine.up()
        words, _ = await _ask_on(machine, 2)
        _fill(ballast, leave_mb=4)
        await asyncio.sleep(2)
        more, refusals = await _ask_on(machine, 2, first=2)
        require(refusals and not more, "turns are recorded with 4 MB left, which the next import would fill")
        require(all("disk full" in each for each in refusals), f"the person is not told that the disk is full: {refusals}")
        doctor = await machine.command("ana").attempt("doctor", "--json")
        require("disk" in doctor.out.lower() and doctor.code == 5, "doctor does not name the full disk")
        ballast.unlink()
        await asyncio.sleep(3)
        again, refusals = await _ask_on(machine, 2, first=4)
        require(len(again) == 2, f"with room again: {refusals}")
        await _all_kept_once(machine, words + again)


@attack(
    on="broker's directory",
    holds="removed while it runs, and the broker killed: a broker comes back, and turns are kept",
    own=True,
    limit_s=150,
)
async def a_broker_directory_that_goes(machine: Machine) -> None:
    await machine.up()
    await machine.tell("ana", "I keep the umbrella in the hall")
    while (machine.data / "bus").exists():  # a broker may create a file meanwhile
        shutil.rmtree(machine.data / "bus", ignore_errors=True)
    with contextlib.suppress(ProcessLookupError):
        machine.signal_broker(signal.SIGKILL)

    async def records() -> bool:
        try:
            trace = await machine.ask("I keep the second umbrella in the car", "ana", timeout_s=12)
        except (TimeoutError, MemoryServiceError):
            return False
        return trace.cited.get("recorded") is True

    require(await eventually(records, 60, 1), "no turn is recorded within 60 s")
    require(await machine.finds("ana", "second", 60), "the turn is acknowledged, but not kept")
    await machine.still_records()


@attack(
    on="broker's directory",
    holds="a file in its place, and the broker killed: said in the log, and once it is away all goes on",
    own=True,
    limit_s=150,
)
async def a_broker_that_cannot_start(machine: Machine) -> None:
    await machine.up()
    await machine.tell("ana", "I keep the umbrella in the hall")
    bus, aside = machine.data / "bus", machine.data / "aside"
    bus.rename(aside)
    bus.write_text("in the way")
    machine.signal_broker(signal.SIGKILL)
    await asyncio.sleep(8)
    said = machine.log.lower()
    require("broker" in said and ("failed" in said or "error" in said), "the log does not say that the broker failed")
    bus.unlink()
    aside.rename(bus)

    async def records() -> bool:
        try:
            return (await machine.ask("I keep the third umbrella", "ana", timeout_s=12)).cited.get("recorded") is True
        except (TimeoutError, MemoryServiceError):
            return False

    require(await eventually(records, 60, 1), "no turn is recorded within 60 s after the directory is back")
    require(await machine.finds("ana", "third", 60), "the turn is acknowledged, but not kept")


def _entry_log(machine: Machine) -> Path:
    logs = sorted((machine.data / "bus").glob("**/entrylog/*.log"), key=lambda file: file.stat().st_size)
    if not logs:
        raise NotRun("the broker has no entry log at the known place")
    return logs[-1]


@attack(
    on="broker's log",
    holds="a torn entry in the middle: said in the log, later turns kept or not called recorded",
    own=True,
    limit_s=240,
)
async def a_torn_topic(machine: Machine) -> None:
    await machine.up()
    machine.direct(embedder_away=True)
    await _ask_on(machine, 6)
    await machine.kill()
    log = _entry_log(machine)
    data = bytearray(log.read_bytes())
    middle = data.rfind(b"umbrella") if b"umbrella" in data else len(data) * 2 // 3
    for place in range(middle, min(middle + 64, len(data))):
        data[place] ^= 0xFF
    log.write_bytes(bytes(data))
    machine.direct(embedder_away=False)
    started = await machine.refusal()
    if started:
        require("bus" in started or "broker" in started, f"it does not start, and does not say why: {started[-200:]}")
        return
    words, _ = await _ask_on(machine, 2, first=6)

    async def are_kept() -> bool:
        contents = [fact.content for fact in await machine.facts("ana", kinds=["turn"])]
        return all(any(word in content for content in contents) for word in words)

    async def kept_or_noticed() -> bool:
        if await are_kept():
            return True
        more, refusals = await _ask_on(machine, 1, first=90)
        return not more and bool(refusals)

    require(
        await eventually(kept_or_noticed, NOTICED_S, 5), "turns are called recorded and do not come back, and no turn says so"
    )
    if await are_kept():
        return
    require("broker" in machine.log.lower() or "job" in machine.log.lower(), "the log does not say so")
    doctor = await machine.command("ana").attempt("doctor", "--json")
    require(doctor.code == 5, "doctor finds nothing wrong")
    await machine.kill()
    repaired = await machine.command("ana").attempt("repair", "bus")
    require(repaired.code == 0, f"`repair bus` exits with {repaired.code}")
    await machine.up()
    await machine.still_records()


@attack(
    on="end by SIGTERM", holds="the running turn is finished and recorded, then the process ends well", own=True, limit_s=120
)
async def sigterm_during_a_turn(machine: Machine) -> None:
    await machine.up()
    machine.direct(rules=[{"when": "Question: I keep", "answer": "Final Answer: noted [NO_CITE]", "delay_s": 5}])
    asked = asyncio.create_task(machine.ask("I keep the umbrella in the hall", "ana", timeout_s=40))
    await asyncio.sleep(1.5)
    assert machine.stack is not None
    process = machine.stack.process
    process.terminate()
    try:
        trace = await asked
    except TimeoutError:
        raise Harm("the turn that was running got no end") from None
    require(trace.answer and trace.cited.get("recorded") is True, f"the running turn ended with: {trace.error or trace.cited}")
    async with asyncio.timeout(40):
        code = await process.wait()
    require(code == 0, f"exit code {code}")
    machine.direct(rules=[])
    await machine.up()
    require(await machine.finds("ana", "umbrella"), "the turn that was recorded is not kept")


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


@attack(on="export", holds="a link in place of the unfinished file is not followed", limit_s=60)
async def a_link_in_the_way_of_an_export(machine: Machine) -> None:
    user = machine.person()
    await machine.store(user, "I keep the umbrella in the hall")
    victim = machine.home / f"{user}-victim"
    victim.write_text("precious")
    file = machine.home / f"{user}.jsonl"
    file.with_name(file.name + ".part").symlink_to(victim)
    await machine.command(user).attempt("export", str(file))
    require(victim.read_text() == "precious", "the export was written into the file that the link names")


@attack(
    on="data directory",
    holds="open to other accounts, it is closed or refused; every file in it is private",
    own=True,
    limit_s=60,
)
async def an_open_data_directory(machine: Machine) -> None:
    machine.data.mkdir(mode=0o755)
    machine.data.chmod(0o755)
    said = await machine.refusal()
    if said:
        require("755" in said or "other" in said, f"it refuses, and does not say why: {said[-200:]}")
        return
    await machine.tell("ana", "I keep the umbrella in the hall")
    mode = machine.data.stat().st_mode & 0o777
    require(not mode & 0o077, f"the data directory keeps mode {mode:04o}")
    open_files = [
        str(file.relative_to(machine.home))
        for file in machine.data.rglob("*")
        if file.is_file() and file.stat().st_mode & 0o077
    ]
    require(not open_files, f"{len(open_files)} files are open to others, such as {open_files[:2]}")
