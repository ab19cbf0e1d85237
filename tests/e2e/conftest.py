from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.servers.deployment import Addresses, Deployment

from .command import EMBEDDINGS, SCRIPT, ReactMem

PLACES = ["embedded", pytest.param("servers", marks=pytest.mark.servers)]
"""Where a stack runs: on this machine with one command, or each processor by itself on Pulsar, Neo4j and Qdrant."""


@pytest.fixture(scope="session")
def deployment(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    made = Deployment(tmp_path_factory.mktemp("deployment"), Addresses.named(), script=SCRIPT, embeddings=EMBEDDINGS)
    with made.running():
        yield made


@pytest.fixture(scope="session", params=PLACES)
def served(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReactMem]:
    """Commands over one running stack; tests keep apart by user."""
    home = tmp_path_factory.mktemp("served")
    if request.param == "servers":
        deployment = request.getfixturevalue("deployment")
        yield ReactMem(home, bus=deployment.addresses.pulsar, keys=deployment.store_settings.keys)
        return
    command = ReactMem(home)
    with command.up():
        yield command


@pytest.fixture
def own(tmp_path: Path) -> ReactMem:
    """Commands over a directory of their own, with no stack running."""
    return ReactMem(tmp_path)
