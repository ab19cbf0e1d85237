"""After an erasure the words are nowhere: in no file, in no job that a key still opens, and the receipt is true."""

import asyncio
import base64
import contextlib
import json
import re
from typing import Any, cast

import pytest
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from trustgraph_react_mem.bootstrap import open_graph_stores
from trustgraph_react_mem.bus.envelope import open_job, parse_head
from trustgraph_react_mem.errors import MemoryServiceError
from trustgraph_react_mem.memory.clock import SystemClock
from trustgraph_react_mem.memory.ports import KeyRing
from trustgraph_react_mem.memory.requests import GetJob, StoreEpisode, SubmitJob
from trustgraph_react_mem.memory.scope import Scope
from trustgraph_react_mem.schema import JobEnvelope
from trustgraph_react_mem.store_settings import StoreSettings
from trustgraph_react_mem.stores.keyring import ScopeKeyRing
from trustgraph_react_mem.stores.keys import SCOPE_KEY
from trustgraph_react_mem.stores.keys.secret import ScopeSecret

from .foreign import Message
from .machine import Machine, eventually, files_of, written

FILES_S = 45.0  # for the files to be rewritten in the background


class Canaries:
    """Words that occur nowhere else.  One for each way in which a person's words are stored."""

    def __init__(self, name: str) -> None:
        self.turn, self.fact, self.episode, self.answer, self.note = (
            f"Qzx{name}{kind}7731" for kind in ("turn", "fact", "epi", "ans", "meta")
        )

    @property
    def all(self) -> list[str]:
        return [self.turn, self.fact, self.episode, self.answer, self.note]


async def _planted(machine: Machine, user: str, name: str, **fields: Any) -> Canaries:
    """A person's memory with canaries, each found in the files."""
    words = Canaries(name)
    machine.direct(rules=[{"when": f"Question: .*{words.turn}", "answer": f"Final Answer: {words.answer} is noted [NO_CITE]"}])
    await machine.tell(user, f"My boat is called {words.turn}", **fields)
    scope = {"collection": fields["collection"]} if "collection" in fields else {}
    await machine.store(user, f"The code word is {words.fact}", metadata={"note": words.note}, source=f"talk-{user}", **scope)
    await machine.call(
        StoreEpisode(user=user, goal=f"Sail {words.episode}", steps=["row"], outcome="done", source=f"talk-{user}", **scope)
    )
    found = await machine.grep(words.all)
    for word in words.all:
        assert word in found, f"the control fails: {word} is in no file before the erasure"
    return words


async def _nowhere(machine: Machine, words: list[str], within_s: float = FILES_S) -> None:
    left: dict[str, set[str]] = {}

    async def gone() -> bool:
        nonlocal left
        left = await machine.grep(words)
        return not left

    done = await eventually(gone, within_s, 2)
    places = sorted(set().union(*left.values()))
    assert done, f"{len(left)} of {len(words)} words are still in {len(places)} files: {places[:4]}"


async def _job(machine: Machine, user: str, **payload: Any) -> str:
    job = SubmitJob(user=user, kind="forget", payload=json.dumps(payload), timeout_s=60)
    return (await machine.call(job)).job_id


async def _receipt(machine: Machine, user: str, job_id: str) -> dict[str, Any]:
    response = await machine.call(GetJob(user=user, id=job_id))
    found: dict[str, Any] = json.loads(response.data) if response.data else {}
    return found


async def _true_receipt(machine: Machine, user: str, job_id: str, words: list[str]) -> None:
    """It has a line for files.  While words are there it does not call itself complete; at last it does, and they are gone."""

    async def complete() -> bool:
        receipt = await _receipt(machine, user, job_id)
        if not receipt:
            return False
        files = [place for place in receipt["places"] if "file" in place] or [key for key in receipt if "file" in key]
        assert files, f"the receipt has no line for files: {sorted(receipt['places'])}"
        pending = "pending" in json.dumps(receipt)
        if receipt["complete"] and not pending:
            there = await machine.grep(words)
            assert not there, f"the receipt says complete, and {len(there)} words are in the files"
            return True
        return False

    assert await eventually(complete, FILES_S, 1.5), f"not complete: {await _receipt(machine, user, job_id)}"


@pytest.mark.parametrize("level", ["record", "conversation", "user"])
async def test_words_of_what_is_erased(machine: Machine, level: str) -> None:
    """They are in no file, also not in jobs' or engines' logs, and the receipt is true; another person's are all there."""
    kept = await _planted(machine, "bob", "bob")
    words = await _planted(machine, "ana", "ana")
    erased = words.all if level != "record" else [words.turn, words.fact, words.answer, words.note]
    ids = [fact.id for fact in await machine.facts("ana") if any(word in fact.content for word in words.all)]
    chosen: dict[str, dict[str, Any]] = {"record": {"ids": ids}, "conversation": {"conversation_id": "talk-ana"}, "user": {}}
    job = await _job(machine, "ana", level=level, **chosen[level])
    await _nowhere(machine, erased)
    await _true_receipt(machine, "ana", job, erased)
    assert set(await machine.grep(kept.all)) == set(kept.all), "words of another person went, too"
    assert await machine.finds("bob", kept.turn, 5), "another person's memory is not found any more"
    await machine.still_records()


async def test_words_in_deferred_jobs(machine: Machine) -> None:
    """Words in deferred and dead jobs go, too."""
    user = machine.person()
    words = await _planted(machine, user, "def")
    machine.direct(background_away=True)
    await machine.call(SubmitJob(user=user, kind="understand", payload=json.dumps({"conversation_id": f"talk-{user}"})))
    await machine.ask(f"And {words.turn} sails tomorrow", user, end_of_conversation=True)
    await asyncio.sleep(3)
    job = await _job(machine, user, level="user")
    await _nowhere(machine, words.all)
    machine.direct(background_away=False)
    await asyncio.sleep(5)
    assert not await machine.facts(user), "a deferred job brought records of the erased person back"
    assert (await _receipt(machine, user, job)).get("complete"), "no receipt"


# ------------------------------------------------------------------------------------------- keys and sealed jobs


class _Found:
    """The values of one scope's keys that a thief found."""

    def __init__(self, values: dict[str, bytes]) -> None:
        self._values = values

    async def read(self, scope: Scope, name: str) -> bytes | None:
        return self._values.get(name)


def _found_keys(machine: Machine, scope: Scope) -> list[KeyRing]:
    """Key rings of what a thief of data and master key finds in any file, wherever an engine left it."""
    master_key = base64.b64decode((machine.home / "keys" / "master.key").read_text().strip())
    master = AESGCM(master_key)
    wrapped = set()
    for folder in (machine.data, machine.home / "keys"):
        for file in files_of(folder):
            for data in written(file) if file.is_file() else ():
                wrapped |= {match + b"=" * (-len(match) % 4) for match in re.findall(rb"[A-Za-z0-9+/]{80,}", data)}

    def unwrapped(text: bytes, name: str) -> tuple[bytes, bytes]:
        value = base64.b64decode(text)
        named = b"scope-key|" + scope.key.encode() + (b"|" + name.encode() if name else b"")
        return value, master.decrypt(value[:12], value[12:], named)

    rings: list[KeyRing] = []
    for text in wrapped:
        try:
            value, plain = unwrapped(text, "")
        except (InvalidTag, ValueError):
            continue
        values = {SCOPE_KEY: value}
        for name in ScopeSecret.from_bytes(plain).former:
            for other in wrapped:
                with contextlib.suppress(InvalidTag, ValueError):
                    values[name] = unwrapped(other, name)[0]
        rings.append(ScopeKeyRing(cast(Any, _Found(values)), cast(Any, None), master_key, SystemClock()))
    return rings


async def _opened(machine: Machine, user: str, sealed: list[Message], word: str) -> int:
    """How many sealed jobs with a word can still be opened by whoever holds the data directory and the master key."""
    scope = Scope(workspace="default", user=user, collection="default")
    found = await asyncio.to_thread(_found_keys, machine, scope)
    count = 0
    stores = await open_graph_stores(StoreSettings(home=machine.data, keys=machine.home / "keys"))
    try:
        for message in sealed:
            head = parse_head(JobEnvelope(**message.envelope))
            for ring in (stores.keyring, *found):
                with contextlib.suppress(MemoryServiceError):
                    job = await open_job(ring, head, message.envelope["data"])
                    count += word in json.dumps(dict(job.payload))
    finally:
        await stores.close()
    return count


async def test_sealed_jobs_of_an_erased_person(machine: Machine) -> None:
    """No key that exists anywhere opens a job with the words."""
    words = await _planted(machine, "ana", "key")
    sealed = [each for each in await machine.foreign.jobs() if each.heads(user="ana")]
    assert sealed, "the control fails: no job of the person is in the topic"
    await machine.stop()
    scope = Scope(workspace="default", user="ana", collection="default")
    assert _found_keys(machine, scope), "the control fails: no key is found in the files before the erasure"
    assert await _opened(machine, "ana", sealed, words.turn), "the control fails: no job opens before the erasure"
    await machine.up()
    await _job(machine, "ana", level="user")
    await _nowhere(machine, [words.turn])
    await machine.stop()
    count = await _opened(machine, "ana", sealed, words.turn)
    assert not count, f"{count} of {len(sealed)} sealed jobs with the erased words can still be opened"


async def test_an_erasure_while_the_person_talks(machine: Machine) -> None:
    """A person who is erased while talking keeps only what was said afterwards."""
    user = machine.person()
    words = [f"Qzxload{number}7731" for number in range(30)]
    asked = [asyncio.create_task(machine.ask(f"My boat is {word}", user)) for word in words[:20]]
    await asyncio.sleep(0.5)
    await _job(machine, user, level="user")
    await asyncio.gather(*asked, return_exceptions=True)
    await machine.unfinished(user, 30)
    job = await _job(machine, user, level="user")
    await _nowhere(machine, words[:20])
    await machine.tell(user, f"My boat is {words[25]}")
    assert (await _receipt(machine, user, job)).get("complete"), "the receipt is not complete"
