"""Clients that leave in the middle of a request, of a body or of a stream cost the others no answer."""

import asyncio
import json
import random
from collections.abc import Callable

import pytest
from prometheus_client import REGISTRY

from .served import Caller, Served

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.later]

STEADY, SEARCHES, LEAVING = 16, 15, 4
LONGEST_STAY_S = 0.05


class Leaver:
    """Begins requests, and leaves at a random place of each."""

    def __init__(self, caller: Caller, seed: int) -> None:
        self._host, _, port = caller.url.removeprefix("http://").partition(":")
        self._port = int(port)
        self._key = caller.key
        self._chance = random.Random(seed)
        self.left = 0

    async def run(self, until: Callable[[], bool]) -> None:
        while not until():
            _, writer = await asyncio.open_connection(self._host, self._port)
            sent = self._request()
            writer.write(sent[: self._chance.choice([len(sent), len(sent), self._chance.randrange(len(sent))])])
            await asyncio.sleep(self._chance.random() * LONGEST_STAY_S)
            if self._chance.random() < 0.5:
                writer.transport.abort()
            else:
                writer.close()
            self.left += 1

    def _request(self) -> bytes:
        """One request or several at once, or a stream."""
        body = json.dumps({"query": f"leaving {self.left}"})
        head = f"Host: {self._host}\r\nX-API-Key: {self._key}\r\n"
        search = f"POST /v1/memories/search HTTP/1.1\r\n{head}Content-Length: {len(body)}\r\n\r\n{body}"
        add = json.dumps({"text": f"Leaving {self.left}", "infer": False})
        write = f"POST /v1/memories HTTP/1.1\r\n{head}Content-Length: {len(add)}\r\n\r\n{add}"
        stream = f"GET /v1/events HTTP/1.1\r\n{head}\r\n"
        return self._chance.choice([search, 3 * search, write, stream]).encode()


async def keep_searching(caller: Caller, word: str) -> list[str]:
    """What was wrong with the answers."""
    wrong = []
    for number in range(SEARCHES):
        answer = await caller("POST", "/v1/memories/search", {"query": f"What about the {word}? ({number})"})
        if answer.status != 200:
            wrong.append(f"{answer.status} {answer.text[:200]}")
        elif [found["memory"] for found in answer.json["results"]] != [f"The {word} is mine."]:
            wrong.append(f"the answer is not that of {word}: {answer.text[:200]}")
    return wrong


def in_flight() -> float:
    return sum(
        sample.value for family in REGISTRY.collect() if family.name == "tg_memory_http_in_flight" for sample in family.samples
    )


async def test_all_others_are_answered_each_with_its_own_memory(served: Served) -> None:
    words = {f"steady{number}": f"zyx{number}w" for number in range(STEADY)}
    callers = {name: served.user(name) for name in words}
    for name, word in words.items():
        assert (await callers[name]("POST", "/v1/memories", {"text": f"The {word} is mine.", "infer": False})).status == 200
    leavers = [Leaver(served.user(f"leaving{seed}"), seed) for seed in range(LEAVING)]
    done = asyncio.Event()
    leaving = [asyncio.create_task(leaver.run(done.is_set)) for leaver in leavers]
    wrong = await asyncio.gather(*(keep_searching(callers[name], word) for name, word in words.items()))
    done.set()
    await asyncio.gather(*leaving)
    assert [each for each in wrong if each] == []
    assert min(leaver.left for leaver in leavers) > 10
    async with asyncio.timeout(120):
        while in_flight():  # noqa: ASYNC110
            await asyncio.sleep(0.05)
