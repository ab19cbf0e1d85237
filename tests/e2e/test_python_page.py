"""Each example of docs/python.md runs as it stands and prints what it promises."""

import re
from pathlib import Path

import pytest

from .command import ReactMem

pytestmark = pytest.mark.later

PAGE = Path(__file__).parents[2] / "docs" / "python.md"
EXAMPLES = re.findall(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
PRINTS = {
    "memory": "My dog Miso is allergic to chicken.",
    "sync": "I live in Porto.",
    "agent": "Hello Ana.",
    "tests": "Noted.\nChicken.",
}
QUICK = ("agent",)  # the README has one of a memory without an agent


@pytest.mark.parametrize(
    ("example", "prints"),
    [
        pytest.param(example, prints, id=name, marks=() if name in QUICK else pytest.mark.slow)
        for example, (name, prints) in zip(EXAMPLES, PRINTS.items(), strict=True)
    ],
)
def test_an_example_runs(example: str, prints: str, own: ReactMem, tmp_path: Path) -> None:
    printed = own.run_program(example, tmp_path)
    assert prints in printed
