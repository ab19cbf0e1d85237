"""Each attack has a machine of its own, with a running stack."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from .machine import Machine


@pytest.fixture
async def machine(tmp_path: Path) -> AsyncIterator[Machine]:
    tmp_path.chmod(0o755)  # another account must reach the data directory, to be refused there
    machine = Machine(tmp_path)
    await machine.up()
    yield machine
    await machine.kill()
