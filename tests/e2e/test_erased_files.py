"""Erased words are not in the data directory, whatever happens meanwhile, and no key that is left opens a job that has them."""

import asyncio
import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from trustgraph_react_mem.bus.envelope import open_job, parse_head
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.stores.keyring import ScopeKeyRing
from trustgraph_react_mem.stores.keys.files import FileKeyStore
from trustgraph_react_mem.stores.keys.master import load_master_key

from .command import COMMAND, ReactMem

TIMEOUT_S = 240.0


def files_with(home: Path, words: str) -> list[str]:
    """The files of the data directory that contain the words."""
    found = []
    for path in sorted((home / "data").rglob("*")):
        try:
            if path.is_file() and words.encode() in path.read_bytes():
                found.append(str(path.relative_to(home)))
        except FileNotFoundError:  # removed meanwhile
            continue
    return found


def envelopes(home: Path) -> Iterator[JobEnvelope]:
    """Every job that is in the files of the jobs, also those that were done."""
    decoder = json.JSONDecoder()
    for path in sorted((home / "data").glob("jobs.db*")):
        text = path.read_bytes().decode("latin-1") if path.is_file() else ""
        start = text.find('{"specversion"')
        while start >= 0:
            try:
                fields, _ = decoder.raw_decode(text, start)
                yield JobEnvelope(**{name: fields[name] for name in JobEnvelope.__annotations__ if name in fields})
            except (ValueError, TypeError, KeyError):
                pass
            start = text.find('{"specversion"', start + 1)


def opened(home: Path) -> list[str]:
    """The payloads that the keys open which are there now."""

    async def open_all() -> list[str]:
        master = load_master_key(home / "keys" / "master.key")
        (folder,) = (home / "keys" / "scopes").iterdir()
        keyring = ScopeKeyRing(FileKeyStore(folder), None, master, SystemClock())  # type: ignore[arg-type]
        found = []
        for envelope in envelopes(home):
            try:
                job = await open_job(keyring, parse_head(envelope), envelope.data)
            except MemoryServiceError:
                continue
            found.append(json.dumps(job.payload))
        return found

    return asyncio.run(open_all())


def say(person: ReactMem, words: str, conversation: str) -> None:
    person.json("ask", f"My ship is named {words}, and it lies in Haugesund.", "--conversation", conversation)


def record_ids(person: ReactMem, words: str) -> list[str]:
    return [each["id"] for each in person.json("memories", "list", "--limit", "500")["memories"] if words in each["content"]]


def is_pending(home: Path) -> bool:
    return (home / "data" / "erasures.json").exists()


def until_rewritten(home: Path) -> None:
    deadline = time.monotonic() + TIMEOUT_S
    while is_pending(home):
        assert time.monotonic() < deadline, "the files were not rewritten"
        time.sleep(0.5)


def checked(receipt: dict[str, Any]) -> None:
    assert receipt["complete"]
    assert receipt["files"]["state"] == "rewritten"


@pytest.mark.slow
def test_no_erased_word_is_on_disk_and_no_key_opens_it(tmp_path: Path) -> None:
    ana = ReactMem(tmp_path, "ana")
    bea = ana.as_user("bea")
    words = {level: f"Qzxw{level}8843" for level in ("record", "conversation", "user", "workspace")}
    with ana.up() as stack:
        say(ana, words["record"], "c1")
        say(ana, words["conversation"], "c2")
        say(bea, words["user"], "c3")
        say(ana, words["workspace"], "c4")
        for person in (ana, bea):
            person.json("jobs", "wait")
        for each in words.values():
            assert files_with(tmp_path, each)
        ids = record_ids(ana, words["record"])
        assert ids
        for one in ids[1:]:
            ana.json("forget", one)
        checked(ana.json("forget", ids[0], "--wait")["receipt"])
        assert files_with(tmp_path, words["record"]) == []
        assert not any(words["record"] in payload for payload in opened(tmp_path))
        checked(ana.json("forget", "--conversation", "c2", "--yes", "--wait")["receipt"])
        assert files_with(tmp_path, words["conversation"]) == []
        assert not any(words["conversation"] in payload for payload in opened(tmp_path))
        bea.json("forget", "--user", "bea", "--yes")
        assert stack.interrupt() == 0  # before the files were rewritten
    assert files_with(tmp_path, words["user"])
    assert not any(words["user"] in payload for payload in opened(tmp_path))
    with ana.up():
        until_rewritten(tmp_path)
        assert files_with(tmp_path, words["user"]) == []
        assert words["workspace"] in ana.json("memories", "search", "ship")["memories"][0]["content"]
        checked(ana.json("forget", "--everyone", "--yes", "--wait")["receipt"])
    assert [files_with(tmp_path, each) for each in words.values()] == [[], [], [], []]
    assert not any(each in payload for each in words.values() for payload in opened(tmp_path))


@pytest.mark.slow
def test_an_erasure_that_is_killed_anywhere_is_completed_by_the_next_start(tmp_path: Path) -> None:
    ana = ReactMem(tmp_path, "ana")
    for number, pause_s in enumerate((0.0, 0.2, 5.3)):  # during the erasure, after it, during the rewriting
        words = f"Qzxwkilled{number}8843"
        with ana.up() as stack:
            say(ana, words, f"c{number}")
            ana.json("jobs", "wait")
            (first, *_) = record_ids(ana, words)
            if pause_s:
                ana.json("forget", "--conversation", f"c{number}", "--yes")
                time.sleep(pause_s)
            else:
                os.system(f"{' '.join(command(ana, number))} >/dev/null 2>&1 &")
                deadline = time.monotonic() + TIMEOUT_S
                while not is_pending(tmp_path) and time.monotonic() < deadline:
                    time.sleep(0.01)
            stack.kill()
        with ana.up():
            ana.json("jobs", "wait")
            until_rewritten(tmp_path)
            assert files_with(tmp_path, words) == []
            assert first not in record_ids(ana, "Haugesund")
            assert not any(words in payload for payload in opened(tmp_path))


def command(person: ReactMem, number: int) -> list[str]:
    settings = [f"{name}='{value}'" for name, value in person.environment.items() if name.startswith("REACT_MEM_")]
    return ["env", *settings, str(COMMAND), "forget", "--conversation", f"c{number}", "--yes"]
