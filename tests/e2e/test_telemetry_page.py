"""The example of docs/telemetry.md runs as it stands, and the variables that the page names are read."""

import re
from pathlib import Path

import pytest

from .command import ReactMem

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "telemetry.md").read_text(encoding="utf-8")


@pytest.mark.slow
def test_the_example_shows_the_spans_of_the_memory_in_a_programs_own_trace(own: ReactMem, tmp_path: Path) -> None:
    [example] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    printed = own.run_program(example, tmp_path)
    spans = printed.split("\n")
    assert "upsert_memory" in spans
    assert spans.index("search_memory") < spans.index("my work"), "it ends first, inside"
