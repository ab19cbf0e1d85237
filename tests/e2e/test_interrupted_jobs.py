"""A job that makes its process end, with real processes."""

from pathlib import Path

import pytest

from tests.hostile.jobs import a_job_that_ends_its_process
from tests.hostile.machine import Machine

pytestmark = pytest.mark.slow


async def test_a_job_that_ends_its_process_three_times_is_a_dead_letter(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    try:
        await a_job_that_ends_its_process(machine)
    finally:
        await machine.close()
