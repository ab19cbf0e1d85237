"""One deployment for all these tests: two replicas of each of our processors.  Tests keep apart by user."""

import time
import uuid
from collections.abc import Callable, Iterator

import pytest

from .deployment import Addresses, Deployment

PLAIN = {
    "enable-auto-fact-extraction": False,
    "enable-episode-recording": False,
    "enable-prospective-reflection": False,
}
"""What is recorded without a language model."""

PATIENCE_S = 480.0
"""Only a request that stays without an answer takes this long.  An answer takes a hundredth of it."""
PATIENT = {**PLAIN, "recall-deadline-ms": int(PATIENCE_S * 500)}
"""So that a part of recall fails only if its request is lost, not because the machine is slow."""

Say = Callable[[str], None]


@pytest.fixture
def say(capsys: pytest.CaptureFixture[str]) -> Say:
    """Prints at once how far a long test is: one that hangs is ended without what it has written."""
    began = time.monotonic()

    def line(text: str) -> None:
        with capsys.disabled():
            print(f"\n{time.monotonic() - began:5.0f} s  {text}", end="", flush=True)

    return line


@pytest.fixture(scope="session")
def addresses() -> Addresses:
    try:
        return Addresses.named()
    except KeyError as missing:
        pytest.fail(f"{missing} names no server: run make test-servers")


@pytest.fixture(scope="session")
def deployment(addresses: Addresses, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    folder = tmp_path_factory.mktemp("deployment")
    made = Deployment(folder, addresses, replicas=2, workspace=f"w{uuid.uuid4().hex[:8]}", settings=PLAIN)
    with made.running():
        yield made
