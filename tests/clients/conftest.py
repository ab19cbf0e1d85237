"""Unchanged clients against a real listener.  These tests run in the clients' own environment.

The listener runs in another process, with the interpreter named by ``REACT_MEM_PYTHON``.
"""

import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

os.environ["MEM0_TELEMETRY"] = "false"  # read when mem0 is imported
ROOT = Path(__file__).parents[2]
PYTHON = os.environ.get("REACT_MEM_PYTHON", str(ROOT / ".venv" / "bin" / "python"))


@dataclass(frozen=True)
class User:
    """One person with a key and an empty memory."""

    name: str
    key: str


@dataclass
class Served:
    """``others``: users that no test has taken yet."""

    url: str
    gateway: str
    reader: str
    others: Iterator[User]

    def user(self) -> User:
        return next(self.others)


@pytest.fixture(scope="session")
def served() -> Iterator[Served]:
    with subprocess.Popen(
        [PYTHON, "-m", "tests.clients.listener"], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        line = process.stdout.readline()
        assert line, f"the listener did not start (exit code {process.wait()}): its errors are above"
        started = json.loads(line)
        users = (User(name, key) for name, key in started["users"].items())
        yield Served(url=started["url"], gateway=started["gateway"], reader=started["reader"], others=users)
        process.stdin.close()
        process.wait(60)


@pytest.fixture(autouse=True)
def _mem0_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEM0_DIR", str(tmp_path))
