"""Erased words are not in the data directory, whatever happens meanwhile, and no key that is left opens a job that has them."""

import asyncio
import base64
import contextlib
import json
import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from trustgraph_react_mem.bus.envelope import open_job, parse_head
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import KeyRing
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.stores.keyring import ScopeKeyRing
from trustgraph_react_mem.stores.keys import SCOPE_KEY
from trustgraph_react_mem.stores.keys.master import load_master_key
from trustgraph_react_mem.stores.keys.secret import ScopeSecret

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


class FoundKeys:
    """The keys of one scope that a thief found."""

    def __init__(self, values: dict[str, bytes]) -> None:
        self._values = values

    async def read(self, scope: Scope, name: str) -> bytes | None:
        return self._values.get(name)


def found_keyrings(home: Path, scope: Scope) -> list[KeyRing]:
    """What a thief of all files and of the master key can open jobs with: keys wherever an engine left them."""
    master_key = load_master_key(home / "keys" / "master.key")
    files = [path for path in home.rglob("*") if path.is_file() and path.stat().st_blocks]
    wrapped = {match for path in files for match in re.findall(rb"[A-Za-z0-9+/]{80,}", path.read_bytes())}

    def unwrap(text: bytes, name: str) -> tuple[bytes, bytes]:
        value = base64.b64decode(text + b"=" * (-len(text) % 4))
        named = b"scope-key|" + scope.key.encode() + (b"|" + name.encode() if name else b"")
        return value, AESGCM(master_key).decrypt(value[:12], value[12:], named)

    rings: list[KeyRing] = []
    for text in wrapped:
        try:
            value, plain = unwrap(text, "")
        except (InvalidTag, ValueError):
            continue
        values = {SCOPE_KEY: value}
        for name in ScopeSecret.from_bytes(plain).former:
            for other in wrapped:
                with contextlib.suppress(InvalidTag, ValueError):
                    values[name] = unwrap(other, name)[0]
        rings.append(ScopeKeyRing(cast(Any, FoundKeys(values)), cast(Any, None), master_key, SystemClock()))
    return rings


def opened(home: Path) -> list[str]:
    """The payloads that keys open which are in any file now."""

    async def open_all() -> list[str]:
        scopes = [Scope(workspace="default", user=user, collection="default") for user in ("ana", "bea")]
        keyrings = {scope.user: found_keyrings(home, scope) for scope in scopes}
        found = []
        for envelope in envelopes(home):
            head = parse_head(envelope)
            for keyring in keyrings.get(head.scope.user, ()):  # the job of a whole workspace has no user
                with contextlib.suppress(MemoryServiceError):
                    found.append(json.dumps((await open_job(keyring, head, envelope.data)).payload))
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
        payloads = opened(tmp_path)
        for each in words.values():
            assert files_with(tmp_path, each)
            assert any(each in payload for payload in payloads)
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
