"""Stores that are missing, older than the others, damaged, or of another memory."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

from trustgraph_react_mem.memory.requests import RetrieveFacts

from .attack import NotRun, attack, require
from .machine import Machine, eventually

TURNS = 12
REPAIRED_S = 60.0

_building = asyncio.Lock()


async def _filled(machine: Machine) -> None:
    """Give the machine the data of a memory of two people, at rest, and an older copy of it in ``older``.

    Bob came after that copy was made.  Built once for all attacks of a run.
    """
    template = machine.home.parent / "filled"
    async with _building:
        if not template.exists():
            draft = Machine(machine.home.parent / "filling")
            draft.home.mkdir()
            await draft.up()
            for number in range(TURNS // 2):
                await draft.tell("ana", f"The umbrella number {number} stands in room {number}")
            await draft.stop()
            await copy_tree(draft.data, draft.home / "older")
            await draft.up()
            for number in range(TURNS // 2, TURNS):
                await draft.tell("ana", f"The umbrella number {number} stands in room {number}")
                await draft.tell("bob", f"The bicycle number {number} stands in yard {number}")
            await draft.stop()
            draft.home.rename(template)
    shutil.rmtree(machine.home)
    await copy_tree(template, machine.home)


async def copy_tree(source: Path, target: Path) -> None:
    """Without the hundreds of megabytes that engines reserve and have not used."""
    command = ["cp", "-a", "--sparse=always", str(source), str(target)]
    await asyncio.to_thread(subprocess.check_call, command)


async def _recalled(machine: Machine, user: str, query: str) -> list[str]:
    found = await machine.call(RetrieveFacts(user=user, query=query, top_k=20))
    return [fact.content for fact in found.facts]


async def _found(machine: Machine, user: str, thing: str, numbers: range) -> int:
    """How many of the user's turns a search by their own words finds."""
    count = 0
    for number in numbers:
        recalled = await _recalled(machine, user, f"{thing} number {number}")
        count += any(f"{thing} number {number} " in content for content in recalled)
    return count


async def _all_found(machine: Machine, within_s: float = REPAIRED_S) -> bool:
    async def all_of_them() -> bool:
        ana = await _found(machine, "ana", "umbrella", range(TURNS))
        return ana == TURNS and await _found(machine, "bob", "bicycle", range(TURNS // 2, TURNS)) == TURNS // 2

    return await eventually(all_of_them, within_s, 2)


async def _refused_or(machine: Machine, names: str, check: Callable[[], Awaitable[None]]) -> None:
    """The stack refuses to start and names the store and a remedy, or it starts and the check holds."""
    said = await machine.refusal()
    if not said:
        await check()
        return
    told = said.lower()
    require(any(name in told for name in names.split("|")), f"it refuses, but does not name {names}: {said[-300:]}")
    require(
        any(word in told for word in ("restore", "remove", "re-embed", "put ", "run ", "move", "copy")),
        f"no remedy: {said[-300:]}",
    )


@attack(on="graph", holds="cut to half: refused with the remedy", own=True, limit_s=120)
async def graph_cut_to_half(machine: Machine) -> None:
    await _filled(machine)
    file = machine.data / "graph"
    if not file.is_file():
        raise NotRun("the graph is no file")
    os.truncate(file, file.stat().st_size // 2)
    await _must_refuse_or_keep(machine)


async def _must_refuse_or_keep(machine: Machine) -> None:
    async def check() -> None:
        kept = await machine.facts("ana")
        require(len(kept) >= TURNS, f"it starts with {len(kept)} records of ana, and says nothing")

    await _refused_or(machine, "graph", check)


def _flip(file: Path, count: int) -> None:
    with file.open("r+b") as opened:
        data = bytes(each ^ 0xFF for each in opened.read(count))
        opened.seek(0)
        opened.write(data)


def _flip_words(file: Path, word: bytes) -> int:
    """Change the letters of a word wherever the file holds it, as a bad disk does."""
    data = file.read_bytes()
    count = data.count(word)
    file.write_bytes(data.replace(word, word[:-2] + bytes(each ^ 0x05 for each in word[-2:])))
    return count


async def _noticed(machine: Machine) -> None:
    """Damage is noticed at the start, or by `doctor --deep`."""
    said = await machine.refusal()
    if said:
        return
    result = await machine.command("ana").attempt("doctor", "--deep", "--json", timeout_s=100)
    require("No such option" not in result.err + result.out, "there is no `doctor --deep`")
    require(result.code != 0, "neither the start nor `doctor --deep` notices it")


@attack(on="graph", holds="words changed by a bad disk are noticed at the start or by `doctor --deep`", own=True, limit_s=200)
async def flipped_words_in_the_graph(machine: Machine) -> None:
    await _filled(machine)
    count = sum(_flip_words(file, b"umbrella number 3") for file in machine.data.glob("graph*") if file.is_file())
    require(count, "the word is not in the graph's files: the attack changes nothing")
    await _noticed(machine)


@attack(
    on="vectors",
    holds="numbers changed by a bad disk are noticed at the start or by `doctor --deep`, or harm nothing",
    own=True,
    limit_s=200,
)
async def flipped_numbers_of_vectors(machine: Machine) -> None:
    await _filled(machine)
    files = list((machine.data / "vectors").glob("**/vector_storage-*/**/chunk_*"))
    if not files:
        raise NotRun("the vectors are in no file of their own")
    for file in files:
        _flip(file, 20_000)
    said = await machine.refusal()
    if said or await _all_found(machine, 5):
        return
    result = await machine.command("ana").attempt("doctor", "--deep", "--json", timeout_s=100)
    require("No such option" not in result.err + result.out, "there is no `doctor --deep`")
    require(result.code != 0, "memories are not found, and neither the start nor `doctor --deep` notices why")


@attack(on="data directory in use", holds="a second stack is refused, and names the first", own=True, limit_s=120)
async def a_second_stack_on_one_directory(machine: Machine) -> None:
    await machine.up()
    second = Machine(machine.home)
    said = await second.refusal()
    await second.kill()
    require("in use" in said or "already" in said, f"a second stack says: {said[-200:] or 'nothing, it runs'}")
    await machine.still_records()


@attack(
    on="settings file", holds="cut, emptied or odd: named in the refusal, or the stack starts and works", own=True, limit_s=120
)
async def a_damaged_settings_file(machine: Machine) -> None:
    await _filled(machine)
    file = machine.data / "config.json"
    for content in (b"{", b'[1, "\\ud83d"]'):
        file.write_bytes(content)

        async def check() -> None:
            require(len(await machine.facts("ana")) >= TURNS, "what is stored is not there")

        await _refused_or(machine, "config", check)
        await machine.kill()
