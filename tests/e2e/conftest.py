from collections.abc import Iterator
from pathlib import Path

import pytest

from .command import ReactMem


@pytest.fixture(scope="session")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReactMem]:
    """Commands over one running stack; tests keep apart by user."""
    home = tmp_path_factory.mktemp("served")
    command = ReactMem(home)
    with command.up():
        yield command


@pytest.fixture
def own(tmp_path: Path) -> ReactMem:
    """Commands over a directory of their own, with no stack running."""
    return ReactMem(tmp_path)
