"""Each example of docs/python.md runs as it stands and prints what it promises."""

import re
from pathlib import Path

import pytest

from .command import ReactMem

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
PRINTS = ("My dog Miso is allergic to chicken.", "I live in Porto.", "Hello Ana.", "Noted.\nChicken.")


@pytest.mark.parametrize(
    ("example", "prints"), list(zip(EXAMPLES, PRINTS, strict=True)), ids=["memory", "sync", "agent", "tests"]
)
def test_an_example_runs(example: str, prints: str, own: ReactMem, tmp_path: Path) -> None:
    printed = own.run_program(example, tmp_path)
    assert prints in printed
