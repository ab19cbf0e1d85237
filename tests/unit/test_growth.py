"""Work on user text is linear: twice the text takes about twice the time."""

import time
from collections.abc import Callable

import pytest

from trustgraph_react_mem.cli.console import shown
from trustgraph_react_mem.memory.policies import DataPolicy
from trustgraph_react_mem.memory.tokens import estimate_tokens
from trustgraph_react_mem.rerank.begging import asks_for_citation
from trustgraph_react_mem.turn.data_line import as_data

pytestmark = pytest.mark.slow
MOST_GROWTH = 2.3  # time per doubling
UNITS = (
    "password for ", "password for" + " " * 40, "a@b.cc ", "://a:", "eyJ", "xoxb-1-", "1.1.1.1 ", "password is ", "key: ",
    "1 2 ", "4111 1111 ", "born on ", "passport ", "DE89 3704 0044 ", "a" * 30 + " ", "ab12" * 10, ":", "::1 ", "12:",
    "é", "ｐａｓｓ", " ", "\n", "curl -u ", '"password": ', "mnemonic a b c ", "0171 ", "A1-", "[1,2]", "12345678A ",
    "via Roma ", "rue de la ", "may ", "Ana ", "<think>", "Action: ", "[0] ", "last Monday ", "\u200b", "{",
    "abandon ", "1. zoo 2. ", "(at) ", "a dot ", "password isn't ", "| password |\n|---|\n", "login a / ", "security question ",
    "Private-Lines: 1\n", "AAAA" * 9 + "\n", "otp 12 34 ", "backup codes: a1b2, ", "e\u0301", "pаss", "sid=", "?key=a1",
    "WIFI:", "is your code 123456 ", "ssn ", "account number ", "live at ", "<password>", "setup key: ABCD ",
    "-----BEGIN PRIVATE KEY-----", "<memories ", "<|", "Thought *_ ", "Final Answer : ", "\u200d", "memory cite ", "引用",
    "\x1b",
)  # fmt: skip

WORK: dict[str, Callable[[str], object]] = {
    "screening": DataPolicy(personal_data="redact").screen,
    "tokens": estimate_tokens,
    "data lines": as_data,
    "begging": asks_for_citation,
    "terminal": shown,
}


@pytest.mark.parametrize("unit", UNITS, ids=[repr(unit[:16]) for unit in UNITS])
@pytest.mark.parametrize("name", WORK)
def test_time_grows_with_the_text(name: str, unit: str) -> None:
    work = WORK[name]
    work(unit * 100)  # loads what it needs
    for size in (16_000, 32_000, 64_000):  # a larger text if the machine was disturbed
        if _growth(work, unit, size) < MOST_GROWTH:
            return
    pytest.fail(f"{name} of {unit!r} grows by {_growth(work, unit, 32_000):.1f} per doubling")


def _growth(work: Callable[[str], object], unit: str, size: int) -> float:
    single, double = (unit * (2 * size // len(unit)))[:size], (unit * (2 * size // len(unit)))[: 2 * size]
    return min(_seconds(work, double) for _ in range(3)) / max(min(_seconds(work, single) for _ in range(3)), 1e-4)


def _seconds(work: Callable[[str], object], text: str) -> float:
    began = time.process_time()
    work(text)
    return time.process_time() - began
