"""docs/http-events.md: its program runs and prints what the page says, and its table has every kind and limit."""

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import pytest

from trustgraph_react_mem.http.events.event import GROUPS, KINDS
from trustgraph_react_mem.http.events.feed import MOST_EVENTS
from trustgraph_react_mem.http.events.hub import EventLimits

from .conftest import PATIENCE_S, Site

PAGE = (Path(__file__).parents[4] / "docs" / "http-events.md").read_text("utf-8")


@pytest.mark.asyncio(loop_scope="module")
async def test_the_program_of_the_page_runs(site: Site) -> None:
    (program,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    program = program.replace("http://127.0.0.1:8850", site.url).replace('"KEY"', '"ann-key"')
    done = await asyncio.to_thread(
        subprocess.run, [sys.executable, "-c", program], capture_output=True, text=True, timeout=2 * PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    first, second, *rest = done.stdout.splitlines()
    assert (first, second, sorted(rest)) == ("auth-ok", "subscribed", ["1 stored", "e memory.created"])


def test_the_page_has_every_kind_and_limit() -> None:
    assert {name for name in (*KINDS, *GROUPS) if f"`{name}`" not in PAGE} == set()
    limits = EventLimits()
    numbers = (limits.auth_s, limits.auth_tries, limits.check_s, limits.slow_s, limits.outstanding, limits.subscriptions)
    for number in (
        *numbers,
        limits.connections,
        limits.connections_a_key,
        MOST_EVENTS,
        limits.waiting,
        limits.waiting_bytes // 2**20,
    ):
        assert re.search(rf"\b{number:.0f}\b", PAGE)
