"""One deployment for all these tests: two replicas of each of our processors.  Tests keep apart by user."""

import uuid
from collections.abc import Iterator

import pytest

from .deployment import Addresses, Deployment

PLAIN = {
    "enable-auto-fact-extraction": False,
    "enable-episode-recording": False,
    "enable-prospective-reflection": False,
    "promote-at-end": False,
}
"""What is recorded without a language model."""


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
